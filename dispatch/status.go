package dispatch

import (
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// AlarmAfter is how long cards may wait with capacity free before that is an alarm (05, `board status`).
const AlarmAfter = 10 * time.Minute

// Alarm says that cards could start, have been able to for AlarmAfter, and nothing has started meanwhile; "" = all is well.
// lastStart is when the home's newest run was claimed.
func Alarm(s Snapshot, plan Plan, lastStart board.Time) string {
	limit := board.At(s.Now.Add(-AlarmAfter))
	if lastStart > limit {
		return ""
	}
	for _, st := range plan.Start {
		if max(st.Card.ReadySince, st.Card.NotBefore, st.Card.CreatedAt) <= limit {
			return "cards wait, there is room for them, and nothing has started for 10 minutes: does anything tick? board cron status"
		}
	}
	return ""
}

// Standings are the executors that serve a board, as `board roster` shows them (ROS-12), exclusions that have passed left out.
func Standings(s Snapshot, slug string) []roster.Standing {
	state := newPlanner(s).rosterState(slug)
	return state.Refresh(roster.Seen{Fingerprints: s.Prints, Health: s.Probes}).State.Report()
}
