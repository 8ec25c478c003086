package capacity

// place is what a cap counts once in a group. Card and slot are numbers of names; slot 0, the number of the empty name,
// stands for all slots of the card together.
type place struct{ group, card, slot int32 }

// owner is whose place it is: a card, the card that its session belongs to, and the slot there.
type owner struct{ card, sessionCard, slot int32 }

// tenant is one place that is in use, and what uses it: one thing of each slot.
type tenant struct {
	thing int32
	more  []int32 // only where one place has several slots
}

// placeOf is the one function that gives the key of a place (CAP-6). Kinds without places never ask for one.
func (c *Cap) placeOf(group int32, o owner) place {
	switch {
	case c.Counts != Sessions && c.Counts != Turns:
		return place{group: group, card: o.card}
	case c.Place == PerCard:
		return place{group: group, card: o.sessionCard}
	}
	return place{group: group, card: o.sessionCard, slot: o.slot}
}

// hasPlace reports whether the candidate's place is counted in the group already.
func (l *Ledger) hasPlace(k *Cap, group int32, e *Entry) bool {
	if group < 0 || !k.hasPlaces() {
		return false
	}
	_, taken := l.places[k.placeOf(group, l.names.find(e))]
	return taken
}

// occupy counts a place once. A thing that comes to a place already counted changes what is known of it: it stands
// for the thing of its slot (CAP-9).
func (l *Ledger) occupy(p place, thing int32) {
	at, taken := l.places[p]
	if !taken {
		at = int32(len(l.tenants))
		l.tenants = append(l.tenants, tenant{thing: thing})
		l.places[p] = at
		g := &l.groups[p.group]
		g.count++
		g.members = append(g.members, at)
		return
	}
	t, slot := &l.tenants[at], l.things[thing].Slot
	if l.things[t.thing].Slot == slot {
		t.thing = l.working(t.thing, thing)
		return
	}
	for i, other := range t.more {
		if l.things[other].Slot == slot {
			t.more[i] = l.working(other, thing)
			return
		}
	}
	t.more = append(t.more, thing)
}

// working is the later of two things of one slot, but never an idle session that a run is about to use.
func (l *Ledger) working(before, after int32) int32 {
	if l.things[after].Idle && !l.things[before].Idle {
		return before
	}
	return after
}

// things yields what uses the place.
func (t *tenant) things(yield func(thing int32) bool) {
	if !yield(t.thing) {
		return
	}
	for _, thing := range t.more {
		if !yield(thing) {
			return
		}
	}
}

// names numbers the cards and slots that places are known by: a place is looked up once per cap, its names once.
type names map[string]int32

func (n names) number(name string) int32 {
	at, ok := n[name]
	if !ok {
		at = int32(len(n))
		n[name] = at
	}
	return at
}

// add is the owner of the entry's place, numbered if need be.
func (n names) add(e *Entry) owner {
	o := owner{card: n.number(e.Card), slot: n.number(e.Slot)}
	o.sessionCard = o.card
	if e.SessionCard != "" {
		o.sessionCard = n.number(e.SessionCard)
	}
	return o
}

// find is the owner of the entry's place; a name that was never counted is -1, and has no place.
func (n names) find(e *Entry) owner {
	o := owner{card: n.known(e.Card), slot: n.known(e.Slot)}
	o.sessionCard = o.card
	if e.SessionCard != "" {
		o.sessionCard = n.known(e.SessionCard)
	}
	return o
}

func (n names) known(name string) int32 {
	if at, ok := n[name]; ok {
		return at
	}
	return -1
}
