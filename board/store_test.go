package board_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

func TestScratch(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s, err := board.Create(ctx, filepath.Join(dir, "board.db"), filepath.Join(dir, "board.db.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := board.At(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	if err := s.AddBoard(ctx, now, board.Board{Slug: "api", Name: "api", Workflow: "default"}, "me"); err != nil {
		t.Fatal(err)
	}
	c, _, err := s.AddCard(ctx, now, board.NewCard{Card: board.Card{Board: "api", Title: "x", Status: "todo"}, Actor: "me"})
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Claim(ctx, board.ViewSpec{Now: now, Card: c.ID}, func(v *board.View) (board.Claim, error) {
		card := v.Cards[0]
		card.Status = "doing"
		return board.Claim{Card: card, From: "todo", Actor: "board", Run: board.Run{Card: card.ID, Board: "api", Status: "doing", Role: roster.RoleCoder, Slot: "worker",
			Profile: "coder", Executor: "a", Clone: 1, Harness: "exec", Surface: workflows.SurfaceHeadless, Host: "base", Mode: board.ModeFresh}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(ctx, now, run.ID, board.Session{ID: run.ID, Card: c.ID, Board: "api", Slot: "worker", Role: "coder", Origin: board.Dispatched, State: board.SessionBusy, StartedAt: now, LastSeenAt: now}); err != nil {
		t.Fatal(err)
	}
	zero := 0
	rules := board.Rules{Workflow: func(string) *workflows.Workflow { return nil }, Executor: func(string) (roster.Executor, bool) { return roster.Executor{}, false }}
	out, err := s.Settle(ctx, now, rules, board.Exit{Run: run.ID, Code: &zero})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", out.Ending.Run)
	v, err := s.View(ctx, board.ViewSpec{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Runs) != 0 || len(v.Leases) != 0 || len(v.Cards) != 1 {
		t.Fatalf("%+v", v)
	}
}
