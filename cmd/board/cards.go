package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
)

// cardDocument is what a verb that changes one card prints with --json: the card as it is afterwards, and what was done.
type cardDocument struct {
	board.Card
	Changed bool   `json:"changed"`  // false: it was so already
	From    string `json:"from"`     // the status before
	Stopped []run  `json:"stopping"` // runs that were asked to end; they end when they are proved gone
	Note    string `json:"note"`     // what a person should know; "" = nothing
}

// run is a run by its number, as documents name it.
type run = int64

// tell prints what was done to a card: the document, or the line for people with what follows from it.
func (c *call) tell(d cardDocument, format string, args ...any) error {
	if d.Stopped == nil {
		d.Stopped = []run{}
	}
	d.Card = d.Filled()
	if c.out.json {
		return c.out.document(d)
	}
	c.out.line("%s", clean1(fmt.Sprintf(format, args...)))
	for _, id := range d.Stopped {
		c.out.remark("run %d is being stopped; its place is free when everything it started is gone (board run %d)", id, id)
	}
	if d.Note != "" {
		c.out.remark("%s", clean(d.Note))
	}
	return nil
}

// id is the card that a word names: an id, in any case, or the number of a card of the board that the verb is about.
func (c *call) id(ctx context.Context, store *board.Store, word string) (string, error) {
	if !isNumber(word) {
		return strings.ToLower(word), nil
	}
	b, err := c.board(ctx, store)
	if err != nil {
		return "", err
	}
	return b.Slug + "-" + word, nil
}

func (c *call) ids(ctx context.Context, store *board.Store, words []string) ([]string, error) {
	ids := make([]string, len(words))
	for i, word := range words {
		id, err := c.id(ctx, store, word)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

// change opens the store to write and finds the card that the first argument names.
func (c *call) change(ctx context.Context) (*board.Store, string, error) {
	store, err := c.write(ctx)
	if err != nil {
		return nil, "", err
	}
	id, err := c.id(ctx, store, c.args[0])
	return store, id, err
}

// signal tells the supervisors of runs whose stop is stored. Where that fails the next tick does it.
func (c *call) signal(ctx context.Context, store *board.Store, runs []run) {
	if len(runs) == 0 {
		return
	}
	t, err := c.ticker(store)
	for _, id := range runs {
		if err == nil {
			err = dispatch.SignalStop(ctx, t.deps(ctx), id, false)
		}
	}
	if err != nil {
		c.note("the next tick stops it: %v", err)
	}
}

// note tells a person something beside the answer, on standard error, so that the answer can be read by a script.
func (c *call) note(format string, args ...any) {
	if !c.out.quiet && !c.out.json {
		fmt.Fprintf(c.stderr, "note: %s\n", clean(fmt.Sprintf(format, args...)))
	}
}

// stopped is the run of an event's move as a list.
func stopped(id run) []run {
	if id == 0 {
		return nil
	}
	return []run{id}
}

func revisionFlag() cli.Flag {
	return &cli.Int64Flag{Name: "revision", Usage: "refuse when the card has changed since this revision (exit 7)"}
}

func reasonFlag() cli.Flag {
	return &cli.StringFlag{Name: "reason", Usage: "why, for the history and the next worker"}
}

// text is an argument, or standard input for "-".
func (c *call) text(word string) (string, error) {
	if word != "-" {
		return word, nil
	}
	return readText("standard input", c.stdin)
}

// textFile is the text of a file, or of standard input for "-".
func (c *call) textFile(path string) (string, error) {
	if path == "-" {
		return readText("standard input", c.stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fileProblem(path, err)
	}
	text, err := readText(path, f)
	return text, errors.Join(err, f.Close())
}

// readText reads a text as far as it can be kept; the store refuses one that is a byte longer.
func readText(name string, r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, board.MaxText+1))
	if err != nil {
		return "", fileProblem(name, err)
	}
	return string(text), nil
}

func fileProblem(name string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return board.NewProblem(board.ErrNotFound, "", "there is no file %s", name)
	}
	return board.NewProblem(board.ErrUsage, "", "read %s: %v", name, err)
}

// pairs reads flags of the form name=value.
func pairs(flag string, words []string) (map[string]string, error) {
	all := map[string]string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil, board.NewProblem(board.ErrUsage, fmt.Sprintf("write --%s name=value", flag), "--%s %q is no name=value", flag, word)
		}
		if had, twice := all[name]; twice && had != value {
			return nil, board.NewProblem(board.ErrUsage, "", "--%s %s is given twice", flag, name)
		}
		all[name] = value
	}
	return all, nil
}

// words splits a list at commas and blanks.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
}
