package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/workflows"
)

func moveCommand() command {
	return command{
		args: "ID --to STATUS", min: 1, max: 1,
		about: "Puts a card into any status of its workflow, whatever the events say. A run of the status that it leaves is stopped; nothing " +
			"else starts on the card before that is gone.",
		examples: []string{"board move api-9 --to review", `board move api-9 --to todo --reason "wrong branch"`},
		flags:    []cli.Flag{&cli.StringFlag{Name: "to", Usage: "the `STATUS`"}, reasonFlag(), revisionFlag()},
		document: cardDocument{},
		run: func(ctx context.Context, c *call) error {
			if c.flags.String("to") == "" {
				return board.NewProblem(board.ErrUsage, "board move ID --to STATUS", "move: --to is missing")
			}
			store, id, err := c.change(ctx)
			if err != nil {
				return err
			}
			rules, err := c.rules(ctx, store)
			if err != nil {
				return err
			}
			sent, err := store.Move(ctx, c.now(), rules, board.MoveRequest{
				Card: id, To: c.flags.String("to"), Reason: c.flags.String("reason"),
				Actor: c.actor(), Revision: c.flags.Int64("revision"),
			})
			if err != nil {
				return err
			}
			if sent.Move.From == sent.Move.To {
				return c.tell(cardDocument{Card: sent.Card, From: sent.Move.From}, "%s is in %s already", id, sent.Move.To)
			}
			return c.tellSent(ctx, store, sent)
		},
	}
}

// tellSent signals what an event stopped, and tells what it did.
func (c *call) tellSent(ctx context.Context, store *board.Store, sent board.Sent) error {
	c.signal(ctx, store, stopped(sent.Stopped))
	d := cardDocument{Card: sent.Card, Changed: true, From: sent.Move.From, Stopped: stopped(sent.Stopped)}
	if sent.Move.From == sent.Move.To {
		return c.tell(d, "%s stays in %s", sent.Card.ID, sent.Move.To)
	}
	return c.tell(d, "%s moved from %s to %s", sent.Card.ID, sent.Move.From, sent.Move.To)
}

// send is the command of a workflow event that has a verb of its own.
func send(event, about string) func() command {
	return func() command {
		return command{
			args: "ID", min: 1, max: 1, about: about,
			examples: []string{fmt.Sprintf("board %s api-7", event), fmt.Sprintf(`board %s api-7 --reason "..."`, event)},
			flags:    []cli.Flag{reasonFlag(), revisionFlag()},
			document: cardDocument{},
			run: func(ctx context.Context, c *call) error {
				return c.send(ctx, event, map[string]string{})
			},
		}
	}
}

func cancelCommand() command {
	return send("cancel", "Sends the workflow's cancel event. A run of the card is stopped; cards that wait for it ask a person whether to go on without it.")()
}

func reopenCommand() command {
	return send("reopen", "Sends the workflow's reopen event: a card that has ended begins again. Its row of failures stays; board retry resets it.")()
}

func sendCommand() command {
	return command{
		args: "ID EVENT", min: 2, max: 2,
		about:    "Sends any event of the workflow to a card, as a person. board show ID lists the events that it takes.",
		examples: []string{"board send api-9 approve", `board send api-9 changes --reason "The limit is per user"`, "board send api-9 deploy --set target=staging"},
		flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "set", Usage: "a value `k=v` of the event, read as event.values.k; reason=TEXT is --reason"}, reasonFlag(), revisionFlag(),
		},
		document: cardDocument{},
		run: func(ctx context.Context, c *call) error {
			values, err := pairs("set", c.flags.StringSlice("set"))
			if err != nil {
				return err
			}
			return c.send(ctx, c.args[1], values)
		},
	}
}

// send fires an event on the card of the first argument.
func (c *call) send(ctx context.Context, event string, values map[string]string) error {
	reason := c.flags.String("reason")
	if set, ok := values["reason"]; ok {
		if reason != "" && reason != set {
			return board.NewProblem(board.ErrUsage, "", "--reason and --set reason= differ: which?")
		}
		reason = set
	}
	store, id, err := c.change(ctx)
	if err != nil {
		return err
	}
	rules, err := c.rules(ctx, store)
	if err != nil {
		return err
	}
	sent, err := store.Send(ctx, c.now(), rules, board.SendRequest{
		Card: id, Event: event, By: workflows.ByPerson, Actor: c.actor(),
		Reason: reason, Values: values, Revision: c.flags.Int64("revision"),
	})
	if err != nil {
		return err
	}
	return c.tellSent(ctx, store, sent)
}
