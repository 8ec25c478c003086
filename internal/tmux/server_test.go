package tmux_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/tmux"
)

func TestServer_SaysThatTmuxIsMissing(t *testing.T) {
	t.Parallel()
	s := tmux.New(tmux.Config{
		Home:     t.TempDir(),
		LookPath: func(string) (string, error) { return "", exec.ErrNotFound },
	})
	if s.HasTmux() {
		t.Error("HasTmux is true without a tmux program")
	}
	_, errList := s.ListPanes(t.Context())
	_, errOpen := s.OpenWindow(t.Context(), tmux.Window{Board: "api", Dir: t.TempDir(), Argv: []string{"true"}})
	_, errAttach := s.AttachCommand("", tmux.Identity{Pane: "%0"})
	errKeys := s.SendKeys(t.Context(), tmux.Identity{Pane: "%0"}, "Enter")
	for _, err := range []error{errList, errOpen, errAttach, errKeys} {
		if !errors.Is(err, tmux.ErrMissing) {
			t.Errorf("got error %v, want ErrMissing", err)
		}
	}
}

func TestSocketName_IsOnePerHome(t *testing.T) {
	t.Parallel()
	home, other := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	if a, b := tmux.SocketName(home), tmux.SocketName(other); a == b {
		t.Errorf("two homes share the socket %s", a)
	}
	if a, b := tmux.SocketName(home), tmux.SocketName(link); a != b {
		t.Errorf("got %s for the home and %s through a link, want the same", a, b)
	}
}

func TestServer_SeesNoPaneOfAnotherHome(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	cfg := r.cfg
	cfg.Home = t.TempDir()
	second := rigAt(cfg)
	t.Cleanup(func() { _ = second.command("kill-server").Run() })

	mine := r.open(t, "sleep", "1000")
	theirs := second.open(t, "sleep", "1000")

	if panes := r.panes(t); len(panes) != 1 || panes[0].PID != mine.PID {
		t.Errorf("first home lists %+v, want only %+v", panes, mine)
	}
	if panes := second.panes(t); len(panes) != 1 || panes[0].PID != theirs.PID {
		t.Errorf("second home lists %+v, want only %+v", panes, theirs)
	}
	if panes, err := r.At(theirs.Socket).ListPanes(t.Context()); err != nil || len(panes) != 1 || panes[0].Identity != theirs {
		t.Errorf("asked about the other socket: %+v, %v, want %+v", panes, err, theirs)
	}
}

func TestEnviron_KeepsTheWhitelistOnly(t *testing.T) {
	t.Parallel()
	keep := []string{"PATH=/bin", "LC_CTYPE=C", "XDG_RUNTIME_DIR=/run", "https_proxy=x", "SSL_CERT_FILE=/c", "TZ=UTC"}
	drop := []string{"TMUX=/tmp/x,1,0", "TMUX_PANE=%1", "BOARD_TOKEN=s", "CLAUDECODE=1", "OPENAI_API_KEY=s", "PATHS=/bin", "odd"}
	if got := tmux.Environ(append(slices.Clone(drop), keep...)); !slices.Equal(got, keep) {
		t.Errorf("got %q, want %q", got, keep)
	}
	if got := tmux.Environ(nil); got == nil {
		t.Error("got nil for an empty environment, which os/exec takes for its own")
	}
}

// FAULT-26: the first client's environment leaks into every later pane of its server.
func TestServer_LeaksNoVariableIntoPanes(t *testing.T) {
	t.Parallel()
	r := newRig(t, "BOARD_TOKEN=first-secret", "FIRST=first-secret")
	cfg := r.cfg
	cfg.Environ = append(slices.Clone(cfg.Environ), "BOARD_TOKEN=second-secret", "SSH_AUTH_SOCK=second-secret")
	second := rigAt(cfg)

	r.open(t, "sh", "-c", "env >first.txt; tmux wait-for -S one; exec sleep 1000")
	second.open(t, "sh", "-c", "env >second.txt; tmux wait-for -S two; exec sleep 1000")
	r.await(t, "one")
	r.await(t, "two")

	for _, file := range []string{"first.txt", "second.txt"} {
		env := r.read(t, file)
		if strings.Contains(env, "secret") || !strings.Contains(env, "PATH=") {
			t.Errorf("%s: a caller's variable reached a pane, or PATH did not:\n%s", file, env)
		}
	}
}

// FAULT-27: any user of the machine can read command lines.
func TestServer_ShowsNoValueInACommandLine(t *testing.T) {
	t.Parallel()
	const secret = "proxy-password-4711"
	r := newRig(t, "HTTPS_PROXY=http://me:"+secret+"@localhost")
	id := r.open(t, "sh", "-c", "env >env.txt; tmux wait-for -S one; exec cat")
	r.await(t, "one")
	if err := r.Paste(t.Context(), id, []byte(secret)); err != nil {
		t.Fatal(err)
	}

	if env := r.read(t, "env.txt"); !strings.Contains(env, secret) {
		t.Errorf("the value did not reach the pane, so the test shows nothing:\n%s", env)
	}
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		words, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(words), secret) {
			t.Errorf("%s shows the value: %q", file, words)
		}
	}
}

func TestServer_IgnoresTheUsersConfiguration(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	conf := filepath.Join(r.cfg.SocketDir, ".tmux.conf") // the rig's HOME
	if err := os.WriteFile(conf, []byte("set -g remain-on-exit off\nset -g base-index 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := r.open(t, "sleep", "1000")
	if got := r.tmux(t, "display-message", "-p", "-t", id.Pane, "#{window_index} #{remain-on-exit}"); got != "0 on" {
		t.Errorf("got window index and remain-on-exit %q, want %q", got, "0 on")
	}
}
