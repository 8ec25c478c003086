// Package panes is the home's own machine as a host of panes: it answers a tick's one question, opens windows in the
// home's tmux server, and takes away what shows nothing any more. What a session does, and whether it lives, is not its
// business: the first is the supervisor's, the second is asked of processes (LIV-1).
package panes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/tmux"
)

// Local is this machine. It satisfies dispatch.Host.
type Local struct {
	Host     string // its name, normalised
	Home     home.Home
	Program  string   // the board program, absolute
	Environ  []string // what supervisors are given, as "NAME=value"
	LookPath func(program string) (string, error)
	Tmux     *tmux.Server
	// Window is the command that opens a terminal window for the person; what is to be shown there is added to it. Empty:
	// there is none.
	Window []string
}

// Name is the host's name, normalised.
func (l *Local) Name() string { return l.Host }

// Look asks tmux once for all panes of the home. Where no server runs there are none, and that is an answer. Where nothing is
// to be opened, and no server can be there, nothing is asked.
func (l *Local) Look(ctx context.Context, programs []string) dispatch.PaneHost {
	if programs == nil && !l.Tmux.HasSocket() {
		return dispatch.PaneHost{Answered: true, Tmux: true}
	}
	if !l.Tmux.HasTmux() {
		return dispatch.PaneHost{Answered: true}
	}
	shown, err := l.Tmux.ListPanes(ctx)
	if err != nil {
		return dispatch.PaneHost{Tmux: true, Text: err.Error()}
	}
	return dispatch.PaneHost{Answered: true, Tmux: true, Panes: shown, Missing: slices.DeleteFunc(slices.Clone(programs), func(p string) bool {
		_, err := l.LookPath(p)
		return err == nil
	})}
}

// Open runs the supervisor of a run in a window of its own. Its environment is handed over in a file, since tmux would
// give it that of whoever started the server.
func (l *Local) Open(ctx context.Context, w dispatch.PaneWindow) (string, error) {
	if err := l.Home.HandEnviron(w.Run, l.Environ); err != nil {
		return "", err
	}
	id, err := l.Tmux.OpenWindow(ctx, tmux.Window{
		Board: w.Board, Name: w.Name, Dir: l.Home.Dir,
		Argv: []string{l.Program, "--home", l.Home.Dir, "supervise", strconv.FormatInt(w.Run, 10)},
	})
	if err != nil {
		_, taken := l.Home.TakeEnviron(w.Run) // nobody will
		return "", errors.Join(err, taken)
	}
	if w.Show {
		err = l.show(id)
	}
	return "tmux " + l.Tmux.Name() + " " + id.Pane, err
}

// show opens a terminal window that is attached to the pane (PAN-4).
func (l *Local) show(id tmux.Identity) error {
	if len(l.Window) == 0 {
		return errors.New("the workflow's session_window asks for a terminal window, and config.yaml has no window_command")
	}
	attach, err := l.Tmux.AttachCommand("", id)
	if err != nil {
		return err
	}
	words := append(slices.Clone(l.Window), attach...)
	if words[0], err = l.LookPath(words[0]); err != nil {
		return fmt.Errorf("window_command: %w", err)
	}
	if _, err := process.Spawn(process.Detached{Args: words, Env: l.Environ, Dir: l.Home.Dir}); err != nil {
		return fmt.Errorf("window_command: %w", err)
	}
	return nil
}

// Bury takes a pane away whose program has ended.
func (l *Local) Bury(ctx context.Context, pane tmux.Identity) error {
	return l.Tmux.KillPane(ctx, pane)
}
