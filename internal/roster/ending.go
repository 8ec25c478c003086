package roster

import "time"

// Class is how a harness ended, as far as its executor is concerned. Empty: nothing that blames the executor.
type Class string

// The classes, in the order in which the first that matches is taken (ROS-7).
const (
	ModelUnavailable Class = "model_unavailable"
	UsageLimited     Class = "usage_limited"
	RateLimited      Class = "rate_limited"
	Unauthenticated  Class = "unauthenticated"
	Quota            Class = "quota"
	HarnessMissing   Class = "harness_missing"
	Overloaded       Class = "overloaded"
	Outage           Class = "outage"
	ContextOverflow  Class = "context_overflow" // the work's own trouble
	Failed           Class = "failed"           // the work's own trouble
)

// Ending is how a run on an executor ended.
type Ending struct {
	Now         time.Time
	Executor    Executor
	Fingerprint string // of the executor, with its evidence
	Class       Class
	Message     string
	ResetAt     time.Time     // zero: not told
	RetryAfter  time.Duration // 0: not told
	CardModel   string        // the card's own model override; empty: the executor's model ran
	RateLimits  []time.Time   // the executor's counted rate limits before this one
}

// Effect is what an ending means. The zero value means nothing for the executor.
type Effect struct {
	Exclude         *Exclusion // nil: it stays in the round
	CountRateLimit  bool       // store one more rate limit
	ClearRateLimits bool       // forget those stored
	NotBefore       time.Time  // the card's next start, for a rate limit that excludes nobody
	AskPerson       string     // not empty: the card is held for a person with this text
	Note            string     // said beside the reason: a reset that was clamped or ignored
}

// Assess says what an ending means for its executor.
func Assess(end Ending) Effect { return Effect{} }

// Step is what becomes of a card whose run ended.
type Step string

// The steps.
const (
	StepNone      Step = "none"      // nothing about the executor: the outcome decides
	StepLater     Step = "later"     // the same session goes on at Effect.NotBefore
	StepHandover  Step = "handover"  // another executor carries on in the same workspace
	StepElsewhere Step = "elsewhere" // a reasoning run starts once more on another executor
	StepFailure   Step = "failure"   // counts as a failure, with backoff
	StepPerson    Step = "person"    // held for a person
)

// NextAfter decides the step after an ending: `moves` counts the handovers (coder) or moves (other roles) that the card
// has had in its present status.
func NextAfter(role Role, effect Effect, moves int) Step { return StepNone }

// Seen is what this moment's observation found out about executors.
type Seen struct {
	Fingerprints map[string]string // by executor; absent: not looked at
	Health       map[string]Probe  // by executor; absent: not probed
}

// Probe is a health URL's answer.
type Probe struct {
	OK   bool
	Text string // what it answered, for a reason
}

// Refreshed is what passed or appeared since the state was stored.
type Refreshed struct {
	State   State       // with the rest applied
	Dropped []Exclusion // to be deleted
	Resumed []Pause     // to be deleted: their time passed
	Added   []Exclusion // to be stored: failed probes
	Back    []Back      // one event each
}

// Back is an executor that is in the round again.
type Back struct {
	Executor string
	Text     string
}

// Refresh drops what has passed and adds what probes found (ROS-9).
func (s State) Refresh(seen Seen) Refreshed { return Refreshed{State: s} }

// ShortRun is an ended run of an executor, as ROS-21 looks at it.
type ShortRun struct {
	Card   string
	Took   time.Duration // from start to end
	Output bool          // it produced an output event
	Failed bool          // it ended as failed or crashed with no class of its own
}

// RowOfFailures reports whether the newest runs of an executor, newest first, are to be taken for an outage (ROS-21).
func RowOfFailures(newestFirst []ShortRun) bool { return false }
