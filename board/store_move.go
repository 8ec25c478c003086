package board

import (
	"context"

	"github.com/jmoiron/sqlx"

	"github.com/seed-2ddc2152/board/workflows"
)

// MoveRequest is a person's word that a card is in another status, whatever the workflow's events say.
type MoveRequest struct {
	Card     string
	To       string
	Reason   string
	Actor    string
	Revision int64 // refuse when the card has another; 0 = any
}

// Move puts a card into any status of its workflow. It is no progress: the row of failures stays (RET-1). A run of the status
// that the card leaves is asked to stop, as by Send. A status that it is in already changes nothing: Sent.Move.From is its To.
func (s *Store) Move(ctx context.Context, now Time, rules Rules, q MoveRequest) (Sent, error) {
	var out Sent
	if err := checkBody("the reason", q.Reason); err != nil {
		return out, err
	}
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		c, err := readForChange(ctx, tx, q.Card, q.Revision)
		if err != nil {
			return err
		}
		w, err := boardWorkflow(ctx, tx, rules, c.Board)
		if err != nil {
			return err
		}
		if err := CheckStatus(w, q.To); err != nil {
			return err
		}
		move := workflows.Move{From: c.Status, To: q.To}
		if move.From == move.To {
			out = Sent{Card: c, Move: move}
			return nil
		}
		if out, err = saveMove(ctx, tx, now, personMove{card: c, move: move, workflow: w, event: "moved", actor: q.Actor, reason: q.Reason}); err != nil {
			return err
		}
		out.Card, err = readCard(ctx, tx, c.ID)
		return err
	})
	return out, err
}

// sendRefused is a workflow's refusal for a person: an event that it does not know is a name, anything else is a guard.
func sendRefused(c Card, r *workflows.Refusal, w *workflows.Workflow) error {
	if r.Kind != workflows.RefusedNoEvent {
		return NewProblem(ErrRefused, "board show "+c.ID+" lists the events it takes", "%s: %s", c.ID, r.Text)
	}
	known := make([]string, len(w.Events))
	for i, e := range w.Events {
		known[i] = e.Name
	}
	return NewProblem(ErrNotFound, meant(r.Event, known, "events"), "no event %q in workflow %s", r.Event, w.Name)
}
