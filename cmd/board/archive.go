package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

func archiveCommand() command {
	return command{
		args: "ID", min: 1, max: 1,
		about:    "Puts a card out of every list and plan; its history stays. A card that runs is refused. --undo brings it back.",
		examples: []string{"board archive api-7", "board archive api-7 --undo"},
		flags:    []cli.Flag{&cli.BoolFlag{Name: "undo", Usage: "bring it back"}, revisionFlag()},
		document: cardDocument{},
		run: func(ctx context.Context, c *call) error {
			store, id, err := c.change(ctx)
			if err != nil {
				return err
			}
			undo := c.flags.Bool("undo")
			done, err := store.Archive(ctx, c.now(), board.ArchiveRequest{Card: id, Undo: undo, Actor: c.actor(), Revision: c.flags.Int64("revision")})
			if err != nil {
				return err
			}
			d := cardDocument{Card: done.Card, Changed: done.Changed, From: done.Card.Status}
			if len(done.Dependents) > 0 && !undo {
				d.Note = fmt.Sprintf("%s waits for it: board unlink %s %s", strings.Join(done.Dependents, ", "), done.Dependents[0], id)
			}
			state := map[bool]string{false: "archived", true: "not archived"}[undo]
			if !done.Changed {
				return c.tell(d, "%s is %s already", id, state)
			}
			return c.tell(d, "%s is %s", id, state)
		},
	}
}
