package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-2ddc2152/board/board"
)

func runCommand() command {
	return command{
		args: "RUN", min: 1, max: 1,
		about:    "All that is known of one run.",
		examples: []string{"board run 31"},
		document: board.Run{},
		run: func(ctx context.Context, c *call) error {
			id, err := runNumber(c.args[0])
			if err != nil {
				return err
			}
			store, err := c.read(ctx)
			if err != nil {
				return err
			}
			r, err := store.Run(ctx, id)
			if err != nil {
				return err
			}
			if c.out.json {
				return c.out.document(r)
			}
			h, err := c.home()
			if err != nil {
				return err
			}
			c.learnSlots(ctx, store)
			c.out.oneRun(r, h.Run(r.ID))
			return nil
		},
	}
}

// oneRun prints a run line by line; what it has not is left out.
func (p *printer) oneRun(r board.Run, dir string) {
	p.heading(fmt.Sprintf("run %d  %s, attempt %d, status %s", r.ID, r.Card, r.Attempt, r.Status))
	independent := ""
	if r.Independent != nil && !*r.Independent {
		independent = "no: " + r.DependentBecause
	}
	exit := ""
	if r.ExitCode != nil {
		exit = fmt.Sprint(*r.ExitCode)
	}
	stop := ""
	if r.StopOutcome != "" {
		stop = strings.TrimSpace(fmt.Sprintf("%s by %s: %s", r.StopOutcome, r.StopActor, r.StopReason))
	}
	verdict := string(r.Verdict)
	if r.VerdictReason != "" {
		verdict += ": " + r.VerdictReason
	}
	t := table{head: make([]string, 2), indent: 2, stretch: 1, bare: true}
	for _, row := range [][2]string{
		{"state", outcomeOf(r)},
		{"why", r.Reason},
		{"verdict", verdict},
		{"stop", stop},
		{"summary", r.Summary},
		{"executor", p.label(r.Executor, r.Clone)},
		{"harness", strings.TrimSpace(r.Harness + " " + r.Model + " " + r.Effort)},
		{"role", string(r.Role) + ", slot " + r.Slot + ", profile " + r.Profile},
		{"where", string(r.Surface) + " on " + r.Host},
		{"mode", string(r.Mode)},
		{"independent", independent},
		{"session", sessionText(r.Session)},
		{"claimed", p.ago(r.ClaimedAt)},
		{"launched", p.ago(r.LaunchedAt)},
		{"last word", p.ago(r.ProgressAt)},
		{"ended", p.ago(r.EndedAt)},
		{"for", lasting(p.lasted(r))},
		{"exit code", exit},
		{"signal", r.Signal},
		{"tokens", tokens(r)},
		{"cost", cost(r)},
		{"workspace", r.Workspace},
		{"branch", r.Branch},
		{"files", dir},
	} {
		if row[1] != "" {
			t.add(row[0], row[1])
		}
	}
	for _, note := range r.Notes() {
		t.add("note", note)
	}
	p.table(t)
}

func sessionText(id int64) string {
	if id == 0 {
		return ""
	}
	return fmt.Sprint(id)
}
