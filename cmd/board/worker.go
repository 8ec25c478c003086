package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/worker"
)

// answerDocument is what a worker's verb prints with --json.
type answerDocument struct {
	Text    string `json:"text"`
	Card    string `json:"card"`    // of add: the subtask; else the worker's own
	Pending bool   `json:"pending"` // nobody has answered in time: the request is stored and will be applied
}

// session is the session that a worker's verb belongs to. Outside of one, or with only a part of its variables, the verb is
// refused (WRK-2).
func (c *call) session(otherwise string) (worker.Session, error) {
	session, ok := c.worker()
	if !ok {
		return session, board.NewProblem(board.ErrRefused, otherwise, "this is no session that board started: the worker's variables are not all there")
	}
	return session, nil
}

// ask sends a worker's request to whoever serves its session's outbox, and waits for the answer (WRK-1).
func (c *call) ask(ctx context.Context, session worker.Session, r worker.Request) (worker.Answer, error) {
	client := worker.Client{Session: session, Clock: c.clock}
	if h, err := c.home(); err == nil {
		client.Database = h.DB()
	}
	answer, err := client.Send(ctx, r)
	if answer.Card == "" {
		answer.Card = session.Card
	}
	return answer, err
}

// tellAnswer prints what the board answered to a worker.
func (c *call) tellAnswer(a worker.Answer, text string) error {
	if c.out.json {
		return c.out.document(answerDocument{Text: a.Text, Card: a.Card, Pending: a.Pending})
	}
	if a.Pending {
		text = a.Text
	}
	c.out.line("%s", clean(text))
	return nil
}

// verdict is the command of a worker's word about its work.
func verdict(v board.Verdict, args, about, example string, flags ...cli.Flag) func() command {
	return func() command {
		cmd := command{
			args: args, about: about, examples: []string{example}, document: answerDocument{},
			flags: append(flags,
				&cli.StringFlag{Name: "summary", Usage: "what was done, for people and the next worker"},
				&cli.StringFlag{Name: "summary-file", Usage: "the summary from a `FILE`; - is standard input"}),
			run: func(ctx context.Context, c *call) error { return c.giveVerdict(ctx, v) },
		}
		if args != "" {
			cmd.min, cmd.max = 1, -1
		}
		return cmd
	}
}

func doneCommand() command {
	return verdict(board.VerdictDone, "", "Says that the work of this run is done. The board moves the card on when the session has ended.",
		`board done --summary "Parser rewritten, 14 tests"`)()
}

func approveCommand() command {
	return verdict(board.VerdictApprove, "", "Says, as a reviewer, that the work is good.", `board approve --summary "Read all of it, ran the tests"`)()
}

func changesCommand() command {
	return verdict(board.VerdictChanges, "WHY", "Says, as a reviewer, what must change. The card goes back to its worker with it.",
		`board changes "The limit is per user, not per address"`)()
}

func blockedCommand() command {
	return verdict(board.VerdictBlocked, "WHY", "Asks a person. The card waits for board answer, and the answer comes with the next run.",
		`board blocked "Remove the v1 routes too?" --kind question`,
		&cli.StringFlag{Name: "kind", Usage: "what kind of trouble it is; default question"})()
}

func (c *call) giveVerdict(ctx context.Context, v board.Verdict) error {
	session, err := c.session("a person sends the event: board send ID " + string(v))
	if err != nil {
		return err
	}
	if c.flags.IsSet("summary") && c.flags.IsSet("summary-file") {
		return board.NewProblem(board.ErrUsage, "", "--summary and --summary-file are given: which?")
	}
	summary := c.flags.String("summary")
	if c.flags.IsSet("summary-file") {
		if summary, err = c.textFile(c.flags.String("summary-file")); err != nil {
			return err
		}
	}
	reason, err := c.text(strings.Join(c.args, " "))
	if err != nil {
		return err
	}
	r := worker.Request{Verb: worker.VerbVerdict, Verdict: v, Reason: reason, Summary: summary}
	if v == board.VerdictBlocked {
		r.Kind = c.flags.String("kind")
	}
	answer, err := c.ask(ctx, session, r)
	if err != nil {
		return err
	}
	return c.tellAnswer(answer, orText(answer.Text, fmt.Sprintf("%s: %s is noted", session.Card, v)))
}

func orText(text, otherwise string) string {
	if strings.TrimSpace(text) == "" {
		return otherwise
	}
	return text
}

func beatCommand() command {
	return command{
		args: "[NOTE]", max: -1,
		about:    "Says that the session works, though it prints nothing. With --until, silence is no trouble before that time.",
		examples: []string{`board beat "the test suite runs"`, `board beat --until 30m`},
		flags:    []cli.Flag{&cli.StringFlag{Name: "until", Usage: "a `TIME` or a duration from now"}},
		document: answerDocument{},
		run: func(ctx context.Context, c *call) error {
			session, err := c.session("it is a verb of workers")
			if err != nil {
				return err
			}
			until, err := c.whenFlag("until")
			if err != nil {
				return err
			}
			r := worker.Request{Verb: worker.VerbBeat, Text: strings.Join(c.args, " ")}
			if until != nil {
				r.Until = until.Time()
			}
			answer, err := c.ask(ctx, session, r)
			if err != nil {
				return err
			}
			return c.tellAnswer(answer, orText(answer.Text, "noted"))
		},
	}
}

func evidenceCommand() command {
	return command{
		args: "NAME PATH|TEXT", min: 2, max: 2,
		about:    "Stores what shows something about the card: a file, when there is one of that name, else a text; - is standard input.",
		examples: []string{"board evidence tests report.txt", `board evidence benchmark "12 ms, was 40 ms"`},
		document: answerDocument{},
		run: func(ctx context.Context, c *call) error {
			session, err := c.session("board show ID lists the evidence of a card")
			if err != nil {
				return err
			}
			r := worker.Request{Verb: worker.VerbEvidence, Name: c.args[0]}
			if path, ok := evidenceFile(c.args[1]); ok {
				r.Path = path
			} else if r.Text, err = c.text(c.args[1]); err != nil {
				return err
			}
			answer, err := c.ask(ctx, session, r)
			if err != nil {
				return err
			}
			return c.tellAnswer(answer, orText(answer.Text, fmt.Sprintf("evidence %s of %s is stored", r.Name, session.Card)))
		},
	}
}

// evidenceFile is the absolute path of a file that a word names; false when there is none.
func evidenceFile(word string) (string, bool) {
	if len(word) > 4096 || strings.ContainsAny(word, "\n\x00") {
		return "", false
	}
	info, err := os.Stat(word)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	path, err := filepath.Abs(word)
	return path, err == nil
}

// cardCommand shows a worker its own card.
func cardCommand() command {
	return command{
		about:    "Shows a worker its card, and what it may do next: one JSON document.",
		examples: []string{"board card"},
		run: func(ctx context.Context, c *call) error {
			session, err := c.session("board show ID shows a card")
			if err != nil {
				return err
			}
			answer, err := c.ask(ctx, session, worker.Request{Verb: worker.VerbCard})
			if err != nil {
				return err
			}
			data := []byte(answer.Data)
			if answer.Pending || len(data) == 0 { // nobody serves the outbox: the card as it was when the run began
				if data, err = os.ReadFile(session.CardFile()); err != nil {
					return fmt.Errorf("read the card of the session: %w", err)
				}
			}
			var doc bytes.Buffer
			if err := json.Indent(&doc, bytes.TrimSpace(data), "", "  "); err != nil {
				return fmt.Errorf("read the card of the session: %w", err)
			}
			c.out.line("%s", clean(doc.String()))
			return nil
		},
	}
}
