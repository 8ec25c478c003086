package capacity

// classKey is what caps can see of a candidate apart from what is its card's own (id, labels, story, workspace).
// Candidates of one class meet the same rules, which are worked out once.
type classKey struct {
	Board, Status, Profile, Executor, Harness, Model, Host, Slot, Role, Surface string

	story, dispatch, borrowed bool
}

type class struct {
	key     classKey
	binding []rule // caps that may hold the class, in their order
	special []int  // those of binding that are not plain

	surveyed bool   // full is worked out,
	version  uint64 // for this version of the ledger
	full     int    // see firstFull
}

// rule is one cap as one class meets it.
type rule struct {
	cap   *Cap
	index int32 // of the cap

	group   int32 // in the ledger; -1: the card decides
	perCard bool  // whether the cap applies depends on the card
	own     bool  // the reserve is for this class: it holds none of it
	settled bool  // limit is the answer for the whole class
	limit   Limit

	asks  bool  // no answer holds for the class, and nothing but the maximum has to be asked
	plain bool  // while the group's count is below room, the rule holds nobody of the class
	room  int64 // the settled limit less all that a reserve could keep
}

// classOf finds the candidate's class, or works it out. Cards come in runs of one class, so the last is looked at first.
func (l *Ledger) classOf(c *Candidate) *class {
	key := classKey{
		Board: c.Board, Status: c.Status, Profile: c.Profile, Executor: c.Executor, Harness: c.Harness, Model: c.Model,
		Host: c.Host, Slot: c.Slot, Role: c.Role, Surface: c.Surface,
		story: c.Story != "", dispatch: c.Dispatch, borrowed: c.Borrowed,
	}
	if l.last != nil && l.last.key == key {
		return l.last
	}
	k := l.classes[key]
	if k == nil {
		k = &class{key: key}
		for i := range l.caps {
			if r, ok := l.ruleFor(int32(i), c); ok {
				if !r.plain {
					k.special = append(k.special, len(k.binding))
				}
				k.binding = append(k.binding, r)
			}
		}
		l.classes[key] = k
	}
	l.last = k
	return k
}

// ruleFor is the cap's rule for the candidate's class; false where the cap can hold none of it.
func (l *Ledger) ruleFor(i int32, c *Candidate) (rule, bool) {
	k := &l.caps[i]
	r := rule{cap: k, index: i, group: -1, perCard: k.Where.readsCard() || k.Unless.readsCard()}
	if !k.binds(c.Board) || (!r.perCard && !k.applies(&c.Entry)) {
		return rule{}, false
	}
	if !k.groupPerCard() {
		r.group = l.groupFor(i, k.groupKey(&c.Entry))
	}
	if k.Paused || k.Max.settled() {
		r.settled, r.limit = true, k.maximum(c)
		if r.limit.None {
			return rule{}, false
		}
	}
	grouped := r.group >= 0
	r.plain = grouped && r.settled && r.limit.Fault == "" && r.limit.N > 0
	r.room = r.limit.N
	if k.Reserve == nil {
		r.asks = grouped && !r.settled
		return r, true
	}
	r.own = !k.Reserve.For.readsCard() && k.Reserve.For.Match(&c.Entry)
	if !r.own {
		r.plain = r.plain && k.Reserve.Slots.settled()
		if r.plain {
			slots := k.Reserve.slots(c)
			r.plain = slots.Fault == ""
			r.room = max(1, r.limit.N-slots.N) // at most all but one are kept
		}
	}
	return r, true
}
