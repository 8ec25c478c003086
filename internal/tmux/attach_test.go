package tmux_test

import (
	"testing"
)

func TestAttachCommand_AttachesFromInsideAnotherTmux(t *testing.T) {
	t.Parallel()
	r, outer := newRig(t), newRig(t)
	r.open(t, "sleep", "1000")
	id := r.open(t, "sleep", "1000")
	r.tmux(t, "set-hook", "-g", "client-attached", "wait-for -S attached")

	argv, err := r.AttachCommand("/tmp/tmux-0/default,1,0", id)
	if err != nil {
		t.Fatal(err)
	}
	outer.open(t, argv...)
	r.await(t, "attached")
	if got := r.tmux(t, "list-clients", "-F", "#{session_id} #{pane_id}"); got != id.Session+" "+id.Pane {
		t.Errorf("the client sees %q, want %q", got, id.Session+" "+id.Pane)
	}
}

func TestAttachCommand_SwitchesInsideThePanesServer(t *testing.T) {
	t.Parallel()
	r, outer := newRig(t), newRig(t)
	// The person's pane waits until it is told to run what the file says.
	person := r.open(t, "sh", "-c", "tmux wait-for go; . ./switch; tmux wait-for -S switched; exec sleep 1000")
	id := r.open(t, "sleep", "1000")
	r.tmux(t, "set-hook", "-g", "client-attached", "wait-for -S attached")
	attach, err := r.AttachCommand("", person)
	if err != nil {
		t.Fatal(err)
	}
	outer.open(t, attach...)
	r.await(t, "attached")

	argv, err := r.AttachCommand(id.Socket+",123,0", id)
	if err != nil {
		t.Fatal(err)
	}
	r.write(t, "switch", shellLine(argv))
	r.tmux(t, "wait-for", "-S", "go")
	r.await(t, "switched")
	if got := r.tmux(t, "list-clients", "-F", "#{pane_id}"); got != id.Pane {
		t.Errorf("the client sees %q, want %q", got, id.Pane)
	}
}
