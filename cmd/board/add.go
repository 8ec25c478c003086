package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/worker"
)

// addDocument is what `board add --json` prints: the card, and whether its key was known.
type addDocument struct {
	board.Card
	Existed bool   `json:"existed"`
	Note    string `json:"note"` // what a person should know; "" = nothing
}

func addCommand() command {
	return command{
		args: "TITLE", min: 1, max: 1,
		about: "Adds a card in the workflow's first status and prints its id. Inside a session it is for --parent only: a subtask of the worker's " +
			"own card, with --body, --depends-on, --owns and --key.",
		examples: []string{
			`board add "Fix the login redirect"`,
			`board add "Limit requests" --body-file limits.md --priority 2 --depends-on api-3,api-4 --label area=auth`,
			`board add "Nightly audit" --every "daily 02:00"`,
			`board add "Split the parser" --parent             # in a session: a subtask of its card`,
		},
		flags: slices.Concat(fieldFlags(), []cli.Flag{
			&cli.StringFlag{Name: "depends-on", Usage: "the `ID,..` of cards that it waits for"},
			&cli.StringFlag{Name: "key", Usage: "adds it once: with a key that the board knows, its card is told again"},
			&cli.BoolFlag{Name: "pause", Usage: "added paused: it waits for board resume"},
		}),
		document: addDocument{},
		run:      runAdd,
	}
}

func runAdd(ctx context.Context, c *call) error {
	if session, ok := c.worker(); ok {
		return c.addSubtask(ctx, session)
	}
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
	n, err := c.newCard(ctx, store, b)
	if err != nil {
		return err
	}
	if n.Card.Status, err = rules.CheckAdd(b, n.Card); err != nil {
		return err
	}
	card, existed, err := store.AddCard(ctx, c.now(), n)
	if err != nil {
		return err
	}
	d := addDocument{Card: card.Filled(), Existed: existed, Note: rules.HostNote(b, card, board.CardFacts{}, c.now())}
	if c.out.json {
		return c.out.document(d)
	}
	c.out.line("%s", card.ID)
	if existed {
		c.note("the key %q has this card already: nothing was added", card.Key)
	}
	if d.Note != "" {
		c.note("%s", d.Note)
	}
	return nil
}

// newCard is the card that the flags describe.
func (c *call) newCard(ctx context.Context, store *board.Store, b board.Board) (board.NewCard, error) {
	edit, err := c.fields(ctx, store)
	if err != nil {
		return board.NewCard{}, err
	}
	card, _ := edit.Apply(board.Card{Board: b.Slug, Title: c.args[0], Key: c.flags.String("key")}, c.now())
	depends, err := c.ids(ctx, store, words(c.flags.String("depends-on")))
	return board.NewCard{Card: card, DependsOn: depends, Pause: c.flags.Bool("pause"), Actor: c.actor()}, err
}

// addSubtask asks the board, as a worker, for a card below the worker's own.
func (c *call) addSubtask(ctx context.Context, session worker.Session) error {
	if parent := c.flags.String("parent"); !c.flags.IsSet("parent") || (parent != "" && parent != session.Card) {
		return board.NewProblem(board.ErrRefused, `board add "..." --parent`, "inside the session of %s only subtasks of it can be added", session.Card)
	}
	for _, name := range c.flags.LocalFlagNames() {
		if !slices.Contains([]string{"parent", "body", "body-file", "depends-on", "owns", "key", "json", "quiet", "no-color", "home", "board"}, name) {
			return board.NewProblem(board.ErrRefused, "", "a worker's subtask takes no --%s", name)
		}
	}
	body, err := c.body()
	if err != nil {
		return err
	}
	answer, err := c.ask(ctx, session, worker.Request{Verb: worker.VerbAdd, Subtask: &worker.Subtask{
		Title: c.args[0], Body: body, DependsOn: words(c.flags.String("depends-on")), Owns: words(c.flags.String("owns")), Key: c.flags.String("key"),
	}})
	if err != nil {
		return err
	}
	return c.tellAnswer(answer, cmp.Or(answer.Card, strings.TrimSpace(answer.Text)))
}
