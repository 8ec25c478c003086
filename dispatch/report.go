package dispatch

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/capacity"
	"github.com/seed-2ddc2152/board/internal/clock"
)

// Report is what a tick did, or a dry run found: the document of `board dispatch --json`. Every key is always there.
type Report struct {
	At        board.Time  `json:"at"`
	Home      string      `json:"home"`
	Host      string      `json:"host"`
	DryRun    bool        `json:"dry_run"`
	TookMS    int64       `json:"took_ms"`
	Ended     []Ended     `json:"ended"`
	Started   []Started   `json:"started"`
	Stopping  []Stopping  `json:"stopping"`
	Held      []Held      `json:"held"`
	Pending   []Waiting   `json:"pending"`
	Elsewhere []Elsewhere `json:"elsewhere"`
	Faults    []Fault     `json:"faults"`
	Running   int         `json:"-"` // open runs left by it
	Probing   bool        `json:"-"` // an executor is out until its health URL answers
}

// Ended is a run that a tick settled.
type Ended struct {
	Run     int64         `json:"run"`
	Card    string        `json:"card"`
	Outcome board.Outcome `json:"outcome"`
	Event   string        `json:"event"`
	Status  string        `json:"status"` // of the card afterwards
}

// Started is a run that a tick started. In a dry run it has no Run and no Address.
type Started struct {
	Card     string     `json:"card"`
	Board    string     `json:"board"`
	Title    string     `json:"-"`
	Status   string     `json:"status"`
	Slot     string     `json:"slot"`
	Role     string     `json:"role"`
	Profile  string     `json:"profile"`
	Executor string     `json:"executor"`
	Clone    int        `json:"clone"`
	Label    string     `json:"-"`
	Harness  string     `json:"harness"`
	Model    string     `json:"model"`
	Surface  string     `json:"surface"`
	Host     string     `json:"host"`
	Mode     board.Mode `json:"mode"`
	Attempt  int        `json:"attempt"`
	Run      int64      `json:"run"`
	Address  string     `json:"address"`
}

// Stopping is something that was told to end.
type Stopping struct {
	Run  int64  `json:"run"`
	Card string `json:"card"`
	Text string `json:"text"`
}

// Waiting is a card whose start a person asked for (DSP-9).
type Waiting struct {
	Card string `json:"card"`
	Text string `json:"text"`
}

// Held is a card that waits, and why.
type Held struct {
	Card     string         `json:"card"`
	Board    string         `json:"board"`
	Title    string         `json:"-"`
	Status   string         `json:"status"`
	Code     board.HoldCode `json:"code"`
	Cap      string         `json:"cap"`
	Count    int64          `json:"count"`
	Max      int64          `json:"max"`
	Reserved int64          `json:"reserved"`
	Group    string         `json:"group"`
	Text     string         `json:"text"`
	Key      string         `json:"key"`
	Until    board.Time     `json:"until"`
	Since    board.Time     `json:"since"`
	Values   map[string]any `json:"values"`
	Caps     []HeldCap      `json:"caps"`
	Others   []string       `json:"others"`
}

// HeldCap is one cap that blocks a card.
type HeldCap struct {
	Cap      string         `json:"cap"`
	Group    string         `json:"group"`
	Counts   string         `json:"counts"`
	Count    int64          `json:"count"`
	Max      int64          `json:"max"`
	Reserved int64          `json:"reserved"`
	Holders  []int64        `json:"holders"` // runs
	Values   map[string]any `json:"values"`
	Key      string         `json:"key"`
	Paused   bool           `json:"paused"`
	Fault    string         `json:"fault"` // why its maximum could not be worked out
	Text     string         `json:"text"`
}

// report tells what was done, and records it.
func (t *tick) report(ctx context.Context, watch clock.Stopwatch) (Report, error) {
	r := reportOf(t.d, t.snap, t.plan, watch, false)
	r.Ended, r.Started = []Ended{}, []Started{}
	for _, e := range t.ended {
		r.Ended = append(r.Ended, endedOf(e))
	}
	for _, s := range t.started {
		if s.err == nil {
			r.Started = append(r.Started, startedOf(s.start, s.run, s.address))
		}
	}
	if t.elsewhere != nil {
		r.Elsewhere = t.elsewhere
	}
	r.Running = t.plan.Running + len(t.started)
	r.TookMS = watch.Elapsed().Milliseconds()
	return r, t.record(ctx, r)
}

// idleRecord is how old the record of the last idle tick must be before another one replaces it (chosen: a third of cron's
// minute). An idle tick that writes nothing costs no fsync.
const idleRecord = 20 * time.Second

// record writes what the next tick, status and people need to know of this one.
func (t *tick) record(ctx context.Context, r Report) error {
	out := board.TickReport{
		Refreshed: t.plan.Refreshed, Questions: t.plan.Questions, Sources: t.ob.sources(), Observed: t.ob.files,
		Tick: board.Tick{StartedAt: board.At(t.now), TookMS: r.TookMS, Ended: len(r.Ended), Started: len(r.Started), Stopping: len(r.Stopping), Held: len(t.plan.Hold)},
	}
	if len(t.plan.Faults) > 0 {
		out.Tick.Fault = t.plan.Faults[0].Scope + ": " + firstLine(t.plan.Faults[0].Text)
	}
	hosts, err := t.hostsSeen()
	if err != nil {
		return err
	}
	out.Observed = append(append(out.Observed, t.probed()...), hosts...)
	t.holds(&out)
	out.Tick.Idle = !out.Changed() && out.Tick.Fault == "" && len(r.Ended)+len(r.Started)+len(r.Stopping) == 0
	if last := t.snap.View.LastTick; out.Tick.Idle && last.Idle && t.snap.View.Now.Sub(last.StartedAt) < idleRecord {
		return nil
	}
	if err := t.d.Store.RecordTick(ctx, board.At(t.now), out); err != nil {
		return fmt.Errorf("record the tick: %w", err)
	}
	return nil
}

// probed are health URLs whose state has changed.
func (t *tick) probed() []board.Observation {
	var out []board.Observation
	for _, id := range sortedKeys(t.snap.Probes) {
		state := "up"
		if !t.snap.Probes[id].OK {
			state = "down"
		}
		if t.ob.seen["health "+id].State != state {
			out = append(out, board.Observation{Kind: "health", Name: id, State: state, At: board.At(t.now)})
		}
	}
	return out
}

// holds compares what holds cards now with what is stored: only what changed is written.
func (t *tick) holds(out *board.TickReport) {
	now := map[string]bool{}
	for _, h := range t.plan.Hold {
		now[h.Card] = true
		if had, ok := t.snap.View.Holds[h.Card]; !ok || !h.sameAs(had) {
			out.Set = append(out.Set, h.row())
		}
	}
	if t.o.Only != "" {
		return
	}
	for _, s := range t.started {
		now[s.run.Card] = true // the claim dropped it
	}
	for _, card := range sortedKeys(t.snap.View.Holds) {
		if !now[card] {
			out.Drop = append(out.Drop, card)
		}
	}
}

// reportOf tells a plan as it stands.
func reportOf(d Deps, s Snapshot, p Plan, watch clock.Stopwatch, dry bool) Report {
	r := Report{
		At: board.At(s.Now), Home: d.Home.Dir, Host: s.Home.Host, DryRun: dry,
		Ended: []Ended{}, Started: []Started{}, Stopping: []Stopping{}, Held: []Held{}, Pending: []Waiting{}, Elsewhere: []Elsewhere{}, Faults: []Fault{},
	}
	for _, e := range p.Endings {
		r.Ended = append(r.Ended, endedOf(e))
	}
	for _, st := range p.Start {
		r.Started = append(r.Started, startedOf(st, board.Run{Attempt: st.Card.Attempts + 1}, ""))
	}
	for _, x := range p.Stop {
		r.Stopping = append(r.Stopping, Stopping{Run: x.Run, Card: x.Card, Text: x.Text})
	}
	for _, c := range p.Close {
		r.Stopping = append(r.Stopping, Stopping{Run: c.Run, Card: c.Card, Text: "idle session closed for " + c.For})
	}
	for _, w := range p.Pending {
		r.Pending = append(r.Pending, Waiting(w))
	}
	r.Held = heldOf(p)
	r.Faults = append(r.Faults, p.Faults...)
	r.Running, r.Probing = p.Running, p.Probing
	r.TookMS = watch.Elapsed().Milliseconds()
	return r
}

func endedOf(e board.Ending) Ended {
	return Ended{Run: e.Run.ID, Card: e.Run.Card, Outcome: e.Run.Outcome, Event: e.Event, Status: e.Card.Status}
}

func startedOf(s Start, run board.Run, address string) Started {
	return Started{
		Card: s.Card.ID, Board: s.Card.Board, Title: s.Card.Title, Status: s.Status, Slot: s.Slot, Role: string(s.Role), Profile: s.Profile,
		Executor: s.Executor, Clone: s.Clone, Label: s.Label, Harness: s.Harness, Model: s.Model, Surface: string(s.Surface), Host: s.Host,
		Mode: s.Mode, Attempt: run.Attempt, Run: run.ID, Address: address,
	}
}

// heldOf are the holds of cards that are not told as pending. Those with one reason share what is told of it.
func heldOf(p Plan) []Held {
	pending := map[string]bool{}
	for _, w := range p.Pending {
		pending[w.Card] = true
	}
	all := make([]Held, 0, len(p.Hold)-len(pending))
	told := map[*Reason]Held{}
	for _, h := range p.Hold {
		if pending[h.Card] {
			continue
		}
		one, known := told[h.Reason]
		if !known {
			one = HeldOf(h)
			told[h.Reason] = one
		}
		one.Card, one.Board, one.Title, one.Status, one.Since = h.Card, h.Board, h.Title, h.Status, h.Since
		all = append(all, one)
	}
	return all
}

// HeldOf is a hold as it is told.
func HeldOf(h Hold) Held {
	out := Held{
		Card: h.Card, Board: h.Board, Title: h.Title, Status: h.Status, Code: h.Code, Cap: h.Cap, Count: h.Count, Max: h.Max, Reserved: h.Reserved,
		Group: h.Group, Text: h.Text, Key: h.Key, Until: h.Until, Since: h.Since, Values: h.Values, Caps: []HeldCap{}, Others: h.Others,
	}
	if out.Values == nil {
		out.Values = map[string]any{}
	}
	if out.Others == nil {
		out.Others = []string{}
	}
	for _, c := range h.Caps {
		out.Caps = append(out.Caps, heldCapOf(c))
	}
	return out
}

func heldCapOf(c capacity.Refusal) HeldCap {
	out := HeldCap{Cap: c.Cap, Group: c.Group, Counts: string(c.Counts), Count: c.Count, Max: c.Max, Reserved: c.Reserved, Holders: []int64{}, Values: c.Values, Key: capKey(c), Paused: c.Paused, Fault: c.Fault, Text: capText(c)}
	for _, h := range c.Holders {
		if h.Run != 0 && !slices.Contains(out.Holders, h.Run) {
			out.Holders = append(out.Holders, h.Run)
		}
	}
	if out.Values == nil {
		out.Values = map[string]any{}
	}
	return out
}
