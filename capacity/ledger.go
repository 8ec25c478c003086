package capacity

import "time"

// State is what a ledger counts at first.
type State struct {
	Now  time.Time
	Held []Entry // what the home holds; open runs belong here and not in Past
	Past []Entry // runs that ended: Starts and Spend in windows look back at them
	// Started are the starts that this tick has made already, for caps on Starts without a window. A ledger built for
	// planning has none; the claim's names those that the tick claimed before.
	Started []Entry
	// Waiting are the starts that could be made now but for caps: not paused, not blocked, with a host and an
	// executor. Several of one card are its alternatives. Reserves with WhenWaiting look at them.
	Waiting []Candidate
}

// Ledger holds the counters of one tick, for every board of the home (CAP-10). It is not safe for concurrent use.
type Ledger struct{}

// New counts what is held, in O(held x caps). Caps are tried in the order given: made by the program, of
// config.yaml, of the workflow.
func New(caps []Cap, s State) *Ledger { return nil }

// Admit reports whether the candidate has room under every cap; if not, the first cap that refuses it (CAP-8). It
// changes no counter, and costs O(caps).
func (l *Ledger) Admit(c *Candidate) (Refusal, bool) { return Refusal{}, false }

// Explain names every cap that refuses the candidate, with the holders of its places, in the order of the caps. None:
// it is admitted.
func (l *Ledger) Explain(c *Candidate) []Refusal { return nil }

// Take adds the candidate's place to every cap that applies to it (CAP-9), and takes it off the waiting.
func (l *Ledger) Take(c *Candidate) {}

// Clone is a ledger that can be added to without changing this one, for what-if.
func (l *Ledger) Clone() *Ledger { return nil }
