package dispatch

import (
	"context"

	"github.com/seed-2ddc2152/board/board"
)

// Asked is what an explicit start came to.
type Asked struct {
	Report  Report
	Started *Started // nil: it waits
	Pending string   // why it waits; its request is remembered and it goes first once there is room (DSP-9)
}

// StartCard starts one card now if the caps allow it, by the same plan and claim as a tick (CAP-14). Otherwise the wish is
// remembered. With overCap the caps of files are passed over, and the event says by whom. A card that runs already, or has
// ended, is ErrRefused.
func StartCard(ctx context.Context, d Deps, id, actor string, overCap bool) (Asked, error) {
	if err := d.Store.RequestStart(ctx, board.At(d.Clock.Now()), id, actor, true); err != nil {
		return Asked{}, err
	}
	r, err := Tick(ctx, d, TickOptions{Options: Options{Only: id, Actor: actor, OverCap: overCap, All: true, Explain: true}, NoLock: true})
	if err != nil {
		return Asked{}, err
	}
	out := Asked{Report: r}
	for i := range r.Started {
		if r.Started[i].Card == id {
			out.Started = &r.Started[i]
			return out, nil
		}
	}
	if err := startedElsewhere(ctx, d, id); err != nil {
		return Asked{}, err
	}
	for _, w := range r.Pending {
		if w.Card == id {
			out.Pending = w.Text
		}
	}
	for _, e := range r.Elsewhere {
		if e.Card == id {
			out.Pending = e.Text
		}
	}
	return out, nil
}

// startedElsewhere is ErrRefused where a tick or another person has started the card meanwhile: whoever claims a card takes the
// wish with it, so there is nothing left that is pending.
func startedElsewhere(ctx context.Context, d Deps, id string) error {
	c, err := d.Store.Card(ctx, id)
	switch {
	case err != nil:
		return err
	case c.CurrentRun != 0:
		return board.RunsAlready(c)
	case c.StartRequested == 0:
		return board.NewProblem(board.ErrRefused, "board runs "+id, "%s was started by somebody else meanwhile, or its start was cancelled", id)
	}
	return nil
}
