package clock

import (
	"context"
	"sort"
	"sync"
	"time"
)

// Fake is a clock that stands still until it is advanced. It is safe for use by several goroutines.
type Fake struct {
	mu      sync.Mutex
	now     time.Time
	waiters []waiter
}

type waiter struct {
	at   time.Time
	wake chan time.Time
}

// NewFake gives a clock that stands at now.
func NewFake(now time.Time) *Fake { return &Fake{now: now} }

// Now is the time the clock stands at.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// After gives the time once the clock has been advanced by d. With d at or below zero it gives it at once.
func (f *Fake) After(d time.Duration) <-chan time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	wake := make(chan time.Time, 1)
	if d <= 0 {
		wake <- f.now
		return wake
	}
	f.waiters = append(f.waiters, waiter{at: f.now.Add(d), wake: wake})
	return wake
}

// Sleep waits until the clock has been advanced by d, or the context is done.
func (f *Fake) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-f.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Advance moves the clock by d and wakes, in the order of their times, all who waited for a time that has come.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
	sort.SliceStable(f.waiters, func(i, j int) bool { return f.waiters[i].at.Before(f.waiters[j].at) })
	due := 0
	for due < len(f.waiters) && !f.waiters[due].at.After(f.now) {
		f.waiters[due].wake <- f.now
		due++
	}
	f.waiters = f.waiters[due:]
}

// Waiting is how many are waiting for a time to come, so that a test can advance the clock once its code has begun to wait.
func (f *Fake) Waiting() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.waiters)
}
