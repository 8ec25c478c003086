package dispatch

import (
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/workflows"
)

// class is what cards that never ran have in common where nothing of a card itself is asked: then they find the same room
// and the same executors, and one answer serves them all until something is taken. So a saturated group costs a look-up a
// card, however many wait (DSP-4).
type class struct {
	board, status, assignee, host, model, effort, workspace string
}

// classOf gives a card's class; false where the card, or an expression, may make a difference.
func (p *planner) classOf(c *board.Card) (class, bool) {
	if c.Attempts > 0 || c.Parent != "" || len(c.Labels) > 0 || len(c.Owns) > 0 || c.CleanStart {
		return class{}, false
	}
	if _, busy := p.busy[c.ID]; busy || !p.classy(c.Board) {
		return class{}, false
	}
	return class{c.Board, c.Status, c.Assignee, c.Host, c.Model, c.Effort, c.Workspace}, true
}

// classy says whether nothing that a start on the board is decided by reads more of a card than its class.
func (p *planner) classy(slug string) bool {
	if known, ok := p.classyBoards[slug]; ok {
		return known
	}
	w := p.workflowOf(slug)
	answer := w != nil && classyStart(w) && classyCaps(p.s.Home.Caps)
	for _, name := range p.workflowNames() {
		if other := p.s.Workflows[name].Workflow; other != nil {
			answer = answer && classyCaps(other.Dispatch.Capacity)
		}
	}
	p.classyBoards[slug] = answer
	return answer
}

// classyReads are what a class shares, or what is the same for all cards until something is taken.
func classyReads(reads map[string]any) bool {
	return readsOnly(reads, "card.status", "card.assignee", "card.host", "card.model", "card.effort", "card.board")
}

// readsOnly says whether an expression reads nothing of a card but these columns.
func readsOnly(reads map[string]any, columns ...string) bool {
	for path := range reads {
		root, _, _ := strings.Cut(path, ".")
		switch root {
		case "host", "lane", "run", "tick", "params", "board", "now":
			continue
		}
		if !slices.Contains(columns, path) {
			return false
		}
	}
	return true
}

func classyStart(w *workflows.Workflow) bool {
	env := &expr.Env{}
	ok := w.Dispatch.Eligible == nil || classyReads(w.Dispatch.Eligible.Reads(env))
	start := w.Event(w.Dispatch.Start)
	if start == nil {
		return false
	}
	for _, t := range start.Transitions {
		ok = ok && (t.When == nil || classyReads(t.When.Reads(env))) && (t.To == nil || classyReads(t.To.Reads(env))) && len(t.Do) == 0
		for _, r := range t.Require {
			ok = ok && classyReads(r.Expr.Reads(env))
		}
	}
	for _, s := range w.Statuses {
		if s.Run == nil {
			continue
		}
		ok = ok && (s.Run.Profile == nil || classyReads(s.Run.Profile.Reads(env))) && classyReads(s.Run.Session.Reads(env))
	}
	return ok
}

func classyCaps(caps []workflows.Cap) bool {
	env := &expr.Env{}
	for _, c := range caps {
		filters := []workflows.Filter{c.Where, c.Unless}
		if c.Max != nil && !classyReads(c.Max.Reads(env)) {
			return false
		}
		if c.Reserve != nil {
			filters = append(filters, c.Reserve.For)
			if !classyReads(c.Reserve.Slots.Reads(env)) {
				return false
			}
		}
		for _, f := range filters {
			if len(f.Card) > 0 {
				return false
			}
		}
	}
	return true
}
