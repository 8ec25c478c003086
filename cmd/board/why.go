package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/capacity"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/home"
)

// whyState says what a card does, and so who acts next.
type whyState string

const (
	whyRunning whyState = "running" // its worker
	whyReady   whyState = "ready"   // the next tick starts it
	whyHeld    whyState = "held"    // the hold says who
	whyEnded   whyState = "ended"   // nobody
)

// whyDocument is what `board why --json` prints.
type whyDocument struct {
	Card       string            `json:"card"`
	Title      string            `json:"title"`
	Status     string            `json:"status"`
	State      whyState          `json:"state"`
	Held       *dispatch.Held    `json:"held"`
	Start      *dispatch.Started `json:"start"` // what would start, where nothing holds it
	Place      int               `json:"place"` // in the queue of those held on its board, from 1; 0 = it does not wait
	Run        *board.Run        `json:"run"`
	Session    *board.Session    `json:"session"` // of the open run; null until its supervisor has begun
	LastOutput string            `json:"last_output"`
	LastRun    *board.Run        `json:"last_run"` // the newest that has ended
	Events     []board.Event     `json:"events"`   // the newest, oldest first
	Holders    []whyHolder       `json:"holders"`
}

// whyHolder is a run that holds a place which the card waits for.
type whyHolder struct {
	Run      int64      `json:"run"`
	Card     string     `json:"card"`
	Slot     string     `json:"slot"`
	Executor string     `json:"executor"`
	Since    board.Time `json:"since"`
}

// whyEvents is how much of a card's history is told (chosen: what fits below the reason).
const whyEvents = 8

func whyCommand() command {
	return command{
		args: "ID", min: 1, max: 1,
		about: "Why a card does not start: the hold, the key with file and line that would change it, who has the places, and its place in the " +
			"queue. Of a card that runs: who runs it, where, since when, and its last output. It is the plan of a tick made now, with " +
			"hosts and health as last seen.",
		examples: []string{"board why api-13"},
		document: whyDocument{},
		run:      runWhy,
	}
}

func runWhy(ctx context.Context, c *call) error {
	store, err := c.read(ctx)
	if err != nil {
		return err
	}
	card, err := c.card(ctx, store, c.args[0])
	if err != nil {
		return err
	}
	t, err := c.ticker(store)
	if err != nil {
		return err
	}
	snapshot, plan, err := dispatch.Look(ctx, t.deps(ctx), dispatch.Options{})
	if err != nil {
		return err
	}
	d := whyDocument{Card: card.ID, Title: card.Title, Status: card.Status, Holders: []whyHolder{}}
	if d.Events, err = store.Events(ctx, card.ID, whyEvents); err != nil {
		return err
	}
	if err := d.judge(ctx, store, card, t.home, plan); err != nil {
		return err
	}
	runs, err := store.Runs(ctx, board.RunFilter{Card: card.ID, Limit: 2})
	if err != nil {
		return err
	}
	for i := range runs {
		if !runs[i].Open() {
			d.LastRun = &runs[i]
		}
	}
	c.learnSlots(ctx, store)
	d.findHolders(c.out, snapshot)
	if c.out.json {
		return c.out.document(d)
	}
	c.out.why(d)
	return nil
}

// judge finds the card in the plan.
func (d *whyDocument) judge(ctx context.Context, store *board.Store, card board.Card, h home.Home, plan dispatch.Plan) error {
	if card.CurrentRun != 0 {
		r, err := store.Run(ctx, card.CurrentRun)
		if err != nil {
			return err
		}
		d.State, d.Run, d.LastOutput = whyRunning, &r, lastOutput(h.Run(r.ID))
		return d.findSession(ctx, store, r)
	}
	if card.EndedAt != 0 || card.ArchivedAt != 0 {
		d.State = whyEnded
		return nil
	}
	d.State = whyReady
	place := 0
	for _, hold := range plan.Hold {
		held := dispatch.HeldOf(hold)
		if held.Board == card.Board {
			place++
		}
		if held.Card == card.ID {
			d.State, d.Held, d.Place = whyHeld, &held, place
			return nil
		}
	}
	for _, start := range plan.Start {
		if start.Card.ID == card.ID {
			d.Start = &dispatch.Started{
				Card: card.ID, Board: card.Board, Status: start.Status, Slot: start.Slot, Role: string(start.Role), Profile: start.Profile,
				Executor: start.Executor, Clone: start.Clone, Label: start.Label, Harness: start.Harness, Model: start.Model,
				Surface: string(start.Surface), Host: start.Host, Mode: start.Mode, Attempt: card.Attempts + 1,
			}
		}
	}
	return nil
}

// findSession reads the session of the card's open run.
func (d *whyDocument) findSession(ctx context.Context, store *board.Store, r board.Run) error {
	if r.Session == 0 {
		return nil
	}
	x, err := store.Session(ctx, r.Session)
	d.Session = &x
	return err
}

// findHolders tells who holds the places of the caps in the way.
func (d *whyDocument) findHolders(p *printer, s dispatch.Snapshot) {
	if d.Held == nil {
		return
	}
	var ids []int64
	for _, c := range d.Held.Caps {
		ids = append(ids, c.Holders...)
	}
	for _, r := range s.View.Runs {
		if slices.Contains(ids, r.ID) {
			d.Holders = append(d.Holders, whyHolder{Run: r.ID, Card: r.Card, Slot: r.Slot, Executor: p.label(r.Executor, r.Clone), Since: r.ClaimedAt})
		}
	}
}

// lastOutputBytes is how much of a log's end is read for its last line.
const lastOutputBytes = 4096

// lastOutput is the last line that a run has printed; empty for none.
func lastOutput(dir string) string {
	file, err := os.Open(filepath.Join(dir, logName))
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	text, err := io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-lastOutputBytes), lastOutputBytes))
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimRight(unstyled(string(text)), "\n\r\t "), "\n")
	return clean1(lines[len(lines)-1])
}

func (p *printer) why(d whyDocument) {
	head := fmt.Sprintf("%s  %s", p.paint(bold, d.Card), cut(clean1(d.Title), 2*titleColumns))
	switch d.State {
	case whyRunning:
		p.whyRunning(head, d)
	case whyReady:
		p.line("%s  %s", head, p.paint(green, "nothing holds it"))
		if d.Start != nil {
			p.line("  the next tick starts it: %s, %s on %s, %s", d.Start.Status, d.Start.Label, d.Start.Host, d.Start.Surface)
		}
		p.line("  board dispatch, or board start %s", d.Card)
	case whyHeld:
		p.whyHeld(head, d)
	case whyEnded:
		p.line("%s  has ended (%s)", head, d.Status)
	}
	p.whyLast(d.LastRun)
	p.whyHistory(d.Events)
}

func (p *printer) whyRunning(head string, d whyDocument) {
	r := d.Run
	p.line("%s  %s", head, p.paint(green, fmt.Sprintf("%s, %s", r.State, span(p.lasted(*r)))))
	p.line("  run %d, attempt %d, status %s: %s as %s, %s on %s", r.ID, r.Attempt, r.Status, p.label(r.Executor, r.Clone), r.Slot, r.Surface, r.Host)
	if r.StopOutcome != "" {
		p.line("  asked to stop %s by %s: %s", p.ago(r.StopAt), r.StopActor, clean1(r.StopReason))
	}
	if d.LastOutput != "" {
		p.line("  last output: %s", cut(d.LastOutput, maxWidth-16))
	}
	if x := d.Session; x != nil && x.WaitingFor != "" && x.State == board.SessionWaiting {
		p.line("  %s %s", p.paint(yellow, "it waits for you:"), cut(clean1(x.WaitingFor), maxWidth-20))
	}
	if x := d.Session; x != nil && x.TmuxPane != "" {
		p.line("  board attach %s    its window", d.Card)
	}
	p.line("  board logs %s -f", d.Card)
}

func (p *printer) whyHeld(head string, d whyDocument) {
	h := d.Held
	waiting := "waiting"
	if !h.Since.IsZero() {
		waiting += " " + span(p.now.Sub(h.Since.Time()))
	}
	p.line("%s  %s", head, p.paint(yellow, fmt.Sprintf("%s, %s in line", waiting, ordinal(d.Place))))
	if len(h.Caps) == 0 {
		p.line("  %s: %s", h.Code, clean(h.Text))
		p.whyKey(h)
	}
	for _, c := range h.Caps {
		p.line("  %s   %s", clean1(c.Text), p.paint(dim, c.Key))
		p.whyValues(c.Values)
		for _, id := range c.Holders {
			p.whyHolder(id, d.Holders)
		}
	}
	for _, other := range h.Others {
		if strings.Contains(h.Text, strings.Replace(other, ": ", " ", 1)) { // the text names it already
			continue
		}
		p.line("  also: %s", clean1(other))
	}
	if h.Code == board.HoldCapacity {
		p.line("  would start %s", wayOut(h))
	}
}

// wayOut is when a card that caps hold would start.
func wayOut(h *dispatch.Held) string {
	if len(h.Caps) != 1 {
		return "when all of these have room"
	}
	only := h.Caps[0]
	switch {
	case only.Paused:
		return "when the cap is resumed and has room"
	case only.Fault != "":
		return "when its max can be worked out and has room"
	case only.Counts == string(capacity.Spend):
		return "when less was spent in its window, or max is higher"
	case only.Counts == string(capacity.Starts):
		return fmt.Sprintf("when fewer starts count, or max is %d", h.Count+h.Reserved+1)
	}
	return fmt.Sprintf("if one of those ends, or max is %d", h.Count+h.Reserved+1)
}

// whyLast tells how the last attempt ended, when that was not well.
func (p *printer) whyLast(r *board.Run) {
	if r == nil || r.Outcome == board.Completed {
		return
	}
	p.line("  last run %d (%s) %s %s: %s", r.ID, p.label(r.Executor, r.Clone), p.paint(outcomeStyle(r.Outcome), string(r.Outcome)), p.ago(r.EndedAt),
		cut(clean1(whyOf(*r)), maxWidth))
	p.line("      board logs %d", r.ID)
}

func (p *printer) whyKey(h *dispatch.Held) {
	if h.Key != "" && h.Key != string(h.Code) {
		p.line("      %s", p.paint(dim, h.Key))
	}
	if !h.Until.IsZero() {
		p.line("      until %s", p.clockTime(h.Until))
	}
	p.whyValues(h.Values)
}

// whyValues tells what an expression read.
func (p *printer) whyValues(values map[string]any) {
	var names []string
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text, err := compactJSON(values[name])
		if err != nil {
			continue
		}
		p.line("      %s = %s", name, text)
	}
}

func (p *printer) whyHolder(run int64, holders []whyHolder) {
	for _, h := range holders {
		if h.Run == run {
			p.line("      held by  %s %s (run %d, %s, %s)", h.Card, h.Slot, h.Run, h.Executor, span(p.now.Sub(h.Since.Time())))
			return
		}
	}
	p.line("      held by  run %d", run)
}

func (p *printer) whyHistory(events []board.Event) {
	if len(events) == 0 {
		return
	}
	t := table{head: make([]string, 5), indent: 2, bare: true, stretch: 4}
	for _, e := range events {
		run := ""
		if e.Run != 0 {
			run = fmt.Sprintf("run %d", e.Run)
		}
		t.add(p.ago(e.At), e.Kind, run, e.Actor, heldText(e))
	}
	p.heading("history")
	p.table(t)
}

// heldText is the reason of a hold that began; empty for other events.
func heldText(e board.Event) string {
	if e.Kind != "card.held" {
		return ""
	}
	var hold struct {
		Code string `json:"code"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal([]byte(e.Payload), &hold); err != nil {
		return ""
	}
	return hold.Code + ": " + hold.Text
}

// ordinal is a place in a queue: 1st, 2nd, 3rd, 4th.
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
