package capacity

import (
	"cmp"
	"slices"
)

// Refusal is why one cap holds a candidate, as data (CAP-8, DSP-10).
type Refusal struct {
	Cap      string
	Source   Source
	Origin   Origin
	Counts   Kind
	Scope    []Dimension
	Group    string // the group's values in the order of Scope, joined by "/"; empty for Home
	Count    int64  // places, starts, or micro-dollars for Spend
	Max      int64
	Reserved int64  // places of Max that are kept for others
	Fault    string // not empty: the maximum could not be had
	Paused   bool

	Values  map[string]any // what Max was worked out from
	Holders []Holder       // who fills the group, by card and slot; only Explain gives them
}

// Holder is one thing that uses a place.
type Holder struct {
	Card, Slot   string
	Run, Session int64
	Idle         bool
}

func (l *Ledger) refusal(r *rule, c *Candidate, v verdict) Refusal {
	k := r.cap
	var name string
	if v.group >= 0 {
		name = l.groups[v.group].name
	} else {
		name = groupName(k.groupKey(&c.Entry))
	}
	return Refusal{
		Cap: k.Name, Source: k.Source, Origin: k.Origin, Counts: k.Counts, Scope: k.Scope,
		Group: name, Count: l.count(v.group), Max: v.limit.N, Reserved: v.reserved,
		Fault: v.limit.Fault, Paused: k.Paused, Values: v.limit.Values,
	}
}

// holders lists the things of a group's places, by card and slot.
func (l *Ledger) holders(group int32) []Holder {
	if group < 0 {
		return nil
	}
	var all []Holder
	for _, at := range l.groups[group].members {
		for thing := range l.tenants[at].things {
			e := &l.things[thing]
			all = append(all, Holder{Card: e.Card, Slot: e.Slot, Run: e.Run, Session: e.Session, Idle: e.Idle})
		}
	}
	slices.SortFunc(all, func(a, b Holder) int {
		return cmp.Or(cmp.Compare(a.Card, b.Card), cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Run, b.Run))
	})
	return all
}
