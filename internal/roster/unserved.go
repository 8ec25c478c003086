package roster

import (
	"slices"
	"strings"
)

// unserved explains why nobody takes the run (ROS-6). For a reasoning run that may fall back on who made the work, those
// executors are looked at as if they were not avoided.
func (s State) unserved(w Want, views []view) *Unserved {
	u := &Unserved{Exhausted: true}
	fallback := w.Role.Reasoning()
	for _, v := range views {
		refusal := *v.refusal
		if fallback && refusal.Code == RefusedAvoided {
			refusal = s.ownRefusal(w, v)
		}
		v.refusal = &refusal
		u.Exhausted = u.Exhausted && v.forGood()
		u.Refusals = append(u.Refusals, refusal)
		if !refusal.Until.IsZero() && (u.Until.IsZero() || refusal.Until.Before(u.Until)) {
			u.Until = refusal.Until
		}
	}
	u.Text = u.text(w)
	return u
}

// ownRefusal says why an executor that made the work does not take the run all the same.
func (s State) ownRefusal(w Want, v view) Refusal {
	own := w
	own.Avoid = nil
	refusal := s.refuse(own, v.Executor, v.use)
	if refusal == nil {
		return Refusal{Executor: v.ID, Code: RefusedAvoided, Text: "made the work; another executor comes first"}
	}
	refusal.Text = "made the work, and " + refusal.Text
	return *refusal
}

func (u *Unserved) text(w Want) string {
	if len(u.Refusals) == 0 {
		return "roster exhausted: no executors"
	}
	var parts []string
	for _, r := range u.Refusals {
		// While somebody can serve later, only those who can are worth a word.
		if u.Exhausted || !(view{refusal: &r}).forGood() {
			parts = append(parts, r.Executor+" "+r.Text)
		}
	}
	if u.Exhausted {
		return "roster exhausted: nobody can ever serve as " + string(w.Role) + ": " + strings.Join(parts, "; ")
	}
	return "no free " + string(w.Role) + ": " + strings.Join(parts, "; ")
}

// IdleHolders returns the leases of idle sessions that keep the run waiting, the longest held first: closing one of them
// makes room (CAP-18).
func (u *Unserved) IdleHolders() []Lease {
	var idle []Lease
	for _, r := range u.Refusals {
		for _, l := range r.Holders {
			if l.Idle {
				idle = append(idle, l)
			}
		}
	}
	slices.SortStableFunc(idle, func(a, b Lease) int { return a.Taken.Compare(b.Taken) })
	return idle
}
