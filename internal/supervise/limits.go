package supervise

import (
	"fmt"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/workflows"
)

// Times that the specification gives (SUP-3, END-1).
const (
	killGrace    = 10 * time.Second // between TERM and KILL
	verdictGrace = 60 * time.Second // between a verdict and TERM
)

// life is what the limits of a run are judged by. All times carry the monotonic clock, so that a jump of the wall clock ends
// nothing (LIV-4). A zero time is "not yet".
type life struct {
	started  time.Time // the run: its launch counts in its runtime
	launched time.Time // the harness
	progress time.Time // the last output event or beat; what the supervisor does itself is no progress
	mutedTo  time.Time // `board beat --until`: silence is no trouble before
	finished time.Time // a verdict was taken, or the CLI said that it is done (RET-8)
	attended bool      // an interactive pane: a verdict does not end it, its turn's end does (END-1)
}

// due is what a limit asks for.
type due struct {
	End     bool
	Outcome board.Outcome // empty: the run ends as its verdict or result says
	Reason  string
}

// judge says whether a limit is reached.
func (l life) judge(now time.Time, limits workflows.Limits) due {
	if limits.Runtime > 0 && now.Sub(l.started) >= limits.Runtime && l.finished.IsZero() {
		return overtime(limits)
	}
	if !l.finished.IsZero() && l.attended {
		return due{End: limits.Runtime > 0 && now.Sub(l.started) >= limits.Runtime}
	}
	if !l.finished.IsZero() {
		return due{End: now.Sub(l.finished) >= verdictGrace}
	}
	if limits.Quiet <= 0 || now.Before(l.mutedTo) {
		return due{}
	}
	since, lead := l.progress, time.Duration(0)
	if since.IsZero() {
		since, lead = l.launched, limits.Start
	}
	if now.Sub(later(since, l.mutedTo)) < lead+limits.Quiet {
		return due{}
	}
	return due{End: true, Outcome: board.Quiet, Reason: fmt.Sprintf("no output and no beat for %s, its limit", expr.FormatDuration(limits.Quiet))}
}

// overtime is the end of a run that has used up its time.
func overtime(limits workflows.Limits) due {
	return due{End: true, Outcome: board.TimedOut, Reason: "it ran for " + expr.FormatDuration(limits.Runtime) + ", its limit"}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
