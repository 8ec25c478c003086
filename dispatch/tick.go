package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/process"
)

// ErrTickRunning is a tick that found another one at work (DSP-6). Its text says whose, and since when.
var ErrTickRunning = errors.New("another tick is running")

// TickOptions are those of `board dispatch`.
type TickOptions struct {
	Options
	NoLock bool // tests: the claim is safe without the lock
}

// Tick is one pass: it looks, decides and acts. Its report says what was done; a failure that did not stop the rest is in its
// Faults. The error is ErrTickRunning, or what kept the tick from looking at all.
func Tick(ctx context.Context, d Deps, o TickOptions) (Report, error) {
	watch := clock.StartStopwatch(d.Clock)
	unlock, err := d.lockTick(o.NoLock)
	if err != nil {
		return Report{}, err
	}
	t := &tick{d: d, o: o, now: d.Clock.Now()}
	err = t.decide(ctx)
	if err == nil {
		t.stop(ctx)
		t.settle(ctx)
		t.claim(ctx)
	}
	if err := errors.Join(err, unlock()); err != nil {
		return Report{}, err
	}
	t.launch(ctx)
	t.bury(ctx)
	return t.report(ctx, watch)
}

// tick is one pass as it goes on.
type tick struct {
	d         Deps
	o         TickOptions
	now       time.Time
	ob        *observer
	snap      Snapshot
	spec      board.ViewSpec
	plan      Plan
	rules     board.Rules
	ended     []board.Ending
	started   []launched
	again     []launched // claims that are launched again
	elsewhere []Elsewhere
}

// decide observes and plans.
func (t *tick) decide(ctx context.Context) error {
	t.ob = &observer{d: t.d, o: t.o.Options, now: t.now}
	var err error
	if t.snap, t.spec, err = t.ob.look(ctx); err != nil {
		return err
	}
	t.d.Fail.Hit(failpoint.ObserveAfter)
	t.rules = t.ob.rules(t.snap.View.Boards)
	t.plan = MakePlan(t.snap)
	t.d.Fail.Hit(failpoint.PlanAfter)
	return nil
}

// lockTick takes the tick's lock without waiting for it.
func (d Deps) lockTick(off bool) (func() error, error) {
	if off {
		return func() error { return nil }, nil
	}
	lock, holder, err := process.TryFlock(d.Home.TickLock(), process.Holder{PID: d.PID, SinceAtMS: d.Clock.Now().UnixMilli()})
	if err != nil {
		return nil, fmt.Errorf("lock the tick: %w", err)
	}
	if lock == nil {
		since := time.UnixMilli(holder.SinceAtMS).Local().Format("15:04:05")
		return nil, fmt.Errorf("%w: process %d, since %s", ErrTickRunning, holder.PID, since)
	}
	return lock.Release, nil
}

// fault notes a failure that does not stop the tick.
func (t *tick) fault(scope string, err error) {
	t.plan.Faults = append(t.plan.Faults, Fault{Scope: scope, Text: err.Error()})
}

// DryRun is the plan of a tick made now, with nothing written, signalled or started (DSP-2). With what-if params d.Settings
// carry them afterwards, and are good for nothing else.
func DryRun(ctx context.Context, d Deps, o Options, at time.Time) (Report, error) {
	watch := clock.StartStopwatch(d.Clock)
	o.All, o.Explain = true, true
	s, err := Observe(ctx, d, o, at)
	if err != nil {
		return Report{}, err
	}
	return reportOf(d, s, MakePlan(s), watch, true), nil
}

// Look is the plan with the last stored observations: what `board why` and `board status` tell (DSP-1).
func Look(ctx context.Context, d Deps, o Options) (Snapshot, Plan, error) {
	o.All, o.Explain = true, true
	ob := &observer{d: d, o: o, now: d.Clock.Now(), quick: true}
	s, _, err := ob.look(ctx)
	if err != nil {
		return Snapshot{}, Plan{}, err
	}
	return s, MakePlan(s), nil
}
