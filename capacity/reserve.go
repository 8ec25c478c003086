package capacity

// witness remembers which cards a group's reserve waits for: two, so that one remains when the other is the candidate.
type witness struct {
	known   bool
	version uint64 // of the ledger
	cards   [2]string
	n       int
}

// slots is how many places the reserve asks for.
func (r *Reserve) slots(c *Candidate) Limit {
	slots := r.Slots.ask(c, "slots")
	if slots.None {
		slots.N = 0
	}
	return slots
}

// reserved is how many places of the candidate's group are kept from it: none for its own kind or while only its own
// card waits, and never the last (CAP-7).
func (l *Ledger) reserved(r *rule, c *Candidate, v *verdict, upTo int) Limit {
	k := r.cap.Reserve
	if k == nil || r.own || (k.For.readsCard() && k.For.Match(&c.Entry)) {
		return Limit{}
	}
	slots := k.slots(c)
	slots.N = min(slots.N, v.limit.N-1)
	if slots.Fault != "" || slots.N == 0 {
		return slots
	}
	if k.When == WhenAlways {
		if r.cap.excludes(&k.For) {
			return Limit{} // it cannot hold those whom the reserve is for
		}
		return slots
	}
	if int(r.index) >= upTo || !l.waits(r.index, v.group, c.Card) {
		return Limit{}
	}
	return slots
}

// waits reports whether a card other than this one waits for the group's reserve.
func (l *Ledger) waits(capIndex, group int32, card string) bool {
	if group < 0 {
		return false
	}
	w := l.witnessOf(capIndex, group)
	for _, waiting := range w.cards[:w.n] {
		if waiting != card {
			return true
		}
	}
	return false
}

// witnessOf finds cards that the reserve is for, that have no place of their own in the group, and that could start
// but for this cap. What it finds holds until something is taken.
func (l *Ledger) witnessOf(capIndex, group int32) witness {
	l.sortWaiters(capIndex)
	if w := &l.groups[group].witness; w.known && w.version == l.version {
		return *w
	}
	w := witness{known: true, version: l.version}
	for _, i := range l.groups[group].waiters {
		c := &l.waiting[i]
		if l.started[c.Card] || (w.n == 1 && w.cards[0] == c.Card) {
			continue
		}
		if !l.hasPlace(&l.caps[capIndex], group, &c.Entry) && l.couldStart(c, capIndex) {
			w.cards[w.n] = c.Card
			if w.n++; w.n == len(w.cards) {
				break
			}
		}
	}
	l.groups[group].witness = w
	return w
}

// couldStart reports whether every cap but this one has room for the candidate. Where two reserves for waiting cards
// would each wait for the other's card, the first in the order of the caps is believed: a cap looks only at the reserves
// before it. So the question always ends, and two reserves never hold each other for ever.
func (l *Ledger) couldStart(c *Candidate, but int32) bool {
	k := l.classOf(c)
	for i := range k.binding {
		r := &k.binding[i]
		if r.index == but || l.fits(r, c) {
			continue
		}
		if l.judge(r, c, int(but)).refuses {
			return false
		}
	}
	return true
}

// sortWaiters gives each group of the cap those of the waiting whom its reserve is for and whom the cap can hold.
func (l *Ledger) sortWaiters(capIndex int32) {
	if l.sorted[capIndex] {
		return
	}
	l.sorted[capIndex] = true
	k := &l.caps[capIndex]
	for i := range l.waiting {
		e := &l.waiting[i].Entry
		if k.Reserve.For.Match(e) && k.binds(e.Board) && k.applies(e) {
			g := l.groupFor(capIndex, k.groupKey(e))
			l.groups[g].waiters = append(l.groups[g].waiters, int32(i))
		}
	}
}
