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
	if !slices.Contains(ownTrouble(), last.Outcome) {
		return takeover{}
	}
	if b.Run.Resumes != 0 {
		return takeover{Note: returning(b.Run, slot, label)}
	}
	if last.Executor == b.Run.Executor {
		return takeover{}
	}
	t := takeover{}
	if b.Run.Role == roster.RoleCoder {
		t.Ref = workspace.HandoverRef(b.Card.ID, max(b.Card.Handovers, 1))
	}
	t.Note = roster.TakeoverNote(roster.Stopped{
		Executor: label(last.Executor, last.Clone), Outcome: string(last.Outcome), Reason: last.Reason, Ref: t.Ref})
	return t
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
		Executor: label(slot[own].Executor, slot[own].Clone), Outcome: string(slot[own].Outcome), Reason: slot[own].Reason}, meanwhile)
}
