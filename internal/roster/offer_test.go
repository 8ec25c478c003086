package roster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/roster"
)

// noon is a moment for tests.
func noon() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }

// executor makes one of all roles; with changes what the test needs.
func executor(id string, with ...func(*roster.Executor)) roster.Executor {
	e := roster.Executor{
		ID: id, Harness: "claude", Roles: roster.Roles(), Slots: 1, CoderSlots: 1,
		Priority: roster.PerRole[float64]{Default: 1}, Cooldown: roster.DefaultCooldown(),
	}
	for _, change := range with {
		change(&e)
	}
	return e
}

func slots(all, coder int) func(*roster.Executor) {
	return func(e *roster.Executor) { e.Slots, e.CoderSlots = all, coder }
}

func priority(p float64) func(*roster.Executor) {
	return func(e *roster.Executor) { e.Priority.Default = p }
}

func roles(list ...roster.Role) func(*roster.Executor) {
	return func(e *roster.Executor) { e.Roles = list }
}

func stateOf(executors ...roster.Executor) roster.State {
	for i := range executors {
		executors[i].Position = i
	}
	return roster.State{Now: noon(), Executors: executors}
}

func coder(card string) roster.Want {
	return roster.Want{Role: roster.RoleCoder, Card: card, Slot: "worker"}
}

func reviewer(card string, avoid ...string) roster.Want {
	return roster.Want{Role: roster.RoleReviewer, Card: card, Slot: "reviewer", Avoid: avoid}
}

// lease takes the best offer, and returns its label.
func lease(t *testing.T, s roster.State, w roster.Want) (roster.State, string) {
	t.Helper()
	offers, unserved := s.Offers(w)
	if unserved != nil {
		t.Fatalf("%s for %s: %s", w.Role, w.Card, unserved.Text)
	}
	o := offers[0]
	return s.With(leaseOf(o, w)), o.Executor.Label(o.Clone)
}

func leaseOf(o roster.Offer, w roster.Want) roster.Lease {
	return roster.Lease{
		Executor: o.Executor.ID, Role: w.Role, Clone: o.Clone, Card: w.Card, Story: w.Story, Slot: w.Slot, Because: o.Because,
	}
}

// leaseAll leases for cards C-1, C-2, ... and returns the labels.
func leaseAll(t *testing.T, s roster.State, n int) (roster.State, string) {
	t.Helper()
	var labels []string
	for i := range n {
		var label string
		s, label = lease(t, s, coder(fmt.Sprintf("C-%d", i+1)))
		labels = append(labels, label)
	}
	return s, strings.Join(labels, " ")
}

func unserved(t *testing.T, s roster.State, w roster.Want) *roster.Unserved {
	t.Helper()
	offers, u := s.Offers(w)
	if u == nil {
		t.Fatalf("got offers %v, want none", offers)
	}
	return u
}

func offered(s roster.State, w roster.Want) string {
	offers, _ := s.Offers(w)
	var list []string
	for _, o := range offers {
		list = append(list, o.Executor.Label(o.Clone))
	}
	return strings.Join(list, " ")
}

// ROS-3; scenario 28.
func TestOffers_PicksByPriorityThenLeastRecentlyLeasedThenFile(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a", slots(2, 2)), executor("b"), executor("c", priority(2)), executor("d", priority(3)))
	if _, got := leaseAll(t, s, 5); got != "a#1 b a#2 c d" {
		t.Errorf("got %s, want a#1 b a#2 c d", got)
	}
	s = stateOf(executor("pi-local"), executor("lemonade"), executor("codex", priority(2)), executor("claude", priority(3), slots(2, 2)))
	if _, got := leaseAll(t, s, 5); got != "pi-local lemonade codex claude#1 claude#2" {
		t.Errorf("got %s", got)
	}
	s = stateOf(executor("a"), executor("b"))
	s.LastLeased = map[string]int64{"a": 7}
	if got := offered(s, coder("C-1")); got != "b a" {
		t.Errorf("got %s, want b first: it was never leased", got)
	}
}

// ROS-3; scenario 30.
func TestOffers_PrefersOnlyAmongEqualsOfTheBestPriority(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a"), executor("b"), executor("c", priority(2)))
	w := coder("C-1")
	w.Prefer = "b"
	if got := offered(s, w); got != "b a c" {
		t.Errorf("an equal: got %s, want b a c", got)
	}
	w.Prefer = "c"
	if got := offered(s, w); got != "a b c" {
		t.Errorf("a worse one: got %s, want a b c", got)
	}
}

// ROS-2; scenario 31.
func TestOffers_KeepsSlotsFromCoders(t *testing.T) {
	t.Parallel()
	s, _ := lease(t, stateOf(executor("a", slots(2, 1))), coder("C-1"))
	u := unserved(t, s, coder("C-2"))
	if want := "no free coder: a busy, 1 of 1 coder slots: C-1 worker (a#1)"; u.Text != want || u.Exhausted {
		t.Errorf("got %q, want %q", u.Text, want)
	}
	if got := offered(s, reviewer("C-3")); got != "a#2" {
		t.Errorf("a reviewer: got %q, want a#2", got)
	}
}

// ROS-2.
func TestOffers_MeetsTheConstraintsOfTheProfile(t *testing.T) {
	t.Parallel()
	big := executor("big", func(e *roster.Executor) {
		e.Model, e.Effort.Default = "openrouter/anthropic/claude-opus-4", "high"
	})
	small := executor("small", func(e *roster.Executor) { e.Harness, e.Model = "codex", "gpt-5-mini" })
	s := stateOf(big, small)
	for _, c := range []struct {
		name  string
		given roster.Constraints
		want  string
	}{
		{"none", roster.Constraints{}, "big small"},
		{"executors", roster.Constraints{Executors: []string{"sm*"}}, "small"},
		{"harness", roster.Constraints{Harness: []string{"pi", "claude"}}, "big"},
		{"model over slashes", roster.Constraints{Model: []string{"*claude-opus-?"}}, "big"},
		{"model of another", roster.Constraints{Model: []string{"claude-opus-*"}}, ""},
		{"effort", roster.Constraints{MinEffort: "medium"}, "big"},
		{"more effort", roster.Constraints{MinEffort: "max"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := coder("C-1")
			w.Constraints = c.given
			if got := offered(s, w); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// ROS-4; scenarios 32 and 34.
func TestOffers_GivesTheLowestFreeCloneAndReleasesOnce(t *testing.T) {
	t.Parallel()
	s, got := leaseAll(t, stateOf(executor("a", slots(2, 2))), 2)
	if got != "a#1 a#2" {
		t.Fatalf("got %s, want a#1 a#2", got)
	}
	unserved(t, s, coder("C-3"))
	first := s.Leases[0].ID
	s = s.Without(first).Without(first)
	s, label := lease(t, s, coder("C-3"))
	if label != "a#1" {
		t.Errorf("got %s, want the released a#1", label)
	}
	if use := s.UseOf(s.Executors[0]); use.Used != 2 {
		t.Errorf("got %d used after one release, want 2", use.Used)
	}
}

// ROS-4, with slots taken from the file while they are held: nothing is freed that is held.
func TestOffers_LoweredSlotsWaitForTheirHolders(t *testing.T) {
	t.Parallel()
	s, _ := leaseAll(t, stateOf(executor("a", slots(3, 3))), 3)
	s.Executors = []roster.Executor{executor("a", slots(2, 2))}
	unserved(t, s, coder("C-4"))
	s = s.Without(s.Leases[0].ID)
	unserved(t, s, coder("C-4"))
	s = s.Without(s.Leases[0].ID)
	if got := offered(s, coder("C-4")); got != "a#1" {
		t.Errorf("got %q with only clone 3 held, want a#1", got)
	}
	s.Executors = []roster.Executor{executor("renamed", slots(1, 1))}
	if got := offered(s, coder("C-4")); got != "renamed" {
		t.Errorf("got %q after a rename, want renamed", got)
	}
}

// ROS-6; scenarios 37, 39 and 41.
func TestOffers_TellsExhaustedFromBusyAndOut(t *testing.T) {
	t.Parallel()
	signedOut := roster.Exclusion{Executor: "a", Kind: roster.KindConfig, Reason: "unauthenticated: please run /login"}
	limited := roster.Exclusion{Executor: "a", Kind: roster.KindUntil, Until: noon().Add(time.Hour), Reason: "usage limited"}
	down := roster.Exclusion{Executor: "a", Kind: roster.KindHealth, Reason: "outage"}
	for _, c := range []struct {
		name      string
		state     roster.State
		exhausted bool
		until     time.Time
		want      string
	}{
		{
			"out for good",
			roster.State{Exclusions: []roster.Exclusion{signedOut}},
			true,
			time.Time{},
			"roster exhausted: nobody can ever serve as coder: a out until its entry, binary or sign-in changes, or it is resumed: unauthenticated: please run /login; b lacks the role coder",
		},
		{
			"out until a time",
			roster.State{Exclusions: []roster.Exclusion{limited}},
			false, noon().Add(time.Hour),
			"no free coder: a out until 13:00 UTC: usage limited",
		},
		{
			"down",
			roster.State{Exclusions: []roster.Exclusion{down, limited}},
			false,
			time.Time{},
			"no free coder: a out until its health URL answers: outage",
		},
		{
			"paused",
			roster.State{Pauses: []roster.Pause{{Executor: "a", Reason: "saving quota"}}, Exclusions: []roster.Exclusion{signedOut}},
			false,
			time.Time{},
			"no free coder: a paused by hand, until it is resumed: saving quota",
		},
		{
			"busy",
			roster.State{Leases: []roster.Lease{{ID: 1, Executor: "a", Role: roster.RoleCoder, Clone: 1, Card: "C-9", Slot: "worker", Idle: true}}},
			false,
			time.Time{},
			"no free coder: a busy, 1 of 1 slots: C-9 worker (a, idle)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := stateOf(executor("a"), executor("b", roles(roster.RoleReviewer)))
			s.Leases, s.Exclusions, s.Pauses = c.state.Leases, c.state.Exclusions, c.state.Pauses
			u := unserved(t, s, coder("C-1"))
			if u.Exhausted != c.exhausted || !u.Until.Equal(c.until) || u.Text != c.want {
				t.Errorf("got exhausted %v until %v\n%s\nwant %v %v\n%s", u.Exhausted, u.Until, u.Text, c.exhausted, c.until, c.want)
			}
			if len(u.Refusals) != 2 {
				t.Errorf("got %d refusals, want one per executor", len(u.Refusals))
			}
			if s.CanEverServe(coder("C-1")) == c.exhausted {
				t.Errorf("CanEverServe: got %v, want %v", !c.exhausted, c.exhausted)
			}
		})
	}
}

// ROS-6: an executor without a slot for coders can never serve one.
func TestCanEverServe_LooksAtRoleSlotsAndAvoidance(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a", slots(2, 0)))
	if s.CanEverServe(coder("C-1")) {
		t.Error("got a coder without coder slots")
	}
	if !s.CanEverServe(reviewer("C-1")) || s.CanEverServe(reviewer("C-1", "a")) {
		t.Error("a reviewer: want served, and not served where the only executor is avoided")
	}
	if u := unserved(t, stateOf(), coder("C-1")); !u.Exhausted || u.Text != "roster exhausted: no executors" {
		t.Errorf("an empty roster: got %+v", u)
	}
}

// Scenarios 45 and 46.
func TestRoom_CountsTheRoundOnly(t *testing.T) {
	t.Parallel()
	s, _ := leaseAll(t, stateOf(executor("a", slots(2, 2))), 2)
	room := func(s roster.State) string {
		capacity, free := s.Room(roster.RoleCoder)
		return fmt.Sprintf("%d free of %d", free, capacity)
	}
	if got := room(s); got != "0 free of 2" {
		t.Errorf("both held: got %s", got)
	}
	s.Exclusions = []roster.Exclusion{{Executor: "a", Kind: roster.KindUntil, Until: noon().Add(time.Minute)}}
	if got := room(s); got != "0 free of 0" {
		t.Errorf("out: got %s", got)
	}
	s.Now = noon().Add(time.Minute)
	if got := room(s.Without(s.Leases[0].ID)); got != "1 free of 2" {
		t.Errorf("back, one released: got %s", got)
	}
}

// CAP-18 needs to know which idle sessions keep a run waiting.
func TestIdleHolders_ListsTheLongestHeldFirst(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a", slots(2, 2)), executor("b"))
	s.Leases = []roster.Lease{
		{ID: 1, Executor: "a", Role: roster.RoleCoder, Clone: 1, Card: "C-1", Idle: true, Taken: noon().Add(-time.Minute)},
		{ID: 2, Executor: "a", Role: roster.RoleCoder, Clone: 2, Card: "C-2"},
		{ID: 3, Executor: "b", Role: roster.RoleCoder, Clone: 1, Card: "C-3", Idle: true, Taken: noon().Add(-time.Hour)},
	}
	var got []string
	for _, l := range unserved(t, s, coder("C-4")).IdleHolders() {
		got = append(got, l.Card)
	}
	if strings.Join(got, " ") != "C-3 C-1" {
		t.Errorf("got %v, want C-3 C-1", got)
	}
}
