package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

func releaseCommand() command {
	return command{
		args: "ID", min: 1, max: 1,
		about:    "Lets go of the session that a card has adopted: it lives on, is no longer counted, and runs may start in its slot again.",
		examples: []string{"board release api-9"},
		flags:    []cli.Flag{&cli.StringFlag{Name: "slot", Usage: "only the session in `SLOT`"}},
		document: []board.Session{},
		run:      runRelease,
	}
}

func runRelease(ctx context.Context, c *call) error {
	store, err := c.write(ctx)
	if err != nil {
		return err
	}
	card, err := c.card(ctx, store, c.args[0])
	if err != nil {
		return err
	}
	all, err := store.Release(ctx, c.now(), card.ID, c.flags.String("slot"), c.actor())
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.document(all)
	}
	for _, x := range all {
		c.out.line("%s has let go of the session in slot %s", card.ID, x.Slot)
	}
	return nil
}
