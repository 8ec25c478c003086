// Package clock is the only reader of the wall clock. Everything else is handed a Clock, or a time taken from one, so
// that a test can say what time it is and never has to wait.
package clock

import (
	"context"
	"time"
)

// Clock tells the time and waits. Real and *Fake satisfy it.
type Clock interface {
	// Now is the time, with its monotonic reading where the clock has one: the difference of two such times is not
	// moved by a jump of the wall clock (suspend, NTP).
	Now() time.Time
	// After gives the time once d has passed. The channel holds one value, so nobody has to be waiting.
	After(d time.Duration) <-chan time.Time
	// Sleep returns nil once d has passed, or the context's error as soon as that is done.
	Sleep(ctx context.Context, d time.Duration) error
}

// Real is the machine's clock. Its zero value is ready.
type Real struct{}

// Now is the machine's time.
func Now() time.Time { return time.Now() }

// Now is the machine's time.
func (Real) Now() time.Time { return time.Now() }

// After is time.After.
func (Real) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Sleep waits for d or for the context, whichever ends first.
func (Real) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stopwatch measures how long something took. It follows the monotonic clock, so a jump of the wall clock does not move it.
type Stopwatch struct {
	clock   Clock
	started time.Time
}

// StartStopwatch starts measuring on c.
func StartStopwatch(c Clock) Stopwatch { return Stopwatch{clock: c, started: c.Now()} }

// Elapsed is the time since the start.
func (s Stopwatch) Elapsed() time.Duration { return s.clock.Now().Sub(s.started) }
