package tmux_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/seed-2ddc2152/board/internal/tmux"
)

func TestOpenWindow_PassesEveryWordAsItIs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	words := []string{"two words", "ends;", `ends\;`, ";", "$HOME `id` 'q' \"d\"", "#{pid}", "-x", "", "größe", "a\tb"}
	script := `printf '<%s>\n' "$@" >words.txt; tmux wait-for -S done; exec sleep 1000`
	r.open(t, append([]string{"sh", "-c", script, "sh"}, words...)...)
	r.await(t, "done")

	want := "<" + strings.Join(words, ">\n<") + ">\n"
	if got := r.read(t, "words.txt"); got != want {
		t.Errorf("got words\n%s\nwant\n%s", got, want)
	}
}

func TestOpenWindow_RunsASingleWordWithoutAShell(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.open(t, writeProgram(t, r.path("a program; touch shell"), "tmux wait-for -S done; exec sleep 1000"))
	r.await(t, "done")
	if _, err := os.Stat(r.path("shell")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a shell has read the program's name: %v", err)
	}
}

func TestOpenWindow_StartsInTheDirectory(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "with space;", "#{pid} #[x %H", "größe"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			dir := r.path(name)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for _, board := range []string{"first-of-its-session", "first-of-its-session", "another"} {
				_, err := r.OpenWindow(t.Context(), tmux.Window{
					Board: board, Name: "w", Dir: dir, Argv: []string{"sh", "-c", "pwd -P >where; tmux wait-for -S done; exec sleep 1000"},
				})
				if err != nil {
					t.Fatal(err)
				}
				r.await(t, "done")
				if got := r.read(t, filepath.Join(name, "where")); got != dir+"\n" {
					t.Errorf("started in %q, want %q", got, dir)
				}
			}
		})
	}
}

// The tmux server itself stays in the directory of its first window.
func TestOpenWindow_OutlivesTheFirstWindowsDirectory(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first := r.path("first")
	if err := os.Mkdir(first, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := r.OpenWindow(t.Context(), tmux.Window{Board: "api", Name: "w", Dir: first, Argv: []string{"sleep", "1000"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	id := r.open(t, "sh", "-c", "pwd -P >where; tmux wait-for -S done; exec cat")
	r.await(t, "done")
	if got := r.read(t, "where"); got != r.cfg.Home+"\n" {
		t.Errorf("started in %q, want %q", got, r.cfg.Home)
	}
	if err := r.PipePane(t.Context(), id, r.path("log")); err != nil {
		t.Error(err)
	}
}

// FAULT-25: tmux itself starts in the user's home and reports success.
func TestOpenWindow_RefusesAMissingDirectory(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write(t, "file", "")
	for _, dir := range []string{r.path("missing"), r.path("file"), ""} {
		_, err := r.OpenWindow(t.Context(), tmux.Window{Board: "api", Name: "w", Dir: dir, Argv: []string{"true"}})
		if err == nil {
			t.Errorf("directory %q: no error", dir)
		}
	}
	if panes := r.panes(t); len(panes) != 0 {
		t.Errorf("got panes %+v, want none", panes)
	}
}

func TestOpenWindow_RefusesACommandThatTmuxCannotCarry(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, argv := range [][]string{nil, {"true", strings.Repeat("x", 17_000)}} {
		_, err := r.OpenWindow(t.Context(), tmux.Window{Board: "api", Name: "w", Dir: r.cfg.Home, Argv: argv})
		if err == nil {
			t.Errorf("%d words: no error", len(argv))
		}
	}
}

func TestOpenWindow_MakesOneSessionPerBoard(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boards := []string{"api", "ap", "api", "web.v2", "web.v2"}
	for _, board := range boards {
		_, err := r.OpenWindow(t.Context(), tmux.Window{Board: board, Name: "w", Dir: r.cfg.Home, Argv: []string{"sleep", "1000"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	got := r.tmux(t, "list-sessions", "-F", "#{session_name} #{session_windows}")
	if want := "ap 1\napi 2\nweb-v2 2"; got != want {
		t.Errorf("got sessions\n%s\nwant\n%s", got, want)
	}
}

func TestOpenWindow_OpensAllOfManyAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const launches = 12
	errs := make([]error, launches)
	var all sync.WaitGroup
	for i := range launches {
		all.Go(func() {
			_, errs[i] = r.OpenWindow(t.Context(), tmux.Window{
				Board: "api", Name: "w", Dir: r.cfg.Home, Argv: []string{"sleep", "1000"},
			})
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if panes := r.panes(t); len(panes) != launches {
		t.Errorf("got %d panes, want %d", len(panes), launches)
	}
	if got := r.tmux(t, "list-sessions", "-F", "#{session_name}"); got != "api" {
		t.Errorf("got sessions %q, want one", got)
	}
}

func TestOpenWindow_CleansTheName(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for name, want := range map[string]string{
		"api-1 coder":              "api-1 coder",
		"#{pid}:x;\t":              "--pid--x--",
		"":                         "board",
		"größe":                    "größe",
		strings.Repeat("long", 20): strings.Repeat("long", 10),
	} {
		id, err := r.OpenWindow(t.Context(), tmux.Window{
			Board: "api", Name: name, Dir: r.cfg.Home, Argv: []string{"sleep", "1000"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.tmux(t, "display-message", "-p", "-t", id.Pane, "#{window_name}"); got != want {
			t.Errorf("name %q: got window %q, want %q", name, got, want)
		}
	}
}

func TestKillPane_EndsItOnceAndLeavesTheOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first, second := r.open(t, "sleep", "1000"), r.open(t, "sleep", "1000")
	for range 2 {
		if err := r.KillPane(t.Context(), first); err != nil {
			t.Fatal(err)
		}
	}
	if panes := r.panes(t); len(panes) != 1 || panes[0].Identity != second {
		t.Errorf("got panes %+v, want only %+v", panes, second)
	}
	if err := r.KillPane(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if err := r.KillPane(t.Context(), second); err != nil {
		t.Errorf("without a server: %v", err)
	}
}

// FAULT-21: tmux, as the parent, does not always reap at once.
func TestKillPane_LeavesNoZombie(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.open(t, "sleep", "1000") // keeps the server
	for range 10 {
		id := r.openDead(t, "tmux list-sessions; exit 3")
		if err := r.KillPane(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		within(t, func() error {
			if errors.Is(syscall.Kill(id.PID, 0), syscall.ESRCH) {
				return nil
			}
			return fmt.Errorf("process %d is there", id.PID)
		})
	}
}

func TestOpenWindow_WorksWhileTheServerEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for range 20 {
		if err := r.KillPane(t.Context(), r.open(t, "sleep", "1000")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestIdentity_HoldsThroughRenamingAndMoving(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.open(t, "cat")
	r.open(t, "sleep", "1000")
	r.tmux(t, "rename-window", "-t", id.Window, "mine")
	r.tmux(t, "rename-session", "-t", id.Session, "ours")
	r.tmux(t, "new-session", "-d", "-s", "elsewhere", "sleep 1000")
	r.tmux(t, "join-pane", "-s", id.Pane, "-t", "=elsewhere:")

	if err := r.SendKeys(t.Context(), id, "x"); err != nil {
		t.Errorf("send keys: %v", err)
	}
	if err := r.KillPane(t.Context(), id); err != nil {
		t.Errorf("kill: %v", err)
	}
	var left []string
	for _, p := range r.panes(t) {
		left = append(left, p.SessionName)
	}
	if got := strings.Join(left, " "); got != "elsewhere ours" {
		t.Errorf("panes left in sessions %q, want one each in %q", got, "elsewhere ours")
	}
}

// A server's ids start at zero again, so a row written before a restart names somebody else's pane.
func TestIdentity_OfAnEndedServerTouchesNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	old := r.open(t, "cat")
	r.tmux(t, "kill-server")
	heir := r.open(t, "cat")
	if heir.Pane != old.Pane {
		t.Fatalf("got pane %s after %s, so the test shows nothing", heir.Pane, old.Pane)
	}

	_, errCapture := r.Capture(t.Context(), old, 0)
	for _, err := range []error{
		errCapture,
		r.SendKeys(t.Context(), old, "C-c"),
		r.Paste(t.Context(), old, []byte("x")),
		r.PipePane(t.Context(), old, r.path("log")),
	} {
		if !errors.Is(err, tmux.ErrPaneGone) {
			t.Errorf("got error %v, want ErrPaneGone", err)
		}
	}
	if err := r.KillPane(t.Context(), old); err != nil {
		t.Error(err)
	}
	if panes := r.panes(t); len(panes) != 1 || panes[0].Identity != heir || panes[0].Dead {
		t.Errorf("got panes %+v, want the heir alive", panes)
	}
}

func TestIdentity_IsNoPlaceForCommands(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.open(t, "cat")
	for _, pane := range []string{"", "%", "api:0", "%0 ; kill-server", "%0}"} {
		odd := tmux.Identity{Socket: id.Socket, Pane: pane}
		if err := r.SendKeys(t.Context(), odd, "x"); err == nil {
			t.Errorf("pane %q: no error", pane)
		}
	}
	person := tmux.Identity{Socket: id.Socket, Pane: id.Pane}
	if err := r.SendKeys(t.Context(), person, "x"); err != nil {
		t.Errorf("a pane named by a person: %v", err)
	}
}

// BenchmarkLaunchPane opens a hundred windows that end at once.
func BenchmarkLaunchPane(b *testing.B) {
	r := newRig(b)
	for b.Loop() {
		for range 100 {
			r.open(b, "true")
		}
		b.StopTimer()
		r.tmux(b, "kill-server")
		b.StartTimer()
	}
}
