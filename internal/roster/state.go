package roster

import (
	"maps"
	"slices"
	"time"
)

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

// With returns the state after the lease was taken; the receiver is unchanged. A lease without an id gets the next one.
func (s State) With(l Lease) State {
	if l.ID == 0 {
		l.ID = s.nextLease()
	}
	s.Leases = append(slices.Clone(s.Leases), l)
	s.LastLeased = maps.Clone(s.LastLeased)
	if s.LastLeased == nil {
		s.LastLeased = map[string]int64{}
	}
	s.LastLeased[l.Executor] = max(s.LastLeased[l.Executor], l.ID)
	return s
}

// Without returns the state after the lease was released; one that is not held changes nothing (ROS-4).
func (s State) Without(lease int64) State {
	s.Leases = slices.DeleteFunc(slices.Clone(s.Leases), func(l Lease) bool { return l.ID == lease })
	return s
}

func (s State) nextLease() int64 {
	var last int64
	for _, l := range s.Leases {
		last = max(last, l.ID)
	}
	for _, id := range s.LastLeased {
		last = max(last, id)
	}
	return last + 1
}

// LowestFreeClone returns the lowest number from 1 that no lease of the executor holds (ROS-4).
func LowestFreeClone(leases []Lease, executor string) int {
	for clone := 1; ; clone++ {
		taken := func(l Lease) bool { return l.Executor == executor && l.Clone == clone }
		if !slices.ContainsFunc(leases, taken) {
			return clone
		}
	}
}

// Use is how many of an executor's slots are held. It may be more than there are, where slots were taken from the file.
type Use struct {
	Slots, Used           int
	CoderSlots, CoderUsed int
}

// UseOf counts what is held of an executor. Borrowed leases hold no slot.
func (s State) UseOf(e Executor) Use {
	use := Use{Slots: e.Slots, CoderSlots: e.CoderSlots}
	for i := range s.Leases {
		l := &s.Leases[i]
		if l.Executor != e.ID || l.Borrowed() {
			continue
		}
		use.Used++
		if l.Role == RoleCoder {
			use.CoderUsed++
		}
	}
	return use
}

// Holders returns the leases that hold slots of an executor.
func (s State) Holders(executor string) []Lease {
	var list []Lease
	for _, l := range s.Leases {
		if l.Executor == executor && !l.Borrowed() {
			list = append(list, l)
		}
	}
	return list
}

// Free returns how many more leases for the role the slots allow.
func (u Use) Free(role Role) int {
	free := u.Slots - u.Used
	if role == RoleCoder {
		free = min(free, u.CoderSlots-u.CoderUsed)
	}
	return max(0, free)
}

// Room returns how many slots the executors in the round have for a role, and how many of them are free.
func (s State) Room(role Role) (capacity, free int) {
	for _, e := range s.Executors {
		if _, out := s.OutOf(e); out || !e.Has(role) {
			continue
		}
		capacity += e.SlotsFor(role)
		free += s.UseOf(e).Free(role)
	}
	return capacity, free
}
