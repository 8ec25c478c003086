package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

func editCommand() command {
	return command{
		args: "ID", min: 1, max: 1,
		about: `Changes fields of a card; what is not given stays. "none" takes away an --assignee, a --parent, a --not-before or an --every. ` +
			"A card that runs goes on with what it was started with.",
		examples: []string{`board edit api-7 --title "Drop the v1 API" --priority 3`, "board edit api-7 --body-file new.md --revision 4", "board edit api-7 --not-before none --unlabel area"},
		flags: slices.Concat([]cli.Flag{&cli.StringFlag{Name: "title", Usage: "one line"}}, fieldFlags(), []cli.Flag{
			&cli.StringSliceFlag{Name: "unlabel", Usage: "takes the label `NAME` away"},
			revisionFlag(),
		}),
		document: cardDocument{},
		run: func(ctx context.Context, c *call) error {
			store, id, err := c.change(ctx)
			if err != nil {
				return err
			}
			edit, err := c.fields(ctx, store)
			if err != nil {
				return err
			}
			edit.Title, edit.Assignee, edit.Unlabel = c.stringFlag("title"), noneIsEmpty(edit.Assignee), c.flags.StringSlice("unlabel")
			return c.edit(ctx, store, id, edit)
		},
	}
}

func assignCommand() command {
	return command{
		args: "ID PROFILE", min: 1, max: 2,
		about:    "Says which profile executes a card; --none leaves it to the workflow. It resets the row of failures.",
		examples: []string{"board assign api-7 pair", "board assign api-7 --none"},
		flags:    []cli.Flag{&cli.BoolFlag{Name: "none", Usage: "the workflow chooses"}, revisionFlag()},
		document: cardDocument{},
		run: func(ctx context.Context, c *call) error {
			if (len(c.args) == 2) == c.flags.Bool("none") {
				return board.NewProblem(board.ErrUsage, "board help assign", "assign: give a profile, or --none")
			}
			profile := ""
			if len(c.args) == 2 {
				profile = c.args[1]
			}
			store, id, err := c.change(ctx)
			if err != nil {
				return err
			}
			return c.edit(ctx, store, id, board.CardEdit{Assignee: &profile})
		},
	}
}

// edit writes an edit and tells it.
func (c *call) edit(ctx context.Context, store *board.Store, id string, edit board.CardEdit) error {
	rules, err := c.rules(ctx, store)
	if err != nil {
		return err
	}
	if edit.Empty() {
		return board.NewProblem(board.ErrUsage, "board help edit", "%s: say what to change", id)
	}
	done, err := store.Edit(ctx, c.now(), rules, board.EditRequest{Card: id, Edit: edit, Actor: c.actor(), Revision: c.flags.Int64("revision")})
	if err != nil {
		return err
	}
	d := cardDocument{Card: done.Card, Changed: len(done.Changed) > 0, From: done.Card.Status}
	if !d.Changed {
		return c.tell(d, "%s is so already: nothing was changed", id)
	}
	if _, b, facts, err := store.CardWhole(ctx, id); err == nil && slices.Contains(done.Changed, "host") {
		d.Note = rules.HostNote(b, done.Card, facts, c.now())
	}
	switch {
	case done.Freed != nil:
		d.Note = "it is tried again: its row of failures begins anew"
	case d.Note == "" && done.Card.CurrentRun != 0:
		d.Note = fmt.Sprintf("run %d goes on with what it was started with", done.Card.CurrentRun)
	}
	return c.tell(d, "%s: %s changed (revision %d)", id, strings.Join(done.Changed, ", "), done.Card.Revision)
}
