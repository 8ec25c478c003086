package capacity

import (
	"slices"
	"strconv"
	"time"
)

// Cap is one limit. Its zero value counts nothing; Name, Counts and Max are always given.
type Cap struct {
	Name   string // unique among the caps of a ledger
	Source Source // where a person would change it
	Origin Origin // who made it; the zero value is a file

	Counts Kind
	Scope  []Dimension // a group is one combination of these; empty: Home
	Where  Filter      // the cap applies to what matches; empty: to everything
	Unless Filter      // but not to what matches this; empty: excludes nothing (CAP-4)

	Max     Limiter
	Reserve *Reserve // nil: nothing is kept
	Place   Place    // what Sessions and Turns count once

	Window       time.Duration // Starts: 0 is this tick; Spend: how far back an ended run counts
	AssumeMicros int64         // Spend: what a run of unknown cost counts; 0: DefaultAssumeMicros

	// Paused admits nothing more, as a Max of 0 would, and ends nothing (CAP-16).
	Paused bool
	// Boards are the boards whose starts the cap holds: those that use its workflow. nil: every start in the home.
	// What is counted does not depend on it: always the whole home (CAP-8).
	Boards []string
}

// Origin says which limit that stands elsewhere a cap was made from (CAP-19).
type Origin string

// The origins.
const (
	FromFile      Origin = ""          // a capacity: list
	FromMax       Origin = "max"       // --max N
	FromSlots     Origin = "slots"     // an executor's slots or coder slots: what a hold calls roster
	FromDollars   Origin = "dollars"   // an executor's limits.usd_per_day
	FromStory     Origin = "story"     // story.concurrency
	FromWorkspace Origin = "workspace" // a workspace for one session: what a hold calls workspace
)

// DefaultAssumeMicros is what a run of unknown cost counts under a spend cap that does not say: one dollar (the
// specification's default of assume_usd).
const DefaultAssumeMicros = 1_000_000

// Source is where a cap is written.
type Source struct {
	File string // empty: made by the program
	Line int    // 1 is the first
	Key  string // what to change there, such as "max" or "executors[opus].slots"
}

// Place says what a cap on Sessions or Turns counts once.
type Place string

// The places. The empty value is PerSlot.
const (
	PerSlot Place = "slot" // each slot of a card
	PerCard Place = "card" // all slots of a card in one group together
)

// Limiter gives a number: a constant, or a function of the candidate. The zero value is "no cap".
type Limiter struct {
	// Of is asked when it is given; else Const holds.
	Of    func(*Candidate) Limit
	Const Limit
	// Steady promises that Of reads nothing of the card itself and nothing that changes within a tick, only what all
	// candidates of the same board, status, lane and host share. It is then asked once for all of those.
	Steady bool
}

// Limit is what a Limiter answers.
type Limit struct {
	None   bool           // no cap (CAP-5: nil or empty)
	N      int64          // places, starts, or micro-dollars for Spend (see USD)
	Fault  string         // not empty: the number could not be had, and nothing is admitted (CAP-5)
	Values map[string]any // what the number was worked out from, for explanations; never changed here
}

// Fixed is the Limiter of a constant: places, starts, or micro-dollars for Spend.
func Fixed(n int64) Limiter { return Limiter{Const: Limit{N: n}} }

// Unlimited is the Limiter of a cap that holds nothing.
func Unlimited() Limiter { return Limiter{Const: Limit{None: true}} }

// USD turns a limit in whole dollars into one in micro-dollars, as caps on Spend want it.
func USD(dollars Limit) Limit {
	dollars.N *= 1_000_000
	return dollars
}

// Reserve keeps places of each group for some cards (CAP-7). It is meant for the scopes Home, Board, Host and Profile.
type Reserve struct {
	For   Filter
	Slots Limiter // None is 0; never more than max - 1 are kept
	When  When
}

// When says at what times a reserve keeps its places.
type When string

// The times. The empty value is WhenWaiting.
const (
	WhenWaiting When = "waiting" // while another such card could start now but for this cap
	WhenAlways  When = "always"  // at all times
)

// applies reports whether the cap counts, and may hold, what the entry stands for (CAP-4).
func (c *Cap) applies(e *Entry) bool {
	return c.Where.Match(e) && (c.Unless.Empty() || !c.Unless.Match(e))
}

// binds reports whether the cap holds starts of the board.
func (c *Cap) binds(board string) bool { return c.Boards == nil || slices.Contains(c.Boards, board) }

func (c *Cap) hasPlaces() bool { return c.Counts != Starts && c.Counts != Spend }

// maximum is what the cap allows the candidate. A paused cap allows nothing, a number below 0 is a fault.
func (c *Cap) maximum(of *Candidate) Limit {
	if c.Paused {
		return Limit{}
	}
	return c.Max.ask(of, "max")
}

func (m *Limiter) ask(of *Candidate, key string) Limit {
	limit := m.Const
	if m.Of != nil {
		limit = m.Of(of)
	}
	if limit.N < 0 && !limit.None && limit.Fault == "" {
		limit.Fault = key + " is " + strconv.FormatInt(limit.N, 10) + ", less than 0"
	}
	return limit
}

// settled reports whether the answer is the same for all candidates of a class.
func (m *Limiter) settled() bool { return m.Of == nil || m.Steady }
