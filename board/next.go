package board

import (
	"fmt"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/workflows"
)

// Events are the events that a person could send to a card as it is, in the file's order. The start event is left out: the
// dispatcher sends it. One that wants a reason counts as possible.
func Events(w *workflows.Workflow, b Board, c Card, facts CardFacts, now Time) []string {
	var possible []string
	for _, e := range w.Events {
		if e.Name == w.Dispatch.Start {
			continue
		}
		env := Env(b, c, facts, now)
		env.Event = expr.Event{Name: e.Name}
		env.Sender = expr.Sender{Kind: workflows.ByPerson}
		_, refusal := w.Fire(workflows.FireRequest{Event: e.Name, From: c.Status, By: workflows.ByPerson, Env: env})
		if refusal == nil || refusal.Kind == workflows.RefusedRequire {
			possible = append(possible, e.Name)
		}
	}
	return possible
}

// HostIgnored says whether the host that a card names means nothing where it would run next: its profile is headless, and
// headless runs are on the home host (CAP-2). It gives that profile. A card that cannot start is false.
func HostIgnored(w *workflows.Workflow, b Board, c Card, facts CardFacts, now Time) (profile string, ignored bool) {
	if c.Host == "" {
		return "", false
	}
	env := Env(b, c, facts, now)
	env.Event = expr.Event{Name: w.Dispatch.Start}
	env.Sender = expr.Sender{Kind: workflows.ByBoard, Name: workflows.ByBoard}
	move, refusal := w.Fire(workflows.FireRequest{Event: w.Dispatch.Start, From: c.Status, By: workflows.ByBoard, Env: env})
	if refusal != nil {
		return "", false
	}
	lane, err := w.Lane(move.To, env)
	if err != nil || lane.Profile.Surface == workflows.SurfacePane {
		return "", false
	}
	return lane.Profile.Name, true
}

// CheckAdd says whether a card may be added to a board, and gives the status that it begins in.
func (r Rules) CheckAdd(b Board, c Card) (status string, err error) {
	w, err := r.workflowOf(b)
	if err != nil {
		return "", err
	}
	return w.Initial, CheckAssignee(w, c.Assignee)
}

// HostNote tells a person that the host which a card names means nothing where it would run next; "" = it does.
func (r Rules) HostNote(b Board, c Card, facts CardFacts, now Time) string {
	w := r.Workflow(b.Workflow)
	if w == nil {
		return ""
	}
	profile, ignored := HostIgnored(w, b, c, facts, now)
	if !ignored {
		return ""
	}
	return fmt.Sprintf("%s names the host %s, but the profile %s is headless: it will run on the home host", c.ID, c.Host, profile)
}
