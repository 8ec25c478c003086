package supervise

import (
	"cmp"
	"context"
	"io"
	"os"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/tmux"
	"github.com/seed-2ddc2152/board/workflows"
)

// ownPane finds the pane that this process was opened in: a person may have renamed or moved it, so its process tells it.
// Where tmux does not answer the session has no window to show, and works all the same.
func (s *supervisor) ownPane(ctx context.Context) tmux.Identity {
	if s.Terminal == nil {
		return tmux.Identity{}
	}
	all, err := s.Tmux.ListPanes(ctx)
	if err != nil {
		s.say("find the own pane: %v", err)
	}
	for _, p := range all {
		if p.PID == s.self.PID {
			return p.Identity
		}
	}
	return tmux.Identity{}
}

// interactive says whether the run's profile wants the harness's own screen. It is asked before the run is begun, since the
// session's row says it.
func (s *supervisor) interactive(ctx context.Context, run board.Run) bool {
	if s.Terminal == nil || run.Surface != workflows.SurfacePane {
		return false
	}
	_, b, _, err := s.store.CardWhole(ctx, run.Card)
	if err != nil {
		s.say("read the card: %v", err)
		return false
	}
	w := s.rules(ctx).Workflow(b.Workflow)
	if w == nil {
		return false
	}
	p := w.Profile(run.Profile)
	return p != nil && p.Interactive
}

// signalled is what a signal asks for where nobody has stored more (SUP-4). A pane whose window is closed hangs up: nobody
// asked the run to end, and its agent is cut off.
func (t *turn) signalled(sig os.Signal) due {
	if sig == syscall.SIGHUP && t.Terminal != nil {
		text := "its window was closed"
		if last := t.lastLines(); last != "" {
			text += "; last lines: " + last
		}
		return due{End: true, Outcome: board.Crashed, Reason: text}
	}
	return due{End: true, Outcome: board.Interrupted, Reason: "its supervisor was told to end (" + sig.String() + ")"}
}

// hungUp says whether the window that this process was opened in is gone, so that its terminal answers no more.
func (s *supervisor) hungUp() bool {
	return s.Terminal != nil && !term.IsTerminal(int(s.Terminal.Fd()))
}

// lastLines are what the run printed last, or what its screen showed.
func (t *turn) lastLines() string {
	switch {
	case t.out != nil:
		return t.out.LastLines()
	case t.agent != nil:
		return lastBytes(strings.TrimSpace(t.agent.screen), tailBytes)
	}
	return ""
}

// watched is a log that a person can watch as it grows: what goes to it goes to the pane's terminal too.
type watched struct {
	log   io.Writer
	panel chan []byte
}

// panelDepth is how many writes wait for a terminal that does not take them; further ones are not shown. Chosen: a terminal
// may stand still, and a run may not.
const panelDepth = 256

// watchedOn shows what is written to the log on the terminal as well, for as long as this process lives: a terminal that does
// not take what it is given cannot be waited for.
func watchedOn(log, terminal io.Writer) *watched {
	w := &watched{log: log, panel: make(chan []byte, panelDepth)}
	go func() {
		for p := range w.panel {
			_, _ = terminal.Write(p) // the record is the log
		}
	}()
	return w
}

// Write appends p to the log and offers it to the terminal. What it returns is the log's word.
func (w *watched) Write(p []byte) (int, error) {
	select {
	case w.panel <- append([]byte(nil), p...):
	default:
	}
	return w.log.Write(p)
}

// paneName is how messages speak of a session's pane.
func paneName(id tmux.Identity) string { return cmp.Or(id.Pane, "no pane") }
