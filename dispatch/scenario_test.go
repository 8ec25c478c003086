package dispatch_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/tmux"
	"github.com/seed-2ddc2152/board/workflows"
)

// edited gives the world a workflow with these caps and a part of its text changed.
func (w *world) edited(from, to string, caps ...string) {
	w.tb.Helper()
	src := strings.Replace(withCaps(caps...), from, to, 1)
	if src == withCaps(caps...) {
		w.tb.Fatalf("the workflow has no %q", from)
	}
	wf, err := workflows.Check("test", "workflows/test.yaml", []byte(src), workflows.Options{})
	if err != nil {
		w.tb.Fatal(err)
	}
	w.snap.Workflows["test"] = dispatch.WorkflowFacts{Workflow: wf}
}

func TestMakePlan_WF1_AGuardThatRefusesIsNamed(t *testing.T) { // G2
	t.Parallel()
	w := newWorld(t)
	w.edited("{from: todo, to: doing}", `{from: todo, to: doing, require: [{expr: card.priority > 0, message: give it a priority first}]}`)
	id := w.card("todo")
	h := heldAs(t, w.plan(), id)
	if h.Code != board.HoldRefused || !strings.Contains(h.Text, "give it a priority first") || !strings.Contains(h.Key, "workflows/test.yaml:") {
		t.Fatalf("held %+v, want the guard's message and where it stands", h.Reason)
	}
}

const eligible = "dispatch:\n  eligible: '!(run.local && (host.memory_pressure == \"critical\" || host.memory_pressure == \"elevated\" && tick.local_started > 0))'\n"

func TestMakePlan_DSP5_IneligibleQuotesWhatItRead(t *testing.T) { // G3, G4
	t.Parallel()
	w := newWorld(t)
	w.edited("dispatch:\n", eligible)
	w.snap.Host.MemoryPressure = "critical"
	here := w.card("todo", func(c *board.Card) { c.Host = "far" })
	abroad := w.card("todo", func(c *board.Card) { c.Host, c.Assignee = "far", "paner" })
	p := w.plan()
	h := heldAs(t, p, here)
	if h.Code != board.HoldIneligible || h.Values["host.memory_pressure"] != "critical" || h.Values["tick.local_started"] != 0 ||
		!strings.Contains(h.Text, `host.memory_pressure = "critical"`) || !strings.Contains(h.Text, "tick.local_started = 0") {
		t.Fatalf("held %+v, want the pressure and the local starts quoted", h.Reason)
	}
	if got := started(p); !slices.Equal(got, []string{abroad}) {
		t.Fatalf("started %v, want the pane on far: its memory is its own", got)
	}
}

func TestMakePlan_DSP5_EligibleSeesThePlansOwnLocalStarts(t *testing.T) { // G5
	t.Parallel()
	w := newWorld(t)
	w.edited("dispatch:\n", eligible)
	w.snap.Host.MemoryPressure = "elevated"
	first, second := w.card("todo"), w.card("todo")
	abroad := w.card("todo", func(c *board.Card) { c.Host, c.Assignee = "far", "paner" })
	p := w.plan()
	if got := started(p); !slices.Equal(got, []string{first, abroad}) {
		t.Fatalf("started %v, want one here and the pane on far", got)
	}
	if h := heldAs(t, p, second); h.Code != board.HoldIneligible {
		t.Fatalf("held as %s, want ineligible: one local start is made", h.Code)
	}
}

func TestMakePlan_DSP13_CapacityIsToldBeforeTheLauncher(t *testing.T) { // G7
	t.Parallel()
	w := newWorld(t, `{name: none abroad, counts: runs, where: {host: far}, max: 0}`)
	w.snap.Panes["far"] = dispatch.PaneHost{Text: "timed out"}
	id := w.card("todo", func(c *board.Card) { c.Host, c.Assignee = "far", "paner" })
	h := heldAs(t, w.plan(), id)
	if h.Code != board.HoldCapacity || h.Cap != "none abroad" {
		t.Fatalf("held %+v, want the cap", h.Reason)
	}
}

// silentHost is a machine that does not answer, and counts how often it is asked.
type silentHost struct{ asked *atomic.Int32 }

func (silentHost) Name() string { return "far" }

func (h silentHost) Look(context.Context, []string) dispatch.PaneHost {
	h.asked.Add(1)
	return dispatch.PaneHost{Text: "no answer"}
}

func (silentHost) Open(context.Context, dispatch.PaneWindow) (string, error) { return "", nil }

func (silentHost) Bury(context.Context, tmux.Identity) error { return nil }

func TestTick_LIV2_ASilentHostIsAskedOnceATick(t *testing.T) { // G9
	t.Parallel()
	p := newPlace(t)
	p.write("config.yaml", "hosts: {far: {ssh: far}}\n")
	h := silentHost{asked: &atomic.Int32{}}
	p.hosts = []dispatch.Host{h}
	for range 3 {
		p.card("todo", func(c *board.Card) { c.Host, c.Assignee = "far", "paner" })
	}
	for ticks := int32(1); ticks <= 2; ticks++ {
		r := p.tick()
		if len(r.Held) != 3 || r.Held[0].Code != board.HoldLauncher || h.asked.Load() != ticks {
			t.Fatalf("tick %d: held %+v after %d questions, want three holds and one question", ticks, r.Held, h.asked.Load())
		}
	}
}

func TestMakePlan_CAP6_AnIdleKeptSessionsNextRunNeedsNoNewPlace(t *testing.T) { // I5
	t.Parallel()
	w := newWorld(t)
	w.edited("surface: pane}", "surface: pane, interactive: true}", ds1)
	id := w.card("doing", func(c *board.Card) { c.Host, c.Assignee = "base", "paner" })
	session := w.idle(id, "a", time.Minute)
	p := w.plan()
	if len(p.Start) != 1 || p.Start[0].Kept != session || p.Start[0].Mode != board.ModeKept {
		t.Fatalf("started %+v held %v, want the run in session %d", p.Start, codes(p), session)
	}
}

func TestMakePlan_CAP14_AResumedSessionIsHeldLikeAnyStart(t *testing.T) { // I4
	t.Parallel()
	w := newWorld(t, ds1)
	id := w.card("doing", func(c *board.Card) { c.Attempts = 1 })
	w.snap.View.Resumable[board.SlotKey{Card: id, Slot: roster.WorkerSlot}] = board.Session{ID: 40, Card: id, Executor: "a", HarnessSession: "x"}
	if p := w.plan(); len(p.Start) != 1 || p.Start[0].Mode != board.ModeResume {
		t.Fatalf("started %+v, want it resumed while there is room", p.Start)
	}
	w.run(w.card("doing"), "b")
	if h := heldAs(t, w.plan(), id); h.Code != board.HoldCapacity {
		t.Fatalf("held as %s, want capacity: its session is gone and another has the place", h.Code)
	}
}

// I8: idle sessions never deadlock a board: they are closed one by one until every review has run.
func TestMakePlan_CAP18_EveryReviewRunsOnAHostFullOfIdleSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{name: sessions on a host, counts: sessions, scope: host, where: {dispatch: true}, max: 8}`)
	w.executors(executor("a", 20), executor("b", 20))
	for i := range 8 {
		w.idle(w.card("review"), "a", time.Duration(i+1)*time.Minute)
	}
	done := map[string]bool{}
	for range 40 {
		p := w.plan()
		if len(p.Close) > 1 {
			t.Fatalf("%d sessions closed for one place", len(p.Close))
		}
		for _, c := range p.Close {
			w.gone(c.Session)
		}
		for _, s := range p.Start {
			done[s.Card.ID] = true
			w.drop(s.Card.ID) // reviewed within the tick
		}
	}
	if len(done) != 8 {
		t.Fatalf("%d reviews ran, want 8", len(done))
	}
}

// gone takes away a session that is proved gone.
func (w *world) gone(session int64) {
	v := w.snap.View
	v.Sessions = slices.DeleteFunc(v.Sessions, func(x board.Session) bool { return x.ID == session })
	v.Leases = slices.DeleteFunc(v.Leases, func(l board.Lease) bool { return l.Session == session })
}

// drop takes away a card that is done.
func (w *world) drop(id string) {
	w.snap.View.Cards = slices.DeleteFunc(w.snap.View.Cards, func(c board.Card) bool { return c.ID == id })
}

func TestMakePlan_CAP18_NeverClosesAnAdoptedSession(t *testing.T) { // I11
	t.Parallel()
	w := newWorld(t, `{name: all sessions, counts: sessions, max: 1}`)
	own := w.card("doing")
	w.idle(own, "a", time.Hour)
	w.snap.View.Sessions[0].Origin = board.Adopted
	w.card("todo")
	if p := w.plan(); len(p.Close)+len(p.Start) != 0 {
		t.Fatalf("closed %+v started %v, want neither: the person's session stays", p.Close, started(p))
	}
}

// The longest wait is bounded: after per x (max + 1) a card goes before all that became startable later, so it starts once
// as many places were free as cards were startable before it, however many urgent cards come meanwhile (DSP-4).
func TestMakePlan_DSP4_NobodyWaitsLongerThanTheBound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		per, most := time.Hour, rapid.IntRange(0, 3).Draw(rt, "max")
		places := rapid.IntRange(1, 2).Draw(rt, "places")
		w := newWorld(t, fmt.Sprintf(`{name: few, counts: starts, max: %d}`, places))
		w.executors(executor("a", 9))
		w.snap.Workflows["test"].Workflow.Dispatch.Aging = workflows.Aging{Per: per, Max: most}
		before := rapid.IntRange(0, 4).Draw(rt, "startable before")
		for range before {
			w.card("todo", func(c *board.Card) { c.Priority = 50; c.ReadySince = board.At(noon.Add(-time.Second)) })
		}
		humble := w.card("todo", func(c *board.Card) { c.Priority = -50 })
		bound := per*time.Duration(most+1) + time.Duration(before/places+1)*30*time.Minute
		for waited := time.Duration(0); waited <= bound; waited += 30 * time.Minute { // places are free each half hour
			w.snap.Now = noon.Add(waited)
			w.snap.View.Now = board.At(w.snap.Now)
			for range rapid.IntRange(places, places+2).Draw(rt, "urgent cards") {
				id := fmt.Sprintf("api-%d", 1000+w.next)
				w.next++
				w.snap.View.Cards = append(w.snap.View.Cards, board.Card{
					ID: id, Board: "api", Number: int(1000 + w.next), Status: "todo", Priority: 100, CreatedAt: w.snap.View.Now, ReadySince: w.snap.View.Now,
				})
			}
			p := w.plan()
			for _, s := range p.Start {
				w.drop(s.Card.ID)
			}
			if slices.Contains(started(p), humble) {
				return
			}
		}
		rt.Fatalf("the humble card was not started within %s", bound)
	})
}

// A saturated group holds back only cards that share it (DSP-4, DSP-5), also among 10,000 that wait for it.
func TestMakePlan_DSP4_ASaturatedGroupIsSkippedWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{name: no workers, counts: runs, where: {role: coder}, max: 0}`)
	for range 10_000 {
		w.card("todo", func(c *board.Card) { c.Priority = 9 })
	}
	review := w.card("review")
	p := w.plan()
	if got := started(p); !slices.Equal(got, []string{review}) {
		t.Fatalf("started %v, want %s", got, review)
	}
	if len(p.Hold) != 10_000 {
		t.Fatalf("%d holds, want 10,000", len(p.Hold))
	}
	reasons := map[*dispatch.Reason]bool{}
	for _, h := range p.Hold {
		reasons[h.Reason] = true
	}
	if len(reasons) > 2 { // worked out once, and once more after the start
		t.Fatalf("the reason was worked out %d times for one group", len(reasons))
	}
}
