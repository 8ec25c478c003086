package dispatch

import (
	"context"
	"errors"
	"syscall"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/process"
)

// stop stores what is not stored yet, signals, and waits for nobody: a place is free when a later look sees it gone.
func (t *tick) stop(ctx context.Context) {
	for _, s := range t.plan.Stop {
		if s.Store != nil {
			if err := t.d.Store.RequestStop(ctx, board.At(t.now), *s.Store); err != nil {
				t.fault("run "+itoa(s.Run), err)
				continue
			}
		}
		t.signal(s.Targets, s.Kill)
	}
	for _, c := range t.plan.Close {
		q := board.StopRequest{Session: c.Session, Actor: "board", Reason: "idle session closed for " + c.For}
		if err := t.d.Store.RequestStop(ctx, board.At(t.now), q); err != nil {
			t.fault("session "+itoa(c.Session), err)
			continue
		}
		t.signal([]process.Identity{t.snap.Sessions[c.Session].Super}, false)
	}
	for _, id := range t.plan.EndIdle {
		if err := t.d.Store.EndSession(ctx, board.At(t.now), id, "proved gone"); err != nil {
			t.fault("session "+itoa(id), err)
		}
	}
	t.d.Fail.Hit(failpoint.StopAfter)
}

func (t *tick) signal(targets []process.Identity, kill bool) {
	for _, id := range targets {
		if err := signal(t.d.Table, id, kill); err != nil {
			t.fault("process "+itoa(int64(id.PID)), err)
		}
	}
}

// signal sends TERM, or KILL, to a process that is proved to be the one. One that is gone is what was wanted.
func signal(table process.Prober, id process.Identity, kill bool) error {
	sig := syscall.SIGTERM
	if kill {
		sig = syscall.SIGKILL
	}
	err := table.Signal(id, sig)
	if errors.Is(err, process.ErrGone) {
		return nil
	}
	return err
}

// StopRun asks a run to end and signals its supervisor: the request is stored first, so whoever settles knows whose wish it
// was (END-0). It does not wait until the run is gone.
func StopRun(ctx context.Context, d Deps, q board.StopRequest) error {
	if err := d.Store.RequestStop(ctx, board.At(d.Clock.Now()), q); err != nil {
		return err
	}
	return SignalStop(ctx, d, q.Run, false)
}

// StopIdle asks a card's idle sessions to end, each stored before it is signalled (END-0), and says how many there are. It
// does not wait until they are gone. A person's own is let be (PAN-5).
func StopIdle(ctx context.Context, d Deps, card, reason, actor string) (int, error) {
	all, err := d.Store.SessionsOf(ctx, card)
	if err != nil {
		return 0, err
	}
	count := 0
	for _, x := range all {
		if x.Origin == board.Adopted {
			continue
		}
		count++
		if err := d.Store.RequestStop(ctx, board.At(d.Clock.Now()), board.StopRequest{Session: x.ID, Reason: reason, Actor: actor}); err != nil {
			return count, err
		}
		super, err := process.ParseIdentity(x.Supervisor)
		if err != nil {
			return count, err
		}
		if err := signal(d.Table, super, false); err != nil {
			return count, err
		}
	}
	return count, nil
}

// SignalStop sends TERM, or KILL, to what a run whose stop is stored has started: its supervisor, which ends the rest. A run
// that has no session yet has nothing to signal.
func SignalStop(ctx context.Context, d Deps, run int64, kill bool) error {
	r, err := d.Store.Run(ctx, run)
	if err != nil || !r.Open() || r.Session == 0 {
		return err
	}
	x, err := d.Store.Session(ctx, r.Session)
	if err != nil {
		return err
	}
	if x.Origin == board.Adopted {
		return nil // a person's own session is never signalled (PAN-5)
	}
	super, err := process.ParseIdentity(x.Supervisor)
	if err != nil {
		return err
	}
	if !kill {
		return signal(d.Table, super, false)
	}
	root, err := process.ParseIdentity(x.Process)
	if err != nil {
		return err
	}
	ob := &observer{d: d}
	for _, left := range ob.members(root, x.LaunchKey) {
		if left.ID.Same(super) {
			continue // it records the end
		}
		if err := signal(d.Table, left.ID, true); err != nil {
			return err
		}
	}
	return nil
}
