package clock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/clock"
)

func TestFake_StandsUntilItIsAdvanced(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	fake := clock.NewFake(start)
	late, early := fake.After(time.Hour), fake.After(time.Minute)
	watch := clock.StartStopwatch(fake)
	fake.Advance(time.Minute)
	if got := <-early; !got.Equal(start.Add(time.Minute)) {
		t.Errorf("got %v", got)
	}
	if fake.Waiting() != 1 || watch.Elapsed() != time.Minute || !fake.Now().Equal(start.Add(time.Minute)) {
		t.Errorf("waiting %d, elapsed %v, now %v", fake.Waiting(), watch.Elapsed(), fake.Now())
	}
	fake.Advance(2 * time.Hour)
	<-late
	<-fake.After(0)
}

func TestSleep_EndsWithTheClockOrTheContext(t *testing.T) {
	t.Parallel()
	fake := clock.NewFake(time.Time{})
	slept := make(chan error)
	go func() { slept <- fake.Sleep(context.Background(), time.Hour) }()
	for fake.Waiting() == 0 {
		<-clock.Real{}.After(time.Millisecond)
	}
	fake.Advance(time.Hour)
	if err := <-slept; err != nil {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []clock.Clock{fake, clock.Real{}} {
		if err := c.Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("%T, a context that is done: got %v", c, err)
		}
	}
	if err := (clock.Real{}).Sleep(context.Background(), time.Millisecond); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestNow_HasAMonotonicReading(t *testing.T) {
	t.Parallel()
	a, b := clock.Now(), clock.Real{}.Now()
	if b.Sub(a) < 0 || a.Round(0) == a { //nolint:staticcheck // Equal does not see the monotonic reading
		t.Errorf("got %v and %v; want the second not before the first, both with a monotonic reading", a, b)
	}
}
