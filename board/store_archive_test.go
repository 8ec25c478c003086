package board_test

import (
	"slices"
	"testing"

	"github.com/seed-2ddc2152/board/board"
)

func TestArchive_PutsACardAwayAndBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.add()
	b := d.add(a)
	done := must[board.Archived](t)(d.store.Archive(d.ctx, d.now, board.ArchiveRequest{Card: a, Actor: "ada"}))
	if !done.Changed || !slices.Equal(done.Dependents, []string{b}) {
		t.Errorf("got %+v", done)
	}
	view := must[*board.View](t)(d.store.View(d.ctx, board.ViewSpec{Now: d.now}))
	if len(view.Cards) != 1 || view.Cards[0].ID != b {
		t.Errorf("a plan sees %+v", view.Cards)
	}
	title := "y"
	d.refused(a, board.ErrRefused, func() error {
		_, err := d.store.Edit(d.ctx, d.now, d.rules, board.EditRequest{Card: a, Edit: board.CardEdit{Title: &title}, Actor: "ada"})
		return err
	})
	d.refused(a, board.ErrRefused, func() error {
		_, err := d.store.Send(d.ctx, d.now, d.rules, board.SendRequest{Card: a, Event: "cancel", By: "person", Actor: "ada"})
		return err
	})
	if again := must[board.Archived](t)(d.store.Archive(d.ctx, d.now, board.ArchiveRequest{Card: a, Actor: "ada"})); again.Changed {
		t.Errorf("archived twice: %+v", again)
	}
	back := must[board.Archived](t)(d.store.Archive(d.ctx, d.now, board.ArchiveRequest{Card: a, Undo: true, Actor: "ada"}))
	if !back.Changed || !back.Card.ArchivedAt.IsZero() {
		t.Errorf("got %+v", back)
	}
}

func TestArchive_RefusesACardThatRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	d.start(id)
	d.refused(id, board.ErrRefused, func() error {
		_, err := d.store.Archive(d.ctx, d.now, board.ArchiveRequest{Card: id, Actor: "ada"})
		return err
	})
}
