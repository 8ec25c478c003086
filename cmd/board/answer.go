package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

func answerCommand() command {
	return command{
		args: "ID TEXT", min: 2, max: 2,
		about: "Answers the oldest open question of a card, which then may start again; its next worker reads the answer. - is standard input. " +
			"For a card whose retries are used up it is a retry; for one whose blocker was cancelled it means: go on without it.",
		examples: []string{`board answer api-7 "Yes, remove them"`, "board answer api-7 - < decision.md"},
		flags:    []cli.Flag{revisionFlag()},
		document: cardDocument{},
		run: func(ctx context.Context, c *call) error {
			store, id, err := c.change(ctx)
			if err != nil {
				return err
			}
			text, err := c.text(c.args[1])
			if err != nil {
				return err
			}
			done, err := store.Answer(ctx, c.now(), board.AnswerRequest{Card: id, Text: text, Actor: c.actor(), Revision: c.flags.Int64("revision")})
			if err != nil {
				return err
			}
			d := cardDocument{Card: done.Card, Changed: true, From: done.Card.Status}
			switch {
			case done.Next != nil:
				d.Note = "it also asks: " + done.Next.Text
			case len(done.Waived) > 0:
				d.Note = "it goes on without " + strings.Join(done.Waived, ", ")
			case done.Block.Kind == board.BlockRetries:
				d.Note = "it is tried again: its row of failures begins anew"
			}
			return c.tell(d, "%s: answered %q", id, clip(done.Block.Text))
		},
	}
}

// clip is a text's first line, short enough to be quoted.
func clip(text string) string {
	const most = 60 // columns
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return cut(clean1(line), most)
}
