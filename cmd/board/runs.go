package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/expr"
)

// runsLimit is how many runs a list has when nobody says (chosen: a screen or two).
const runsLimit = 50

func runsCommand() command {
	return command{
		args: "[ID]", max: 1,
		about:    "Each attempt at a card, oldest first: who, how it ended, how long it took, what it consumed, and why.",
		examples: []string{"board runs api-9", "board runs --since 24h --outcome failed", "board runs --open"},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "only runs that were open within this `DURATION`, or since this time"},
			&cli.StringSliceFlag{Name: "outcome", Usage: "only runs that ended with `OUTCOME`; may be given again"},
			&cli.BoolFlag{Name: "open", Usage: "only runs that have not ended"},
			&cli.IntFlag{Name: "limit", Usage: "the newest `N`; 0 = all", Value: runsLimit},
		},
		document: []board.Run{},
		run:      runRuns,
	}
}

func runRuns(ctx context.Context, c *call) error {
	filter := board.RunFilter{Open: c.flags.Bool("open"), Limit: c.flags.Int("limit")}
	if filter.Limit < 0 {
		return board.NewProblem(board.ErrUsage, "", "--limit %d: expected a number from 0", filter.Limit)
	}
	var err error
	if filter.Since, err = c.since(c.flags.String("since")); err != nil {
		return err
	}
	for _, words := range c.flags.StringSlice("outcome") {
		for word := range strings.SplitSeq(words, ",") {
			if filter.Outcomes, err = addOutcome(filter.Outcomes, word); err != nil {
				return err
			}
		}
	}
	store, err := c.read(ctx)
	if err != nil {
		return err
	}
	if len(c.args) > 0 {
		card, err := c.card(ctx, store, c.args[0])
		if err != nil {
			return err
		}
		filter.Card = card.ID
	} else if c.flags.IsSet("board") {
		b, err := c.board(ctx, store)
		if err != nil {
			return err
		}
		filter.Board = b.Slug
	}
	runs, err := store.Runs(ctx, filter)
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.document(append([]board.Run{}, runs...))
	}
	c.learnSlots(ctx, store)
	c.out.runs(runs, filter.Card == "")
	return nil
}

// since reads --since: a duration back from now, or a moment; none when it is empty.
func (c *call) since(text string) (board.Time, error) {
	if text == "" {
		return 0, nil
	}
	if d, err := expr.ParseDuration(text); err == nil {
		return c.now().Add(-d), nil
	}
	return board.ParseWhen(text, c.clock.Now())
}

// outcomes are the words for how a run ended, for completion and for a mistyped one.
func outcomes() []string {
	var all []string
	for _, o := range []board.Outcome{
		board.Completed, board.Failed, board.Crashed, board.TimedOut, board.Quiet, board.Refused, board.SpawnFailed, board.RateLimited,
		board.UsageLimited, board.Unauthenticated, board.Quota, board.ModelUnavailable, board.HarnessMissing, board.Overloaded, board.Outage,
		board.ContextOverflow, board.Blocked, board.NoVerdict, board.Stopped, board.Interrupted, board.Reclaimed,
	} {
		all = append(all, string(o))
	}
	return all
}

func addOutcome(all []board.Outcome, word string) ([]board.Outcome, error) {
	if slices.Contains(outcomes(), word) {
		return append(all, board.Outcome(word)), nil
	}
	return nil, board.NewProblem(board.ErrUsage, didYouMean(word, outcomes(), "outcomes"), "--outcome: there is no outcome %q", word)
}

// runs prints runs as a table; with the card's id where they are of several.
func (p *printer) runs(runs []board.Run, cards bool) {
	t := table{head: []string{">run", "card", ">try", "status", "executor", "outcome", ">for", "tokens", ">cost", "why"}, stretch: 9}
	t.style = func(column int, cell string) style {
		if column == 5 {
			return outcomeStyle(board.Outcome(cell))
		}
		return plain
	}
	for _, r := range runs {
		card := ""
		if cards {
			card = r.Card
		}
		t.add(fmt.Sprint(r.ID), card, fmt.Sprint(r.Attempt), r.Status, p.label(r.Executor, r.Clone), outcomeOf(r), lasting(p.lasted(r)), tokens(r), cost(r), whyOf(r))
	}
	p.table(t)
}

func outcomeStyle(o board.Outcome) style {
	switch o {
	case board.Completed:
		return green
	case board.Failed, board.Crashed, board.TimedOut, board.Quiet, board.Refused, board.SpawnFailed, board.ContextOverflow, board.NoVerdict:
		return red
	case board.RateLimited, board.UsageLimited, board.Unauthenticated, board.Quota, board.ModelUnavailable, board.HarnessMissing,
		board.Overloaded, board.Outage, board.Blocked:
		return yellow
	case board.Stopped, board.Interrupted, board.Reclaimed:
	}
	return plain
}

// label is an executor with its slot: a borrowed lease has none, and an executor with one slot is named without (ROS-4).
func (p *printer) label(executor string, clone int) string {
	if clone == 0 || p.sole[executor] {
		return executor
	}
	return fmt.Sprintf("%s#%d", executor, clone)
}

// learnSlots finds out which executors have one slot. A roster that does not load leaves every number in.
func (c *call) learnSlots(ctx context.Context, store *board.Store) {
	c.out.sole = map[string]bool{}
	s, err := c.settings(ctx)
	if err != nil {
		return
	}
	boards, err := store.Boards(ctx)
	if err != nil {
		return
	}
	for _, repo := range append(repos(boards), "") {
		r, err := s.Roster(repo)
		if err != nil {
			continue
		}
		for _, e := range r.Executors {
			c.out.sole[e.ID] = e.Slots == 1
		}
	}
}

// outcomeOf is a run's outcome, or its state while it is open.
func outcomeOf(r board.Run) string {
	if r.Open() {
		return string(r.State)
	}
	return string(r.Outcome)
}

// lasted is how long a run took, or has taken so far.
func (p *printer) lasted(r board.Run) time.Duration {
	from, to := cmp.Or(r.LaunchedAt, r.ClaimedAt), cmp.Or(r.EndedAt, board.At(p.now))
	return max(to.Sub(from), 0)
}

// lasting is span with tenths where whole seconds say little.
func lasting(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return span(d)
}

func tokens(r board.Run) string {
	if r.TokensIn == nil && r.TokensOut == nil {
		return "-"
	}
	return thousands(r.TokensIn) + " in " + thousands(r.TokensOut) + " out"
}

// thousands is a count to the thousand: 410k, 2.1M; - where it is not known.
func thousands(n *int64) string {
	switch {
	case n == nil:
		return "-"
	case *n < 1000:
		return fmt.Sprint(*n)
	case *n < 1_000_000:
		return fmt.Sprintf("%dk", (*n+500)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(*n)/1e6)
}

func cost(r board.Run) string {
	if r.CostMicros == nil {
		return "-"
	}
	text := fmt.Sprintf("$%.2f", float64(*r.CostMicros)/1e6)
	if r.CostEstimated {
		return "~" + text
	}
	return text
}

// whyOf is why a run ended so, in its own words where it has any.
func whyOf(r board.Run) string {
	switch {
	case r.Verdict != "" && r.VerdictReason != "" && r.Outcome != board.Refused:
		return string(r.Verdict) + ": " + r.VerdictReason
	case r.Reason != "":
		return r.Reason
	case r.Verdict != "" && r.Verdict != board.VerdictDone:
		return string(r.Verdict)
	case r.Summary != "":
		return fmt.Sprintf("%q", firstLine(r.Summary))
	}
	return string(r.Verdict)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
