package roster

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Constraints narrow who may serve, as a profile gives them. Each list holds globs, of which one must match; empty: any.
type Constraints struct {
	Executors []string
	Harness   []string
	Model     []string
	MinEffort string // empty: any
}

// Want is a run that looks for an executor.
type Want struct {
	Role        Role
	Card        string
	Story       string   // the card's story; empty: none
	Slot        string   // the session's slot
	Avoid       []string // executors that made the work which the run looks at (ROS-13)
	Prefer      string   // wins among equals of the best priority; empty: nobody
	Constraints Constraints
}

// Offer is one executor that could take a run now.
type Offer struct {
	Executor Executor
	Clone    int     // the lowest free one; 0: borrowed
	Because  Because // not empty: the run is not independent
	Beside   int64   // the worker's lease that a borrowed one stands beside
}

// RefusalCode says why one executor does not serve a run.
type RefusalCode string

// The refusals. Those marked "for good" last until a file changes or an executor is resumed.
const (
	RefusedRole      RefusalCode = "no_role"     // for good: it lacks the role
	RefusedSlots     RefusalCode = "no_slots"    // for good: coder_slots is 0
	RefusedMatch     RefusalCode = "constraints" // for good: the profile excludes it
	RefusedAvoided   RefusalCode = "avoided"     // for good: it made the work
	RefusedConfig    RefusalCode = "config"      // for good: out, kind config
	RefusedPaused    RefusalCode = "paused"      // until resumed, or Until
	RefusedUntil     RefusalCode = "until"       // until Until
	RefusedUnhealthy RefusalCode = "health"      // until its health URL answers
	RefusedBusy      RefusalCode = "busy"        // until one of Holders ends
)

// Refusal is why one executor does not serve a run.
type Refusal struct {
	Executor string
	Code     RefusalCode
	Text     string
	Until    time.Time // zero: unknown
	Holders  []Lease   // busy: who holds the slots
}

// Unserved is why nobody serves a run.
type Unserved struct {
	Exhausted bool      // nobody can ever serve it as things are configured
	Text      string    // for a person, on one line
	Refusals  []Refusal // one per executor, in the roster's order
	Until     time.Time // when the first of them comes back; zero: unknown
}

// Offers returns who could take the run now, best first, so that the caller can try them against its caps in order; or
// why nobody can. Exactly one of the two is nil.
//
// A reasoning run is offered executors that did not make the work. Only where there are none for a reason of ROS-14 is
// it offered those that did, and then each offer says why (Because).
func (s State) Offers(w Want) ([]Offer, *Unserved) {
	views := s.views(w)
	var offers []Offer
	for _, v := range views {
		if v.refused == "" {
			offers = append(offers, Offer{Executor: *v.Executor, Clone: LowestFreeClone(s.Leases, v.ID)})
		}
	}
	if len(offers) == 0 && w.Role.Reasoning() {
		offers = s.ownOffers(w, views)
	}
	if len(offers) == 0 {
		return nil, s.unserved(w, views)
	}
	s.rank(w, offers)
	return offers, nil
}

// CanEverServe reports whether some executor that is not avoided has the role, matches the constraints, has a slot that
// the role may use, and is not out with kind config (ROS-6).
func (s State) CanEverServe(w Want) bool {
	return slices.ContainsFunc(s.views(w), func(v view) bool { return !v.refused.forGood() })
}

// view is one executor as a run sees it.
type view struct {
	*Executor
	use     Use
	refused RefusalCode // empty: it is eligible
}

func (s State) views(w Want) []view {
	list := make([]view, 0, len(s.Executors))
	for i := range s.Executors {
		v := view{Executor: &s.Executors[i], use: s.UseOf(s.Executors[i])}
		v.refused = s.refuse(w, v)
		list = append(list, v)
	}
	return list
}

// refuse says why an executor cannot take the run, the most lasting reason first; empty: it can (ROS-2). It is asked
// for every card and executor, so it makes no text.
func (s State) refuse(w Want, v view) RefusalCode {
	switch {
	case !v.Has(w.Role):
		return RefusedRole
	case v.SlotsFor(w.Role) == 0:
		return RefusedSlots
	case !w.Constraints.match(v.Executor, w.Role):
		return RefusedMatch
	case slices.Contains(w.Avoid, v.ID):
		return RefusedAvoided
	}
	if out, isOut := s.OutOf(*v.Executor); isOut {
		return out.Code
	}
	if v.use.Free(w.Role) == 0 {
		return RefusedBusy
	}
	return ""
}

// forGood reports whether the reason lasts until a file changes or the executor is resumed.
func (c RefusalCode) forGood() bool {
	switch c {
	case RefusedRole, RefusedSlots, RefusedMatch, RefusedAvoided, RefusedConfig:
		return true
	case RefusedPaused, RefusedUntil, RefusedUnhealthy, RefusedBusy:
	}
	return false
}

func (c Constraints) match(e *Executor, role Role) bool {
	return matchAny(c.Executors, e.ID) && matchAny(c.Harness, e.Harness) && matchAny(c.Model, e.Model) &&
		(c.MinEffort == "" || atLeast(e.Effort.For(role), c.MinEffort))
}

// matchAny reports whether one of the globs matches; none given: all do.
func matchAny(globs []string, text string) bool {
	return len(globs) == 0 || slices.ContainsFunc(globs, func(glob string) bool { return matchGlob(glob, text) })
}

// matchGlob matches the whole text; `*` stands for any text, `?` for one byte. Models have slashes, so no separator is
// special.
func matchGlob(glob, text string) bool {
	star, retry := -1, 0
	g, t := 0, 0
	for t < len(text) {
		switch {
		case g < len(glob) && glob[g] == '*':
			star, retry = g, t
			g++
		case g < len(glob) && (glob[g] == '?' || glob[g] == text[t]):
			g++
			t++
		case star >= 0:
			retry++
			g, t = star+1, retry
		default:
			return false
		}
	}
	return strings.Trim(glob[g:], "*") == ""
}

// rank orders offers: priority for the role, the preferred among equals, the least recently leased, the file (ROS-3).
// What takes a slot comes before what is borrowed (ROS-14).
func (s State) rank(w Want, offers []Offer) {
	other := func(o Offer) int {
		if o.Executor.ID == w.Prefer {
			return 0
		}
		return 1
	}
	borrowed := func(o Offer) int {
		if o.Clone == 0 {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(offers, func(a, b Offer) int {
		return cmp.Or(
			cmp.Compare(borrowed(a), borrowed(b)),
			cmp.Compare(a.Executor.Priority.For(w.Role), b.Executor.Priority.For(w.Role)),
			cmp.Compare(other(a), other(b)),
			cmp.Compare(s.LastLeased[a.Executor.ID], s.LastLeased[b.Executor.ID]),
			cmp.Compare(a.Executor.Position, b.Executor.Position),
		)
	})
}
