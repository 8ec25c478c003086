package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
)

func reclaimCommand() command {
	return command{
		args: "RUN --gone", min: 1, max: 1,
		about: "A run whose processes cannot be told from here (another container, a host that does not answer) keeps its place until somebody " +
			"knows. With --gone you say that nothing of it lives; it is recorded that you did. A run that is seen to live is refused.",
		examples: []string{"board reclaim 31 --gone"},
		flags:    []cli.Flag{&cli.BoolFlag{Name: "gone", Usage: "my word that everything the run started is gone"}},
		document: board.Run{},
		run:      runReclaim,
	}
}

func runReclaim(ctx context.Context, c *call) error {
	id, err := runNumber(c.args[0])
	if err != nil {
		return err
	}
	if !c.flags.Bool("gone") {
		return board.NewProblem(board.ErrUsage, fmt.Sprintf("board reclaim %d --gone", id), "reclaim run %d: only with your word that nothing of it lives", id)
	}
	store, err := c.write(ctx)
	if err != nil {
		return err
	}
	r, err := store.Run(ctx, id)
	if err != nil {
		return err
	}
	if !r.Open() {
		return board.NewProblem(board.ErrRefused, fmt.Sprintf("board run %d", id), "reclaim run %d: it has ended (%s)", id, r.Outcome)
	}
	t, err := c.ticker(store)
	if err != nil {
		return err
	}
	snapshot, _, err := dispatch.Look(ctx, t.deps(ctx), dispatch.Options{Only: r.Card})
	if err != nil {
		return err
	}
	if seen := snapshot.Runs[id]; seen.Lock == dispatch.LockHeld || len(seen.Left) > 0 {
		return board.NewProblem(board.ErrRefused, fmt.Sprintf("board stop %d", id), "reclaim run %d: it lives here, with %d processes", id, len(seen.Left))
	}
	ask := board.StopRequest{Run: id, Outcome: board.Reclaimed, Reason: "said to be gone", Actor: c.actor()}
	if err := store.RequestStop(ctx, c.now(), ask); err != nil {
		return err
	}
	rules, err := c.rules(ctx, store)
	if err != nil {
		return err
	}
	settled, err := store.Settle(ctx, c.now(), rules, board.Exit{Run: id, Crashed: true, EndedAt: c.now()})
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.document(settled.Ending.Run)
	}
	c.out.line("run %d of %s ended: %s; its place and its lease are free", id, r.Card, board.Reclaimed)
	return nil
}
