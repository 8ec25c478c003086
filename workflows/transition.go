package workflows

import "github.com/seed-2ddc2152/board/internal/expr"

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

// Fire decides what an event does: the first transition whose `from`, `by` and `when` hold is taken.
func (w *Workflow) Fire(req FireRequest) (Move, *Refusal) { return Move{}, nil }

// Startable says whether the start event can leave this status: whether a tick has to look at its cards at all.
func (w *Workflow) Startable(status string) bool { return false }

// StartableStatuses are those, in the file's order.
func (w *Workflow) StartableStatuses() []string { return nil }

// Lane is how a run in a status is executed.
type Lane struct {
	Profile *Profile
	Slot    string
}

// Fault is a workflow that gives no answer for a card: the key to change, and why.
type Fault struct {
	Key  Origin
	Text string
}

// Error is the key and the text.
func (f *Fault) Error() string { return f.Key.String() + ": " + f.Text }

// Lane works out the profile and the slot of a run of the card in a status; the status is the one it would run in. The
// error is a *Fault.
func (w *Workflow) Lane(status string, env *expr.Env) (Lane, error) { return Lane{}, nil }

// OutcomeEvent is the event that an outcome sends in a status: the status's `outcomes`, else `done` for completed and a
// verdict's own name; empty for none.
func (w *Workflow) OutcomeEvent(status, outcome string) string { return "" }
