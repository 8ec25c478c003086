package tmux_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/tmux"
)

func (r rig) capture(tb testing.TB, id tmux.Identity, history int) string {
	tb.Helper()
	screen, err := r.Capture(tb.Context(), id, history)
	if err != nil {
		tb.Fatal(err)
	}
	return screen
}

// shows waits until the pane's screen contains the text.
func (r rig) shows(tb testing.TB, id tmux.Identity, text string) {
	tb.Helper()
	within(tb, func() error {
		if screen := r.capture(tb, id, 0); !strings.Contains(screen, text) {
			return fmt.Errorf("the screen shows\n%s\nwant %q on it", screen, text)
		}
		return nil
	})
}

func TestCapture_ReadsTheAlternateScreen(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.open(t, "sh", "-c", `echo before; printf '\033[?1049h\033[HDo you trust 100%% of #{pid}?  \n'; exec sleep 1000`)
	r.shows(t, id, "trust")
	if got, want := r.capture(t, id, 0), "Do you trust 100% of #{pid}?"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCapture_AddsHistoryAndJoinsWrappedLines(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	long := strings.Repeat("0123456789", 30)
	id := r.open(t, "sh", "-c", "seq 1 200; echo "+long+"; echo last; exec sleep 1000")
	r.shows(t, id, "last")

	if screen := r.capture(t, id, 0); strings.Contains(screen, "100\n") || !strings.HasSuffix(screen, "\n"+long+"\nlast") {
		t.Errorf("without history got\n%s", screen)
	}
	if screen := r.capture(t, id, 1000); !strings.HasPrefix(screen, "1\n2\n3\n") {
		t.Errorf("with history got\n%s", screen)
	}
}

func TestCapture_ReadsADeadPane(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.open(t, "sh", "-c", "echo the last words; tmux wait-for go; exit 7")
	r.shows(t, id, "the last words")
	r.tmux(t, "wait-for", "-S", "go")
	r.awaitDeath(t, id)
	if screen := r.capture(t, id, 10); !strings.HasPrefix(screen, "the last words") {
		t.Errorf("got\n%s", screen)
	}
}

func TestCapture_SaysThatThePaneIsGone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.open(t, "sleep", "1000")
	other := r.open(t, "sleep", "1000")
	for _, gone := range []tmux.Identity{id, other} {
		if err := r.KillPane(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Capture(t.Context(), gone, 0); !errors.Is(err, tmux.ErrPaneGone) {
			t.Errorf("pane %s: got error %v, want ErrPaneGone", gone.Pane, err)
		}
	}
}

func TestPipePane_LogsIntoAnyPathAndRotates(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.open(t, "cat")
	const name = "out #{pid} #[x] %H 'q' \"d\" $(id) größe.log"
	for i, word := range []string{"first", "second"} {
		if err := r.PipePane(t.Context(), id, r.path(name)); err != nil {
			t.Fatal(err)
		}
		if err := r.SendKeys(t.Context(), id, word, "Enter"); err != nil {
			t.Fatal(err)
		}
		within(t, func() error {
			// The terminal's echo and what cat prints.
			text, err := os.ReadFile(r.path(name))
			if err == nil && strings.Count(string(text), word) != 2 {
				err = fmt.Errorf("log has %q, want %q twice", text, word)
			}
			return err
		})
		if err := os.Rename(r.path(name), fmt.Sprintf("%s.%d", r.path("rotated"), i)); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.read(t, "rotated.0"); strings.Contains(got, "second") {
		t.Errorf("the earlier log has %q, want nothing of after the rotation", got)
	}
}

func TestPipePane_RefusesARelativePath(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if err := r.PipePane(t.Context(), r.open(t, "cat"), "output.log"); err == nil {
		t.Error("no error")
	}
}
