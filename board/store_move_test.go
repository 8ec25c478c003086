package board_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/workflows"
)

func TestMove_PutsACardIntoAnyStatusWithItsEvent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	sent := must[board.Sent](t)(d.store.Move(d.ctx, d.now, d.rules, board.MoveRequest{Card: id, To: "review", Actor: "ada"}))
	if sent.Card.Status != "review" || sent.Move.From != "todo" || d.card(id).Revision != sent.Card.Revision {
		t.Errorf("got %+v", sent)
	}
	if got := d.lastEvent(id); got != "card.moved" { // MOD-5
		t.Errorf("the newest event is %s", got)
	}
	must[board.Sent](t)(d.store.Move(d.ctx, d.now, d.rules, board.MoveRequest{Card: id, To: "done", Actor: "ada"}))
	if d.card(id).EndedAt.IsZero() {
		t.Error("a card in a terminal status has not ended")
	}
}

// LIV-3, LIV-5: the run of a card that is moved away is asked to end, and keeps its place until it has.
func TestMove_AsksTheRunToStopAndFreesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	run := d.start(id)
	sent := must[board.Sent](t)(d.store.Move(d.ctx, d.now, d.rules, board.MoveRequest{Card: id, To: "todo", Actor: "ada"}))
	if sent.Stopped != run {
		t.Fatalf("stopped run %d, want %d", sent.Stopped, run)
	}
	view := must[*board.View](t)(d.store.View(d.ctx, board.ViewSpec{Now: d.now}))
	if len(view.Runs) != 1 || len(view.Leases) != 1 || view.Runs[0].StopOutcome != board.Stopped || view.Runs[0].StopActor != "ada" {
		t.Errorf("got runs %+v, leases %+v", view.Runs, view.Leases)
	}
	d.settle(run, 0)
	if c := d.card(id); c.Status != "todo" || c.CurrentRun != 0 {
		t.Errorf("after its run the card is in %s with run %d", c.Status, c.CurrentRun)
	}
}

// RET-1: a status changed by hand is no progress.
func TestMove_KeepsTheRowOfFailures(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	d.settle(d.start(id), 1)
	for _, to := range []string{"todo", "doing"} {
		must[board.Sent](t)(d.store.Move(d.ctx, d.now, d.rules, board.MoveRequest{Card: id, To: to, Actor: "ada"}))
	}
	if got := d.card(id).Failures; got != 1 {
		t.Errorf("got %d failures, want 1", got)
	}
}

func TestMove_RefusesWhatIsNotSo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	move := func(q board.MoveRequest) func() error {
		return func() error { _, err := d.store.Move(d.ctx, d.now, d.rules, q); return err }
	}
	d.refused(id, board.ErrNotFound, move(board.MoveRequest{Card: id, To: "reviw"}))
	d.refused(id, board.ErrRefused, move(board.MoveRequest{Card: id, To: "review", Revision: 7}))
	d.refused(id, board.ErrNotFound, move(board.MoveRequest{Card: "api-9", To: "review"}))
	problem := (*board.Problem)(nil)
	if err := move(board.MoveRequest{Card: id, To: "reviw"})(); !errors.As(err, &problem) || !strings.Contains(problem.Fix, `did you mean "review"?`) {
		t.Errorf("the nearest status is not offered: %v", err)
	}
	broken := board.Rules{Workflow: func(string) *workflows.Workflow { return nil }}
	d.refused(id, board.ErrInvalid, func() error {
		_, err := d.store.Move(d.ctx, d.now, broken, board.MoveRequest{Card: id, To: "review"})
		return err
	})
}

func TestSend_TellsAnUnknownEventFromARefusedOne(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	send := func(event, reason string) func() error {
		return func() error {
			_, err := d.store.Send(d.ctx, d.now, d.rules, board.SendRequest{Card: id, Event: event, By: workflows.ByPerson, Actor: "ada", Reason: reason})
			return err
		}
	}
	d.refused(id, board.ErrNotFound, send("aprove", ""))
	d.refused(id, board.ErrRefused, send("approve", "")) // leads nowhere from todo
	must[board.Sent](t)(d.store.Move(d.ctx, d.now, d.rules, board.MoveRequest{Card: id, To: "review", Actor: "ada"}))
	d.refused(id, board.ErrRefused, send("changes", "")) // WF-1: the require's own message
	if err := send("changes", "too slow")(); err != nil {
		t.Fatal(err)
	}
	if got := d.card(id).Status; got != "doing" {
		t.Errorf("got %s, want doing", got)
	}
}
