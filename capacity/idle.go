package capacity

import (
	"cmp"
	"slices"
)

// IdleToClose names the idle session that should be closed to make room for a refused candidate (CAP-18): the longest
// idle of those the dispatcher started, where idle sessions are all that stands in the way; of several caps the most
// at once. There is none while a session of such a group is already on its way, and never an adopted one.
func (l *Ledger) IdleToClose(c *Candidate) (Entry, bool) {
	if l.idle == 0 {
		return Entry{}, false
	}
	var closable []int32 // of the first cap that refuses
	helps := map[int32]int{}
	k := l.classOf(c)
	for i := range k.binding {
		v := l.judge(&k.binding[i], c, len(l.caps))
		if !v.refuses {
			continue
		}
		loose, enough := l.looseIn(k.binding[i].cap, v)
		if !enough {
			return Entry{}, false
		}
		for _, thing := range loose {
			helps[thing]++
		}
		if closable == nil {
			closable = loose
		}
	}
	if len(closable) == 0 {
		return Entry{}, false
	}
	return l.things[slices.MinFunc(closable, func(a, b int32) int {
		x, y := &l.things[a], &l.things[b]
		return cmp.Or(cmp.Compare(helps[b], helps[a]), x.IdleSince.Compare(y.IdleSince), cmp.Compare(x.Session, y.Session))
	})], true
}

// Closing marks the session as told to end: its place still counts, and is on its way.
func (l *Ledger) Closing(session int64) {
	for i := range l.things {
		if session != 0 && l.things[i].Session == session {
			l.things[i].Stopping = true
		}
	}
}

// looseIn lists the sessions of the group whose places closing them would free, and whether that would make room:
// it would not where the count is of something else, where the places are too few, or where one is on its way.
func (l *Ledger) looseIn(k *Cap, v verdict) (loose []int32, enough bool) {
	if k.Counts != Sessions || v.limit.Fault != "" || v.limit.N == 0 || v.group < 0 {
		return nil, false
	}
	var free int64
	for _, at := range l.groups[v.group].members {
		idle := true
		for thing := range l.tenants[at].things {
			if l.things[thing].Stopping {
				return nil, false
			}
			idle = idle && l.things[thing].Idle
		}
		if !idle {
			continue
		}
		free++
		for thing := range l.tenants[at].things {
			loose = append(loose, thing)
		}
	}
	return loose, l.count(v.group)-free < v.limit.N-v.reserved
}
