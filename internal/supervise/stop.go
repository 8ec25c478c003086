package supervise

import (
	"cmp"
	"context"
	"time"

	"github.com/seed-2ddc2152/board/board"
)

// stopError is a launch that was ended: by a signal, by a limit, or since its executor is there no more.
type stopError struct{ due due }

func (e *stopError) Error() string { return cmp.Or(e.due.Reason, "it was told to stop") }

// interruptible runs a step of the launch that may take long, such as git or a setup. A signal or the runtime limit calls it
// off at once.
func (t *turn) interruptible(ctx context.Context, step func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	finished := make(chan struct{})
	watched := make(chan *stopError, 1)
	go func() {
		defer close(watched)
		if stop := t.awaitStop(finished); stop != nil {
			watched <- stop
			cancel(stop)
		}
	}()
	err := step(ctx)
	close(finished)
	if stop := <-watched; stop != nil {
		return stop
	}
	return err
}

// awaitStop gives what ends the launch first, or nil when the step has finished.
func (t *turn) awaitStop(finished <-chan struct{}) *stopError {
	var timeUp <-chan time.Time
	if t.limits.Runtime > 0 {
		timeUp = t.Clock.After(t.limits.Runtime - t.Clock.Now().Sub(t.life.started))
	}
	beat := t.Clock.After(beatEvery)
	for {
		select {
		case <-finished:
			return nil
		case sig := <-t.Signals:
			return &stopError{due: t.signalled(sig)}
		case <-timeUp:
			return &stopError{due: overtime(t.limits)}
		case <-beat:
			t.note("beat", t.beat(t.Clock.Now()))
			beat = t.Clock.After(beatEvery)
		}
	}
}

// stop stores why the run is to end before anything is signalled (END-0). What somebody else has stored before stands.
func (t *turn) stop(ctx context.Context, d due) {
	if d.Outcome == "" {
		return
	}
	t.exit.Stop, t.exit.StopReason = d.Outcome, d.Reason
	t.tryWrite(ctx, "store the stop", func() error {
		return t.store.RequestStop(ctx, board.At(t.Clock.Now()), board.StopRequest{
			Run: t.run.ID, Outcome: d.Outcome, Reason: d.Reason, Actor: "supervisor",
		})
	})
	run, err := t.store.Run(ctx, t.run.ID)
	if err != nil {
		t.note("read the stop", err)
		return
	}
	if run.StopOutcome != "" {
		t.exit.Stop, t.exit.StopReason = run.StopOutcome, run.StopReason
	}
}

// tryWrite writes to the database what the end does not depend on, unless a newer program has it (SUP-2).
func (t *turn) tryWrite(ctx context.Context, what string, write func() error) {
	err := t.writable(ctx)
	if err == nil {
		err = write()
	}
	t.note(what, err)
}

// note tells of trouble that does not end the run.
func (t *turn) note(what string, err error) {
	if err != nil {
		t.say("%s: %v", what, err)
	}
}
