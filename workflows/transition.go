package workflows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// The senders of WF-2 that are no session.
const (
	ByPerson = "person"
	ByBoard  = "board" // the dispatcher, at a run's end
)

// FireRequest is an event sent to a card.
type FireRequest struct {
	Event string
	From  string    // the card's status
	By    string    // ByPerson, ByBoard or the session's slot
	Env   *expr.Env // never nil; Env.Event and Env.Sender tell of the event
}

// Move is what an accepted event does.
type Move struct {
	From, To string // the same when the card stays
	Progress bool
	Actions  []DoneAction // in order, their templates filled
	Origin   Origin       // the transition taken
}

// DoneAction is an action of a Move.
type DoneAction struct {
	Kind     ActionKind
	Value    string
	Fields   []FieldValue
	Counters []string
	Origin   Origin
}

// FieldValue is a column that assign sets. A nil value clears it.
type FieldValue struct {
	Name  string
	Value any
}

// RefusalKind is why an event does nothing.
type RefusalKind string

// The kinds of refusal. The sender acts next, except on a fault, which is for who wrote the workflow.
const (
	RefusedNoEvent      RefusalKind = "no_event"      // the workflow has no such event
	RefusedNoTransition RefusalKind = "no_transition" // none leaves this status
	RefusedSender       RefusalKind = "not_allowed"   // none that this sender may take (WF-2)
	RefusedWhen         RefusalKind = "when"          // every `when` is false: "not this transition"
	RefusedRequire      RefusalKind = "require"       // a `require` is false: Text is its message
	RefusedFault        RefusalKind = "fault"         // an expression failed, or `to` names no status
)

// Refusal is why an event does nothing. It is an error for those who want one.
type Refusal struct {
	Kind   RefusalKind
	Event  string
	From   string
	By     string
	Text   string         // for a person; for RefusedRequire the workflow's message
	Expr   string         // the `when` or `require` that was false
	Origin Origin         // of that key
	Values map[string]any // what it read
}

// Error is the text.
func (r *Refusal) Error() string { return r.Text }

// Fire decides what an event does: the first transition whose `from`, `by` and `when` hold is taken. It is refused when
// there is none, and when that transition requires what is not so (WF-1).
func (w *Workflow) Fire(req FireRequest) (Move, *Refusal) {
	event := w.Event(req.Event)
	if event == nil {
		return Move{}, w.noEvent(req)
	}
	leaves := false // whether some transition leaves the status
	var notNow *Refusal
	for i := range event.Transitions {
		t := &event.Transitions[i]
		if !w.leaves(t, req.From) {
			continue
		}
		leaves = true
		if !mayCome(t.By, req.By) {
			continue
		}
		holds, err := t.When.Eval(req.Env)
		if err != nil {
			return Move{}, req.fault(t.WhenAt, err)
		}
		if holds {
			return w.take(t, req)
		}
		if notNow == nil {
			text := fmt.Sprintf("%s is not possible now: `when` is false: %s", req.Event, t.When.Source())
			notNow = req.refuse(RefusedWhen, t.WhenAt, text)
			notNow.Expr, notNow.Values = t.When.Source(), t.When.Reads(req.Env)
		}
	}
	switch {
	case notNow != nil:
		return Move{}, notNow
	case leaves:
		return Move{}, req.refuse(RefusedSender, event.Origin, fmt.Sprintf("%s may not send %s in status %s; %s may",
			req.By, req.Event, req.From, strings.Join(w.senders(event, req.From), ", ")))
	}
	return Move{}, req.refuse(RefusedNoTransition, event.Origin,
		fmt.Sprintf("event %s leads nowhere from status %s", req.Event, req.From))
}

func (w *Workflow) noEvent(req FireRequest) *Refusal {
	text := fmt.Sprintf("workflow %s has no event %q", w.Name, req.Event)
	if near := expr.Nearest(req.Event, eventNames(w)); near != "" {
		text += " (did you mean " + near + "?)"
	}
	return req.refuse(RefusedNoEvent, Origin{File: w.File, Line: 1, Column: 1, Path: "events"}, text)
}

func (req *FireRequest) refuse(kind RefusalKind, at Origin, text string) *Refusal {
	return &Refusal{Kind: kind, Event: req.Event, From: req.From, By: req.By, Text: text, Origin: at}
}

// fault is the refusal of an event whose transition cannot be worked out.
func (req *FireRequest) fault(at Origin, err error) *Refusal {
	return req.refuse(RefusedFault, at, at.String()+": "+expr.Message(err))
}

// leaves says whether a transition leaves a status (WF-3).
func (w *Workflow) leaves(t *Transition, status string) bool {
	if len(t.From) == 0 {
		return !w.Terminal(status)
	}
	return slices.Contains(t.From, status)
}

// mayCome says whether a sender is among those of `by` (WF-2).
func mayCome(by []string, sender string) bool {
	if len(by) == 0 {
		return true
	}
	reserved := sender == ByPerson || sender == ByBoard
	return slices.ContainsFunc(by, func(glob string) bool {
		return glob == sender || !reserved && matchGlob(glob, sender)
	})
}

// senders are those who may send an event in a status, in the file's order.
func (w *Workflow) senders(event *Event, status string) []string {
	var names []string
	for i := range event.Transitions {
		if !w.leaves(&event.Transitions[i], status) {
			continue
		}
		for _, by := range event.Transitions[i].By {
			if !slices.Contains(names, by) {
				names = append(names, by)
			}
		}
	}
	return names
}

// take checks what a transition requires and fills it in.
func (w *Workflow) take(t *Transition, req FireRequest) (Move, *Refusal) {
	for _, r := range t.Require {
		holds, err := r.Expr.Eval(req.Env)
		if err != nil {
			return Move{}, req.fault(r.Origin, err)
		}
		if holds {
			continue
		}
		text, err := r.Message.Text(req.Env)
		if err != nil {
			return Move{}, req.fault(r.Origin, err)
		}
		refusal := req.refuse(RefusedRequire, r.Origin, text)
		refusal.Expr, refusal.Values = r.Expr.Source(), r.Expr.Reads(req.Env)
		return Move{}, refusal
	}
	m := Move{From: req.From, To: req.From, Progress: t.Progress, Origin: t.Origin}
	if t.To != nil {
		to, err := t.To.Text(req.Env)
		if err != nil {
			return Move{}, req.fault(t.ToAt, err)
		}
		if m.To = strings.TrimSpace(to); w.Status(m.To) == nil {
			return Move{}, req.fault(t.ToAt, fmt.Errorf("no status %q in workflow %s", m.To, w.Name))
		}
	}
	for i := range t.Do {
		done, err := t.Do[i].fill(req.Env)
		if err != nil {
			return Move{}, req.fault(t.Do[i].Origin, err)
		}
		m.Actions = append(m.Actions, done)
	}
	return m, nil
}

// fill works out an action's templates.
func (a *Action) fill(env *expr.Env) (DoneAction, error) {
	done := DoneAction{Kind: a.Kind, Counters: a.Counters, Origin: a.Origin}
	var err error
	if done.Value, err = a.Value.Text(env); err != nil {
		return DoneAction{}, err
	}
	for _, field := range a.Fields {
		value, err := field.Value.Value(env)
		if err != nil {
			return DoneAction{}, err
		}
		done.Fields = append(done.Fields, FieldValue{Name: field.Name, Value: value})
	}
	return done, nil
}

// Startable says whether the start event can leave this status: whether a tick has to look at its cards at all.
func (w *Workflow) Startable(status string) bool {
	start := w.Event(w.Dispatch.Start)
	if start == nil {
		return false
	}
	return slices.ContainsFunc(start.Transitions, func(t Transition) bool {
		return w.leaves(&t, status) && mayCome(t.By, ByBoard)
	})
}

// StartableStatuses are those, in the file's order.
func (w *Workflow) StartableStatuses() []string {
	return slices.DeleteFunc(statusNames(w), func(name string) bool { return !w.Startable(name) })
}

// OutcomeEvent is the event that an outcome sends in a status: the status's `outcomes`, else `done` for completed and a
// verdict's own name; empty for none.
func (w *Workflow) OutcomeEvent(status, outcome string) string {
	if s := w.Status(status); s != nil && s.Run != nil {
		for _, o := range s.Run.Outcomes {
			if o.Outcome == outcome {
				return o.Event
			}
		}
	}
	switch {
	case outcome == "completed":
		return "done"
	case slices.Contains(verdicts(), outcome):
		return outcome
	}
	return ""
}
