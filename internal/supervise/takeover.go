package supervise

import (
	"slices"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/workspace"
)

// takeover is what a run is told when it goes on with work that an executor had to stop (ROS-16).
type takeover struct {
	Note string // put before the prompt; empty: nothing was stopped
	Ref  string // where the state that the other executor left is to be kept; empty: nowhere
}

// ownTrouble are the outcomes that stop an executor and not the work.
func ownTrouble() []board.Outcome {
	return []board.Outcome{
		board.RateLimited, board.UsageLimited, board.Unauthenticated, board.Quota, board.ModelUnavailable,
		board.HarnessMissing, board.Overloaded, board.Outage,
	}
}

// takeoverOf looks at how the slot's last run ended. label names an executor for people.
func takeoverOf(b board.Brief, label func(executor string, clone int) string) takeover {
	slot := slices.DeleteFunc(slices.Clone(b.Runs), func(r board.Run) bool { return r.Slot != b.Run.Slot || r.Open() })
	if len(slot) == 0 {
		return takeover{}
	}
	last := slot[len(slot)-1]
	stopped, others := slices.Contains(ownTrouble(), last.Outcome), last.Executor != b.Run.Executor
	t := takeover{}
	if stopped && others && b.Run.Role == roster.RoleCoder {
		t.Ref = workspace.HandoverRef(b.Card.ID, handovers(slot, b.Run.Executor))
	}
	switch {
	case b.Run.Resumes != 0 && (stopped || others):
		t.Note = returning(b.Run, slot, label)
	case stopped && others:
		t.Note = roster.TakeoverNote(roster.Stopped{
			Executor: label(last.Executor, last.Clone), Outcome: string(last.Outcome), Reason: last.Reason, Ref: t.Ref,
		})
	}
	return t
}

// handovers counts how often the slot has gone from an executor that had to stop to another, next being who has it then. The
// count is of the card's whole life, so that no state is kept in the place of an earlier one.
func handovers(slot []board.Run, next string) int {
	n := 0
	for i, r := range slot {
		after := next
		if i+1 < len(slot) {
			after = slot[i+1].Executor
		}
		if slices.Contains(ownTrouble(), r.Outcome) && after != r.Executor {
			n++
		}
	}
	return n
}

// returning is what an executor is told that goes on with its own conversation: what others did meanwhile.
func returning(run board.Run, slot []board.Run, label func(string, int) string) string {
	own := len(slot) - 1
	for own > 0 && slot[own].Executor != run.Executor {
		own--
	}
	var meanwhile []roster.Interim
	for _, r := range slot[own+1:] {
		meanwhile = append(meanwhile, roster.Interim{Executor: label(r.Executor, r.Clone), Outcome: string(r.Outcome), Summary: r.Summary})
	}
	return roster.ReturnNote(roster.Stopped{
		Executor: label(slot[own].Executor, slot[own].Clone), Outcome: string(slot[own].Outcome), Reason: slot[own].Reason,
	}, meanwhile)
}
