package dispatch_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// noon is the time of every snapshot made here.
var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

const workflowHead = `version: 1
name: test
profiles:
  coder:    {role: coder}
  paner:    {role: coder, surface: pane}
  reviewer: {role: reviewer, permissions: read}
initial: todo
statuses:
  todo: {}
  doing:  {run: {profile: '{{ card.assignee ?? "coder" }}', prompt: do it}}
  review: {run: {profile: reviewer, session: reviewer, prompt: look at it}}
  done: {terminal: true}
  cancelled: {terminal: true}
events:
  start:
    - {from: todo, to: doing}
    - {from: [doing, review]}
  done:
    - {from: doing, by: [worker, board], to: review, progress: true}
  approve: [{from: review, by: [reviewer, person], to: done, progress: true}]
  changes: [{from: review, by: [reviewer, person], to: doing, progress: true}]
  cancel: [{to: cancelled}]
dispatch:
  order: ['card.status == "review" ? 0 : 1', '-card.priority', card.created_at]
`

// world builds a snapshot by hand: what a home holds, without files, processes or a database.
type world struct {
	tb   testing.TB
	snap dispatch.Snapshot
	next int64
}

// newWorld is a home with one board, two coders with two slots each that may review too, and the caps given as YAML lines.
func newWorld(tb testing.TB, caps ...string) *world {
	tb.Helper()
	w := &world{tb: tb, next: 1}
	v := &board.View{
		Now: board.At(noon), Boards: []board.Board{{Slug: "api", Name: "api", Workflow: "test", Weight: 1}},
		Busy: map[string]board.Card{}, LastLeased: map[string]int64{}, Blocks: map[string]board.Block{}, Blockers: map[string][]board.Blocker{},
		Holds: map[string]board.Hold{}, Workers: map[string][]board.Worker{}, Resumable: map[board.SlotKey]board.Session{},
	}
	w.snap = dispatch.Snapshot{
		Now: noon, View: v, Home: dispatch.HomeFacts{Host: "base", Hosts: map[string]expr.Host{"far": {Name: "far"}}},
		Workflows: map[string]dispatch.WorkflowFacts{}, Rosters: map[string]dispatch.RosterFacts{},
		Runs: map[int64]dispatch.RunSeen{}, Sessions: map[int64]dispatch.SessionSeen{}, Facts: map[string]board.CardFacts{},
		Host:  expr.Host{Name: "base", MemoryPressure: "low", CPUs: 2, MaxSessions: 4},
		Panes: map[string]dispatch.PaneHost{"base": {Answered: true, Tmux: true}, "far": {Answered: true, Tmux: true}},
	}
	w.workflow("test", caps...)
	w.executors(executor("a", 2), executor("b", 2))
	return w
}

func executor(id string, slots int) roster.Executor {
	return roster.Executor{
		ID: id, Harness: "exec", Command: []string{"true"}, Roles: roster.Roles(), Slots: slots, CoderSlots: slots,
		Priority: roster.PerRole[float64]{Default: 1}, Cooldown: roster.DefaultCooldown(), File: "roster.yaml", Line: 1,
	}
}

func (w *world) executors(all ...roster.Executor) {
	for i := range all {
		all[i].Position = i
	}
	for _, b := range w.snap.View.Boards {
		w.snap.Rosters[b.Slug] = dispatch.RosterFacts{Executors: all}
	}
}

func (w *world) workflow(name string, caps ...string) {
	w.tb.Helper()
	src := workflowHead
	if len(caps) > 0 {
		src += "  capacity:\n"
		for _, c := range caps {
			src += "    - " + c + "\n"
		}
	}
	wf, err := workflows.Check(name, "workflows/"+name+".yaml", []byte(strings.Replace(src, "name: test", "name: "+name, 1)), workflows.Options{})
	if err != nil {
		w.tb.Fatalf("workflow: %v", err)
	}
	w.snap.Workflows[name] = dispatch.WorkflowFacts{Workflow: wf}
}

// card adds a card in a status; later ones are younger. Changes are made to it before it is added.
func (w *world) card(status string, change ...func(*board.Card)) string {
	v := w.snap.View
	n := len(v.Cards) + 1
	c := board.Card{
		ID: fmt.Sprintf("api-%d", n), Board: "api", Number: n, Status: status, Revision: 1, Title: "card",
		CreatedAt: board.At(noon.Add(time.Duration(n)*time.Second - time.Hour)), ReadySince: board.At(noon),
	}
	for _, f := range change {
		f(&c)
	}
	v.Cards = append(v.Cards, c)
	return c.ID
}

// run gives a card an open run, with a session unless it is only claimed.
func (w *world) run(card, executor string, change ...func(*board.Run, *board.Session)) int64 {
	v := w.snap.View
	id := w.next
	w.next++
	c := w.find(card)
	c.CurrentRun, c.Attempts = id, c.Attempts+1
	const role, slot = roster.RoleCoder, roster.WorkerSlot
	r := board.Run{
		ID: id, Card: card, Board: c.Board, Attempt: c.Attempts, Status: c.Status, Role: role, Slot: slot, Profile: "coder", Executor: executor,
		Clone: int(id), Harness: "exec", Surface: workflows.SurfaceHeadless, Host: "base", Mode: board.ModeFresh, State: board.RunRunning,
		Session: id, ClaimedAt: board.At(noon.Add(-time.Minute)), LaunchAttempt: 1, SpawnedAt: board.At(noon.Add(-time.Minute)),
	}
	x := board.Session{
		ID: id, Card: card, Board: c.Board, Slot: slot, Role: role, Profile: "coder", Origin: board.Dispatched, Harness: "exec", Executor: executor,
		Host: "base", Surface: workflows.SurfaceHeadless, State: board.SessionBusy, FirstRun: id, LastRun: id,
	}
	for _, f := range change {
		f(&r, &x)
	}
	v.Runs = append(v.Runs, r)
	if r.Session != 0 {
		v.Sessions = append(v.Sessions, x)
	}
	v.Leases = append(v.Leases, board.Lease{ID: id, Executor: executor, Role: role, Clone: int(id), Card: card, Slot: slot, Run: id, Session: r.Session})
	v.Busy[card] = *c
	w.snap.Runs[id] = dispatch.RunSeen{Lock: dispatch.LockHeld}
	return id
}

// idle gives a card an idle pane session that serves no run.
func (w *world) idle(card, executor string, since time.Duration) int64 {
	v := w.snap.View
	id := w.next
	w.next++
	c := w.find(card)
	v.Sessions = append(v.Sessions, board.Session{
		ID: id, Card: card, Board: c.Board, Slot: roster.WorkerSlot, Role: roster.RoleCoder, Profile: "paner", Origin: board.Dispatched,
		Harness: "exec", Executor: executor, Host: "base", Surface: workflows.SurfacePane, Interactive: true, State: board.SessionIdle,
		IdleSince: board.At(noon.Add(-since)), FirstRun: id, LastRun: id,
	})
	v.Leases = append(v.Leases, board.Lease{ID: id, Executor: executor, Role: roster.RoleCoder, Clone: int(id), Card: card, Slot: roster.WorkerSlot, Run: id, Session: id})
	v.Busy[card] = *c
	w.snap.Sessions[id] = dispatch.SessionSeen{Alive: true}
	return id
}

func (w *world) find(id string) *board.Card {
	for i := range w.snap.View.Cards {
		if w.snap.View.Cards[i].ID == id {
			return &w.snap.View.Cards[i]
		}
	}
	w.tb.Fatalf("no card %s", id)
	return nil
}

func (w *world) plan() dispatch.Plan { return dispatch.MakePlan(w.snap) }

// started are the cards that a plan starts, in its order.
func started(p dispatch.Plan) []string {
	ids := []string{}
	for _, s := range p.Start {
		ids = append(ids, s.Card.ID)
	}
	return ids
}

// heldAs is the hold of a card; it fails when there is none.
func heldAs(tb testing.TB, p dispatch.Plan, card string) dispatch.Hold {
	tb.Helper()
	for _, h := range p.Hold {
		if h.Card == card {
			return h
		}
	}
	tb.Fatalf("%s is not held; started %v, held %v", card, started(p), p.Hold)
	return dispatch.Hold{}
}
