package supervise

import (
	"time"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// Times by which the end of an interactive agent's turn is told.
const (
	screenEvery = time.Second            // between two looks at the screen; chosen: a look costs two processes
	nudgeAfter  = 6 * time.Second        // an agent that has not begun by then is pressed Enter once more: a paste can swallow one
	againAfter  = 15 * time.Second       // and is given its prompt again after this: it was not ready for the first
	lostAfter   = 45 * time.Second       // an agent that has not begun by then does not take its prompt
	stillAfter  = 2 * time.Second        // of silence after a verdict ends the turn of an agent that does not tell its state
	readyStill  = 700 * time.Millisecond // a screen that stands so long takes a prompt, where the agent does not tell
	readyMost   = 90 * time.Second       // for an agent to become ready; chosen: an update and a cold cache
)

// talk is one run of an interactive agent: what was seen of it since it was given its prompt. A zero time is "not yet".
type talk struct {
	given  time.Time     // the prompt was submitted
	looked time.Time     // at the screen
	spoke  time.Time     // the log last grew, or the conversation's record did
	state  harness.State // as last seen
	since  time.Time     // it is in that state
	begun  bool          // it was at work since the prompt
	nudged bool          // Enter was pressed a second time
	again  bool          // the prompt was submitted a second time
	over   bool          // its turn has ended, or must
	needs  int           // looks in a row that saw a screen for a person
	limit  *harness.Failure
	size   int64 // of the log
}

// saw takes in the agent's state.
func (k *talk) saw(state harness.State, now time.Time) {
	if state != k.state {
		k.state, k.since = state, now
	}
	if state == harness.StateBusy || state == harness.StateWaiting {
		k.begun = true
	}
}

// waitsFor says whether the agent idles and has not begun for so long since it was given its prompt.
func (k *talk) waitsFor(d time.Duration, now time.Time) bool {
	return !k.begun && k.state == harness.StateIdle && now.Sub(k.given) >= d
}

// ended says whether the turn is over (END-1). verdict is when the worker gave one. An agent that tells its state has ended
// when it idles after it was at work; one that does not, when it has said its verdict and is silent.
func (k *talk) ended(now, verdict time.Time) bool {
	if k.given.IsZero() {
		return false
	}
	told := verdict.After(k.given)
	switch k.state {
	case harness.StateIdle:
		return k.begun || told
	case harness.StateUnknown:
		return told && (now.Sub(later(k.spoke, verdict)) >= stillAfter || now.Sub(verdict) >= verdictGrace)
	case harness.StateBusy, harness.StateWaiting:
	}
	return false
}
