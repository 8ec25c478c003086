package dispatch_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

const (
	ds1 = `{name: sessions on a host, counts: sessions, scope: host, where: {dispatch: true}, max: 1}`
	ds2 = `{name: sessions on a host, counts: sessions, scope: host, where: {dispatch: true}, max: 2}`
)

func TestMakePlan_StartsByTheWorkflowsOrder(t *testing.T) { // G11
	t.Parallel()
	w := newWorld(t, `{name: few, counts: runs, max: 3}`)
	old := w.card("todo")
	urgent := w.card("todo", func(c *board.Card) { c.Priority = 5 })
	review := w.card("review")
	w.card("todo")
	if got, want := started(w.plan()), []string{review, urgent, old}; !slices.Equal(got, want) {
		t.Fatalf("started %v, want %v", got, want)
	}
}

func TestMakePlan_DSP3_NamesTheFirstReasonThatApplies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(w *world) string
		code board.HoldCode
		text string
	}{
		{"paused home", func(w *world) string {
			w.snap.View.Pauses = append(w.snap.View.Pauses, board.Pause{Kind: board.PauseHome, Actor: "eve", Reason: "holiday"})
			return w.card("todo")
		}, board.HoldPaused, "holiday"},
		{"paused card", func(w *world) string {
			id := w.card("todo")
			w.snap.View.Pauses = append(w.snap.View.Pauses, board.Pause{Kind: board.PauseCard, Target: id, Actor: "eve"})
			return id
		}, board.HoldPaused, "paused by eve"},
		{"open question", func(w *world) string {
			id := w.card("todo")
			w.snap.View.Blocks[id] = board.Block{Card: id, Text: "which one?"}
			return id
		}, board.HoldNeedsPerson, "which one?"},
		{"blocked", func(w *world) string {
			id := w.card("todo")
			w.snap.View.Blockers[id] = []board.Blocker{{Blocker: "api-9", Blocked: id, Status: "doing"}}
			return id
		}, board.HoldBlocked, "api-9 (doing)"},
		{"blocker cancelled", func(w *world) string {
			id := w.card("todo")
			w.snap.View.Blockers[id] = []board.Blocker{{Blocker: "api-9", Blocked: id, Status: "cancelled", Cancelled: true}}
			return id
		}, board.HoldNeedsPerson, "go on without it?"},
		{"not before", func(w *world) string {
			return w.card("todo", func(c *board.Card) { c.NotBefore = board.At(noon.Add(time.Hour)) })
		}, board.HoldNotBefore, "not before"},
		{"no start from here (G1)", func(w *world) string { return w.card("elsewhere") }, board.HoldNoTransition, "start"},
		{"profile that is not there", func(w *world) string {
			return w.card("todo", func(c *board.Card) { c.Assignee = "nobody" })
		}, board.HoldFault, "nobody"},
		{"pane without a host (G8, B3, DSP-13)", func(w *world) string {
			return w.card("todo", func(c *board.Card) { c.Assignee = "paner" })
		}, board.HoldLauncher, "needs a host"},
		{"silent host (G9)", func(w *world) string {
			w.snap.Panes["far"] = dispatch.PaneHost{Text: "timed out"}
			return w.card("todo", func(c *board.Card) { c.Assignee, c.Host = "paner", "far" })
		}, board.HoldLauncher, "timed out"},
		{"nobody has the role (ROS-6)", func(w *world) string {
			e := executor("a", 1)
			e.Roles = []roster.Role{roster.RoleReviewer}
			w.executors(e)
			return w.card("todo")
		}, board.HoldRoster, "roster exhausted"},
		{"the home has lost a file (DSP-15)", func(w *world) string {
			w.snap.Home.Fault = "config.yaml is gone"
			return w.card("todo")
		}, board.HoldFault, "is gone"},
		{"broken workflow (D16)", func(w *world) string {
			facts := w.snap.Workflows["test"]
			facts.Fault = "line 3: what is this"
			w.snap.Workflows["test"] = facts
			return w.card("todo")
		}, board.HoldFault, "line 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := c.make(w)
			h := heldAs(t, w.plan(), id)
			if h.Code != c.code || !strings.Contains(h.Text, c.text) {
				t.Fatalf("held as %s %q, want %s with %q", h.Code, h.Text, c.code, c.text)
			}
		})
	}
}

func TestMakePlan_CAP10_CountsItsOwnStarts(t *testing.T) { // K3
	t.Parallel()
	w := newWorld(t, ds1)
	first, second := w.card("todo"), w.card("todo")
	p := w.plan()
	if got := started(p); !slices.Equal(got, []string{first}) {
		t.Fatalf("started %v, want only %s", got, first)
	}
	if h := heldAs(t, p, second); h.Code != board.HoldCapacity || h.Count != 1 || h.Max != 1 || h.Group != "base" {
		t.Fatalf("held %+v", h)
	}
}

func TestMakePlan_CAP2_CountsAHeadlessRunOnTheHomeHost(t *testing.T) { // B1, K2
	t.Parallel()
	w := newWorld(t, ds1)
	first := w.card("todo", func(c *board.Card) { c.Host = "far" })
	second := w.card("todo")
	p := w.plan()
	if len(p.Start) != 1 || p.Start[0].Host != "base" || p.Start[0].Card.ID != first {
		t.Fatalf("started %+v", p.Start)
	}
	if h := heldAs(t, p, second); h.Group != "base" {
		t.Fatalf("held in group %q, want base", h.Group)
	}
}

func TestMakePlan_CAP6_AReviewIsAnotherSessionThanItsWorker(t *testing.T) { // E2, E3
	t.Parallel()
	for limit, wants := range map[string]bool{ds1: false, ds2: true} {
		w := newWorld(t, limit)
		id := w.card("review")
		w.idle(id, "a", time.Minute)
		p := w.plan()
		if got := len(p.Start) == 1; got != wants {
			t.Fatalf("cap %s: started %v, want %v", limit, started(p), wants)
		}
	}
}

func TestMakePlan_CAP9_TwoReviewsCannotShareOnePlace(t *testing.T) { // F1
	t.Parallel()
	w := newWorld(t, `{name: s, counts: sessions, scope: host, max: 3}`)
	a, b := w.card("review"), w.card("review")
	w.idle(a, "a", 2*time.Minute)
	w.idle(b, "b", time.Minute)
	p := w.plan()
	if got := started(p); !slices.Equal(got, []string{a}) {
		t.Fatalf("started %v, want only %s", got, a)
	}
}

func TestMakePlan_CAP18_ClosesTheLongestIdleSessionForAHeldStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ds2)
	a, b := w.card("review"), w.card("review")
	w.idle(a, "a", time.Minute)
	longest := w.idle(b, "b", time.Hour)
	p := w.plan()
	if len(p.Start) != 0 || len(p.Close) != 1 || p.Close[0].Session != longest {
		t.Fatalf("start %v close %+v, want no start and session %d closed", started(p), p.Close, longest)
	}
}

func TestMakePlan_DSP5_ARefusedCardStopsNobody(t *testing.T) { // G10
	t.Parallel()
	w := newWorld(t, `{name: no coders, counts: runs, where: {status: doing}, max: 0}`)
	w.card("todo", func(c *board.Card) { c.Priority = 9 })
	review := w.card("review")
	if got := started(w.plan()); !slices.Equal(got, []string{review}) {
		t.Fatalf("started %v, want %s", got, review)
	}
}

func TestMakePlan_DSP4_SharesStartsBetweenBoardsByWeight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{name: few, counts: runs, max: 3}`)
	w.snap.View.Boards = []board.Board{{Slug: "api", Workflow: "test", Weight: 1}, {Slug: "web", Workflow: "test", Weight: 2}}
	w.executors(executor("a", 8))
	for i := range 4 {
		w.card("todo")
		n := i + 1
		w.snap.View.Cards = append(w.snap.View.Cards, board.Card{ID: fmt.Sprintf("web-%d", n), Board: "web", Number: n, Status: "todo", CreatedAt: board.At(noon)})
	}
	boards := map[string]int{}
	for _, s := range w.plan().Start {
		boards[s.Card.Board]++
	}
	if boards["api"] != 1 || boards["web"] != 2 {
		t.Fatalf("starts by board: %v, want api 1 and web 2", boards)
	}
}

func TestMakePlan_DSP4_ACardThatWaitedOutItsAgingGoesFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{name: one, counts: runs, max: 1}`)
	wf := w.snap.Workflows["test"].Workflow
	wf.Dispatch.Aging = workflows.Aging{Per: time.Hour, Max: 2}
	w.card("todo", func(c *board.Card) { c.Priority = 100 })
	waited := w.card("todo", func(c *board.Card) { c.ReadySince = board.At(noon.Add(-3 * time.Hour)) })
	if got := started(w.plan()); !slices.Equal(got, []string{waited}) {
		t.Fatalf("started %v, want %s: it has waited for per x (max + 1)", got, waited)
	}
}

func TestMakePlan_DSP9_ARequestedStartGoesFirst(t *testing.T) { // I1, I3
	t.Parallel()
	w := newWorld(t, `{name: one, counts: runs, max: 1}`)
	w.card("todo", func(c *board.Card) { c.Priority = 100 })
	asked := w.card("todo", func(c *board.Card) { c.StartRequested = board.At(noon) })
	if got := started(w.plan()); !slices.Equal(got, []string{asked}) {
		t.Fatalf("started %v, want %s", got, asked)
	}
}

func TestMakePlan_DSP8_RelaunchesAClaimWhoseSupervisorNeverCame(t *testing.T) { // L3
	t.Parallel()
	for _, c := range []struct {
		name     string
		since    time.Duration
		attempt  int
		lock     dispatch.LockState
		relaunch bool
		ends     board.Outcome
	}{
		{"young", 29 * time.Second, 1, dispatch.LockFree, false, ""},
		{"old", 30 * time.Second, 1, dispatch.LockFree, true, ""},
		{"old, lock held", time.Hour, 1, dispatch.LockHeld, false, ""},
		{"third attempt", 30 * time.Second, 3, dispatch.LockFree, false, board.SpawnFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.run(w.card("doing"), "a", func(r *board.Run, _ *board.Session) {
				r.State, r.Session, r.LaunchAttempt, r.SpawnedAt = board.RunClaimed, 0, c.attempt, board.At(noon.Add(-c.since))
			})
			w.snap.Runs[id] = dispatch.RunSeen{Lock: c.lock}
			p := w.plan()
			if got := len(p.Relaunch) == 1; got != c.relaunch {
				t.Errorf("relaunch %v, want %v", p.Relaunch, c.relaunch)
			}
			var ended board.Outcome
			if len(p.Endings) == 1 {
				ended = p.Endings[0].Run.Outcome
			}
			if ended != c.ends {
				t.Errorf("ended %q, want %q", ended, c.ends)
			}
			if c.ends == "" && len(p.Start) != 0 {
				t.Errorf("started %v beside an open run", started(p))
			}
		})
	}
}

func TestMakePlan_LIV2_AnUnknownRunKeepsItsPlace(t *testing.T) { // D8
	t.Parallel()
	w := newWorld(t, ds1)
	id := w.run(w.card("doing"), "a")
	w.snap.Runs[id] = dispatch.RunSeen{Lock: dispatch.LockFree, Unsure: true}
	w.card("todo")
	p := w.plan()
	if len(p.Settle)+len(p.Start) != 0 || len(p.Faults) != 1 {
		t.Fatalf("settle %v start %v faults %v, want nothing but a fault", p.Settle, started(p), p.Faults)
	}
}

func TestMakePlan_END2_AppliesEndingsBeforeItStarts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ds1)
	id := w.card("doing")
	run := w.run(id, "a")
	zero := 0
	w.snap.Runs[run] = dispatch.RunSeen{Lock: dispatch.LockFree, Exit: &board.Exit{Code: &zero}}
	p := w.plan()
	if len(p.Start) != 1 || p.Start[0].Card.ID != id || p.Start[0].Status != "review" {
		t.Fatalf("started %+v, want the review of %s in the place that its worker leaves", p.Start, id)
	}
}

func TestMakePlan_ROS13_AReviewAvoidsWhoMadeTheWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.card("review")
	w.snap.View.Workers[id] = []board.Worker{{Card: id, Executor: "a"}}
	p := w.plan()
	if len(p.Start) != 1 || p.Start[0].Executor != "b" || p.Start[0].Independent == nil || !*p.Start[0].Independent {
		t.Fatalf("started %+v, want the review on b, independent", p.Start)
	}
}

func TestMakePlan_CAP13_TakesTheNextExecutorThatPassesTheCaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{name: a is enough, counts: runs, scope: executor, where: {executor: a}, max: 1}`)
	w.card("todo")
	w.card("todo")
	p := w.plan()
	if len(p.Start) != 2 || p.Start[0].Executor != "a" || p.Start[1].Executor != "b" {
		t.Fatalf("started %+v, want one on a and one on b", p.Start)
	}
}

// WSP-7: cards whose paths overlap do not run at the same time on one repository; the other is named.
func TestMakePlan_WSP7_PathsThatARunningCardOwnsAreWaitedFor(t *testing.T) {
	t.Parallel()
	owns := func(paths ...string) func(*board.Card) { return func(c *board.Card) { c.Owns = paths } }
	for _, c := range []struct {
		first, second string
		waits         bool
	}{
		{"src", "src/a.go", true},
		{"src/a.go", "src", true},
		{"src/**", "src/b", true},
		{"./src/", "src", true},
		{"**", "docs", true},
		{"src/a", "src/ab", false},
		{"src", "docs", false},
		{"src/*.go", "docs/*.go", false},
	} {
		w := newWorld(t)
		first, second := w.card("todo", owns(c.first)), w.card("todo", owns(c.second))
		p := w.plan()
		if got := len(p.Start) == 1; got != c.waits {
			t.Errorf("%s and %s: started %v, want the second to wait: %v", c.first, c.second, started(p), c.waits)
			continue
		}
		if !c.waits {
			continue
		}
		if h := heldAs(t, p, second); h.Code != board.HoldWorkspace || !strings.Contains(h.Text, first) {
			t.Errorf("%s and %s: held as %s %q, want workspace naming %s", c.first, c.second, h.Code, h.Text, first)
		}
	}
}

// TestMakePlan_Properties holds DSP-1 (same snapshot, same plan), DSP-3 (every card started or held exactly once) and that no
// cap and no executor's slots are ever exceeded.
func TestMakePlan_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(0, 4).Draw(rt, "max")
		runs := rapid.IntRange(0, 4).Draw(rt, "runs")
		w := newWorld(t, fmt.Sprintf(`{name: s, counts: sessions, scope: host, where: {dispatch: true}, max: %d}`, limit),
			fmt.Sprintf(`{name: r, counts: runs, max: %d, reserve: {for: {status: review}, slots: 1, when: %s}}`, runs, rapid.SampledFrom([]string{"waiting", "always"}).Draw(rt, "when")))
		w.executors(executor("a", rapid.IntRange(1, 3).Draw(rt, "a")), executor("b", rapid.IntRange(1, 3).Draw(rt, "b")))
		held := 0
		for range rapid.IntRange(0, 8).Draw(rt, "cards") {
			id := w.card(rapid.SampledFrom([]string{"todo", "doing", "review"}).Draw(rt, "status"), func(c *board.Card) {
				c.Priority = rapid.IntRange(0, 2).Draw(rt, "priority")
				c.Host = rapid.SampledFrom([]string{"", "far"}).Draw(rt, "host")
			})
			if held < min(limit, runs, 1) && rapid.Bool().Draw(rt, "runs") {
				w.run(id, "a")
				held++
			}
		}
		p := w.plan()
		if again := w.plan(); !reflect.DeepEqual(started(p), started(again)) || !reflect.DeepEqual(codes(p), codes(again)) {
			rt.Fatalf("two plans of one snapshot differ: %v and %v", started(p), started(again))
		}
		seen := map[string]int{}
		for _, s := range p.Start {
			seen[s.Card.ID]++
		}
		for _, h := range p.Hold {
			seen[h.Card]++
		}
		for _, c := range w.snap.View.Cards {
			if want := map[bool]int{true: 0, false: 1}[c.CurrentRun != 0]; seen[c.ID] != want {
				rt.Fatalf("%s is planned %d times, want %d", c.ID, seen[c.ID], want)
			}
		}
		if n := held + len(p.Start); n > limit || n > runs {
			rt.Fatalf("%d sessions under caps of %d and %d", n, limit, runs)
		}
		clones := map[string]int{}
		for _, s := range p.Start {
			clones[s.Executor+fmt.Sprint(s.Clone)]++
			if clones[s.Executor+fmt.Sprint(s.Clone)] > 1 {
				rt.Fatalf("clone %d of %s is leased twice", s.Clone, s.Executor)
			}
		}
	})
}

func codes(p dispatch.Plan) []string {
	var all []string
	for _, h := range p.Hold {
		all = append(all, h.Card+" "+string(h.Code)+" "+h.Cap+" "+h.Text)
	}
	return all
}
