package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-2ddc2152/board/board"
)

// linkDocument is what `board link --json` and unlink print.
type linkDocument struct {
	Card    string   `json:"card"`
	Changed []string `json:"changed"` // blockers that were linked, or are not any more
	Waiting []string `json:"waiting"` // what the card waits for afterwards
	Note    string   `json:"note"`
}

func linkCommand() command {
	return command{
		args: "ID BLOCKER...", min: 2, max: -1,
		about:    "Makes a card wait for others: it starts when all of them are done. A link that would close a cycle is refused.",
		examples: []string{"board link api-7 api-3", "board link api-7 api-3 api-4"},
		document: linkDocument{},
		run: func(ctx context.Context, c *call) error {
			return c.relink(ctx, (*board.Store).Link, "waits for", "waited for them already")
		},
	}
}

func unlinkCommand() command {
	return command{
		args: "ID BLOCKER...", min: 2, max: -1,
		about:    "Takes links away: the card waits for those others no longer.",
		examples: []string{"board unlink api-7 api-3"},
		document: linkDocument{},
		run: func(ctx context.Context, c *call) error {
			return c.relink(ctx, (*board.Store).Unlink, "no longer waits for", "")
		},
	}
}

func (c *call) relink(ctx context.Context, change func(*board.Store, context.Context, board.Time, board.LinkRequest) (board.Linked, error), did, same string) error {
	store, id, err := c.change(ctx)
	if err != nil {
		return err
	}
	blockers, err := c.ids(ctx, store, c.args[1:])
	if err != nil {
		return err
	}
	done, err := change(store, ctx, c.now(), board.LinkRequest{Card: id, Blockers: blockers, Actor: c.actor()})
	if err != nil {
		return err
	}
	d := linkDocument{Card: id, Changed: append([]string{}, done.Changed...), Waiting: append([]string{}, done.Waiting...)}
	switch {
	case done.Freed != nil:
		d.Note = "the question about it is closed: " + done.Freed.Text
	case len(done.Changed) > 0 && done.Card.CurrentRun != 0 && len(done.Waiting) > 0:
		d.Note = fmt.Sprintf("it runs (run %d): that goes on, and its next start waits", done.Card.CurrentRun)
	case len(done.Waiting) == 0:
		d.Note = "nothing holds it back by a link"
	}
	if c.out.json {
		return c.out.document(d)
	}
	if len(done.Changed) == 0 {
		c.out.line("%s %s", id, same)
	} else {
		c.out.line("%s %s %s", id, did, strings.Join(done.Changed, ", "))
	}
	if d.Note != "" {
		c.out.remark("%s", clean1(d.Note))
	}
	return nil
}
