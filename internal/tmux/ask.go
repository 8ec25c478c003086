package tmux

import (
	"context"
	"fmt"
	"strings"
)

// question is something to do to one pane, if it is still the one that is meant.
type question struct {
	live  bool     // only while its program runs
	first []string // words of a command to run before
	stdin []byte
	then  string // commands, as tmux parses them, for the pane that is meant
	other string // commands for when it is not
}

const (
	isMeant  = "meant"
	isAnswer = "display-message -p " + isMeant + " ; "
)

// ask lets tmux compare and act in one step, so that nothing can come between, and returns what the commands printed.
// It gives ErrPaneGone where the pane is not the one that is meant.
//
// Nothing may reach a pane whose program ended: tmux 3.3a crashes when a text is pasted there (measured), and takes all
// panes of the server with it.
func (s *Server) ask(ctx context.Context, id Identity, q question) (string, error) {
	if !isPaneID(id.Pane) {
		return "", fmt.Errorf("%q is no pane id, which is like %%12", id.Pane)
	}
	if id.Socket != "" {
		s = s.At(id.Socket)
	}
	args := q.first
	if len(args) > 0 {
		args = append(args, ";")
	}
	other := q.other
	if other == "" {
		other = "display-message -p gone"
	}
	args = append(args, "if-shell", "-F", "-t", id.Pane, id.condition(q.live), isAnswer+q.then, other)
	out, err := s.run(ctx, call{stdin: q.stdin, args: args})
	if gone(err) {
		return "", ErrPaneGone
	}
	if err != nil {
		return "", err
	}
	rest, ok := strings.CutPrefix(out, isMeant+"\n")
	if !ok {
		return "", ErrPaneGone
	}
	return rest, nil
}

// condition is the tmux format that is true for the pane that is meant. Where the pane is not there, tmux expands every
// variable to nothing.
func (id Identity) condition(live bool) string {
	cond := fmt.Sprintf("#{==:#{pane_id},%s}", id.Pane)
	if id.PID != 0 {
		cond = fmt.Sprintf("#{&&:%s,#{==:#{pane_pid},%d}}", cond, id.PID)
	}
	if live {
		cond = fmt.Sprintf("#{&&:%s,#{==:#{pane_dead},0}}", cond)
	}
	return cond
}

// isPaneID guards what becomes part of a tmux command: an id may come from a person's command line.
func isPaneID(text string) bool {
	digits, ok := strings.CutPrefix(text, "%")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}
