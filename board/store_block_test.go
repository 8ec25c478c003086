package board_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/workflows"
)

// ask lets a worker ask a person.
func (d *desk) ask(card, kind, text string) {
	d.t.Helper()
	err := d.store.RecordTick(d.ctx, d.now, board.TickReport{Tick: board.Tick{StartedAt: d.now}, Questions: []board.Block{{Card: card, Kind: kind, Text: text, AskedBy: "board", AskedAt: d.now}}})
	if err != nil {
		d.t.Fatal(err)
	}
}

func TestAnswer_AnswersTheOldestQuestionAndFreesTheCard(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	d.ask(id, "question", "Remove v1?")
	d.ask(id, "question", "And v2?")
	done := must[board.Answered](t)(d.store.Answer(d.ctx, d.now, board.AnswerRequest{Card: id, Text: "Yes", Actor: "ada"}))
	if done.Block.Text != "Remove v1?" || done.Next == nil || done.Next.Text != "And v2?" {
		t.Fatalf("got %+v", done)
	}
	must[board.Answered](t)(d.store.Answer(d.ctx, d.now, board.AnswerRequest{Card: id, Text: "No", Actor: "ada"}))
	view := must[*board.View](t)(d.store.View(d.ctx, board.ViewSpec{Now: d.now}))
	if len(view.Blocks) != 0 {
		t.Errorf("still open: %+v", view.Blocks)
	}
	d.refused(id, board.ErrRefused, func() error {
		_, err := d.store.Answer(d.ctx, d.now, board.AnswerRequest{Card: id, Text: "Yes", Actor: "ada"})
		return err
	})
}

func TestAnswer_RefusesAnEmptyTextAndAStaleRevision(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	d.ask(id, "question", "Remove v1?")
	answer := func(q board.AnswerRequest) func() error {
		return func() error { _, err := d.store.Answer(d.ctx, d.now, q); return err }
	}
	d.refused(id, board.ErrUsage, answer(board.AnswerRequest{Card: id, Text: " \n"}))
	d.refused(id, board.ErrUsage, answer(board.AnswerRequest{Card: id, Text: "a\x00b"}))
	d.refused(id, board.ErrUsage, answer(board.AnswerRequest{Card: id, Text: strings.Repeat("x", board.MaxText+1)}))
	d.refused(id, board.ErrRefused, answer(board.AnswerRequest{Card: id, Text: "Yes", Revision: 9}))
}

// WSP-8: a cancelled blocker frees nobody; a person's answer does, and only from what was cancelled.
func TestAnswer_LetsACardGoOnWithoutACancelledBlocker(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	gone, open := d.add(), d.add()
	id := d.add(gone, open)
	must[board.Sent](t)(d.store.Send(d.ctx, d.now, d.rules, board.SendRequest{Card: gone, Event: "cancel", By: workflows.ByPerson, Actor: "ada"}))
	d.ask(id, board.BlockCancelled, gone+" was cancelled: go on without it?")
	d.refused(id, board.ErrRefused, func() error {
		_, err := d.store.Answer(d.ctx, d.now, board.AnswerRequest{Card: id, Text: "No.", Actor: "ada"})
		return err
	})
	done := must[board.Answered](t)(d.store.Answer(d.ctx, d.now, board.AnswerRequest{Card: id, Text: "Yes", Actor: "ada"}))
	if !slices.Equal(done.Waived, []string{gone}) {
		t.Errorf("waived %v", done.Waived)
	}
	if got := d.page(id).Facts.BlockedBy; !slices.Equal(got, []string{open}) {
		t.Errorf("it waits for %v, want %s", got, open)
	}
}

// RET-1: an answer to used-up retries, and a retry, begin the row anew.
func TestRetry_BeginsTheRowOfFailuresAnew(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"retry", "answer", "assign"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			id := d.add()
			d.fail(id)
			if q := d.page(id).Question(); q == nil || q.Kind != board.BlockRetries {
				t.Fatalf("three failures ask %+v", q)
			}
			pair := "pair"
			var err error
			switch how {
			case "retry":
				_, err = d.store.Retry(d.ctx, d.now, board.RetryRequest{Card: id, Actor: "ada"})
			case "answer":
				_, err = d.store.Answer(d.ctx, d.now, board.AnswerRequest{Card: id, Text: "Once more", Actor: "ada"})
			case "assign":
				_, err = d.store.Edit(d.ctx, d.now, d.rules, board.EditRequest{Card: id, Edit: board.CardEdit{Assignee: &pair}, Actor: "ada"})
			}
			if err != nil {
				t.Fatal(err)
			}
			if c := d.card(id); c.Failures != 0 || d.page(id).Question() != nil {
				t.Errorf("got %d failures, question %+v", c.Failures, d.page(id).Question())
			}
		})
	}
}

// A reassignment resets the row of failures, not the lifetime: that wants a person's word.
func TestEdit_AReassignmentDoesNotFreeAUsedUpLifetime(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	three, pair := 3, "pair"
	must[board.Edited](t)(d.store.Edit(d.ctx, d.now, d.rules, board.EditRequest{Card: id, Edit: board.CardEdit{MaxRuns: &three}, Actor: "ada"}))
	d.fail(id)
	done := must[board.Edited](t)(d.store.Edit(d.ctx, d.now, d.rules, board.EditRequest{Card: id, Edit: board.CardEdit{Assignee: &pair}, Actor: "ada"}))
	if done.Freed != nil || d.page(id).Question() == nil {
		t.Errorf("freed %+v", done.Freed)
	}
	must[board.Retried](t)(d.store.Retry(d.ctx, d.now, board.RetryRequest{Card: id, Actor: "ada"}))
	if c := d.card(id); c.RoundRuns != 0 || d.page(id).Question() != nil {
		t.Errorf("after a retry: %d runs of the round, question %+v", c.RoundRuns, d.page(id).Question())
	}
}

// RET-2, WSP-3: no wait is left, and --clean asks for a new worktree.
func TestRetry_LeavesNoWaitAndMayStartClean(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	d.settle(d.start(id), 1)
	if d.card(id).NotBefore.IsZero() {
		t.Fatal("a failure sets no wait")
	}
	done := must[board.Retried](t)(d.store.Retry(d.ctx, d.now, board.RetryRequest{Card: id, Clean: true, Actor: "ada"}))
	if c := done.Card; !done.Changed || !c.NotBefore.IsZero() || !c.CleanStart || c.Failures != 0 {
		t.Errorf("got %+v", done)
	}
	again := must[board.Retried](t)(d.store.Retry(d.ctx, d.now, board.RetryRequest{Card: id, Actor: "ada"}))
	if again.Changed || again.Card.Revision != done.Card.Revision {
		t.Errorf("a retry of nothing changed %+v", again)
	}
}

func TestRetry_RefusesWhatNeedsSomethingElse(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	retry := func(id string) func() error {
		return func() error {
			_, err := d.store.Retry(d.ctx, d.now, board.RetryRequest{Card: id, Actor: "ada"})
			return err
		}
	}
	asks := d.add()
	d.ask(asks, "question", "Remove v1?")
	d.refused(asks, board.ErrRefused, retry(asks))
	ended := d.add()
	must[board.Sent](t)(d.store.Move(d.ctx, d.now, d.rules, board.MoveRequest{Card: ended, To: "done", Actor: "ada"}))
	d.refused(ended, board.ErrRefused, retry(ended))
	runs := d.add()
	d.start(runs)
	d.refused(runs, board.ErrRefused, retry(runs))
	if err := retry("api-99")(); !errors.Is(err, board.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}
