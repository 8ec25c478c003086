package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/failpoint"
)

// launched is a claim that is to be spawned.
type launched struct {
	run     board.Run
	start   Start
	address string
	err     error
}

// Elsewhere is a start that another process made pointless, or that found no room when it was counted again.
type Elsewhere struct {
	Card string `json:"card"`
	Text string `json:"text"`
}

// claim takes each planned start in a transaction of its own, in the plan's order.
func (t *tick) claim(ctx context.Context) {
	for _, again := range t.plan.Relaunch {
		won, err := t.d.Store.Relaunch(ctx, board.At(t.d.Clock.Now()), again.Run, again.Attempt)
		if err != nil {
			t.fault("run "+itoa(again.Run), err)
		}
		if won {
			t.again = append(t.again, launched{run: t.claimed(again.Run)})
		}
	}
	for _, s := range t.plan.Start {
		run, start, err := t.claimOne(ctx, s)
		var no *heldError
		switch {
		case errors.Is(err, board.ErrElsewhere):
			t.elsewhere = append(t.elsewhere, Elsewhere{Card: s.Card.ID, Text: err.Error()})
		case errors.As(err, &no):
			t.elsewhere = append(t.elsewhere, Elsewhere{Card: s.Card.ID, Text: no.why.Text})
		case err != nil:
			t.fault("card "+s.Card.ID, err)
		default:
			t.started = append(t.started, launched{run: run, start: start})
			t.snap.Claimed = append(t.snap.Claimed, start.Entry)
			t.d.Fail.Hit(failpoint.ClaimEach)
		}
	}
	t.d.Fail.Hit(failpoint.ClaimAfter)
}

// claimed is an open run as it was observed.
func (t *tick) claimed(id int64) board.Run {
	for _, r := range t.snap.View.Runs {
		if r.ID == id {
			return r
		}
	}
	return board.Run{ID: id}
}

// heldError is a start that the second look holds.
type heldError struct{ why *Reason }

func (e *heldError) Error() string { return e.why.Text }

// claimOne looks at the card again in the transaction that claims it, and counts the whole home again (DSP-7).
func (t *tick) claimOne(ctx context.Context, planned Start) (board.Run, Start, error) {
	spec := t.spec
	spec.Card, spec.Now = planned.Card.ID, board.At(t.now)
	var start Start
	run, err := t.d.Store.Claim(ctx, spec, func(v *board.View) (board.Claim, error) {
		var err error
		start, err = t.decideClaim(v, planned)
		if err != nil {
			return board.Claim{}, err
		}
		claim := claimOf(start, cmp.Or(t.o.Actor, "board"))
		claim.Taken, claim.At = t.d.hasFiles, board.At(t.d.Clock.Now())
		return claim, nil
	})
	return run, start, err
}

// hasFiles says whether a run or session of this number has left files in the home.
func (d Deps) hasFiles(run int64) bool {
	for _, dir := range []string{d.Home.Run(run), d.Home.Session(run)} {
		if _, err := os.Lstat(dir); err == nil {
			return true
		}
	}
	return false
}

// decideClaim judges the card once more over the fresh view. The sightings of the tick stand; what it has not seen counts.
func (t *tick) decideClaim(v *board.View, planned Start) (Start, error) {
	if len(v.Cards) == 0 {
		return Start{}, fmt.Errorf("%s is gone: %w", planned.Card.ID, board.ErrElsewhere)
	}
	c := v.Cards[0]
	switch {
	case c.CurrentRun != 0:
		return Start{}, fmt.Errorf("%s runs already (run %d): %w", c.ID, c.CurrentRun, board.ErrElsewhere)
	case c.ArchivedAt != 0:
		return Start{}, fmt.Errorf("%s is archived: %w", c.ID, board.ErrElsewhere)
	case c.EndedAt != 0 || c.Status != planned.From:
		return Start{}, fmt.Errorf("%s is in %s by now: %w", c.ID, c.Status, board.ErrElsewhere)
	}
	s := t.snap
	s.View = v
	p := newPlanner(s)
	p.prefer = planned.Executor
	p.waitingNow = t.plan.waiting
	p.count()
	start, hold := p.judge(&c)
	if hold != nil {
		return Start{}, &heldError{why: hold}
	}
	return start, nil
}

// claimOf is what the store is to write of a start.
func claimOf(s Start, actor string) board.Claim {
	return board.Claim{
		Card: s.After, From: s.From, Because: string(s.Because), Kept: s.Kept, Actor: actor, OverCap: s.OverCap,
		Run: board.Run{
			Card: s.Card.ID, Board: s.Card.Board, Status: s.Status, Role: s.Role, Slot: s.Slot, Profile: s.Profile,
			Executor: s.Executor, Clone: s.Clone, Harness: s.Harness, Model: s.Model, Effort: s.Effort, Surface: s.Surface,
			Host: s.Host, Mode: s.Mode, Resumes: resumes(s), OverCap: s.OverCap, Independent: s.Independent, DependentBecause: string(s.Because),
		},
	}
}

// resumes is the session whose conversation, or for a kept one whose process, the run goes on with.
func resumes(s Start) int64 {
	if s.Kept != 0 {
		return s.Kept
	}
	return s.Resumes
}
