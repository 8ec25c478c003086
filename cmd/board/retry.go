package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

func retryCommand() command {
	return command{
		args: "ID", min: 1, max: 1,
		about: "Lets a card that failed or waits be tried again at once: its row of failures and its count of runs begin anew. With --clean the " +
			"next run starts on a new worktree; the old branch is kept as board/ID/attempt-N.",
		examples: []string{"board retry api-7", "board retry api-7 --clean"},
		flags:    []cli.Flag{&cli.BoolFlag{Name: "clean", Usage: "on a new worktree; the old branch is kept"}, revisionFlag()},
		document: cardDocument{},
		run: func(ctx context.Context, c *call) error {
			store, id, err := c.change(ctx)
			if err != nil {
				return err
			}
			done, err := store.Retry(ctx, c.now(), board.RetryRequest{Card: id, Clean: c.flags.Bool("clean"), Actor: c.actor(), Revision: c.flags.Int64("revision")})
			if err != nil {
				return err
			}
			d := cardDocument{Card: done.Card, Changed: done.Changed, From: done.Card.Status}
			if !done.Changed {
				return c.tell(d, "%s may start already: there is nothing to reset (board why %s)", id, id)
			}
			how := ""
			if done.Card.CleanStart {
				how = ", on a new worktree"
			}
			if err := c.tell(d, "%s is tried again%s", id, how); err != nil {
				return err
			}
			return c.notePaused(ctx, store, id)
		},
	}
}

// notePaused says that a card is still held by hand, which nothing but board resume ends.
func (c *call) notePaused(ctx context.Context, store *board.Store, id string) error {
	pauses, err := store.Pauses(ctx, c.now())
	for _, p := range pauses {
		if p.Kind == board.PauseCard && p.Target == id {
			c.note("%s is paused all the same: board resume %s", id, id)
		}
	}
	return err
}
