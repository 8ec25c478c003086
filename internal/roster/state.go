package roster

import "time"

// Because says why a reasoning run was given to an executor that made the work it looks at. Empty: it was not.
type Because string

// The reasons why a review is not independent.
const (
	BecauseNobody Because = "nobody" // no other executor can ever take the role
	BecauseHeld   Because = "held"   // coders hold every slot of each other executor in the round
	BecauseOut    Because = "out"    // no other executor is in the round
)

// WorkerSlot is the slot whose sessions make a card's work, whatever their role.
const WorkerSlot = "worker"

// Lease is an executor's slot held by a session, or by a run that has no session yet.
type Lease struct {
	ID       int64
	Executor string
	Role     Role
	Clone    int    // 0: borrowed; it takes no slot
	Card     string // whose session it is
	Story    string // the card's story; empty: none
	Slot     string // the session's slot on its card
	Run      int64
	Session  int64
	Idle     bool // the session is a pane between two runs
	Because  Because
	Taken    time.Time
}

// Borrowed reports whether the lease stands beside a worker's and takes no slot.
func (l Lease) Borrowed() bool { return l.Clone == 0 }

// ExclusionKind says what ends an exclusion.
type ExclusionKind string

// The kinds of exclusion. What a person paused is a Pause.
const (
	KindUntil  ExclusionKind = "until"  // its time passes
	KindHealth ExclusionKind = "health" // its health URL answers
	KindConfig ExclusionKind = "config" // its entry, binary or sign-in changes
)

// Exclusion takes an executor, or every executor of an account, out of the round.
type Exclusion struct {
	ID          int64 // of its row; 0: not stored yet
	Executor    string
	Account     string // set instead of Executor where the account is out
	Kind        ExclusionKind
	Reason      string
	Until       time.Time // kind until
	NextProbe   time.Time // kind health
	Fingerprint string    // kind config: of the executor when it was excluded
}

// Covers reports whether the exclusion is about the executor.
func (x Exclusion) Covers(e Executor) bool {
	if x.Account != "" {
		return x.Account == e.Account
	}
	return x.Executor == e.ID
}

// Pause takes an executor out by hand.
type Pause struct {
	ID       int64
	Executor string
	Until    time.Time // zero: until it is resumed
	Reason   string
	Actor    string
}

// State is what decisions are made from: the roster and the stored rows at one moment. Nothing here changes it.
type State struct {
	Now        time.Time
	Executors  []Executor       // in the roster's order
	Leases     []Lease          // those not released
	LastLeased map[string]int64 // per executor the id of its newest lease, released or not; absent: never leased
	Exclusions []Exclusion
	Pauses     []Pause // of executors
}
