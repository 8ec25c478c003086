package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// Loop ticks at once and then each period until the context is done. Open gives fresh Deps for every tick, so that a
// changed file holds from the next one, and Close gives them back. Each tick's end is told to Told; that another tick runs
// is told too and ends nothing.
type Loop struct {
	Every time.Duration
	Clock clock.Clock
	Open  func(ctx context.Context) (Deps, func() error, error)
	Told  func(Report, error)
}

// Pause is how long to wait after a tick where one is due each period: less while a health URL is waited for, which is asked
// at least every ProbeEvery (04, Exclusions).
func (r Report) Pause(every time.Duration) time.Duration {
	if r.Probing {
		return min(every, roster.ProbeEvery)
	}
	return every
}

// Run ticks. Its error is nil when the context ended it.
func (l Loop) Run(ctx context.Context, o TickOptions) error {
	var reaper process.Reaper // the supervisors spawned here are this process's children
	for {
		r, err := l.once(ctx, o)
		l.Told(r, err)
		reaper.Reap()
		if err := l.Clock.Sleep(ctx, r.Pause(l.Every)); err != nil {
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		}
	}
}

func (l Loop) once(ctx context.Context, o TickOptions) (Report, error) {
	d, done, err := l.Open(ctx)
	if err != nil {
		return Report{}, err
	}
	r, err := Tick(ctx, d, o)
	return r, errors.Join(err, done())
}
