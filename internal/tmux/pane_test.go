package tmux_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/tmux"
)

// FAULT-28: no server means no sessions, which is known.
func TestListPanes_IsEmptyWithoutAServer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if panes, err := r.ListPanes(t.Context()); err != nil || len(panes) != 0 {
		t.Errorf("before any server: %+v, %v, want no panes and no error", panes, err)
	}
	r.open(t, "sleep", "1000")
	r.tmux(t, "kill-server") // its socket remains
	if panes, err := r.ListPanes(t.Context()); err != nil || len(panes) != 0 {
		t.Errorf("after the server was killed: %+v, %v, want no panes and no error", panes, err)
	}
}

func TestListPanes_FailsWhereTmuxCannotSay(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"refused":     `echo "error connecting to /tmp/tmux-0/x (Permission denied)" >&2; exit 1`,
		"other words": "echo gibberish",
		"no words":    "exit 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := writeProgram(t, t.TempDir()+"/tmux", script)
			s := tmux.New(tmux.Config{Home: t.TempDir(), LookPath: func(string) (string, error) { return fake, nil }})
			if panes, err := s.ListPanes(t.Context()); err == nil {
				t.Errorf("got %+v and no error", panes)
			}
		})
	}
}

func TestListPanes_TellsHowAProgramEnded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script       string
		code, signal int
	}{
		{"exit 3", 3, 0},
		{"exit 0", 0, 0},
		{"kill -9 $$", -1, 9},
	} {
		t.Run(c.script, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			id := r.openDead(t, c.script)
			within(t, func() error {
				// tmux may reap what has ended only when another child of it ends.
				r.tmux(t, "run-shell", "-b", "true")
				p := r.panes(t)[0]
				if p.Identity != id || !p.Dead || p.ExitCode != c.code || p.Signal != c.signal {
					return fmt.Errorf("got %+v, want %+v dead with code %d, signal %d", p, id, c.code, c.signal)
				}
				return nil
			})
		})
	}
}

// Without a UTF-8 locale tmux prints "_" for the separator and for what is not ASCII, unless told.
func TestListPanes_ReadsNamesInACLocale(t *testing.T) {
	t.Parallel()
	r := newRig(t, "LC_ALL=C", "LANG=C")
	script := `printf '\033]2;Größe ✳ \\ | done\033\\'; tmux wait-for -S titled; exec sleep 1000`
	id, err := r.OpenWindow(t.Context(), tmux.Window{
		Board: "äpi", Name: "größe", Dir: r.cfg.Home, Argv: []string{"sh", "-c", script},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.await(t, "titled")
	// The title travels through the terminal, which may still be reading it.
	within(t, func() error {
		panes := r.panes(t)
		if len(panes) != 1 {
			return fmt.Errorf("got %d panes, want 1", len(panes))
		}
		p := panes[0]
		if p.Identity != id || p.SessionName != "äpi" || p.WindowName != "größe" || !strings.HasPrefix(p.Title, "Größe ✳") {
			return fmt.Errorf("got %+v", p)
		}
		if p.Dead || p.ExitCode != -1 || time.Since(p.Activity) > time.Hour || p.Activity.After(time.Now().Add(time.Hour)) {
			return fmt.Errorf("got %+v, want it alive and active just before", p)
		}
		return nil
	})
}

func TestListPanes_AsksOnceForManyPanes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for range 5 {
		r.open(t, "sleep", "1000")
	}
	program, err := exec.LookPath("tmux")
	if err != nil {
		t.Fatal(err)
	}
	counting := writeProgram(t, r.path("tmux"), "echo >>"+r.path("asked")+"\nexec "+program+` "$@"`)
	cfg := r.cfg
	cfg.LookPath = func(string) (string, error) { return counting, nil }
	if panes := rigAt(cfg).panes(t); len(panes) != 5 {
		t.Errorf("got %d panes, want 5", len(panes))
	}
	if got := strings.Count(r.read(t, "asked"), "\n"); got != 1 {
		t.Errorf("tmux was run %d times, want once", got)
	}
}
