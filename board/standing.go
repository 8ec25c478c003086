package board

import (
	"time"

	"github.com/seed-2ddc2152/board/internal/roster"
)

// Standing is a roster as its decisions want it, from the view's rows. now is the view's time in the zone in which people
// are told of it.
func (v *View) Standing(now time.Time, executors []roster.Executor) roster.State {
	s := roster.State{Now: now, Executors: executors, LastLeased: v.LastLeased}
	idle := map[int64]bool{}
	for _, x := range v.Sessions {
		idle[x.ID] = x.State == SessionIdle
	}
	for _, l := range v.Leases {
		s.Leases = append(s.Leases, roster.Lease{ID: l.ID, Executor: l.Executor, Role: l.Role, Clone: l.Clone, Card: l.Card,
			Story: v.Busy[l.Card].Parent, Slot: l.Slot, Run: l.Run, Session: l.Session, Idle: idle[l.Session],
			Because: roster.Because(l.Because), Taken: l.TakenAt.Time()})
	}
	for _, x := range v.Exclusions {
		s.Exclusions = append(s.Exclusions, roster.Exclusion{ID: x.ID, Executor: x.Executor, Account: x.Account, Kind: roster.ExclusionKind(x.Kind),
			Reason: x.Reason, Until: x.Until.Time(), NextProbe: x.ProbeAt.Time(), Fingerprint: x.Fingerprint})
	}
	for _, x := range v.Pauses {
		if x.Kind == PauseExecutor {
			s.Pauses = append(s.Pauses, roster.Pause{ID: x.ID, Executor: x.Target, Until: x.Until.Time(), Reason: x.Reason, Actor: x.Actor})
		}
	}
	return s
}

// Spending is what the runs of an executor have cost.
type Spending struct {
	CostMicros int64 // as far as it is known
	Runs       int
	Unknown    int // ended runs that told no cost
}

// Spent adds up the runs of the view's window by executor.
func (v *View) Spent() map[string]Spending {
	all := map[string]Spending{}
	for _, r := range v.Past {
		s := all[r.Executor]
		s.Runs++
		switch {
		case r.CostMicros != nil:
			s.CostMicros += *r.CostMicros
		case !r.EndedAt.IsZero():
			s.Unknown++
		}
		all[r.Executor] = s
	}
	return all
}
