package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
)

const (
	stopLook  = 100 * time.Millisecond // between two looks at a run that is to end
	stopTick  = 2 * time.Second        // between two ticks meanwhile, which settle what has no supervisor any more
	stopLimit = 60 * time.Second       // after which the verb stops waiting: TERM, 10 s, KILL, and time for the settling
)

// stopDocument is what `board stop --json` prints.
type stopDocument struct {
	Run    board.Run `json:"run"`
	Paused bool      `json:"paused"`
}

func stopCommand() command {
	return command{
		args: "ID|RUN", min: 1, max: 1,
		about: "Ends a card's run and everything it has started, waits until all is gone, and pauses the card, so that no tick starts it again. " +
			"TERM first; KILL after ten seconds.",
		examples: []string{"board stop api-9", "board stop 31 --restart"},
		flags: []cli.Flag{
			&cli.BoolFlag{Name: "restart", Usage: "do not pause the card: the next tick may start it again"},
			&cli.BoolFlag{Name: "now", Usage: "KILL at once"},
			&cli.StringFlag{Name: "reason", Usage: "`WHY`, for the history", Value: "stopped by hand"},
		},
		document: stopDocument{},
		run:      runStop,
	}
}

func runStop(ctx context.Context, c *call) error {
	store, err := c.write(ctx)
	if err != nil {
		return err
	}
	r, err := c.runOf(ctx, store, c.args[0])
	if err != nil {
		return err
	}
	t, err := c.ticker(store)
	if err != nil {
		return err
	}
	if !r.Open() {
		if !isNumber(c.args[0]) {
			if idle, err := c.stopIdle(ctx, t, r); idle || err != nil {
				return err
			}
		}
		return board.NewProblem(board.ErrRefused, "board runs "+r.Card, "nothing runs to be stopped: run %d of %s has ended (%s)", r.ID, r.Card, r.Outcome)
	}
	d := stopDocument{}
	if d.Paused, err = c.pauseStopped(ctx, store, r.Card); err != nil {
		return err
	}
	ask := board.StopRequest{Run: r.ID, Outcome: board.Stopped, Reason: c.flags.String("reason"), Actor: c.actor()}
	if err := dispatch.StopRun(ctx, t.deps(ctx), ask); err != nil {
		return err
	}
	if c.flags.Bool("now") {
		if err := dispatch.SignalStop(ctx, t.deps(ctx), r.ID, true); err != nil {
			return err
		}
	}
	err = c.untilEnded(ctx, t, r, func() (bool, error) {
		d.Run, err = store.Run(ctx, r.ID)
		return !d.Run.Open(), err
	})
	if err != nil {
		return err
	}
	return c.tellStopped(d, fmt.Sprintf("run %d of %s ended: %s", d.Run.ID, d.Run.Card, d.Run.Outcome))
}

// pauseStopped pauses the card unless it is to go on. It comes first, or a tick may start the card again as soon as the run
// has ended.
func (c *call) pauseStopped(ctx context.Context, store *board.Store, card string) (bool, error) {
	if c.flags.Bool("restart") {
		return false, nil
	}
	q := board.PauseRequest{Pause: board.Pause{Kind: board.PauseCard, Target: card, Reason: c.flags.String("reason"), Actor: c.actor()}}
	_, err := store.Pause(ctx, c.now(), q)
	return true, err
}

// stopIdle ends the sessions that a card keeps idle in their windows, where it has any.
func (c *call) stopIdle(ctx context.Context, t ticker, last board.Run) (bool, error) {
	count, err := dispatch.StopIdle(ctx, t.deps(ctx), last.Card, c.flags.String("reason"), c.actor())
	if count == 0 || err != nil {
		return false, err
	}
	d := stopDocument{Run: last}
	if d.Paused, err = c.pauseStopped(ctx, t.store, last.Card); err != nil {
		return true, err
	}
	err = c.untilEnded(ctx, t, last, func() (bool, error) {
		live, err := t.store.SessionsOf(ctx, last.Card)
		return !slices.ContainsFunc(live, func(x board.Session) bool { return x.StopAt != 0 }), err
	})
	if err != nil {
		return true, err
	}
	return true, c.tellStopped(d, fmt.Sprintf("%d idle sessions of %s ended", count, last.Card))
}

func (c *call) tellStopped(d stopDocument, text string) error {
	if c.out.json {
		return c.out.document(d)
	}
	c.out.line("%s", text)
	if d.Paused {
		c.out.remark("%s is paused; board resume %s lets it go on", d.Run.Card, d.Run.Card)
	}
	return nil
}

// untilEnded waits until what was asked to stop is proved gone.
func (c *call) untilEnded(ctx context.Context, t ticker, r board.Run, ended func() (bool, error)) error {
	begin := c.clock.Now()
	ticked := begin.Add(3*stopLook - stopTick) // the first soon: a run that nobody has taken up yet is settled by a tick
	for {
		if over, err := ended(); over || err != nil {
			return err
		}
		at := c.clock.Now()
		if at.Sub(begin) > stopLimit {
			return fmt.Errorf("stop run %d of %s: not gone after %s; its place is kept, and ticks go on with it", r.ID, r.Card, stopLimit)
		}
		if at.Sub(ticked) > stopTick {
			ticked = at
			o := dispatch.TickOptions{Options: dispatch.Options{Only: r.Card}}
			if _, err := dispatch.Tick(ctx, t.deps(ctx), o); err != nil && !errors.Is(err, dispatch.ErrTickRunning) {
				return err
			}
		}
		if err := c.clock.Sleep(ctx, stopLook); err != nil {
			return err
		}
	}
}
