package dispatch_test

import (
	"errors"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/process"
)

// A secret names a session's open run, and nothing once that has ended (MOD-4, WRK-2).
func TestStore_MOD4_ASecretIsGoodForAnOpenRunOnly(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.card("todo")
	run := p.tick().Started[0].Run
	p.begins(run)
	if r, err := p.store.RunOfSecret(t.Context(), "secret of 1"); err != nil || r.ID != run {
		t.Fatalf("run %+v, %v; want run %d", r, err, run)
	}
	p.exits(run, board.Exit{Code: new(int)})
	p.tick(func(o *dispatch.TickOptions) { o.Only = "nobody" })
	if r, err := p.store.RunOfSecret(t.Context(), "secret of 1"); !errors.Is(err, board.ErrRefused) {
		t.Fatalf("run %+v, %v; want it refused: the run has ended", r, err)
	}
}

// A run that was stopped before its supervisor came is never begun, and a run is begun once (DSP-8, J2).
func TestStore_DSP8_BeginsAClaimedRunOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.card("todo")
	p.card("todo")
	p.tick()
	if err := p.store.RequestStop(t.Context(), p.now(), board.StopRequest{Run: 1, Outcome: board.Stopped, Actor: "ada"}); err != nil {
		t.Fatal(err)
	}
	session := board.Session{ID: 1, Card: "api-1", Board: "api", Slot: "worker", Role: "coder", Origin: board.Dispatched, State: board.SessionBusy, LaunchKey: "k"}
	if _, err := p.store.Begin(t.Context(), p.now(), 1, session); !errors.Is(err, board.ErrElsewhere) {
		t.Fatalf("begin gave %v, want elsewhere: the run was stopped", err)
	}
	p.begins(2)
	session.ID, session.Card = 2, "api-2"
	if _, err := p.store.Begin(t.Context(), p.now(), 2, session); !errors.Is(err, board.ErrElsewhere) {
		t.Fatalf("the second begin gave %v, want elsewhere", err)
	}
}

// A tick sends TERM at once and KILL ten seconds after the stored time (END-0).
func TestMakePlan_END0_KillsTenSecondsAfterTheRequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		since time.Duration
		kill  bool
	}{{9 * time.Second, false}, {10 * time.Second, true}} {
		w := newWorld(t)
		run := w.run(w.card("doing"), "a", func(r *board.Run, _ *board.Session) {
			r.StopOutcome, r.StopAt = board.Stopped, board.At(noon.Add(-c.since))
		})
		left := process.Entry{ID: process.Identity{PID: 7}}
		w.snap.Runs[run] = dispatch.RunSeen{Lock: dispatch.LockFree, Left: []process.Entry{left}}
		p := w.plan()
		if len(p.Stop) != 1 || p.Stop[0].Kill != c.kill {
			t.Errorf("%s after the request the plan stops %+v, want kill %v", c.since, p.Stop, c.kill)
		}
	}
}
