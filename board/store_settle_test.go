package board_test

import (
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// withExecutor lets the desk's rules know the executor of its runs.
func (d *desk) withExecutor(e roster.Executor) {
	e.Cooldown = roster.DefaultCooldown()
	d.rules.Executor = func(string) (roster.Executor, bool) { return e, true }
}

// limited ends a run of a new card by a usage limit until a time.
func (d *desk) limited(until time.Time) {
	d.t.Helper()
	d.end(board.Exit{Run: d.start(d.add()), Code: new(int), Output: true, Result: board.Result{Class: string(board.UsageLimited), ResetAt: board.At(until)}})
}

func (d *desk) end(exit board.Exit) {
	d.t.Helper()
	if _, err := d.store.Settle(d.ctx, d.now, d.rules, exit); err != nil {
		d.t.Fatal(err)
	}
}

// count is how many events of a kind the home has.
func (d *desk) count(kind string) int {
	d.t.Helper()
	events, err := d.store.Events(d.ctx, "", 1000)
	if err != nil {
		d.t.Fatal(err)
	}
	n := 0
	for _, e := range events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// refresh is what a tick finds of the exclusions in a view.
func (d *desk) refresh(v *board.View) roster.Refreshed {
	s := roster.State{Now: d.now.Time(), Executors: []roster.Executor{{ID: "opus", Slots: 1}}}
	for _, x := range v.Exclusions {
		s.Exclusions = append(s.Exclusions, roster.Exclusion{ID: x.ID, Executor: x.Executor, Kind: roster.ExclusionKind(x.Kind), Until: x.Until.Time()})
	}
	return s.Refresh(roster.Seen{})
}

func (d *desk) record(r roster.Refreshed) {
	d.t.Helper()
	if err := d.store.RecordTick(d.ctx, d.now, board.TickReport{Tick: board.Tick{StartedAt: d.now}, Refreshed: r}); err != nil {
		d.t.Fatal(err)
	}
}

// ROS-7: many runs that meet one limit make one exclusion and one event; a later end is another.
func TestSettle_ALimitThatManyRunsMeetIsOneExclusion(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.withExecutor(roster.Executor{ID: "opus", Slots: 3})
	for _, after := range []time.Duration{time.Hour, time.Hour, time.Minute} {
		d.limited(d.now.Add(after).Time())
	}
	if n := d.count("executor.excluded"); n != 1 {
		t.Errorf("%d events, want one", n)
	}
	d.limited(d.now.Add(2 * time.Hour).Time())
	if x := d.view().Exclusions; len(x) != 1 || x[0].Until != d.now.Add(2*time.Hour) || d.count("executor.excluded") != 2 {
		t.Errorf("exclusions %+v, %d events; want the later end, said", x, d.count("executor.excluded"))
	}
}

// ROS-9: an exclusion that a run has renewed since a tick found it passed is not dropped by that tick.
func TestRecordTick_ROS9_LeavesAnExclusionThatWasRenewed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.withExecutor(roster.Executor{ID: "opus", Slots: 3})
	d.limited(d.now.Add(time.Minute).Time())
	d.now = d.now.Add(2 * time.Minute)
	passed := d.refresh(d.view())
	d.limited(d.now.Add(time.Hour).Time())
	d.record(passed)
	if x := d.view().Exclusions; len(x) != 1 || x[0].Until != d.now.Add(time.Hour) || d.count("executor.back") != 0 {
		t.Errorf("exclusions %+v, %d returns; want the renewed one to stand", x, d.count("executor.back"))
	}
}

// ROS-9: two ticks that see the same exclusion pass tell once who is back.
func TestRecordTick_ROS9_TellsOnceWhoIsBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.withExecutor(roster.Executor{ID: "opus", Slots: 3})
	d.limited(d.now.Add(time.Minute).Time())
	d.now = d.now.Add(2 * time.Minute)
	passed := d.refresh(d.view())
	d.record(passed)
	d.record(passed)
	if n := d.count("executor.back"); n != 1 {
		t.Errorf("told %d times, want once", n)
	}
}

// What a worker writes under the names that the board uses for itself breaks no later ending of its executor.
func TestSettle_AWorkersOwnKeysBreakNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.end(board.Exit{Run: d.start(d.add()), Code: new(int), Result: board.Result{Metadata: `{"output": "hello", "notes": 7, "killed": {}, "last_lines": [1]}`}})
	d.end(board.Exit{Run: d.start(d.add()), Code: new(int), Notes: []string{"look", "look"}, Killed: []string{"node (12)"}, Result: board.Result{Metadata: `{"notes": "mine"}`}})
	run := must[board.Run](t)(d.store.Run(d.ctx, 2))
	if notes := run.Notes(); len(notes) != 2 || notes[0] != "look" || notes[1] != "left alive, and ended: node (12)" {
		t.Errorf("notes %q", notes)
	}
	if first := must[board.Run](t)(d.store.Run(d.ctx, 1)); len(first.Notes()) != 0 {
		t.Errorf("notes %q of the worker's own", first.Notes())
	}
}

// HAR-6: the model that answered is recorded, and an event where it is another than was asked for.
func TestSettle_HAR6_AnotherModelIsAnEvent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asked, answered string
		events          int
	}{
		{"opus-4", "sonnet-4", 1},
		{"opus-4", "claude-Opus-4-20260101", 0},
		{"", "sonnet-4", 0},
		{"opus-4", "", 0},
	} {
		d := newDesk(t)
		id := d.add()
		d.model = c.asked
		d.end(board.Exit{Run: d.start(id), Code: new(int), Result: board.Result{Model: c.answered}})
		if n := d.count("run.other_model"); n != c.events {
			t.Errorf("%q answered by %q: %d events, want %d", c.asked, c.answered, n, c.events)
		}
		if run := must[board.Run](t)(d.store.Run(d.ctx, 1)); c.answered != "" && run.Model != c.answered {
			t.Errorf("model %q recorded, want %q", run.Model, c.answered)
		}
	}
}

// RET-7: a conversation that its agent no longer has is not gone on with.
func TestSettle_RET7_ALostConversationIsForgotten(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		d := newDesk(t)
		card, code := d.add(), 1
		d.end(board.Exit{Run: d.start(card), Code: &code, Result: board.Result{Class: string(board.Failed), Session: "talk-1", Lost: lost}})
		if _, ok := d.view().Resumable[board.SlotKey{Card: card, Slot: "worker"}]; ok == lost {
			t.Errorf("lost %v: can be gone on with: %v", lost, ok)
		}
	}
}
