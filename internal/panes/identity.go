package panes

import (
	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/tmux"
)

// Of is the pane that a session is shown in; false where it has none. A pane's process is the session's supervisor, and of
// an adopted session the process that was attached.
func Of(x board.Session) (tmux.Identity, bool) {
	if x.TmuxPane == "" {
		return tmux.Identity{}, false
	}
	text := x.Supervisor
	if x.Origin == board.Adopted {
		text = x.Process
	}
	first, err := process.ParseIdentity(text)
	if err != nil {
		return tmux.Identity{}, false
	}
	return tmux.Identity{Socket: x.TmuxSocket, Session: x.TmuxSession, Window: x.TmuxWindow, Pane: x.TmuxPane, PID: first.PID}, true
}
