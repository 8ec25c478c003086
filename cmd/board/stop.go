package main

import (
	"context"
	"errors"
	"fmt"
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
	if !r.Open() {
		return board.NewProblem(board.ErrRefused, "board runs "+r.Card, "nothing runs to be stopped: run %d of %s has ended (%s)", r.ID, r.Card, r.Outcome)
	}
	t, err := c.ticker(store)
	if err != nil {
		return err
	}
	d := stopDocument{Paused: !c.flags.Bool("restart")}
	if d.Paused { // before the run can end, or a tick may start the card again
		q := board.PauseRequest{Pause: board.Pause{Kind: board.PauseCard, Target: r.Card, Reason: c.flags.String("reason"), Actor: c.actor()}}
		if _, err := store.Pause(ctx, c.now(), q); err != nil {
			return err
		}
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
	if d.Run, err = c.untilEnded(ctx, t, r); err != nil {
		return err
	}
	if c.out.json {
		return c.out.document(d)
	}
	c.out.line("run %d of %s ended: %s", d.Run.ID, d.Run.Card, d.Run.Outcome)
	if d.Paused {
		c.out.remark("%s is paused; board resume %s lets it go on", r.Card, r.Card)
	}
	return nil
}

// untilEnded waits until a run that was asked to stop is proved gone.
func (c *call) untilEnded(ctx context.Context, t ticker, r board.Run) (board.Run, error) {
	begin := c.clock.Now()
	ticked := begin.Add(3*stopLook - stopTick) // the first soon: a run that nobody has taken up yet is settled by a tick
	for {
		now, err := t.store.Run(ctx, r.ID)
		if err != nil || !now.Open() {
			return now, err
		}
		at := c.clock.Now()
		if at.Sub(begin) > stopLimit {
			return now, fmt.Errorf("stop run %d of %s: not gone after %s; its place is kept, and ticks go on with it", r.ID, r.Card, stopLimit)
		}
		if at.Sub(ticked) > stopTick {
			ticked = at
			o := dispatch.TickOptions{Options: dispatch.Options{Only: r.Card}}
			if _, err := dispatch.Tick(ctx, t.deps(ctx), o); err != nil && !errors.Is(err, dispatch.ErrTickRunning) {
				return now, err
			}
		}
		if err := c.clock.Sleep(ctx, stopLook); err != nil {
			return now, err
		}
	}
}
