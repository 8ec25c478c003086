package process_test

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"

	"github.com/seed-2ddc2152/board/internal/process"
)

// Scenarios 16 and 17: what does not match is never signalled (LIV-1).
func TestSignal_ReachesNobodyWhoCannotBeProved(t *testing.T) {
	t.Parallel()
	table := open(t)
	cmd := child(t, "/bin/sleep", "63")
	id := of(t, table, cmd.Process.Pid)
	for _, c := range []struct {
		name   string
		change func(*process.Identity)
		want   error
	}{
		{"pid used again", func(i *process.Identity) { i.StartTime-- }, process.ErrGone},
		{"another boot", func(i *process.Identity) { i.BootID = "old" }, process.ErrGone},
		{"another namespace", func(i *process.Identity) { i.PIDNamespace++ }, process.ErrUnverified},
		{"nobody", func(i *process.Identity) { *i = process.Identity{} }, process.ErrUnverified},
		{"process 1", func(i *process.Identity) { i.PID = 1 }, process.ErrUnverified},
	} {
		changed := id
		c.change(&changed)
		if err := table.Signal(changed, syscall.SIGKILL); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
		if err := table.SignalGroup(changed, syscall.SIGKILL); !errors.Is(err, c.want) {
			t.Errorf("%s, group: got %v, want %v", c.name, err, c.want)
		}
	}
	if got := table.Check(id); got != process.Alive {
		t.Fatalf("got %s, want it untouched", got)
	}
	if err := table.Signal(id, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("got %v, want it ended by TERM", err)
	}
	if err := table.Signal(id, syscall.SIGTERM); !errors.Is(err, process.ErrGone) {
		t.Errorf("gone: got %v", err)
	}
}

func TestSignalGroup_ReachesTheGroupWhileItsLeaderIsThere(t *testing.T) {
	t.Parallel()
	table := open(t)
	cmd := child(t, "/bin/sh", "-c", "(sleep 64 &); exit 0")
	id := of(t, table, cmd.Process.Pid)
	until(t, "a zombie leader", func() bool {
		entry, err := table.Entry(id.PID)
		return err == nil && entry.Zombie
	})
	members := table.Members(process.Tree{Root: id})
	if len(members) != 1 {
		t.Fatalf("got %+v, want the sleep", members)
	}
	if err := table.SignalGroup(id, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "the group's end", func() bool { return table.Check(members[0].ID) == process.Dead })
	_ = cmd.Wait()
	if err := table.SignalGroup(id, syscall.SIGKILL); !errors.Is(err, process.ErrGone) {
		t.Errorf("leader gone: got %v", err)
	}
	follower := child(t, "/bin/sh", "-c", "sleep 64 & wait")
	until(t, "a follower", func() bool { return len(table.Descendants(follower.Process.Pid)) == 1 })
	below := table.Descendants(follower.Process.Pid)[0]
	if err := table.SignalGroup(below.ID, syscall.SIGKILL); !errors.Is(err, process.ErrUnverified) {
		t.Errorf("one that leads no group: got %v", err)
	}
}

// Fault 4: a stopped process, or a stopped supervisor, acts on no TERM until it goes on.
func TestSignal_Fault4_TermEndsWhatIsStopped(t *testing.T) {
	t.Parallel()
	table := open(t)
	for _, c := range []struct {
		name string
		term func(process.Identity) error
	}{
		{"process", func(id process.Identity) error { return table.Signal(id, syscall.SIGTERM) }},
		{"group", func(id process.Identity) error { return table.SignalGroup(id, syscall.SIGTERM) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := child(t, "/bin/sleep", "66")
			id := of(t, table, cmd.Process.Pid)
			if err := table.Signal(id, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			if err := c.term(id); err != nil {
				t.Fatal(err)
			}
			until(t, "its end", func() bool { return table.Check(id) == process.Dead })
		})
	}
}
