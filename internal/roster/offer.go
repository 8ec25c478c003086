package roster

import (
	"cmp"
	"fmt"
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
		if v.refusal == nil {
			offers = append(offers, Offer{Executor: v.Executor, Clone: LowestFreeClone(s.Leases, v.ID)})
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
	return slices.ContainsFunc(s.views(w), func(v view) bool { return !v.forGood() })
}

// view is one executor as a run sees it.
type view struct {
	Executor
	refusal *Refusal // nil: it is eligible (ROS-2)
	use     Use
}

func (s State) views(w Want) []view {
	list := make([]view, 0, len(s.Executors))
	for _, e := range s.Executors {
		v := view{Executor: e, use: s.UseOf(e)}
		v.refusal = s.refuse(w, e, v.use)
		list = append(list, v)
	}
	return list
}

// forGood reports whether the executor is refused until a file changes or it is resumed.
func (v view) forGood() bool {
	if v.refusal == nil {
		return false
	}
	switch v.refusal.Code {
	case RefusedRole, RefusedSlots, RefusedMatch, RefusedAvoided, RefusedConfig:
		return true
	case RefusedPaused, RefusedUntil, RefusedUnhealthy, RefusedBusy:
	}
	return false
}

// refuse says why an executor cannot take the run, the most lasting reason first; nil: it can (ROS-2).
func (s State) refuse(w Want, e Executor, use Use) *Refusal {
	r := &Refusal{Executor: e.ID}
	mismatch := w.Constraints.mismatch(e, w.Role)
	out, isOut := s.OutOf(e)
	switch {
	case !e.Has(w.Role):
		r.Code, r.Text = RefusedRole, "lacks the role "+string(w.Role)
	case e.SlotsFor(w.Role) == 0:
		r.Code, r.Text = RefusedSlots, "has no slot for a coder (coder_slots: 0)"
	case mismatch != "":
		r.Code, r.Text = RefusedMatch, mismatch
	case slices.Contains(w.Avoid, e.ID):
		r.Code, r.Text = RefusedAvoided, "made the work"
	case isOut:
		r.Code, r.Text, r.Until = out.Code, out.Text, out.Until
	case use.Free(w.Role) == 0:
		r.Code, r.Text, r.Holders = RefusedBusy, busyText(e, use, w.Role), use.Holders
		if use.Used < use.Slots {
			r.Holders = slices.DeleteFunc(slices.Clone(use.Holders), func(l Lease) bool { return l.Role != RoleCoder })
		}
	default:
		return nil
	}
	return r
}

func busyText(e Executor, use Use, role Role) string {
	what := fmt.Sprintf("%d of %d slots", use.Used, use.Slots)
	if use.Used < use.Slots {
		what = fmt.Sprintf("%d of %d %s slots", use.CoderUsed, use.CoderSlots, role)
	}
	var holders []string
	for _, l := range use.Holders {
		if use.Used < use.Slots && l.Role != RoleCoder {
			continue
		}
		holder := l.Card + " " + l.Slot + " (" + e.Label(l.Clone)
		if l.Idle {
			holder += ", idle"
		}
		holders = append(holders, holder+")")
	}
	return "busy, " + what + ": " + strings.Join(holders, ", ")
}

// mismatch says which constraint an executor does not meet; empty: it meets each.
func (c Constraints) mismatch(e Executor, role Role) string {
	for _, key := range []struct {
		name, value string
		globs       []string
	}{{"id", e.ID, c.Executors}, {"harness", e.Harness, c.Harness}, {"model", e.Model, c.Model}} {
		matches := func(glob string) bool { return matchGlob(glob, key.value) }
		if len(key.globs) > 0 && !slices.ContainsFunc(key.globs, matches) {
			return fmt.Sprintf("its %s %q is not %s, which the profile asks for", key.name, key.value, strings.Join(key.globs, " or "))
		}
	}
	effort := e.Effort.For(role)
	if c.MinEffort == "" || atLeast(effort, c.MinEffort) {
		return ""
	}
	if effort == "" {
		return fmt.Sprintf("names no effort; the profile asks for at least %s", c.MinEffort)
	}
	return fmt.Sprintf("its effort %s is below %s, which the profile asks for", effort, c.MinEffort)
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
