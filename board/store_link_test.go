package board_test

import (
	"slices"
	"testing"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/workflows"
)

func TestLink_HoldsTheCardAndRefusesACycle(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, b, c := d.add(), d.add(), d.add()
	link := func(card string, blockers ...string) func() error {
		return func() error {
			_, err := d.store.Link(d.ctx, d.now, board.LinkRequest{Card: card, Blockers: blockers, Actor: "ada"})
			return err
		}
	}
	for _, do := range []func() error{link(b, a), link(c, b)} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	d.refused(a, board.ErrRefused, link(a, c))
	d.refused(a, board.ErrRefused, link(a, a))
	d.refused(a, board.ErrNotFound, link(a, "api-77"))
	other := d.add()
	d.refused(a, board.ErrRefused, link(a, other, c)) // none of them, when one is refused
	if got := d.page(a).Facts.BlockedBy; len(got) != 0 {
		t.Errorf("a refused link left %v", got)
	}
	again := must[board.Linked](t)(d.store.Link(d.ctx, d.now, board.LinkRequest{Card: b, Blockers: []string{a}, Actor: "ada"}))
	if len(again.Changed) != 0 || !slices.Equal(again.Waiting, []string{a}) {
		t.Errorf("a link that was there: %+v", again)
	}
}

func TestUnlink_FreesTheCardFromNowOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.add()
	b := d.add(a)
	d.now += 60_000
	done := must[board.Linked](t)(d.store.Unlink(d.ctx, d.now, board.LinkRequest{Card: b, Blockers: []string{a}, Actor: "ada"}))
	if len(done.Waiting) != 0 || done.Card.ReadySince != d.now || d.lastEvent(b) != "card.unlinked" {
		t.Errorf("got %+v, newest event %s", done, d.lastEvent(b))
	}
	d.refused(b, board.ErrNotFound, func() error {
		_, err := d.store.Unlink(d.ctx, d.now, board.LinkRequest{Card: b, Blockers: []string{a}, Actor: "ada"})
		return err
	})
}

func TestUnlink_ClosesThePointlessQuestionAboutACancelledBlocker(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.add()
	b := d.add(a)
	must[board.Sent](t)(d.store.Send(d.ctx, d.now, d.rules, board.SendRequest{Card: a, Event: "cancel", By: workflows.ByPerson, Actor: "ada"}))
	d.ask(b, board.BlockCancelled, "go on without it?")
	done := must[board.Linked](t)(d.store.Unlink(d.ctx, d.now, board.LinkRequest{Card: b, Blockers: []string{a}, Actor: "ada"}))
	if done.Freed == nil || d.page(b).Question() != nil {
		t.Errorf("the question is open still: %+v", done)
	}
}

// WSP-8: once the blocker is open again there is nothing to ask.
func TestSend_ReopeningABlockerClosesTheQuestionsAboutIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, other := d.add(), d.add()
	b, both := d.add(a), d.add(a, other)
	send := func(id, event string) {
		must[board.Sent](t)(d.store.Send(d.ctx, d.now, d.rules, board.SendRequest{Card: id, Event: event, By: workflows.ByPerson, Actor: "ada"}))
	}
	send(a, "cancel")
	send(other, "cancel")
	d.ask(b, board.BlockCancelled, "go on without it?")
	d.ask(both, board.BlockCancelled, "go on without them?")
	send(a, "reopen")
	if q := d.page(b).Question(); q != nil {
		t.Errorf("it still asks %q", q.Text)
	}
	if d.page(both).Question() == nil {
		t.Error("the question about the other cancelled blocker is closed too")
	}
	if got := d.page(b).Facts.BlockedBy; !slices.Equal(got, []string{a}) {
		t.Errorf("it waits for %v, want %s", got, a)
	}
}
