package tmux_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/tmux"
)

// reader is a program that takes its terminal byte by byte, as a harness does, and writes the first n of them to a file.
func reader(n int) []string {
	script := fmt.Sprintf("stty -icanon -echo; tmux wait-for -S ready; head -c %d >got; tmux wait-for -S got; exec sleep 1000", n)
	return []string{"sh", "-c", script}
}

// text is n bytes that a shell, tmux or a terminal could take for something else.
func text(n int) string {
	const line = "naïve ✳ `id` $HOME \"q\" 'q' #{pid} %H \\n ; \t| end;\n"
	s := strings.Repeat(line, n/len(line)+1)[:n]
	return strings.ToValidUTF8(s[:n-4], "????") + "end\n"
}

// FAULT-24, PAN-2.
func TestPaste_DeliversLongTextsWhole(t *testing.T) {
	t.Parallel()
	for _, kib := range []int{1, 12, 16, 20, 200} {
		t.Run(fmt.Sprintf("%d KiB", kib), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			want := text(kib << 10)
			id := r.open(t, reader(len(want))...)
			r.await(t, "ready")
			if err := r.Paste(t.Context(), id, []byte(want)); err != nil {
				t.Fatal(err)
			}
			r.await(t, "got")
			if got := r.read(t, "got"); got != want {
				t.Errorf("got %d bytes that differ from the %d pasted", len(got), len(want))
			}
			if left := r.tmux(t, "list-buffers"); left != "" {
				t.Errorf("buffers left: %s", left)
			}
		})
	}
}

func TestPaste_BracketsWhereTheProgramAsks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const want = "\x1b[200~one\ntwo\x1b[201~"
	script := fmt.Sprintf(`stty -icanon -echo; printf '\033[?2004h'; echo ready; head -c %d >got; tmux wait-for -S got; exec sleep 1000`, len(want))
	id := r.open(t, "sh", "-c", script)
	r.shows(t, id, "ready")
	if err := r.Paste(t.Context(), id, []byte("one\ntwo")); err != nil {
		t.Fatal(err)
	}
	r.await(t, "got")
	if got := r.read(t, "got"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPaste_RefusesATextThatWouldEndItself(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.open(t, "cat")
	if err := r.Paste(t.Context(), id, []byte("x\x1b[201~\rrm")); !errors.Is(err, tmux.ErrUnsafePaste) {
		t.Errorf("got error %v, want ErrUnsafePaste", err)
	}
}

// tmux 3.3a crashes, with all its panes, when a text is pasted where the program has ended.
func TestPaste_SparesTheServerWhereTheProgramEnded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	neighbour := r.open(t, "sleep", "1000")
	dead := r.openDead(t, "exit 0")
	for what, err := range map[string]error{
		"paste":  r.Paste(t.Context(), dead, []byte("x")),
		"submit": r.Submit(t.Context(), dead, []byte("x")),
		"keys":   r.SendKeys(t.Context(), dead, "Enter"),
		"pipe":   r.PipePane(t.Context(), dead, r.path("log")),
	} {
		if !errors.Is(err, tmux.ErrPaneGone) {
			t.Errorf("%s: got error %v, want ErrPaneGone", what, err)
		}
	}
	if panes := r.panes(t); len(panes) != 2 || panes[0].Identity != neighbour || panes[0].Dead {
		t.Errorf("got panes %+v, want the neighbour alive", panes)
	}
	if left := r.tmux(t, "list-buffers"); left != "" {
		t.Errorf("buffers left: %s", left)
	}
}

func TestSendKeys_ReachTheProgramOutOfCopyMode(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.open(t, reader(len("a'b;\n"))...)
	r.await(t, "ready")
	r.tmux(t, "copy-mode", "-t", id.Pane)
	if err := r.SendKeys(t.Context(), id, "a", "'", "b", ";", "Enter"); err != nil {
		t.Fatal(err)
	}
	r.await(t, "got")
	if got := r.read(t, "got"); got != "a'b;\n" {
		t.Errorf("got %q, want %q", got, "a'b;\n")
	}
}

// PAN-2: codex takes an Enter that comes at once for a part of the paste.
func TestSubmit_PressesEnterAfterThePasteHasSettled(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var waited time.Duration
	var screens []string
	var id tmux.Identity
	cfg := r.cfg
	cfg.Wait = func(ctx context.Context, d time.Duration) error {
		waited += d
		screen, err := r.Capture(ctx, id, 0)
		screens = append(screens, screen)
		return err
	}
	id = r.open(t, "sh", "-c", "read -r line; echo read $line; tmux wait-for -S read; exec sleep 1000")
	if err := tmux.New(cfg).Submit(t.Context(), id, []byte("Read the file.")); err != nil {
		t.Fatal(err)
	}
	r.await(t, "read")
	if waited < 500*time.Millisecond || waited > 3*time.Second {
		t.Errorf("waited %v before Enter, want 0.5 s to 3 s", waited)
	}
	for _, screen := range screens {
		if strings.Contains(screen, "read Read") {
			t.Errorf("submitted before it had settled:\n%s", screen)
		}
	}
}

func TestSubmit_EndsWaitingForAScreenThatShowsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	cfg := r.cfg
	cfg.Wait = func(context.Context, time.Duration) error { return nil }
	id := r.open(t, reader(len("quiet\n"))...)
	r.await(t, "ready")
	if err := tmux.New(cfg).Submit(t.Context(), id, []byte("quiet")); err != nil {
		t.Fatal(err)
	}
	r.await(t, "got")
	if got := r.read(t, "got"); got != "quiet\n" {
		t.Errorf("got %q, want %q", got, "quiet\n")
	}
}

func TestSubmit_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	cfg := r.cfg
	cfg.Wait = func(context.Context, time.Duration) error { return context.Canceled }
	id := r.open(t, "cat")
	if err := tmux.New(cfg).Submit(t.Context(), id, []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
}
