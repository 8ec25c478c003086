package board_test

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// What a run's worker is told: its card's other runs, the work it builds on, remarks and answers (RET-5, 02 "Expressions").
func TestBrief_TellsOfParentsAndHistory(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	s, err := board.Create(ctx, filepath.Join(dir, "board.db"), filepath.Join(dir, "board.db.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := board.At(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(s.AddBoard(ctx, now, board.Board{Slug: "api", Name: "api", Workflow: "default"}, "me"))
	rules := board.Rules{
		Workflow:    func(string) *workflows.Workflow { return nil },
		Executor:    func(string) (roster.Executor, bool) { return roster.Executor{}, false },
		Fingerprint: func(roster.Executor) string { return "" },
	}
	start := func(card string) board.Run {
		t.Helper()
		run, err := s.Claim(ctx, board.ViewSpec{Now: now, Card: card, Full: true}, func(v *board.View) (board.Claim, error) {
			return board.Claim{Card: v.Cards[0], From: "todo", Actor: "board", Run: board.Run{
				Card: card, Board: "api", Status: "doing",
				Role: roster.RoleCoder, Slot: "worker", Profile: "coder", Executor: "a", Clone: 1, Harness: "exec",
				Surface: workflows.SurfaceHeadless, Host: "base", Mode: board.ModeFresh,
			}}, nil
		})
		do(err)
		_, err = s.Begin(ctx, now, run.ID, board.Session{
			ID: run.ID, Card: card, Board: "api", Slot: "worker", Role: roster.RoleCoder,
			SecretHash: board.SecretHash(strconv.FormatInt(run.ID, 10)), Origin: board.Dispatched, State: board.SessionBusy, StartedAt: now, LastSeenAt: now,
		})
		do(err)
		return run
	}
	first, _, err := s.AddCard(ctx, now, board.NewCard{Card: board.Card{Board: "api", Title: "base", Status: "todo"}, Actor: "me"})
	do(err)
	second, _, err := s.AddCard(ctx, now, board.NewCard{
		Card:      board.Card{Board: "api", Title: "top", Status: "todo"},
		DependsOn: []string{first.ID}, Actor: "me",
	})
	do(err)
	code := 0
	done := start(first.ID)
	_, err = s.Settle(ctx, now, rules, board.Exit{Run: done.ID, Code: &code, Branch: "board/api-1", Result: board.Result{Text: "laid it"}})
	do(err)
	failed := start(second.ID)
	_, err = s.Settle(ctx, now, rules, board.Exit{Run: failed.ID, Crashed: true})
	do(err)
	run := start(second.ID)
	do(s.CommentByWorker(ctx, now, board.WorkerWrite{Secret: strconv.FormatInt(run.ID, 10), Request: "1"}, "", "half way"))

	brief, err := s.Brief(ctx, run.ID)
	do(err)
	want := board.Parent{ID: first.ID, Board: "api", Title: "base", Status: "todo", Summary: "laid it", Branch: "board/api-1"}
	if len(brief.Parents) != 1 || brief.Parents[0] != want {
		t.Errorf("parents %+v, want %+v", brief.Parents, want)
	}
	if len(brief.Runs) != 1 || brief.Runs[0].Outcome != board.Crashed {
		t.Errorf("other runs: %+v", brief.Runs)
	}
	if len(brief.Comments) != 1 || brief.Comments[0].Run != run.ID || brief.Comments[0].Text != "half way" {
		t.Errorf("comments: %+v", brief.Comments)
	}
}
