package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

// showDocument is what `board show --json` prints.
type showDocument struct {
	board.CardPage
	Actions []string `json:"actions"` // workflow events that a person may send to it
}

func showCommand() command {
	return command{
		args: "ID", min: 1, max: 1,
		about:    "Shows a card: its fields, its links, its acceptance, what it asks, what was said and shown, its runs and its history.",
		examples: []string{"board show api-9", "board show api-9 --history 500", "board show api-9 --json"},
		flags:    []cli.Flag{&cli.IntFlag{Name: "history", Value: 20, Usage: "at most `N` of its newest events"}},
		document: showDocument{},
		run: func(ctx context.Context, c *call) error {
			if c.flags.Int("history") < 0 {
				return board.NewProblem(board.ErrUsage, "", "--history %d is below 0", c.flags.Int("history"))
			}
			store, err := c.read(ctx)
			if err != nil {
				return err
			}
			id, err := c.id(ctx, store, c.args[0])
			if err != nil {
				return err
			}
			page, err := store.CardPage(ctx, c.now(), id, c.flags.Int("history"))
			if err != nil {
				return err
			}
			d := showDocument{CardPage: page, Actions: c.actions(ctx, store, page)}
			if c.out.json {
				d.CardPage = page.Filled()
				return c.out.document(d)
			}
			c.learnSlots(ctx, store)
			c.show(d)
			if limit := c.flags.Int("history"); limit > 0 && len(d.Events) == limit {
				c.note("only the newest %d of its history; --history N shows more", limit)
			}
			return nil
		},
	}
}

// actions are the events that a person may send; none while the workflow cannot be read.
func (c *call) actions(ctx context.Context, store *board.Store, page board.CardPage) []string {
	none := []string{}
	rules, err := c.rules(ctx, store)
	if err != nil {
		return none
	}
	w := rules.Workflow(page.Board.Workflow)
	if w == nil {
		return none
	}
	return append(none, board.Events(w, page.Board, page.Card, page.Facts, c.now())...)
}

func (c *call) show(d showDocument) {
	c.showHead(d)
	if d.Card.Body != "" {
		c.out.line("")
		c.showText(d.Card.Body, "  ")
	}
	c.showQuestions(d)
	c.showLinks("WAITS FOR", d.Blockers)
	c.showLinks("IS WAITED FOR BY", d.Blocked)
	c.showSubtasks(d)
	c.showComments(d)
	c.showEvidence(d)
	c.showRuns(d)
	c.showEvents(d)
	if len(d.Actions) > 0 {
		c.out.remark("\nboard send %s %s", d.Card.ID, strings.Join(d.Actions, "|"))
	}
}

// showHead is the card's title, state and fields.
func (c *call) showHead(d showDocument) {
	card := d.Card
	c.out.line("%s  %s", c.out.paint(bold, card.ID), c.out.paint(bold, clean1(card.Title)))
	c.out.line("  %s", c.out.paint(cyan, card.Status)+clean1(c.state(d)))
	t := table{head: []string{"", ""}, bare: true, indent: 2, stretch: 1}
	for _, f := range c.cardFields(card) {
		if f[1] != "" {
			t.add(f[0], f[1])
		}
	}
	c.out.table(t)
}

// state is what a card does, or why it does not.
func (c *call) state(d showDocument) string {
	card := d.Card
	switch r := d.Open(); {
	case r != nil && r.StopOutcome != "":
		return fmt.Sprintf(", run %d is being stopped: %s", r.ID, r.StopReason)
	case r != nil:
		return fmt.Sprintf(", run %d by %s for %s", r.ID, c.out.label(r.Executor, r.Clone), span(c.out.now.Sub(r.ClaimedAt.Time())))
	case !card.ArchivedAt.IsZero():
		return ", archived " + c.out.ago(card.ArchivedAt)
	case !card.EndedAt.IsZero():
		return ", ended " + c.out.ago(card.EndedAt)
	case len(d.Pauses) > 0:
		return c.pausedText(d.Pauses[0])
	case d.Question() != nil:
		return ", waits for an answer"
	case len(d.Facts.BlockedBy) > 0:
		return ", blocked by " + strings.Join(d.Facts.BlockedBy, ", ")
	case d.Hold != nil:
		return fmt.Sprintf(", held since %s: %s (board why %s)", c.out.ago(d.Hold.Since), d.Hold.Text, card.ID)
	}
	return ""
}

func (c *call) pausedText(p board.Pause) string {
	text := fmt.Sprintf(", %s paused by %s", pauseName(p.Kind, p.Target), p.Actor)
	if p.Kind == board.PauseCard {
		text = ", paused by " + p.Actor
	}
	if !p.Until.IsZero() {
		text += " until " + c.out.clockTime(p.Until)
	}
	if p.Reason != "" {
		text += ": " + p.Reason
	}
	return text
}

// cardFields are a card's fields by name, in the order of interest; an empty one is not shown.
func (c *call) cardFields(card board.Card) [][2]string {
	var labels []string
	for name, value := range card.Labels {
		labels = append(labels, strings.TrimSuffix(name+"="+value, "="))
	}
	slices.Sort(labels)
	notBefore := ""
	if card.NotBefore > c.now() {
		notBefore = c.out.clockTime(card.NotBefore)
	}
	return [][2]string{
		{"priority", positive(card.Priority)},
		{"assignee", card.Assignee},
		{"host", card.Host},
		{"model", card.Model},
		{"effort", card.Effort},
		{"story", card.Parent},
		{"owns", strings.Join(card.Owns, ", ")},
		{"satisfies", strings.Join(card.Satisfies, ", ")},
		{"labels", strings.Join(labels, ", ")},
		{"workspace", card.Workspace},
		{"not before", notBefore},
		{"every", card.Every},
		{"max runs", positive(card.MaxRuns)},
		{"failures", positive(card.Failures)},
		{"key", card.Key},
		{"added", fmt.Sprintf("%s by %s, revision %d", c.out.ago(card.CreatedAt), card.CreatedBy, card.Revision)},
	}
}

// positive is a number as text; empty for zero.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// showText prints a text of several lines behind an indentation.
func (c *call) showText(text, indent string) {
	for line := range strings.Lines(clean(strings.TrimRight(text, "\n"))) {
		c.out.line("%s", strings.TrimRight(indent+line, " \r\n"))
	}
}

func (c *call) part(title string) { c.out.heading("\n" + title) }

func (c *call) showQuestions(d showDocument) {
	if len(d.Questions) == 0 {
		return
	}
	c.part("QUESTIONS")
	for _, q := range d.Questions {
		c.showText(fmt.Sprintf("%s, %s by %s: %s", q.Kind, c.out.ago(q.AskedAt), q.AskedBy, q.Text), "  ")
		switch {
		case !q.AnsweredAt.IsZero():
			c.showText(fmt.Sprintf("%s, %s: %s", q.AnsweredBy, c.out.ago(q.AnsweredAt), q.Answer), "    ")
		case q.Kind == board.BlockRetries:
			c.out.line("    board retry %s", d.Card.ID)
		default:
			c.out.line(`    board answer %s "..."`, d.Card.ID)
		}
	}
}

func (c *call) showLinks(title string, links []board.LinkedCard) {
	if len(links) == 0 {
		return
	}
	c.part(title)
	t := table{head: []string{"card", "status", "title", ""}, bare: true, indent: 2, stretch: 2}
	for _, l := range links {
		mark := ""
		if l.Waived {
			mark = "waived"
		}
		t.add(l.ID, l.Status, l.Title, mark)
	}
	c.out.table(t)
}

func (c *call) showSubtasks(d showDocument) {
	if len(d.Subtasks) > 0 {
		c.part("SUBTASKS")
		t := table{head: []string{"card", "status", "title", "satisfies"}, bare: true, indent: 2, stretch: 2}
		for _, s := range d.Subtasks {
			t.add(s.ID, s.Status, s.Title, strings.Join(s.Satisfies, ", "))
		}
		c.out.table(t)
	}
	if len(d.Criteria) > 0 {
		c.part("ACCEPTANCE")
		t := table{head: []string{">", "", "", ""}, bare: true, indent: 2, stretch: 3}
		for _, k := range d.Criteria {
			met := "open"
			if k.Met {
				met = "met"
			}
			t.add(fmt.Sprint(k.Number), met, strings.Join(k.Cards, ", "), strings.Join(k.Evidence, ", "))
		}
		c.out.table(t)
	}
}

func (c *call) showComments(d showDocument) {
	if len(d.Comments) == 0 {
		return
	}
	c.part("COMMENTS")
	for _, k := range d.Comments {
		from := k.Author
		if k.Run != 0 {
			from = fmt.Sprintf("%s of run %d", k.Author, k.Run)
		}
		c.showText(fmt.Sprintf("%s, %s: %s", from, c.out.ago(k.CreatedAt), k.Text), "  ")
	}
}

func (c *call) showEvidence(d showDocument) {
	if len(d.Evidence) == 0 {
		return
	}
	c.part("EVIDENCE")
	t := table{head: []string{"name", ">run", "what"}, bare: true, indent: 2, stretch: 2}
	for _, e := range d.Evidence {
		what := e.Path
		if what == "" {
			what = e.Text
		}
		t.add(e.Name, positive(int(e.Run)), what)
	}
	c.out.table(t)
}

func (c *call) showRuns(d showDocument) {
	if len(d.Runs) == 0 {
		return
	}
	c.part("RUNS")
	t := table{head: []string{">run", ">try", "status", "executor", "outcome", ">for", "why"}, indent: 2, stretch: 6}
	for _, r := range d.Runs {
		outcome, end := string(r.Outcome), r.EndedAt.Time()
		if r.Open() {
			outcome, end = string(r.State), c.out.now
		}
		t.add(fmt.Sprint(r.ID), fmt.Sprint(r.Attempt), r.Status, c.out.label(r.Executor, r.Clone), outcome, span(max(0, end.Sub(r.ClaimedAt.Time()))), runNote(r))
	}
	c.out.table(t)
}

// runNote is the shortest that says how a run went.
func runNote(r board.Run) string {
	if r.Verdict != "" && r.Reason == "" {
		return strings.TrimSpace(string(r.Verdict) + " " + quotedLine(r.Summary))
	}
	if r.Reason != "" {
		return r.Reason
	}
	return quotedLine(r.Summary)
}

func quotedLine(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return fmt.Sprintf("%q", clip(text))
}

func (c *call) showEvents(d showDocument) {
	if len(d.Events) == 0 {
		return
	}
	c.part("HISTORY")
	t := table{head: []string{"when", "what", "who", ">run", "detail"}, bare: true, indent: 2, stretch: 4}
	for _, e := range d.Events {
		t.add(e.At.Time().Local().Format(time.DateTime), e.Kind, e.Actor, positive(int(e.Run)), eventText(e))
	}
	c.out.table(t)
}

// eventText is what an event tells besides its kind: where a card went, then its other values by name.
func eventText(e board.Event) string {
	if text := heldText(e); text != "" {
		return text
	}
	values := map[string]any{}
	if err := json.Unmarshal([]byte(e.Payload), &values); err != nil {
		return string(e.Payload) // another program wrote it
	}
	delete(values, "request") // a worker's request by its file, and what the planner does next: for the program only
	delete(values, "step")
	var parts []string
	if from, to := values["from"], values["to"]; from != nil && to != nil {
		way := fmt.Sprintf("%v -> %v", from, to)
		if from == to {
			way = fmt.Sprint(to)
		}
		parts = append(parts, way)
		delete(values, "from")
		delete(values, "to")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if text := valueText(values[name]); text != "" {
			parts = append(parts, name+" "+text)
		}
	}
	return strings.Join(parts, ", ")
}

// valueText is a value of an event; empty for one that says nothing.
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case bool:
		if !v {
			return ""
		}
	case string:
		return v
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			texts[i] = valueText(item)
		}
		return strings.Join(texts, " ")
	case map[string]any:
		if to, ok := v["to"]; ok {
			return fmt.Sprintf("%v -> %v", v["from"], to)
		}
	}
	return fmt.Sprint(v)
}
