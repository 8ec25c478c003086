package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/worker"
)

// commentDocument is what `board comment --json` prints for a person.
type commentDocument struct {
	board.Comment
}

func commentCommand() command {
	return command{
		args: "ID TEXT", min: 1, max: 2,
		about: "Leaves a remark on a card; its next worker reads it. - is standard input. Inside a session the ID may be left out: the worker's own card.",
		examples: []string{
			`board comment api-7 "The staging key is in the vault"`, "board comment api-7 - < notes.md", `board comment "Half of it is done"      # in a session`,
		},
		document: commentDocument{},
		run: func(ctx context.Context, c *call) error {
			if session, ok := c.worker(); ok {
				return c.commentAsWorker(ctx, session)
			}
			if len(c.args) < 2 {
				return board.NewProblem(board.ErrUsage, "board comment ID TEXT", "comment: missing argument")
			}
			store, id, err := c.change(ctx)
			if err != nil {
				return err
			}
			text, err := c.text(c.args[1])
			if err != nil {
				return err
			}
			comment, err := store.Comment(ctx, c.now(), id, text, c.actor())
			if err != nil {
				return err
			}
			if c.out.json {
				return c.out.document(commentDocument{comment})
			}
			c.out.line("%s: comment %d", id, comment.ID)
			return nil
		},
	}
}

// commentAsWorker comments on the worker's own card, or on the one named: the one thing that a worker may do to another
// card (WRK-3).
func (c *call) commentAsWorker(ctx context.Context, session worker.Session) error {
	r := worker.Request{Verb: worker.VerbComment}
	if len(c.args) == 2 {
		r.Card = ofOwnBoard(session.Card, c.args[0])
	}
	var err error
	if r.Text, err = c.text(c.args[len(c.args)-1]); err != nil {
		return err
	}
	answer, err := c.ask(ctx, session, r)
	if err != nil {
		return err
	}
	return c.tellAnswer(answer, orText(answer.Text, "the comment is stored"))
}

// ofOwnBoard is the id of the card that a word names; a bare number is of the board of the worker's own card.
func ofOwnBoard(own, word string) string {
	if _, err := strconv.ParseUint(word, 10, 32); err != nil {
		return strings.ToLower(word)
	}
	return own[:strings.LastIndexByte(own, '-')+1] + word
}
