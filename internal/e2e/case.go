package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// testCase is something that is tried.
type testCase struct {
	name  string
	about string
	needs []string // CLIs that it takes together; nil: it is tried with each by itself
	not   []string // CLIs that it is nothing for
	play  func(ctx context.Context, t *trial) error
}

func (c testCase) matches(pattern string) bool {
	if start, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(c.name, start)
	}
	return c.name == pattern
}

// allCases are all that can be tried, the longest first.
func allCases() []testCase {
	return slices.Concat(shows(), panes(), prompts(), failures(), works(), stops(), bads())
}

// Waits, generous for a busy machine: opencode takes 5 s of a free core to start.
const (
	soon = 150 * time.Second
	late = 6 * time.Minute
)

// tellRun puts the end of a run into the trial's line.
func (t *trial) tellRun(r row) error {
	e, err := t.world.exit(r.Run)
	if err != nil {
		return err
	}
	t.line.outcome, t.line.class, t.line.exit = r.Outcome, r.Class, "-"
	if r.Exit != nil {
		t.line.exit = fmt.Sprint(*r.Exit)
	}
	if r.Seconds != nil {
		t.line.seconds = *r.Seconds
	}
	t.line.reset = "-"
	if !e.Result.ResetAt.IsZero() {
		t.line.reset = "told"
	}
	return nil
}

// alone makes a world with one coder of the CLI, whose model plays scenario, and no reviewer.
func (t *trial) alone(ctx context.Context, scenario string, plan bool, s setting) error {
	if err := t.world.seat(t.agent, "coder", plan, "coder"); err != nil {
		return err
	}
	t.world.models.play("coder", scenario)
	return t.world.found(ctx, s)
}

// one adds a card and runs one tick.
func (w *world) one(ctx context.Context) error {
	if _, err := w.do(ctx, "add", "Write mock.txt", "--body", "Write it."); err != nil {
		return err
	}
	_, err := w.do(ctx, "dispatch")
	return err
}
