package roster

import (
	"time"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// When unexplained endings of an executor are taken for an outage of it (ROS-21).
const (
	shortRun     = time.Minute
	shortRunsRow = 3
)

// EndedRun is a run of an executor that was started and ended by itself; what was stopped or interrupted is none.
type EndedRun struct {
	Card   string
	Took   time.Duration // from start to end
	Output bool          // it produced an output event
	Failed bool          // it ended badly, without a class that explains it
}

// RowOfFailures reports whether the newest runs of an executor, the newest first, are three short, silent failures of
// different cards in a row. They are then an outage of the executor (SilentOutage), not three failures of work (ROS-21).
func RowOfFailures(newestFirst []EndedRun) bool {
	if len(newestFirst) < shortRunsRow {
		return false
	}
	cards := map[string]bool{}
	for _, run := range newestFirst[:shortRunsRow] {
		if !run.Failed || run.Output || run.Took > shortRun {
			return false
		}
		cards[run.Card] = true
	}
	return len(cards) == shortRunsRow
}

// SilentOutage is what a row of failures means: out for the cooldown, whether or not there is a health URL, since what
// fails is this machine's part.
func SilentOutage(now time.Time, e Executor) Effect {
	end := Ending{Now: now, Executor: e, Failure: harness.Failure{
		Class: harness.ClassOutage, Message: "three cards in a row ended within a minute, without any output",
	}}
	return end.excludeFor(e.Cooldown.Outage)
}
