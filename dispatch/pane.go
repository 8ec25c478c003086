package dispatch

import (
	"slices"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/tmux"
	"github.com/seed-2ddc2152/board/workflows"
)

// PaneHost is what a host answered to the one question that a tick asks it.
type PaneHost struct {
	Answered bool // it answered in this tick; where no tick has asked, it is taken to be well
	Tmux     bool
	Missing  []string    // of the programs asked for, those that are not there
	Panes    []tmux.Pane // what it shows, of this home; where a program is shown, not whether it lives
	Text     string      // why not
}

// PaneWindow is a window to be opened for a run's supervisor.
type PaneWindow struct {
	Run   int64
	Board string // slug
	Name  string // for people
	// Show says whether a terminal window is opened for the person as well. It is said at every launch (PAN-4).
	Show bool
}

// Buried is a pane whose program has ended and whose session has too.
type Buried struct {
	Host string
	Pane tmux.Identity
}

// paneName is a window's name: the card and its slot.
func paneName(r board.Run) string { return r.Card + " " + r.Slot }

// usesPanes says whether a snapshot has anything to do with panes: a session that lives in one, or a card that might be
// started in one. Only then is a host asked.
func usesPanes(s Snapshot) bool {
	pane := func(surface workflows.Surface) bool { return surface == workflows.SurfacePane }
	return slices.ContainsFunc(s.View.Runs, func(r board.Run) bool { return pane(r.Surface) }) ||
		slices.ContainsFunc(s.View.Sessions, func(x board.Session) bool { return pane(x.Surface) }) ||
		cardsMayNeedPanes(s)
}

// cardsMayNeedPanes asks of each board and assignee once in a row: the cards stand by board, and few have an assignee.
func cardsMayNeedPanes(s Snapshot) bool {
	type lane struct{ board, assignee string }
	var last lane
	for i := range s.View.Cards {
		c := &s.View.Cards[i]
		if this := (lane{c.Board, c.Assignee}); c.CurrentRun == 0 && this != last {
			if last = this; mayNeedPane(s, c) {
				return true
			}
		}
	}
	return false
}

// mayNeedPane says whether a start of the card might be a pane's. A profile that is worked out from more than the assignee
// might be any.
func mayNeedPane(s Snapshot, c *board.Card) bool {
	b, _ := s.View.Board(c.Board)
	w := s.Workflows[b.Workflow].Workflow
	if w == nil {
		return false
	}
	for _, status := range w.Statuses {
		if status.Run == nil {
			continue
		}
		names := []string{c.Assignee}
		if t := status.Run.Profile; t != nil {
			for path := range t.Reads(&expr.Env{}) {
				if path != "card.assignee" {
					return slices.ContainsFunc(w.Profiles, func(p workflows.Profile) bool { return p.Surface == workflows.SurfacePane })
				}
			}
			env := &expr.Env{}
			if c.Assignee != "" {
				env.Card.Assignee = &c.Assignee
			}
			name, err := t.Text(env)
			if err != nil {
				continue // no start comes of it
			}
			names = []string{name}
		}
		for _, name := range names {
			if p := w.Profile(name); p != nil && p.Surface == workflows.SurfacePane {
				return true
			}
		}
	}
	return false
}

// bury names the panes that show nothing any more: their program has ended, and no session of it is left (LIV-3).
func (p *planner) bury() {
	for _, host := range sortedKeys(p.s.Panes) {
		for _, pane := range p.s.Panes[host].Panes {
			if pane.Dead && !slices.ContainsFunc(p.s.View.Sessions, func(x board.Session) bool { return isPaneOf(pane, x) }) {
				p.plan.Bury = append(p.plan.Bury, Buried{Host: host, Pane: pane.Identity})
			}
		}
	}
}

// isPaneOf says whether the pane is that of the session: its id on the same server, and the process it was opened with.
func isPaneOf(pane tmux.Pane, x board.Session) bool {
	super, err := process.ParseIdentity(x.Supervisor)
	return err == nil && x.TmuxPane == pane.Pane && super.PID == pane.PID
}

// serves says whether an idle session can take the run that the card asks for: an interactive pane of the profile and host
// that are asked for, whose conversation may be gone on with. Otherwise the run wants a session of its own.
func (p *planner) serves(pre *prepared, x board.Session) bool {
	prof := pre.lane.Profile
	fits := x.Interactive && prof.Interactive && pre.surface == string(workflows.SurfacePane) &&
		x.Profile == prof.Name && p.site.Host(x.Host) == pre.host
	return fits && x.ForgottenAt == 0 && !pre.card.CleanStart
}

// keptOut is an idle session whose executor has left the round since (ROS-2): another executor takes the card over once the
// session is closed (ROS-16); where nobody could, the card waits with its session.
func (p *planner) keptOut(pre *prepared) *Reason {
	e, ok := p.executor(pre.board.Slug, pre.kept.Executor)
	if !ok {
		return nil // it is in the roster no more, and keeps what it has (ROS-5)
	}
	if _, out := p.rosters[pre.board.Slug].OutOf(e); !out {
		return nil
	}
	if found := p.offersFor(pre); found.unserved != nil {
		return p.unserved(pre, found.unserved)
	}
	return p.closeUnfit(pre, *pre.kept)
}

// closeUnfit closes an idle session that stands in the way of its own slot's next run.
func (p *planner) closeUnfit(pre *prepared, x board.Session) *Reason {
	if !p.closing(x.ID) {
		p.plan.Close = append(p.plan.Close, Closing{Session: x.ID, Run: x.LastRun, Card: x.Card, For: pre.card.ID})
	}
	return held(board.HoldWorkspace, "", "the idle session %d of slot %s does not fit the next run and is being closed", x.ID, x.Slot)
}

// lacks says whether a pane's host has not the program that an executor runs (DSP-13); headless starts find it out by
// themselves.
func (p *planner) lacks(pre *prepared, e roster.Executor) *Reason {
	if pre.surface != string(workflows.SurfacePane) {
		return nil
	}
	program := programOf(e)
	if !slices.Contains(p.s.Panes[pre.host].Missing, program) {
		return nil
	}
	return held(board.HoldLauncher, "install "+program+" on "+pre.host, "host %s has no %s, which executor %s runs", pre.host, program, e.ID)
}

// lost is a claimed run whose kept session is gone or going: nobody will take it, and the next tick starts it anew.
func lost(r board.Run, sessions []board.Session) bool {
	return r.Mode == board.ModeKept && r.State == board.RunClaimed && !slices.ContainsFunc(sessions, func(x board.Session) bool {
		return x.ID == r.Resumes && x.StopAt == 0
	})
}
