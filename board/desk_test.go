package board_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// desk is a board api in the default workflow, with a person before it.
type desk struct {
	t     *testing.T
	ctx   context.Context //nolint:containedctx // a test has one
	store *board.Store
	file  string // the database
	rules board.Rules
	now   board.Time
	model string // of the runs that it starts
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	dir := t.TempDir()
	store, err := board.Create(t.Context(), filepath.Join(dir, "board.db"), filepath.Join(dir, "board.db.lock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	src, _ := workflows.Builtin("default")
	flow, err := workflows.Load("default", "workflows/default.yaml", src, workflows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, ctx: t.Context(), store: store, file: filepath.Join(dir, "board.db"), now: board.At(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))}
	d.rules = board.Rules{
		Workflow:    func(string) *workflows.Workflow { return flow },
		Executor:    func(string) (roster.Executor, bool) { return roster.Executor{}, false },
		Fingerprint: func(roster.Executor) string { return "" },
	}
	if err := store.AddBoard(d.ctx, d.now, board.Board{Slug: "api", Name: "api", Workflow: "default"}, "ada"); err != nil {
		t.Fatal(err)
	}
	return d
}

// add adds a card in todo that waits for others.
func (d *desk) add(dependsOn ...string) string {
	d.t.Helper()
	c, _, err := d.store.AddCard(d.ctx, d.now, board.NewCard{Card: board.Card{Board: "api", Title: "Fix it", Status: "todo"}, DependsOn: dependsOn, Actor: "ada"})
	if err != nil {
		d.t.Fatal(err)
	}
	return c.ID
}

// start claims a run of a card in doing, whose supervisor begins.
func (d *desk) start(card string) int64 {
	d.t.Helper()
	run, err := d.store.Claim(d.ctx, board.ViewSpec{Now: d.now, Card: card}, func(v *board.View) (board.Claim, error) {
		c := v.Cards[0]
		from := c.Status
		c.Status = "doing"
		return board.Claim{Card: c, From: from, Actor: "board", Run: board.Run{
			Card: c.ID, Board: c.Board, Status: "doing", Role: roster.RoleCoder,
			Slot: "worker", Profile: "coder", Executor: "opus", Clone: 1, Harness: "exec", Surface: workflows.SurfaceHeadless, Host: "base", Mode: board.ModeFresh, Model: d.model,
		}}, nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.store.Begin(d.ctx, d.now, run.ID, board.Session{
		ID: run.ID, Card: card, Board: "api", Slot: "worker", Role: roster.RoleCoder,
		Origin: board.Dispatched, State: board.SessionBusy, StartedAt: d.now, LastSeenAt: d.now,
	}); err != nil {
		d.t.Fatal(err)
	}
	return run.ID
}

// settle ends a run with an exit code.
func (d *desk) settle(run int64, code int) {
	d.t.Helper()
	d.now = d.now.Add(time.Minute)
	if _, err := d.store.Settle(d.ctx, d.now, d.rules, board.Exit{Run: run, Code: &code}); err != nil {
		d.t.Fatal(err)
	}
}

// fail uses up a card's row of failures.
func (d *desk) fail(card string) {
	d.t.Helper()
	for range 3 {
		d.settle(d.start(card), 1)
	}
}

func (d *desk) card(id string) board.Card {
	d.t.Helper()
	c, err := d.store.Card(d.ctx, id)
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

func (d *desk) page(id string) board.CardPage {
	d.t.Helper()
	p, err := d.store.CardPage(d.ctx, d.now, id, 100)
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

// lastEvent is the kind of a card's newest event.
func (d *desk) lastEvent(id string) string {
	d.t.Helper()
	events := d.page(id).Events
	return events[len(events)-1].Kind
}

// refused wants an error of a kind, and nothing changed on a card.
func (d *desk) refused(card string, kind error, do func() error) {
	d.t.Helper()
	before, events := d.card(card), len(d.page(card).Events)
	if err := do(); !errors.Is(err, kind) {
		d.t.Fatalf("got %v, want %v", err, kind)
	}
	if after := d.card(card); after.Revision != before.Revision || after.Status != before.Status {
		d.t.Errorf("the refused change left %s in %s, revision %d; it was in %s, %d", card, after.Status, after.Revision, before.Status, before.Revision)
	}
	if n := len(d.page(card).Events); n != events {
		d.t.Errorf("the refused change left %d events; there were %d", n, events)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
