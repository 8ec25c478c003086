package roster_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-2ddc2152/board/internal/roster"
)

// machine leases and releases at random, as claims of many ticks would.
type machine struct {
	state roster.State
	cards int
}

// ROS-2, ROS-4 and ROS-14; scenarios 33, 44 and 47: whatever the order, no slots are exceeded, no clone is out twice, the
// lowest free clone is taken, and each worker lends to one borrower at most.
func TestOffers_HoldsItsPromisesUnderRandomUse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{state: drawState(t)}
		t.Repeat(map[string]func(*rapid.T){
			"lease":   m.lease,
			"release": m.release,
			"idle":    m.idle,
			"exclude": m.exclude,
			"wait":    m.wait,
			"":        m.check,
		})
	})
}

func drawState(t *rapid.T) roster.State {
	var executors []roster.Executor
	for i := range rapid.IntRange(1, 4).Draw(t, "executors") {
		all := rapid.IntRange(1, 3).Draw(t, "slots")
		served := rapid.SliceOfNDistinct(rapid.SampledFrom(roster.Roles()), 1, 5, rapid.ID[roster.Role]).Draw(t, "roles")
		executors = append(executors, executor(fmt.Sprintf("e%d", i),
			slots(all, rapid.IntRange(0, all).Draw(t, "coder slots")), roles(served...),
			priority(float64(rapid.IntRange(0, 2).Draw(t, "priority")))))
	}
	return stateOf(executors...)
}

func (m *machine) lease(t *rapid.T) {
	m.cards++
	w := roster.Want{
		Role: rapid.SampledFrom(roster.Roles()).Draw(t, "role"),
		Card: fmt.Sprintf("C-%d", rapid.IntRange(1, m.cards).Draw(t, "card")), Slot: "worker",
	}
	if w.Role.Reasoning() {
		w.Slot = "other"
		w.Avoid = []string{rapid.SampledFrom(m.state.Executors).Draw(t, "avoid").ID}
	}
	offers, unserved := m.state.Offers(w)
	if (len(offers) == 0) != (unserved != nil) {
		t.Fatalf("got offers %v and unserved %+v, want exactly one", offers, unserved)
	}
	if unserved != nil {
		if len(unserved.Refusals) != len(m.state.Executors) || unserved.Text == "" {
			t.Fatalf("got %+v, want one reason per executor", unserved)
		}
		return
	}
	o := rapid.SampledFrom(offers).Draw(t, "offer")
	if slices.Contains(w.Avoid, o.Executor.ID) != (o.Because != "") {
		t.Fatalf("got %s because %q, avoiding %v", o.Executor.ID, o.Because, w.Avoid)
	}
	for clone := 1; clone < o.Clone; clone++ {
		if !m.held(o.Executor.ID, clone) {
			t.Fatalf("got clone %d of %s while %d is free", o.Clone, o.Executor.ID, clone)
		}
	}
	m.state = m.state.With(leaseOf(o, w))
}

func (m *machine) held(executor string, clone int) bool {
	return slices.ContainsFunc(m.state.Leases, func(l roster.Lease) bool { return l.Executor == executor && l.Clone == clone })
}

func (m *machine) release(t *rapid.T) {
	if len(m.state.Leases) == 0 {
		t.Skip("nothing is leased")
	}
	id := rapid.SampledFrom(m.state.Leases).Draw(t, "lease").ID
	m.state = m.state.Without(id).Without(id)
}

func (m *machine) idle(t *rapid.T) {
	if len(m.state.Leases) == 0 {
		t.Skip("nothing is leased")
	}
	i := rapid.IntRange(0, len(m.state.Leases)-1).Draw(t, "lease")
	m.state.Leases = slices.Clone(m.state.Leases)
	m.state.Leases[i].Idle = !m.state.Leases[i].Idle
}

func (m *machine) exclude(t *rapid.T) {
	x := outUntil(rapid.SampledFrom(m.state.Executors).Draw(t, "executor").ID, m.state.Now.Add(time.Hour))
	replaced, add := roster.Record(m.state.Exclusions, x)
	if !add {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(m.state.Exclusions), func(old roster.Exclusion) bool { return slices.Contains(replaced, old) })
	m.state.Exclusions = append(kept, x)
}

func (m *machine) wait(t *rapid.T) {
	m.state.Now = m.state.Now.Add(time.Duration(rapid.IntRange(1, 90).Draw(t, "minutes")) * time.Minute)
	r := m.state.Refresh(roster.Seen{})
	for _, back := range r.Back {
		e, _ := roster.Roster{Executors: r.State.Executors}.Find(back.Executor)
		if _, before := m.state.OutOf(e); before {
			t.Fatalf("%s is back and out", back.Executor)
		}
	}
	m.state = r.State
}

func (m *machine) check(t *rapid.T) {
	lent := map[string]int{}
	for _, e := range m.state.Executors {
		use := m.state.UseOf(e)
		if use.Used > e.Slots || use.CoderUsed > e.CoderSlots {
			t.Fatalf("%s: got %+v, over its slots", e.ID, use)
		}
		out := map[int]bool{}
		for _, l := range m.state.Holders(e.ID) {
			if out[l.Clone] || l.Clone > e.Slots {
				t.Fatalf("%s: clone %d is out twice or above %d", e.ID, l.Clone, e.Slots)
			}
			out[l.Clone] = true
		}
	}
	for _, l := range m.state.Leases {
		if l.Borrowed() {
			lent[l.Card+" "+l.Executor]++
		}
	}
	for who, n := range lent {
		if n > 1 {
			t.Fatalf("%s: got %d borrowers, want 1 at most", who, n)
		}
	}
}

// ROS-3: the same state and want give the same offers in the same order, none worse than the one before.
func TestOffers_AreATotalOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		s.LastLeased = map[string]int64{"e0": 4, "e1": rapid.Int64Range(1, 9).Draw(t, "last")}
		w := roster.Want{Role: rapid.SampledFrom(roster.Roles()).Draw(t, "role"), Card: "C-1", Prefer: "e1"}
		first, _ := s.Offers(w)
		slices.Reverse(s.Executors)
		second, _ := s.Offers(w)
		for i := range first {
			if first[i].Executor.ID != second[i].Executor.ID {
				t.Fatalf("got %v and %v for one roster", first, second)
			}
			if i > 0 && first[i-1].Executor.Priority.For(w.Role) > first[i].Executor.Priority.For(w.Role) {
				t.Fatalf("got %v, not in the order of priority", first)
			}
		}
	})
}
