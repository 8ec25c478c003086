package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/capacity"
	"github.com/seed-2ddc2152/board/dispatch"
)

// statusDocument is what `board status --json` prints.
type statusDocument struct {
	At          board.Time            `json:"at"`
	Home        string                `json:"home"`
	Host        string                `json:"host"`
	Sessions    int                   `json:"sessions"`
	MaxSessions int                   `json:"max_sessions"`
	Memory      string                `json:"memory_pressure"`
	LastTick    *board.Tick           `json:"last_tick"` // null before the first
	Running     []statusRun           `json:"running"`
	NeedsYou    []statusQuestion      `json:"needs_you"`
	Waiting     []statusWaiting       `json:"waiting"`
	Ready       []string              `json:"ready"` // cards that a tick would start now
	Pauses      []board.Pause         `json:"pauses"`
	Caps        []statusCap           `json:"caps"`
	Roster      []statusSeat          `json:"roster"`
	Bottlenecks []dispatch.Bottleneck `json:"bottlenecks"`
	Faults      []dispatch.Fault      `json:"faults"`
	Alarm       *string               `json:"alarm"`
}

// statusRun is a run that has not ended.
type statusRun struct {
	Run      int64          `json:"run"`
	Card     string         `json:"card"`
	Title    string         `json:"title"`
	Status   string         `json:"status"`
	State    board.RunState `json:"state"`
	Executor string         `json:"executor"`
	Model    string         `json:"model"`
	Since    board.Time     `json:"since"`
	Last     string         `json:"last_output"`
}

// statusQuestion is a card that waits for a person.
type statusQuestion struct {
	Card  string     `json:"card"`
	Title string     `json:"title"`
	Kind  string     `json:"kind"`
	Text  string     `json:"text"`
	Since board.Time `json:"since"`
}

// statusWaiting is how many cards one kind of hold holds.
type statusWaiting struct {
	Code  board.HoldCode `json:"code"`
	Cards int            `json:"cards"`
	Until board.Time     `json:"until"` // the first of them to be free; null = unknown
}

// statusSeat is an executor; board roster tells more.
type statusSeat struct {
	Executor string     `json:"executor"`
	Used     int        `json:"used"`
	Slots    int        `json:"slots"`
	Out      string     `json:"out"`   // why it is out of the round; "" = it is in
	Until    board.Time `json:"until"` // null = unknown, or in
}

// statusCap is one group of a cap.
type statusCap struct {
	Cap      string `json:"cap"`
	Group    string `json:"group"`
	Counts   string `json:"counts"`
	Used     int64  `json:"used"`
	Max      *int64 `json:"max"` // null = no cap; micro-dollars for spend
	Reserved int64  `json:"reserved"`
	Paused   bool   `json:"paused"`
	Fault    string `json:"fault"`
	Key      string `json:"key"`
}

func statusCommand() command {
	return command{
		about: "What runs, what needs you, what waits by reason, caps as used and max, executors, the last tick, and where the bottleneck is. An " +
			"alarm says that cards wait with room free and nothing has started for ten minutes.",
		examples: []string{"board status", "board status --check || mail -s 'board is stuck' me < /dev/null"},
		flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Usage: "exit 7 on an alarm, for monitoring"},
		},
		document: statusDocument{},
		run:      runStatus,
	}
}

func runStatus(ctx context.Context, c *call) error {
	store, err := c.read(ctx)
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
	d, err := c.status(ctx, store, t, snapshot, plan)
	if err != nil {
		return err
	}
	if c.out.json {
		err = c.out.document(d)
	} else {
		c.out.status(d)
	}
	if err == nil && d.Alarm != nil && c.flags.Bool("check") {
		return errSaid
	}
	return err
}

// status gathers the document from a look at everything.
func (c *call) status(ctx context.Context, store *board.Store, t ticker, s dispatch.Snapshot, plan dispatch.Plan) (statusDocument, error) {
	c.learnSlots(ctx, store)
	pauses, err := store.Pauses(ctx, board.At(s.Now))
	if err != nil {
		return statusDocument{}, err
	}
	d := statusDocument{
		At: board.At(s.Now), Home: t.home.Dir, Host: s.Home.Host, Sessions: sessionsOf(s), MaxSessions: s.Host.MaxSessions,
		Memory: s.Host.MemoryPressure, Running: []statusRun{}, NeedsYou: questionsOf(s), Waiting: waitingOf(plan), Ready: []string{},
		Pauses: append([]board.Pause{}, pauses...), Caps: capsOf(plan), Roster: seatsOf(s),
		Bottlenecks: append([]dispatch.Bottleneck{}, dispatch.Bottlenecks(s, plan)...), Faults: append([]dispatch.Fault{}, plan.Faults...),
	}
	if s.View.LastTick.StartedAt != 0 {
		d.LastTick = &s.View.LastTick
	}
	for _, r := range s.View.Runs {
		card := s.View.Busy[r.Card]
		d.Running = append(d.Running, statusRun{
			Run: r.ID, Card: r.Card, Title: card.Title, Status: r.Status, State: r.State, Executor: c.out.label(r.Executor, r.Clone), Model: r.Model,
			Since: cmp.Or(r.LaunchedAt, r.ClaimedAt), Last: cmp.Or(waitsFor(s, r), lastOutput(t.home.Run(r.ID))),
		})
	}
	for _, start := range plan.Start {
		d.Ready = append(d.Ready, start.Card.ID)
	}
	newest, err := store.Runs(ctx, board.RunFilter{Limit: 1})
	if err != nil {
		return d, err
	}
	var lastStart board.Time
	if len(newest) > 0 {
		lastStart = newest[0].ClaimedAt
	}
	d.Alarm = orNull(dispatch.Alarm(s, plan, lastStart))
	return d, c.fillTitles(ctx, store, &d)
}

// waitsFor is what the agent of a run asks a person in its pane; empty when it asks nothing.
func waitsFor(s dispatch.Snapshot, r board.Run) string {
	for _, x := range s.View.Sessions {
		if x.ID == r.Session && x.State == board.SessionWaiting && x.WaitingFor != "" {
			return "waits for you: " + clean1(x.WaitingFor)
		}
	}
	return ""
}

// fillTitles reads the titles, which a plan does without.
func (c *call) fillTitles(ctx context.Context, store *board.Store, d *statusDocument) error {
	for i := range d.Running {
		card, err := store.Card(ctx, d.Running[i].Card)
		if err != nil {
			return err
		}
		d.Running[i].Title = card.Title
	}
	for i := range d.NeedsYou {
		card, err := store.Card(ctx, d.NeedsYou[i].Card)
		if err != nil {
			return err
		}
		d.NeedsYou[i].Title = card.Title
	}
	return nil
}

// sessionsOf counts the sessions that are there, and the runs whose session is about to be: both have a place (CAP-3).
func sessionsOf(s dispatch.Snapshot) int {
	n := len(s.View.Sessions)
	for _, r := range s.View.Runs {
		if r.Session == 0 {
			n++
		}
	}
	return n
}

// questionsOf are the open questions, the oldest first.
func questionsOf(s dispatch.Snapshot) []statusQuestion {
	all := []statusQuestion{}
	for card, b := range s.View.Blocks {
		all = append(all, statusQuestion{Card: card, Kind: b.Kind, Text: b.Text, Since: b.AskedAt})
	}
	slices.SortFunc(all, func(a, b statusQuestion) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Card, b.Card))
	})
	return all
}

// seatsOf are the executors of all boards, each once.
func seatsOf(s dispatch.Snapshot) []statusSeat {
	all := []statusSeat{}
	for _, b := range s.View.Boards {
		for _, x := range dispatch.Standings(s, b.Slug) {
			if slices.ContainsFunc(all, func(had statusSeat) bool { return had.Executor == x.ID }) {
				continue
			}
			one := statusSeat{Executor: x.ID, Used: x.Use.Used, Slots: x.Use.Slots}
			if x.Out != nil {
				one.Out, one.Until = x.Out.Text, board.At(x.Out.Until)
			}
			all = append(all, one)
		}
	}
	return all
}

// waitingOf counts the holds by code, the most frequent first.
func waitingOf(plan dispatch.Plan) []statusWaiting {
	all := []statusWaiting{}
	for _, hold := range plan.Hold {
		h := dispatch.HeldOf(hold)
		i := slices.IndexFunc(all, func(w statusWaiting) bool { return w.Code == h.Code })
		if i < 0 {
			i = len(all)
			all = append(all, statusWaiting{Code: h.Code})
		}
		all[i].Cards++
		if h.Until != 0 && (all[i].Until == 0 || h.Until < all[i].Until) {
			all[i].Until = h.Until
		}
	}
	slices.SortStableFunc(all, func(a, b statusWaiting) int {
		return cmp.Or(cmp.Compare(b.Cards, a.Cards), cmp.Compare(a.Code, b.Code))
	})
	return all
}

// capsOf are the caps of files as used and max, group by group, and whatever else is in use or paused.
func capsOf(plan dispatch.Plan) []statusCap {
	all := []statusCap{}
	for _, u := range plan.Usage {
		if u.Origin != capacity.FromFile && !u.Paused {
			continue
		}
		one := statusCap{Cap: u.Cap, Group: u.Group, Counts: string(u.Counts), Used: u.Used, Reserved: u.Reserved, Paused: u.Paused, Fault: u.Max.Fault}
		if !u.Max.None && u.Max.Fault == "" {
			one.Max = &u.Max.N
		}
		if u.Source.File != "" {
			one.Key = fmt.Sprintf("%s:%d %s", u.Source.File, u.Source.Line, u.Source.Key)
		}
		all = append(all, one)
	}
	return all
}

func (p *printer) status(d statusDocument) {
	tick := "no tick yet: board dispatch"
	if d.LastTick != nil {
		tick = fmt.Sprintf("last tick %s, %d ms", p.ago(d.LastTick.StartedAt), d.LastTick.TookMS)
	}
	p.line("%s  %d of %d sessions · memory %s · %s", p.paint(bold, d.Host), d.Sessions, d.MaxSessions, d.Memory, tick)
	if d.Alarm != nil {
		p.line("%s  %s", p.paint(red, "ALARM"), *d.Alarm)
	}
	for _, f := range d.Faults {
		p.line("%s  %s", p.paint(red, "FAULT"), clean1(firstLine(faultText(f))))
	}
	p.section("RUNNING", 1, func(t *table) {
		for _, r := range d.Running {
			t.add(r.Card, cut(clean1(r.Title), titleColumns), r.Status, r.Executor, r.Model, span(p.now.Sub(r.Since.Time())), cut(r.Last, titleColumns))
		}
	})
	p.section("NEEDS YOU", 1, func(t *table) {
		for _, q := range d.NeedsYou {
			t.add(q.Card, fmt.Sprintf("asked %s: %q", p.ago(q.Since), cut(clean1(q.Text), 2*titleColumns)), fmt.Sprintf("board answer %s \"...\"", q.Card))
		}
	})
	p.statusWaiting(d)
	p.statusCaps(d.Caps)
	p.section("PAUSED", 1, func(t *table) {
		for _, x := range d.Pauses {
			until := "until resumed"
			if !x.Until.IsZero() {
				until = "until " + p.clockTime(x.Until)
			}
			t.add(strings.TrimSpace(string(x.Kind)+" "+x.Target), until, x.Reason)
		}
	})
	p.statusRoster(d.Roster)
	p.section("BOTTLENECK", 0, func(t *table) {
		for _, b := range d.Bottlenecks {
			t.add(b.Text)
		}
	})
}

func (p *printer) statusWaiting(d statusDocument) {
	var parts []string
	for _, w := range d.Waiting {
		part := fmt.Sprintf("%d %s", w.Cards, strings.ReplaceAll(string(w.Code), "_", " "))
		if w.Code == board.HoldNotBefore && !w.Until.IsZero() {
			part += " " + p.clockTime(w.Until)
		}
		parts = append(parts, part)
	}
	if n := len(d.Ready); n > 0 {
		parts = append(parts, fmt.Sprintf("%d ready for the next tick", n))
	}
	if len(parts) > 0 {
		p.heading("WAITING")
		p.line("  %s", strings.Join(parts, " · "))
	}
}

func (p *printer) statusCaps(caps []statusCap) {
	if len(caps) == 0 {
		return
	}
	p.heading("CAPS")
	t := table{head: []string{"cap", ">used", ">max", ""}, indent: 2}
	for _, c := range caps {
		name := c.Cap
		if c.Group != "" {
			name += " · " + c.Group
		}
		amount := func(n int64) string {
			if c.Counts == string(capacity.Spend) {
				return "$" + capacity.Dollars(n)
			}
			return fmt.Sprint(n)
		}
		limit := "-"
		if c.Max != nil {
			limit = amount(*c.Max)
		}
		note := ""
		switch {
		case c.Fault != "":
			note = firstLine(c.Fault)
		case c.Paused:
			note = "paused: it admits nothing new"
		case c.Reserved > 0:
			note = fmt.Sprintf("%d kept for others", c.Reserved)
		}
		t.add(name, amount(c.Used), limit, note)
	}
	p.table(t)
}

func (p *printer) statusRoster(seats []statusSeat) {
	if len(seats) == 0 {
		return
	}
	var parts []string
	for _, s := range seats {
		if s.Out == "" {
			parts = append(parts, fmt.Sprintf("%s %d of %d", s.Executor, s.Used, s.Slots))
		} else {
			parts = append(parts, s.Executor+" "+clean1(s.Out))
		}
	}
	p.heading("ROSTER")
	for line := range strings.SplitSeq(wrap(strings.Join(parts, " · "), maxWidth-2), "\n") {
		p.line("  %s", line)
	}
}
