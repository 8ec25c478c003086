package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

// fieldFlags are the flags of a card's own fields, of add and edit.
func fieldFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "body", Usage: "what is to be done"},
		&cli.StringFlag{Name: "body-file", Usage: "the body from a `FILE`; - is standard input"},
		&cli.IntFlag{Name: "priority", Usage: "higher first; default 0"},
		&cli.StringFlag{Name: "assignee", Usage: "a profile of the workflow; default its own choice"},
		&cli.StringFlag{Name: "host", Usage: "the machine of a pane; headless runs are on the home host"},
		&cli.StringFlag{Name: "model", Usage: "run it with this model only"},
		&cli.StringFlag{Name: "effort", Usage: "off, minimal, low, medium, high, xhigh or max"},
		&parentFlag{cli.StringFlag{Name: "parent", Usage: "the story `ID` that it belongs to"}},
		&cli.StringFlag{Name: "owns", Usage: "`PATHS` that no other running card of the repository may own"},
		&cli.StringFlag{Name: "satisfies", Usage: "`NUMBERS` of the story's acceptance criteria that it meets"},
		&cli.StringSliceFlag{Name: "label", Usage: "a label `k=v`; may be given again"},
		&cli.StringFlag{Name: "workspace", Usage: "worktree, repo, scratch or dir:/path; default its status's"},
		&cli.StringFlag{Name: "not-before", Usage: "a `TIME`: a date, a time of day, RFC 3339 or a duration from now"},
		&cli.StringFlag{Name: "every", Usage: `comes again: "1d", "mon 09:00" or a cron expression`},
		&cli.IntFlag{Name: "max-runs", Usage: "hold it after so many runs; default the workflow's lifetime_runs"},
	}
}

// parentFlag is --parent: of a person it has a card's id, of a worker nothing, since it means the worker's own card.
type parentFlag struct{ cli.StringFlag }

// takes says whether a word is the flag's value: only what names a card is.
func (*parentFlag) takes(word string) bool {
	return isNumber(word[strings.LastIndexByte(word, '-')+1:]) || word == "none"
}

// fields are the fields that the flags give.
func (c *call) fields(ctx context.Context, store *board.Store) (board.CardEdit, error) {
	e := board.CardEdit{
		Priority: c.intFlag("priority"), MaxRuns: c.intFlag("max-runs"),
		Assignee: c.stringFlag("assignee"), Host: c.stringFlag("host"), Model: c.stringFlag("model"), Effort: c.stringFlag("effort"),
		Workspace: c.stringFlag("workspace"), Every: noneIsEmpty(c.stringFlag("every")),
		Owns: c.listFlag("owns"), Satisfies: c.listFlag("satisfies"),
	}
	if c.flags.IsSet("body") || c.flags.IsSet("body-file") {
		body, err := c.body()
		if err != nil {
			return e, err
		}
		e.Body = &body
	}
	var err error
	if e.Parent, err = c.parent(ctx, store); err != nil {
		return e, err
	}
	if e.NotBefore, err = c.whenFlag("not-before"); err != nil {
		return e, err
	}
	e.Label, err = pairs("label", c.flags.StringSlice("label"))
	return e, err
}

// parent is the story that --parent names; nil when it is not given.
func (c *call) parent(ctx context.Context, store *board.Store) (*string, error) {
	word := c.stringFlag("parent")
	switch {
	case word == nil:
		return nil, nil
	case *word == "":
		return nil, board.NewProblem(board.ErrUsage, "write --parent ID, or --parent none", "--parent names no card: only inside a session it is the worker's own")
	case *word == "none":
		return noneIsEmpty(word), nil
	}
	id, err := c.id(ctx, store, *word)
	return &id, err
}

// whenFlag is a flag's moment; nil when it is not given, zero for "none".
func (c *call) whenFlag(name string) (*board.Time, error) {
	text := noneIsEmpty(c.stringFlag(name))
	if text == nil {
		return nil, nil
	}
	var at board.Time
	if *text == "" {
		return &at, nil
	}
	at, err := board.ParseWhen(*text, c.clock.Now())
	return &at, err
}

// body is what --body or --body-file gives.
func (c *call) body() (string, error) {
	if c.flags.IsSet("body") && c.flags.IsSet("body-file") {
		return "", board.NewProblem(board.ErrUsage, "", "--body and --body-file are given: which?")
	}
	if c.flags.IsSet("body-file") {
		return c.textFile(c.flags.String("body-file"))
	}
	return c.flags.String("body"), nil
}

// stringFlag is a flag's text; nil when it is not given.
func (c *call) stringFlag(name string) *string {
	if !c.flags.IsSet(name) {
		return nil
	}
	text := c.flags.String(name)
	return &text
}

func (c *call) intFlag(name string) *int {
	if !c.flags.IsSet(name) {
		return nil
	}
	n := c.flags.Int(name)
	return &n
}

func (c *call) listFlag(name string) *board.Strings {
	if !c.flags.IsSet(name) {
		return nil
	}
	list := board.Strings(words(c.flags.String(name)))
	return &list
}

// noneIsEmpty lets a person write the word "none" for taking a value away.
func noneIsEmpty(text *string) *string {
	if text != nil && *text == "none" {
		empty := ""
		return &empty
	}
	return text
}
