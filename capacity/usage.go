package capacity

import (
	"cmp"
	"slices"
	"strings"
)

// Usage is one group of one cap, for status.
type Usage struct {
	Cap      string
	Source   Source
	Origin   Origin
	Counts   Kind
	Scope    []Dimension
	Group    string
	Used     int64
	Max      Limit // as it is written, also when paused; None also where it cannot be told without a candidate
	Reserved int64 // kept at present from those that the reserve is not for
	Paused   bool
	Holders  []Holder
	// Assumed are the ended runs of unknown cost that a spend cap counts with its assumption.
	Assumed []int64
}

// Usage lists every group that holds something, and every cap's group of the home, in the order of the caps and then
// of the groups. A maximum that is a function is asked about ask's answer for one of the group's entries, or for an
// entry that has only the group's values; a nil ask or answer leaves the maximum out.
func (l *Ledger) Usage(ask func(Entry) *Candidate) []Usage {
	var all []Usage
	for _, at := range l.shown() {
		g := &l.groups[at]
		k := &l.caps[g.cap]
		u := Usage{
			Cap: k.Name, Source: k.Source, Origin: k.Origin, Counts: k.Counts, Scope: k.Scope,
			Group: g.name, Used: g.count, Max: Limit{None: true}, Paused: k.Paused,
			Holders: l.holders(at), Assumed: slices.Clone(g.assumed),
		}
		var sample *Candidate
		if ask != nil {
			sample = ask(l.sample(at))
		}
		if sample != nil || k.Max.Of == nil {
			u.Max = k.Max.ask(sample, "max")
			u.Reserved = l.keptNow(at, u.Max, sample)
		}
		all = append(all, u)
	}
	return all
}

// shown are the groups that Usage lists.
func (l *Ledger) shown() []int32 {
	var all []int32
	for i := range l.groups {
		if g := &l.groups[i]; g.count > 0 || !l.caps[g.cap].scoped() {
			all = append(all, int32(i))
		}
	}
	slices.SortFunc(all, func(a, b int32) int {
		x, y := &l.groups[a], &l.groups[b]
		return cmp.Or(cmp.Compare(x.cap, y.cap), cmp.Compare(x.key, y.key))
	})
	return all
}

// sample is an entry of the group, or one with the group's values alone where only amounts are counted.
func (l *Ledger) sample(group int32) Entry {
	g := &l.groups[group]
	if len(g.members) > 0 {
		return l.things[l.tenants[g.members[0]].thing]
	}
	var e Entry
	values := strings.Split(g.key, between)
	for i, d := range l.caps[g.cap].Scope {
		if field := e.field(d); field != nil {
			*field = values[i]
		}
	}
	return e
}

// keptNow is what the group's reserve keeps at present.
func (l *Ledger) keptNow(group int32, limit Limit, sample *Candidate) int64 {
	at := l.groups[group].cap
	k := &l.caps[at]
	if k.Reserve == nil || limit.None || limit.Fault != "" || (sample == nil && k.Reserve.Slots.Of != nil) {
		return 0
	}
	if k.Reserve.When == WhenAlways && k.excludes(&k.Reserve.For) {
		return 0
	}
	if k.Reserve.When != WhenAlways && !l.waits(at, group, "") {
		return 0
	}
	return max(0, min(k.Reserve.slots(sample).N, limit.N-1))
}
