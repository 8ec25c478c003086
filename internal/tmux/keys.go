package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// How Submit waits for a paste to settle. codex takes an Enter within half a second for a part of the paste (measured);
// the upper bound is chosen, for screens that never stand still.
const (
	settleStep  = 100 * time.Millisecond
	settleLeast = 5  // steps
	settleMost  = 30 // steps
)

// endOfPaste is what a terminal sends after a bracketed paste.
const endOfPaste = "\x1b[201~"

// SendKeys presses keys by tmux's names for them ("Enter", "Escape", "C-c") or by their character ("1"). A pane that a
// person left in copy mode leaves it, so that the program gets the keys.
func (s *Server) SendKeys(ctx context.Context, id Identity, keys ...string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "copy-mode -q -t %s ; send-keys -t %s --", id.Pane, id.Pane)
	for _, key := range keys {
		b.WriteString(" " + quoted(key))
	}
	if _, err := s.ask(ctx, id, question{live: true, then: b.String()}); err != nil {
		return fmt.Errorf("send keys to pane %s: %w", id.Pane, err)
	}
	return nil
}

// Paste puts a text of any length into the pane's input, as a bracketed paste where the program asked for that, so that
// line ends do not submit it. Line feeds arrive as the Enter key's carriage returns, which a terminal in its usual mode
// turns back. The text never stands in a command line. It returns when tmux has taken the text, which may be before the
// program has read it.
func (s *Server) Paste(ctx context.Context, id Identity, text []byte) error {
	if bytes.Contains(text, []byte(endOfPaste)) {
		return fmt.Errorf("paste into pane %s: %w", id.Pane, ErrUnsafePaste)
	}
	buffer := "board-" + strings.TrimPrefix(id.Pane, "%")
	_, err := s.ask(ctx, id, question{
		live:  true,
		first: []string{"load-buffer", "-b", buffer, "-"},
		stdin: text,
		then:  fmt.Sprintf("copy-mode -q -t %s ; paste-buffer -p -d -b %s -t %s", id.Pane, buffer, id.Pane),
		other: "delete-buffer -b " + buffer,
	})
	if err != nil {
		return fmt.Errorf("paste into pane %s: %w", id.Pane, err)
	}
	return nil
}

// Submit pastes a text and, when the paste has settled, presses Enter. It has settled when the screen shows something
// else than before and stands still, at the earliest after half a second; a screen that does not gets its Enter after
// three seconds.
func (s *Server) Submit(ctx context.Context, id Identity, text []byte) error {
	if s.wait == nil {
		return errors.New("submit a text to a pane: the server was made without a way to wait")
	}
	before, err := s.Capture(ctx, id, 0)
	if err != nil {
		return err
	}
	if err := s.Paste(ctx, id, text); err != nil {
		return err
	}
	if err := s.settle(ctx, id, before); err != nil {
		return err
	}
	return s.SendKeys(ctx, id, "Enter")
}

func (s *Server) settle(ctx context.Context, id Identity, before string) error {
	last := before
	for step := range settleMost {
		if err := s.wait(ctx, settleStep); err != nil {
			return fmt.Errorf("wait for the paste into pane %s: %w", id.Pane, err)
		}
		screen, err := s.Capture(ctx, id, 0)
		if err != nil {
			return err
		}
		if step+1 >= settleLeast && screen != before && screen == last {
			return nil
		}
		last = screen
	}
	return nil
}
