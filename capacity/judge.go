package capacity

// verdict is what one rule says to one candidate.
type verdict struct {
	refuses  bool
	group    int32 // -1: nothing is counted there
	limit    Limit
	reserved int64
}

// firstFull is the first of the class's plain rules that is not sure to have room, as an index of its binding rules; their
// number if all have. It is worked out once after each Take: a group that is full is full for the whole class.
func (l *Ledger) firstFull(k *class) int {
	if k.surveyed && k.version == l.version {
		return k.full
	}
	k.surveyed, k.version, k.full = true, l.version, len(k.binding)
	for i := range k.binding {
		if r := &k.binding[i]; r.plain && l.groups[r.group].count >= r.room {
			k.full = i
			break
		}
	}
	return k.full
}

// fits is judge's quick yes: the count leaves room even if all that a reserve could keep were kept. No is no answer.
func (l *Ledger) fits(r *rule, c *Candidate) bool {
	if r.plain {
		return l.groups[r.group].count < r.room
	}
	if !r.asks {
		return false
	}
	limit := r.cap.Max.Of(c)
	return limit.Fault == "" && (limit.None || l.groups[r.group].count < limit.N)
}

func (l *Ledger) admitUnder(r *rule, c *Candidate) (Refusal, bool) {
	if l.fits(r, c) {
		return Refusal{}, true
	}
	v := l.judge(r, c, len(l.caps))
	if !v.refuses {
		return Refusal{}, true
	}
	return l.refusal(r, c, v), false
}

// judge asks one rule. A candidate is refused by a fault and by a maximum of 0 whatever it holds (CAP-5); else when the
// count has reached the maximum less what is reserved (CAP-8), unless its place is counted already (CAP-6). Reserves
// for waiting cards are looked at for the caps before upTo only.
func (l *Ledger) judge(r *rule, c *Candidate, upTo int) verdict {
	if r.perCard && !r.cap.applies(&c.Entry) {
		return verdict{}
	}
	v := verdict{group: r.group, limit: r.limit}
	if v.group < 0 {
		v.group = l.findGroup(r.index, r.cap.groupKey(&c.Entry))
	}
	if !r.settled {
		v.limit = r.cap.maximum(c)
	}
	if v.limit.None {
		return verdict{}
	}
	if v.limit.Fault != "" || v.limit.N == 0 {
		v.refuses = true
		return v
	}
	kept := l.reserved(r, c, &v, upTo)
	if kept.Fault != "" {
		v.refuses, v.limit.Fault = true, kept.Fault
		return v
	}
	v.reserved = kept.N
	v.refuses = l.count(v.group) >= v.limit.N-v.reserved && !l.hasPlace(r.cap, v.group, &c.Entry)
	return v
}

func (l *Ledger) count(group int32) int64 {
	if group < 0 {
		return 0
	}
	return l.groups[group].count
}

func (l *Ledger) findGroup(capIndex int32, key string) int32 {
	if at, ok := l.index[groupKey{capIndex, key}]; ok {
		return at
	}
	return -1
}
