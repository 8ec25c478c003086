package dispatch_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/process"
)

// Fault 2: a person's start beside a tick is one run, and the person is told whose it is, not that it is pending.
func TestStartCard_Fault2_TheLoserIsToldOfTheRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		beat func(p *place, id string)
		says string
	}{
		{"while it runs", func(p *place, _ string) { p.tickOn(p.open()) }, "runs already (run 1)"},
		{"when that run has ended", func(p *place, _ string) {
			other := p.open()
			p.tickOn(other)
			p.exits(1, board.Exit{Code: new(int), Stop: board.Interrupted})
			p.write("workflows/test.yaml", withCaps(`{name: none, counts: runs, max: 0}`))
			p.tickOn(other)
		}, "started by somebody else meanwhile"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			id := p.card("todo")
			p.meanwhile(func() { c.beat(p, id) })
			_, err := dispatch.StartCard(t.Context(), p.deps(p.store), id, "ada", false)
			if !errors.Is(err, board.ErrRefused) || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v, want a refusal that says %q", err, c.says)
			}
			if card := p.find(id); card.StartRequested != 0 {
				t.Fatalf("card %+v: nobody waits for a start", card)
			}
		})
	}
}

// Fault 2: a wish that comes when the card has just been claimed would start it again after its run.
func TestRequestStart_Fault2_IsRefusedOnceTheCardRuns(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	id := p.card("todo")
	p.tick()
	if err := p.store.RequestStart(t.Context(), p.now(), id, "ada", true); !errors.Is(err, board.ErrRefused) {
		t.Fatalf("got %v, want it refused", err)
	}
}

// Fault 14: a claim or a stop that is dated in the future, as after a clock was set back, holds nothing for ever.
func TestTick_Fault14_ATimeAheadOfTheClockHoldsNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.card("todo")
	p.tick()
	p.clock.Advance(-24 * time.Hour)
	p.tick()
	if run := p.run(1); run.LaunchAttempt != 2 {
		t.Fatalf("run %+v, want it launched again though its claim is dated a day ahead", run)
	}
	p.clock.Advance(-dispatch.SpawnGrace / 2)
	p.tick()
	if run := p.run(1); run.LaunchAttempt != 2 {
		t.Fatalf("run %+v: a clock that is a little behind is no reason to hurry", run)
	}
	p.clock.Advance(-time.Hour)
	p.tick()
	p.clock.Advance(-time.Hour)
	p.tick()
	if run := p.run(1); run.Outcome != board.SpawnFailed {
		t.Fatalf("run %+v, want spawn_failed after its third launch", run)
	}
}

// A database that was restored from a backup, or lost and made anew, gives no run the number of one that has left files: its
// exit.json would end the other one (08 Faults: database deleted under a live run).
func TestTick_ARunNeverTakesTheNumberOfOneThatHasLeftFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.exits(1, board.Exit{Run: 1, Code: new(int)})
	p.write("sessions/2/beat", "")
	p.card("todo")
	if r := p.tick(); len(r.Started) != 1 || r.Started[0].Run != 3 {
		t.Fatalf("started %+v, want run 3: 1 and 2 have files", r.Started)
	}
	p.card("todo")
	if r := p.tick(); len(r.Ended) != 0 || len(r.Started) != 1 || r.Started[0].Run != 4 {
		t.Fatalf("report %+v, want nothing ended and run 4 started", r)
	}
}

// Fault 44: a row that another program wrote oddly fails its own card, by name, and the others go on.
func TestTick_Fault44_AnOddRowHoldsItsOwnCardOnly(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		`owns = '{"a":1}'`, `owns = '[1]'`, `labels = '[1,2]'`, `labels = '{"a":{"b":1}}'`, `counters = '{"a":"b"}'`, `counters = '7'`,
	} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			odd, sound := p.card("todo"), p.card("todo")
			p.sql("UPDATE cards SET " + change + " WHERE id = '" + odd + "'")
			if dry := p.dry(nil); len(startedIn(dry)) != 1 || heldIn(t, dry, odd).Code != board.HoldFault {
				t.Fatalf("dry run %+v, want %s started and %s at fault", dry, sound, odd)
			}
			r := p.tick()
			if got := startedIn(r); len(got) != 1 || got[0] != sound {
				t.Fatalf("started %v, want %s", got, sound)
			}
			column, _, _ := strings.Cut(change, " ")
			if h := heldIn(t, r, odd); h.Code != board.HoldFault || !strings.Contains(h.Text, "cards."+column) {
				t.Fatalf("held %+v, want it at fault, naming the column", h)
			}
			if len(r.Faults) != 1 || r.Faults[0].Scope != "card "+odd {
				t.Fatalf("faults %+v, want the card's", r.Faults)
			}
		})
	}
}

// Fault 44: what makes a row odd is not lost when its card is saved, and a run of it ends all the same.
func TestTick_Fault44_AnOddRowIsSavedAsItWas(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	id := p.card("todo")
	p.tick()
	p.sql(`UPDATE cards SET owns = '{"a":1}', labels = '[1]', counters = '[2]' WHERE id = '` + id + `'`)
	p.exits(1, board.Exit{Code: new(int)})
	if r := p.tick(); len(r.Ended) != 1 {
		t.Fatalf("report %+v, want the run ended", r)
	}
	if got := p.text(`SELECT owns || labels || counters FROM cards`); got != `{"a":1}[1][2]` {
		t.Fatalf("got %s, want the columns as the other program wrote them", got)
	}
}

// Fault 4: what cannot be killed keeps its place and is reported, and its card is not started again.
func TestMakePlan_Fault4_WhatCannotBeKilledIsReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*board.Run, *board.Session)
		says   string // empty: nothing is reported
	}{
		{"at work", func(*board.Run, *board.Session) {}, ""},
		{"survives KILL after its own end", func(_ *board.Run, x *board.Session) {
			x.State, x.WaitingFor = board.SessionWaiting, "still there after KILL: sleep (pid 7)"
		}, "still there after KILL: sleep (pid 7)"},
		{"asked a person something", func(_ *board.Run, x *board.Session) {
			x.State, x.WaitingFor, x.Interactive = board.SessionWaiting, "may I?", true
		}, ""},
		{"asked to stop just now", func(r *board.Run, _ *board.Session) {
			r.StopAt, r.StopOutcome, r.StopActor = board.At(noon.Add(-59*time.Second)), board.Stopped, "ada"
		}, ""},
		{"asked to stop a minute ago", func(r *board.Run, _ *board.Session) {
			r.StopAt, r.StopOutcome, r.StopActor = board.At(noon.Add(-dispatch.StuckAfter)), board.Stopped, "ada"
		}, "asked to stop by ada and not gone since"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.run(w.card("doing"), "a", c.change)
			w.snap.Runs[id] = dispatch.RunSeen{Lock: dispatch.LockHeld}
			p := w.plan()
			if len(p.Start) != 0 || len(p.Settle) != 0 {
				t.Fatalf("plan %+v: its place is kept", p)
			}
			if c.says == "" {
				if len(p.Faults) != 0 {
					t.Fatalf("faults %+v, want none", p.Faults)
				}
				return
			}
			if len(p.Faults) != 1 || p.Faults[0].Scope != "run 1" || !strings.Contains(p.Faults[0].Text, c.says) {
				t.Fatalf("faults %+v, want one that says %q", p.Faults, c.says)
			}
		})
	}
}

// LIV-3: somebody took the run's folder away, and the lock with it. The supervisor lives all the same, and its run is not over.
func TestTick_ARunWhoseFolderIsGoneGoesOnWhileItsSupervisorLives(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	id := p.card("todo")
	p.tick()
	p.begins(1, func(x *board.Session) { x.Supervisor = "boot/1/7/8/7" })
	p.alive = process.Alive
	if r := p.tick(); len(r.Ended) != 0 || len(r.Stopping) != 0 || len(r.Started) != 0 {
		t.Fatalf("report %+v, want the run left alone", r)
	}
	p.alive = process.Dead
	if r := p.tick(); len(r.Ended) != 1 || r.Ended[0].Card != id {
		t.Fatalf("report %+v, want it ended once its supervisor is gone", r)
	}
}
