package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
)

// startDocument is what `board start --json` prints.
type startDocument struct {
	Card    string            `json:"card"`
	Started *dispatch.Started `json:"started"`
	Pending *string           `json:"pending"` // why it waits; its wish is remembered
	Faults  []dispatch.Fault  `json:"faults"`
}

func startCommand() command {
	return command{
		args: "ID", min: 1, max: 1,
		about: "Starts a card now, if the caps allow it. Otherwise the wish is remembered: the card goes first as soon as there is room, and " +
			"the answer says what it waits for (exit 0).",
		examples: []string{"board start api-7", "board start api-7 --cancel"},
		flags: []cli.Flag{
			&cli.BoolFlag{Name: "cancel", Usage: "forget the wish to start it"},
			&cli.BoolFlag{Name: "over-cap", Usage: "go over the caps; it is recorded by whom"},
		},
		document: startDocument{},
		run:      runStart,
	}
}

func runStart(ctx context.Context, c *call) error {
	if c.flags.Bool("cancel") && c.flags.Bool("over-cap") {
		return board.NewProblem(board.ErrUsage, "board help start", "start: --cancel and --over-cap are two things")
	}
	store, err := c.write(ctx)
	if err != nil {
		return err
	}
	card, err := c.card(ctx, store, c.args[0])
	if err != nil {
		return err
	}
	id := card.ID
	d := startDocument{Card: id, Faults: []dispatch.Fault{}}
	if c.flags.Bool("cancel") {
		if err := store.RequestStart(ctx, c.now(), id, c.actor(), false); err != nil {
			return err
		}
		return c.tellStart(d)
	}
	t, err := c.ticker(store)
	if err != nil {
		return err
	}
	asked, err := dispatch.StartCard(ctx, t.deps(ctx), id, c.actor(), c.flags.Bool("over-cap"))
	if err != nil {
		return err
	}
	d.Started, d.Faults = asked.Started, asked.Report.Faults
	if asked.Started == nil {
		d.Pending = &asked.Pending
	}
	if err := c.tellStart(d); err != nil {
		return err
	}
	return faultsOf(asked.Report)
}

func (c *call) tellStart(d startDocument) error {
	switch {
	case c.out.json:
		return c.out.document(d)
	case d.Started != nil:
		s := d.Started
		c.out.line("%s started: run %d, %s on %s, %s on %s", d.Card, s.Run, s.Slot, s.Label, s.Surface, s.Host)
		c.out.remark("board logs %s -f    its output", d.Card)
	case d.Pending != nil:
		c.out.line("%s is pending: %s", d.Card, clean1(*d.Pending))
		c.out.remark("it goes first as soon as there is room; board start %s --cancel forgets it", d.Card)
	default:
		c.out.line("%s: the wish to start it is forgotten", d.Card)
	}
	return nil
}
