package board_test

import (
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// ROS-12.
func TestSpent_AddsUpTheWindow(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	zero, cost := 0, int64(1_500_000)
	old := d.start(d.add())
	if _, err := d.store.Settle(d.ctx, d.now, d.rules, board.Exit{Run: old, Code: &zero, Result: board.Result{CostMicros: &cost}}); err != nil {
		t.Fatal(err)
	}
	d.now = d.now.Add(48 * time.Hour)
	since := d.now.Add(-24 * time.Hour)
	if spent, err := d.store.Spent(d.ctx, since); err != nil || len(spent) != 0 {
		t.Fatalf("spent %+v (%v), want nothing: the run ended before the window", spent, err)
	}
	priced := d.start(d.add())
	if _, err := d.store.Settle(d.ctx, d.now, d.rules, board.Exit{Run: priced, Code: &zero, Result: board.Result{CostMicros: &cost}}); err != nil {
		t.Fatal(err)
	}
	d.settle(d.start(d.add()), 0)
	d.start(d.add())
	spent, err := d.store.Spent(d.ctx, since)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := spent["opus"], (board.Spending{CostMicros: cost, Runs: 3, Unknown: 1}); got != want {
		t.Errorf("spent %+v, want %+v", got, want)
	}
}

// ROS-10: an exclusion never replaces a pause by hand, and resume clears both; 04 scenario 68: of every kind, and those that
// the executor shares with its account.
func TestResume_LiftsAllThatKeepsAnExecutorOut(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if _, err := d.store.Pause(d.ctx, d.now, board.PauseRequest{Pause: board.Pause{Kind: board.PauseExecutor, Target: "opus", Actor: "ada"}}); err != nil {
		t.Fatal(err)
	}
	until := d.now.Add(time.Hour).Time()
	added := []roster.Exclusion{
		{Executor: "opus", Kind: roster.KindUntil, Until: until, Reason: "rate limit"},
		{Executor: "opus", Kind: roster.KindHealth, Reason: "down", NextProbe: until},
		{Executor: "opus", Kind: roster.KindConfig, Reason: "not signed in", Fingerprint: "x"},
		{Account: "max", Kind: roster.KindUntil, Until: until, Reason: "usage limit"},
		{Executor: "codex", Kind: roster.KindUntil, Until: until, Reason: "usage limit"},
	}
	if err := d.store.RecordTick(d.ctx, d.now, board.TickReport{Tick: board.Tick{StartedAt: d.now}, Refreshed: roster.Refreshed{Added: added}}); err != nil {
		t.Fatal(err)
	}
	if v := d.view(); len(v.Pauses) != 1 || len(v.Exclusions) != len(added) {
		t.Fatalf("%d pauses and %d exclusions, want 1 and %d beside it", len(v.Pauses), len(v.Exclusions), len(added))
	}
	done, err := d.store.Resume(d.ctx, d.now, board.ResumeRequest{Kind: board.PauseExecutor, Target: "opus", Account: "max", Actor: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	if !done.Paused || done.Excluded != 4 {
		t.Errorf("resumed %+v, want the pause and 4 exclusions", done)
	}
	if v := d.view(); len(v.Pauses) != 0 || len(v.Exclusions) != 1 || v.Exclusions[0].Executor != "codex" {
		t.Errorf("left: pauses %+v, exclusions %+v; want those of codex", v.Pauses, v.Exclusions)
	}
}

func (d *desk) view() *board.View {
	d.t.Helper()
	v, err := d.store.View(d.ctx, board.ViewSpec{Now: d.now})
	if err != nil {
		d.t.Fatal(err)
	}
	return v
}
