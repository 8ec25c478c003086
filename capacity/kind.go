package capacity

// Kind is what a cap counts.
type Kind string

// The kinds. Runs and Cards have one place per card; Sessions and Turns one per card and slot; Starts and Spend have
// no places, each start adds.
const (
	Runs     Kind = "runs"     // cards with an open run
	Cards    Kind = "cards"    // cards that have a place
	Sessions Kind = "sessions" // live sessions, idle or working
	Turns    Kind = "turns"    // sessions that are busy or wait for an answer
	Starts   Kind = "starts"   // starts in this tick, or in the cap's window
	Spend    Kind = "spend"    // micro-dollars of runs in the cap's window
)

// Dimension is what a cap groups by.
type Dimension string

// The dimensions that a file may name, and two that only caps made by the program use (Story and Workspace).
const (
	Home      Dimension = "home"
	Board     Dimension = "board"
	Host      Dimension = "host" // always the execution host
	Profile   Dimension = "profile"
	Executor  Dimension = "executor"
	Harness   Dimension = "harness"
	Model     Dimension = "model"
	Slot      Dimension = "slot"
	Role      Dimension = "role"
	Story     Dimension = "story"
	Workspace Dimension = "workspace"
)

// Counts is the set of kinds to which one entry contributes.
type Counts uint8

// The members of Counts, one per Kind.
const (
	CountsRuns Counts = 1 << iota
	CountsCards
	CountsSessions
	CountsTurns
	CountsStarts
	CountsSpend
)

// CountsStart is what a start contributes to: everything.
const CountsStart = CountsRuns | CountsCards | CountsSessions | CountsTurns | CountsStarts | CountsSpend

// Has reports whether the set holds the kind.
func (c Counts) Has(k Kind) bool { return c&k.bit() != 0 }

func (k Kind) bit() Counts {
	switch k {
	case Runs:
		return CountsRuns
	case Cards:
		return CountsCards
	case Sessions:
		return CountsSessions
	case Turns:
		return CountsTurns
	case Starts:
		return CountsStarts
	case Spend:
		return CountsSpend
	}
	return 0
}
