package tmux

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Capture is what the pane shows, of the alternate screen as well, preceded by up to history lines that scrolled out of
// it; wrapped lines are joined, and blanks at the ends of lines and blank lines at the end are left out.
//
// It also reads a pane whose program ended. There tmux adds a last line "Pane is dead", for which the first one scrolls
// out, so ask for some history. It is no record: tmux 3.3a drops what a program prints in its last moment in about 3 of
// 100 cases (measured).
func (s *Server) Capture(ctx context.Context, id Identity, history int) (string, error) {
	then := fmt.Sprintf("capture-pane -p -J -t %s -S -%d", id.Pane, max(history, 0))
	out, err := s.ask(ctx, id, question{then: then})
	if err != nil {
		return "", fmt.Errorf("capture pane %s: %w", id.Pane, err)
	}
	lines := strings.Split(out, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n"), nil
}

// PipePane appends all that the pane prints from here on to the file, until the pane is killed. Called again it ends
// the earlier pipe and opens the file anew, so that a log is rotated by renaming the file first.
func (s *Server) PipePane(ctx context.Context, id Identity, file string) error {
	if !filepath.IsAbs(file) {
		return fmt.Errorf("log pane %s to %q: %w", id.Pane, file, errors.New("the path must be absolute"))
	}
	then := fmt.Sprintf("pipe-pane -t %s %s", id.Pane, quoted("exec cat >>"+printf(file)))
	if _, err := s.ask(ctx, id, question{live: true, then: then}); err != nil {
		return fmt.Errorf("log pane %s to %s: %w", id.Pane, file, err)
	}
	return nil
}
