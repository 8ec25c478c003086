package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
)

// faultsOf makes a tick that ran, but not wholly, exit 5.
func faultsOf(r dispatch.Report) error {
	if len(r.Faults) > 0 {
		return errFaults
	}
	return nil
}

// faultText is a fault with its scope, unless the text begins with what the scope names.
func faultText(f dispatch.Fault) string {
	name := f.Scope
	if _, rest, ok := strings.Cut(f.Scope, " "); ok {
		name = rest
	}
	if strings.HasPrefix(f.Text, name) {
		return f.Text
	}
	return f.Scope + ": " + f.Text
}

// tellReport prints a report.
func (c *call) tellReport(ctx context.Context, store *board.Store, r dispatch.Report) error {
	if c.out.json {
		return c.out.document(r)
	}
	for _, f := range r.Faults {
		fmt.Fprintf(c.stderr, "board: %s\n", clean(faultText(f)))
	}
	if c.out.quiet {
		return nil
	}
	if err := fillTitles(ctx, store, &r); err != nil {
		return err
	}
	c.out.ended(r)
	c.out.started(r)
	c.out.section("stopping", 1, func(t *table) {
		for _, s := range r.Stopping {
			t.add(s.Card, s.Text)
		}
	})
	c.out.held(r)
	c.out.section("elsewhere", 1, func(t *table) {
		for _, e := range r.Elsewhere {
			t.add(e.Card, e.Text)
		}
	})
	c.out.line("%s", summary(r))
	return nil
}

// heldShown is how many waiting cards people are shown (chosen: a screen); --json has all.
const heldShown = 30

// fillTitles reads the titles of what is shown, which a plan does without.
func fillTitles(ctx context.Context, store *board.Store, r *dispatch.Report) error {
	title := func(id string, into *string) error {
		card, err := store.Card(ctx, id)
		*into = card.Title
		return err
	}
	for i := range r.Started {
		if err := title(r.Started[i].Card, &r.Started[i].Title); err != nil {
			return err
		}
	}
	for i := range r.Held[:min(len(r.Held), heldShown)] {
		if err := title(r.Held[i].Card, &r.Held[i].Title); err != nil {
			return err
		}
	}
	return nil
}

// section prints a heading and rows below it, and nothing where there are none.
func (p *printer) section(name string, stretch int, fill func(*table)) {
	t := table{head: make([]string, 8), indent: 2, stretch: stretch, bare: true}
	fill(&t)
	if len(t.rows) == 0 {
		return
	}
	p.heading(name)
	p.table(t)
}

func (p *printer) ended(r dispatch.Report) {
	name := "ended"
	if r.DryRun {
		name = "would be settled"
	}
	p.section(name, 3, func(t *table) {
		for _, e := range r.Ended {
			t.add(e.Card, fmt.Sprintf("run %d", e.Run), string(e.Outcome), "status "+e.Status)
		}
	})
}

func (p *printer) started(r dispatch.Report) {
	name := "started"
	if r.DryRun {
		name = "would start"
	}
	p.section(name, 1, func(t *table) {
		for _, s := range r.Started {
			run := ""
			if s.Run != 0 {
				run = fmt.Sprintf("run %d", s.Run)
			}
			t.add(s.Card, s.Title, s.Status, s.Label, s.Model, s.Surface, s.Host, run)
		}
	})
}

func (p *printer) held(r dispatch.Report) {
	name := "waits"
	if r.DryRun {
		name = "would wait"
	}
	p.section(name, 2, func(t *table) {
		for _, w := range r.Pending {
			t.add(w.Card, "start asked for", w.Text)
		}
		for _, h := range r.Held[:min(len(r.Held), heldShown)] {
			t.add(h.Card, cut(clean1(h.Title), titleColumns), h.Text)
		}
	})
	if more := len(r.Held) - heldShown; more > 0 {
		p.line("  and %d more: board status counts them, --json lists them", more)
	}
}

// titleColumns is how much of a title stands beside a reason.
const titleColumns = 28

// summary is the last line: "2 would start, 3 would wait, nothing was changed (9 ms)".
func summary(r dispatch.Report) string {
	waits := len(r.Held) + len(r.Pending)
	if r.DryRun {
		return fmt.Sprintf("%d would start, %d would wait, nothing was changed (%d ms)", len(r.Started), waits, r.TookMS)
	}
	parts := []string{fmt.Sprintf("%d started", len(r.Started)), fmt.Sprintf("%d waiting", waits)}
	if len(r.Ended) > 0 {
		parts = append(parts, fmt.Sprintf("%d ended", len(r.Ended)))
	}
	if len(r.Stopping) > 0 {
		parts = append(parts, fmt.Sprintf("%d stopping", len(r.Stopping)))
	}
	if waits+r.Running+len(r.Started)+len(r.Stopping) == 0 {
		parts = append(parts, "the board is idle")
	}
	return fmt.Sprintf("%s, %d running (%d ms)", strings.Join(parts, ", "), r.Running, r.TookMS)
}
