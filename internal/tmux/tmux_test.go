package tmux_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/tmux"
)

// patience bounds each wait for a real program; it is only spent when a test fails.
const patience = 30 * time.Second

// rig is a home with a tmux server of its own, which ends with the test.
type rig struct {
	*tmux.Server
	cfg tmux.Config
}

func newRig(tb testing.TB, environ ...string) rig {
	tb.Helper()
	// A socket's path has at most 107 bytes, and t.TempDir holds the test's name.
	dir, err := os.MkdirTemp("", "tmux") //nolint:usetesting // see above
	if err != nil {
		tb.Fatal(err)
	}
	r := rigAt(tmux.Config{
		Home:      tb.TempDir(),
		Environ:   append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, environ...),
		SocketDir: dir,
		Wait:      clock.Real{}.Sleep,
	})
	tb.Cleanup(func() {
		_ = r.command("kill-server").Run() // it may have ended by itself
		_ = os.RemoveAll(dir)
	})
	return r
}

func rigAt(cfg tmux.Config) rig {
	return rig{Server: tmux.New(cfg), cfg: cfg}
}

func (r rig) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-u", "-f", "/dev/null", "-L", r.Name()}, args...)...)
	cmd.Env = append(tmux.Environ(os.Environ()), "TMUX_TMPDIR="+r.cfg.SocketDir)
	return cmd
}

// tmux asks the rig's server something that the package does not.
func (r rig) tmux(tb testing.TB, args ...string) string {
	tb.Helper()
	out, err := r.command(args...).CombinedOutput()
	if err != nil {
		tb.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// await returns when something ran `tmux wait-for -S channel`, before or after.
func (r rig) await(tb testing.TB, channel string) {
	tb.Helper()
	cmd := r.command("wait-for", channel)
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("wait for %q: %v: %s", channel, err, out)
	}
}

// open runs a program in a window of board "api".
func (r rig) open(tb testing.TB, argv ...string) tmux.Identity {
	tb.Helper()
	id, err := r.OpenWindow(tb.Context(), tmux.Window{Board: "api", Name: "api-1", Dir: r.cfg.Home, Argv: argv})
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

// openDead runs a shell script in a window and returns when it has ended.
func (r rig) openDead(tb testing.TB, script string) tmux.Identity {
	tb.Helper()
	id := r.open(tb, "sh", "-c", script)
	r.awaitDeath(tb, id)
	return id
}

// awaitDeath returns when tmux shows that the pane's program has ended. The hook pane-died is no signal for that: tmux
// 3.3a may leave the program a zombie, and runs the hook when it reaps it.
func (r rig) awaitDeath(tb testing.TB, id tmux.Identity) {
	tb.Helper()
	within(tb, func() error {
		for _, p := range r.panes(tb) {
			if p.Identity == id && p.Dead {
				return nil
			}
		}
		return fmt.Errorf("pane %s is not dead", id.Pane)
	})
}

func (r rig) panes(tb testing.TB) []tmux.Pane {
	tb.Helper()
	panes, err := r.ListPanes(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return panes
}

// path is a file in the rig's home.
func (r rig) path(name string) string { return filepath.Join(r.cfg.Home, name) }

func (r rig) read(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(r.path(name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func (r rig) write(tb testing.TB, name, text string) {
	tb.Helper()
	if err := os.WriteFile(r.path(name), []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// writeProgram makes a shell script that can be run, and returns its path.
func writeProgram(tb testing.TB, path, script string) string {
	tb.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		tb.Fatal(err)
	}
	return path
}

func shellLine(argv []string) string { return "'" + strings.Join(argv, "' '") + "'\n" }

// within asks until there is no error, for what a terminal does in its own time: tmux has no signal for a screen that
// changed. Each question is a run of tmux, so it needs no pause.
func within(tb testing.TB, ask func() error) {
	tb.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			tb.Fatal(err)
		}
	}
}
