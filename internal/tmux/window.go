package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// openAttempts bounds how often OpenWindow asks again when a server ends, or another launch makes the same session, in
// between. Chosen: two launches meet at most once; the rest is for a server that ends at that moment.
const openAttempts = 10

// openPause lies between two of them, where the server has a way to wait. Chosen: a server takes some milliseconds to
// end.
const openPause = 20 * time.Millisecond

// Window is what OpenWindow opens. It has no variables: what the program needs beyond the server's environment it reads
// from files.
type Window struct {
	Board string   // the board's slug, which names the tmux session
	Name  string   // for people; characters that tmux would interpret become "-"
	Dir   string   // where the program starts; it must exist
	Argv  []string // the program and its arguments, at most about 16 KB in all; run without a shell
}

// OpenWindow runs the program in a window of its own, in the board's session, starting server and session where they
// are not there, and tells where it runs. It does not wait for the program, and does not change what a person who is
// attached is looking at.
func (s *Server) OpenWindow(ctx context.Context, w Window) (Identity, error) {
	if err := w.check(); err != nil {
		return Identity{}, fmt.Errorf("open window %q: %w", w.Name, err)
	}
	out, err := s.open(ctx, w)
	if err != nil {
		return Identity{}, fmt.Errorf("open window %q: %w", w.Name, err)
	}
	id, err := parseIdentity(strings.Split(strings.TrimSuffix(out, "\n"), "\t"))
	if err != nil {
		return Identity{}, fmt.Errorf("open window %q: %w", w.Name, err)
	}
	return id, nil
}

// open tries the session, then a session of its own, until neither fails for what another client does meanwhile.
func (s *Server) open(ctx context.Context, w Window) (out string, err error) {
	for range openAttempts {
		out, err = s.run(ctx, call{dir: w.Dir, args: w.inSession()})
		if gone(err) || errors.Is(err, errNoSession) {
			out, err = s.run(ctx, call{dir: w.Dir, args: w.withSession()})
		}
		if !gone(err) && !errors.Is(err, errNoSession) && !errors.Is(err, errDuplicate) {
			return out, err
		}
		if s.wait != nil {
			_ = s.wait(ctx, openPause) // an ended context shows in the next attempt
		}
	}
	return "", err
}

// check finds what tmux would accept and then do otherwise: it starts in the user's home where a directory is missing.
func (w Window) check() error {
	if len(w.Argv) == 0 {
		return errors.New("no program")
	}
	info, err := os.Stat(w.Dir)
	if err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("working directory %s is not a directory", w.Dir)
	}
	return nil
}

// inSession is the command that opens the window in a session that exists. "=" asks for the exact name: tmux would
// take a prefix.
func (w Window) inSession() []string {
	args := []string{"new-window", "-d", "-P", "-F", identityFormat, "-t", "=" + sessionName(w.Board) + ":"}
	return append(args, w.tail()...)
}

// withSession opens the window as the first of its session. The options come first, since a short program has ended
// before a second command could set them.
func (w Window) withSession() []string {
	args := []string{
		"start-server",
		";", "set-option", "-g", "remain-on-exit", "on",
		// A client that attaches, or makes a later session, must not add its variables to it.
		";", "set-option", "-g", "update-environment", "",
		";", "set-option", "-g", "allow-rename", "off",
		// A person's Escape, which interrupts a harness, would wait half a second. Chosen: enough for a slow line.
		";", "set-option", "-s", "escape-time", "20",
		// Terminal programs draw for this size until a person attaches.
		";", "set-option", "-g", "default-size", "120x40",
		";", "set-option", "-g", "default-terminal", "screen-256color",
		";", "set-option", "-g", "history-limit", "5000",
		";", "new-session", "-d", "-P", "-F", identityFormat, "-s", sessionName(w.Board),
	}
	return append(args, w.tail()...)
}

// tail is the window's name and program. tmux gives a single word to a shell, and runs several as they are.
func (w Window) tail() []string {
	argv := w.Argv
	if len(argv) == 1 {
		argv = []string{"env", argv[0]}
	}
	args := []string{"-n", windowName(w.Name), "--"}
	for _, word := range argv {
		args = append(args, literal(word))
	}
	return args
}

// KillPane ends the pane, and its window when nothing else is in it: HUP to its program. A pane that is gone already is
// no error, and a pane of another program under the same id is left alone.
func (s *Server) KillPane(ctx context.Context, id Identity) error {
	// tmux 3.3a leaves about every fifth program that ended by itself a zombie until another child of it ends
	// (measured), so it gets one that ends at once.
	_, err := s.ask(ctx, id, question{then: "kill-pane -t " + id.Pane + " ; run-shell -b true"})
	if errors.Is(err, ErrPaneGone) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("kill pane %s: %w", id.Pane, err)
	}
	return nil
}
