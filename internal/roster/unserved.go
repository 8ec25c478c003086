package roster

import (
	"fmt"
	"slices"
	"strings"
)

// unserved explains why nobody takes the run (ROS-6). For a reasoning run that may fall back on who made the work, those
// executors are looked at as if they were not avoided.
func (s State) unserved(w Want, views []view) *Unserved {
	u := &Unserved{Exhausted: true}
	for _, v := range views {
		refusal := s.explain(w, v)
		if w.Role.Reasoning() && v.refused == RefusedAvoided {
			refusal = s.explainOwn(w, v)
		}
		u.Exhausted = u.Exhausted && refusal.Code.forGood()
		u.Refusals = append(u.Refusals, refusal)
		if !refusal.Until.IsZero() && (u.Until.IsZero() || refusal.Until.Before(u.Until)) {
			u.Until = refusal.Until
		}
	}
	u.Text = u.text(w)
	return u
}

// explain puts a refusal into words.
func (s State) explain(w Want, v view) Refusal {
	r := Refusal{Executor: v.ID, Code: v.refused}
	switch v.refused {
	case RefusedRole:
		r.Text = "lacks the role " + string(w.Role)
	case RefusedSlots:
		r.Text = "has no slot for a coder (coder_slots: 0)"
	case RefusedMatch:
		r.Text = w.Constraints.mismatch(v.Executor, w.Role)
	case RefusedAvoided:
		r.Text = "made the work"
	case RefusedConfig, RefusedPaused, RefusedUntil, RefusedUnhealthy:
		out, _ := s.OutOf(*v.Executor)
		r.Text, r.Until = out.Text, out.Until
	case RefusedBusy:
		r.Holders = s.Holders(v.ID)
		what := fmt.Sprintf("%d of %d slots", v.use.Used, v.use.Slots)
		if v.use.Used < v.use.Slots {
			what = fmt.Sprintf("%d of %d coder slots", v.use.CoderUsed, v.use.CoderSlots)
			r.Holders = slices.DeleteFunc(r.Holders, func(l Lease) bool { return l.Role != RoleCoder })
		}
		r.Text = "busy, " + what + ": " + holdersText(v.Executor, r.Holders)
	}
	return r
}

// explainOwn says why an executor that made the work does not take the run all the same.
func (s State) explainOwn(w Want, v view) Refusal {
	w.Avoid = nil
	v.refused = s.refuse(w, v)
	if v.refused == "" {
		return Refusal{Executor: v.ID, Code: RefusedAvoided, Text: "made the work; another executor comes first"}
	}
	r := s.explain(w, v)
	r.Text = "made the work, and " + r.Text
	return r
}

func holdersText(e *Executor, holders []Lease) string {
	var list []string
	for _, l := range holders {
		text := l.Card + " " + l.Slot + " (" + e.Label(l.Clone)
		if l.Idle {
			text += ", idle"
		}
		list = append(list, text+")")
	}
	return strings.Join(list, ", ")
}

// mismatch says which constraint an executor does not meet.
func (c Constraints) mismatch(e *Executor, role Role) string {
	asks := func(key, value string, globs []string) string {
		return fmt.Sprintf("its %s %q is not %s, which the profile asks for", key, value, strings.Join(globs, " or "))
	}
	effort := e.Effort.For(role)
	switch {
	case !matchAny(c.Executors, e.ID):
		return asks("id", e.ID, c.Executors)
	case !matchAny(c.Harness, e.Harness):
		return asks("harness", e.Harness, c.Harness)
	case !matchAny(c.Model, e.Model):
		return asks("model", e.Model, c.Model)
	case effort == "":
		return "names no effort; the profile asks for at least " + c.MinEffort
	}
	return fmt.Sprintf("its effort %s is below %s, which the profile asks for", effort, c.MinEffort)
}

func (u *Unserved) text(w Want) string {
	if len(u.Refusals) == 0 {
		return "roster exhausted: no executors"
	}
	var parts []string
	for _, r := range u.Refusals {
		// While somebody can serve later, only those who can are worth a word.
		if u.Exhausted || !r.Code.forGood() {
			parts = append(parts, r.Executor+" "+r.Text)
		}
	}
	list := string(w.Role) + ": " + strings.Join(parts, "; ")
	if u.Exhausted {
		return "roster exhausted: nobody can ever serve as " + list
	}
	return "no free " + list
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
