package roster

import "time"

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
func (s State) Offers(w Want) ([]Offer, *Unserved) { return nil, &Unserved{} }

// With returns the state after the lease was taken; the receiver is unchanged. A lease without an id gets the next one.
func (s State) With(l Lease) State { return s }

// Without returns the state after the lease was released; one that is not held changes nothing.
func (s State) Without(lease int64) State { return s }

// CanEverServe reports whether some executor that is not avoided has the role, matches the constraints, has a slot that
// the role may use, and is not out with kind config (ROS-6).
func (s State) CanEverServe(w Want) bool { return false }

// LowestFreeClone returns the lowest number from 1 that no lease of the executor holds (ROS-4).
func LowestFreeClone(leases []Lease, executor string) int { return 0 }
