package board_test

import (
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
)

func TestSettle_REC1_ARecurringCardGoesBackWithItsNextTime(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c, _, err := d.store.AddCard(d.ctx, d.now, board.NewCard{Card: board.Card{Board: "api", Title: "Audit", Status: "todo", Every: "1d"}, Actor: "ada"})
	ok(t, err)
	run := d.start(c.ID)
	d.settle(run, 0) // to review
	out, err := d.store.Send(d.ctx, d.now, d.rules, board.SendRequest{Card: c.ID, Event: "approve", By: "person", Actor: "ada"})
	ok(t, err)
	if got, want := out.Card.NotBefore, d.now.Add(24*time.Hour); out.Card.Status != "todo" || out.Card.EndedAt != 0 || got != want {
		t.Fatalf("in %s, ended %v, not before %v; want todo, open, %v", out.Card.Status, out.Card.EndedAt, got, want)
	}
	if after := d.card(c.ID); after.RoundRuns != 0 || after.Attempts != 1 {
		t.Errorf("round runs %d, attempts %d; want 0 and 1", after.RoundRuns, after.Attempts)
	}
	_, err = d.store.Send(d.ctx, d.now, d.rules, board.SendRequest{Card: c.ID, Event: "cancel", By: "person", Actor: "ada"})
	ok(t, err)
	if after := d.card(c.ID); after.Status != board.Cancelled || after.EndedAt == 0 {
		t.Errorf("a cancelled card is in %s, ended %v", after.Status, after.EndedAt)
	}
}
