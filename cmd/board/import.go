package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

// importDocument is what `board import --json` prints.
type importDocument struct {
	Cards   []importedCard `json:"cards"`
	Skipped int            `json:"skipped"` // ticked tasks of a Markdown list
	DryRun  bool           `json:"dry_run"`
}

type importedCard struct {
	ID      string `json:"id"` // "" in a dry run
	Title   string `json:"title"`
	Existed bool   `json:"existed"` // its key was known: nothing was added
}

func importCommand() command {
	return command{
		args: "FILE|-", min: 1, max: 1,
		about: "Adds many cards at once: all of them, or when one is refused none. FILE is YAML or JSON (a list of cards with the keys title, body, " +
			"priority, assignee, host, model, effort, parent, depends_on, owns, satisfies, labels, workspace, not_before, every, max_runs, key, pause; a " +
			"plain text is a title), or a Markdown task list (- [ ] title; indented text is the body, deeper tasks are subtasks, ticked ones are left " +
			"out). depends_on and parent name ids, keys of the file, or \"#3\", its third card. Cards with a key are added once.",
		examples: []string{"board import tasks.md", "board import cards.yaml --board api", "generate | board import -"},
		flags:    []cli.Flag{&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be added"}},
		document: importDocument{},
		run:      runImport,
	}
}

func runImport(ctx context.Context, c *call) error {
	store, err := c.write(ctx)
	if err != nil {
		return err
	}
	b, err := c.board(ctx, store)
	if err != nil {
		return err
	}
	rules, err := c.rules(ctx, store)
	if err != nil {
		return err
	}
	text, err := c.textFile(c.args[0])
	if err != nil {
		return err
	}
	name := c.args[0]
	if name == "-" {
		name = "standard input"
	}
	drafts, skipped, err := board.ParseDrafts(name, []byte(text), c.clock.Now())
	if err != nil {
		return err
	}
	var problems []error
	for i := range drafts {
		d := &drafts[i]
		d.Card.Board, d.Actor = b.Slug, c.actor()
		if d.Card.Status, err = rules.CheckAdd(b, d.Card); err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", name, d.Line, err))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	doc := importDocument{Cards: make([]importedCard, len(drafts)), Skipped: skipped, DryRun: c.flags.Bool("dry-run")}
	for i, d := range drafts {
		doc.Cards[i].Title = d.Card.Title
	}
	if !doc.DryRun && len(drafts) > 0 {
		added, err := store.AddCards(ctx, c.now(), drafts)
		if err != nil {
			return fmt.Errorf("import %s: %w", name, err)
		}
		for i, a := range added {
			doc.Cards[i] = importedCard{ID: a.Card.ID, Title: a.Card.Title, Existed: a.Existed}
		}
	}
	return c.tellImport(doc)
}

func (c *call) tellImport(doc importDocument) error {
	if c.out.json {
		return c.out.document(doc)
	}
	t := table{head: []string{"card", "title", ""}, stretch: 1}
	existed := 0
	for _, card := range doc.Cards {
		mark := ""
		if card.Existed {
			existed++
			mark = "was there"
		}
		t.add(card.ID, card.Title, mark)
	}
	c.out.table(t)
	done := "added"
	if doc.DryRun {
		done = "would be added"
	}
	told := []string{fmt.Sprintf("%d %s", len(doc.Cards)-existed, done)}
	if existed > 0 {
		told = append(told, fmt.Sprintf("%d there already", existed))
	}
	if doc.Skipped > 0 {
		told = append(told, fmt.Sprintf("%d left out: ticked", doc.Skipped))
	}
	c.note("%s", strings.Join(told, ", "))
	return nil
}
