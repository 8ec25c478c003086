package harness

import "time"

// Result is what a run came to, as far as its output and exit tell.
type Result struct {
	Text    string  // the agent's final text; the last 256 KiB of it
	Verdict Verdict // from $BOARD_RESULT or the verdict line; "" for none
	Reason  string  // of Verdict

	Session string // conversation to resume; "" when the CLI named none
	Model   string // model that really answered (HAR-6); "" when not told
	Usage   Usage  // this run's share (HAR-4)
	Total   Usage  // the CLI's own totals over the conversation, to be kept as the next Job.Previous
	Turns   int    // 0 when not told

	SessionLost bool // the CLI no longer knows Job.Resume: the next run must start a conversation

	Failure  *Failure       // nil: completed
	Retrying string         // the last "still trying" line when the run ended amid retries; "" otherwise
	Denied   []string       // tool uses that the permissions refused, at most 20
	Notes    []string       // what a person should know beside the outcome
	Metadata map[string]any // unknown keys of $BOARD_RESULT; nil for none
}

// Usage is what a run consumed.
type Usage struct {
	In         int64 // input tokens not read from a cache
	Out        int64 // output tokens, reasoning included
	Cached     int64 // input tokens read from a cache
	CostMicros int64 // millionths of a US dollar
	Estimated  bool  // CostMicros comes from the price table, not from the CLI
}

// Class says why a run ended badly, in the words of the outcomes (03).
type Class string

// The classes. Each but ClassFailed and ClassContextOverflow is the executor's trouble, not the work's.
const (
	ClassFailed           Class = "failed"            // none of the others: the work failed; retry with backoff
	ClassUsageLimited     Class = "usage_limited"     // a plan's limit: wait for Failure.ResetAt or hand over
	ClassRateLimited      Class = "rate_limited"      // too fast: seconds to minutes
	ClassQuota            Class = "quota"             // money: a person must act
	ClassUnauthenticated  Class = "unauthenticated"   // sign in again
	ClassModelUnavailable Class = "model_unavailable" // the model is not there for this account
	ClassOverloaded       Class = "overloaded"        // the provider is at capacity
	ClassOutage           Class = "outage"            // the provider cannot be reached
	ClassContextOverflow  Class = "context_overflow"  // the conversation is too long: start afresh
	ClassHarnessMissing   Class = "harness_missing"   // the program is not there or cannot be run
)

// Failure is why a run did not complete.
type Failure struct {
	Class      Class
	Message    string        // the CLI's own words, at most 4 KiB
	ResetAt    time.Time     // when the limit passes; zero when not told
	RetryAfter time.Duration // how long the provider asks to wait; 0 when not told
	OneModel   bool          // the limit is that of the model, not of the account
}

// Share is what a run of a resumed conversation consumed, given the totals of the run before it and its own. Totals that
// went backwards were counted anew by the CLI, so they are the share.
func Share(previous, total Usage) Usage {
	if total.In < previous.In || total.Out < previous.Out || total.Cached < previous.Cached ||
		total.CostMicros < previous.CostMicros {
		return total
	}
	return Usage{
		In:         total.In - previous.In,
		Out:        total.Out - previous.Out,
		Cached:     total.Cached - previous.Cached,
		CostMicros: total.CostMicros - previous.CostMicros,
		Estimated:  total.Estimated,
	}
}
