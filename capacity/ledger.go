package capacity

import (
	"maps"
	"slices"
	"time"
)

// State is what a ledger counts at first.
type State struct {
	Now  time.Time
	Held []Entry // what the home holds; open runs belong here and not in Past
	Past []Entry // runs that ended: Starts and Spend in windows look back at them
	// Started are the starts that this tick has made already, for caps on Starts without a window. A ledger built for
	// planning has none; the claim's names those that the tick claimed before.
	Started []Entry
	// Waiting are the starts that could be made now but for caps: not paused, not blocked, with a host and an
	// executor. Several of one card are its alternatives. Reserves with WhenWaiting look at them.
	Waiting []Candidate
}

// Ledger holds the counters of one tick, for every board of the home (CAP-10). It is not safe for concurrent use.
type Ledger struct {
	caps    []Cap
	now     time.Time
	things  []Entry // what holds places, in the order of counting
	groups  []group
	index   map[groupKey]int32
	names   names
	places  map[place]int32 // -> tenants
	tenants []tenant
	waiting []Candidate
	sorted  []bool          // by cap: whether the waiters of its groups are worked out
	started map[string]bool // cards taken, which wait no more
	idle    int             // idle sessions counted, also those that a Take put to work

	version uint64 // grows with every Take: what was worked out before may no longer hold
	classes map[classKey]*class
	last    *class
}

// group is the counter of one combination of a cap's scope.
type group struct {
	cap     int32
	key     string
	name    string // the key for people
	count   int64
	members []int32 // tenants, in the order of counting
	assumed []int64 // ended runs of unknown cost

	waiters []int32 // of the ledger's waiting: those that the reserve keeps places for
	witness witness
}

type groupKey struct {
	cap int32
	key string
}

// New counts what is held, in O(held x caps). Caps are tried in the order given: made by the program, of
// config.yaml, of the workflow. The caps and the state are kept, and must not be changed while the ledger is used.
func New(caps []Cap, s State) *Ledger {
	l := &Ledger{
		caps: caps, now: s.Now, waiting: s.Waiting,
		things: make([]Entry, 0, len(s.Held)+8),
		index:  map[groupKey]int32{}, names: names{"": 0}, places: make(map[place]int32, len(s.Held)),
		sorted: make([]bool, len(caps)), started: map[string]bool{}, classes: map[classKey]*class{},
	}
	for i := range caps {
		if !caps[i].scoped() {
			l.groupFor(int32(i), "")
		}
	}
	for i := range s.Held {
		l.hold(&s.Held[i])
	}
	for i := range s.Past {
		l.eachCap(&s.Past[i], l.addAmount)
	}
	for _, e := range s.Started {
		e.Counts = CountsStart
		l.eachCap(&e, l.addStart)
	}
	return l
}

// Admit reports whether the candidate has room under every cap; if not, the first cap that refuses it (CAP-8). It
// changes no counter, and costs O(caps) (CAP-12).
func (l *Ledger) Admit(c *Candidate) (Refusal, bool) {
	k := l.classOf(c)
	full := l.firstFull(k)
	for _, i := range k.special {
		if i >= full {
			break
		}
		if refusal, ok := l.admitUnder(&k.binding[i], c); !ok {
			return refusal, false
		}
	}
	for i := full; i < len(k.binding); i++ {
		if refusal, ok := l.admitUnder(&k.binding[i], c); !ok {
			return refusal, false
		}
	}
	return Refusal{}, true
}

// AdmitFirst tries the alternatives of one card, an executor each, in the order given, and says which passes every cap
// first (CAP-13). If none does, it gives the first one's headline and -1.
func (l *Ledger) AdmitFirst(alternatives []Candidate) (at int, headline Refusal) {
	for i := range alternatives {
		refusal, ok := l.Admit(&alternatives[i])
		if ok {
			return i, Refusal{}
		}
		if i == 0 {
			headline = refusal
		}
	}
	return -1, headline
}

// Explain names every cap that refuses the candidate, with the holders of its places, in the order of the caps. None:
// it is admitted (DSP-10).
func (l *Ledger) Explain(c *Candidate) []Refusal {
	var all []Refusal
	k := l.classOf(c)
	for i := range k.binding {
		r := &k.binding[i]
		if v := l.judge(r, c, len(l.caps)); v.refuses {
			refusal := l.refusal(r, c, v)
			refusal.Holders = l.holders(v.group)
			all = append(all, refusal)
		}
	}
	return all
}

// Take adds the candidate's place to every cap that applies to it (CAP-9), and takes its card off the waiting. It does
// not ask whether there is room: a start over a cap counts like any other (CAP-14).
func (l *Ledger) Take(c *Candidate) {
	l.version++
	l.started[c.Card] = true
	e := c.Entry
	e.Counts = CountsStart
	l.hold(&e)
	l.eachCap(&e, l.addStart)
}

// Clone is a ledger that can be added to without changing this one, for what-if.
func (l *Ledger) Clone() *Ledger {
	clone := *l
	clone.things = slices.Clone(l.things)
	clone.groups = slices.Clone(l.groups)
	for i := range clone.groups {
		g := &clone.groups[i]
		g.members, g.assumed = slices.Clone(g.members), slices.Clone(g.assumed)
	}
	clone.tenants = slices.Clone(l.tenants)
	for i := range clone.tenants {
		clone.tenants[i].more = slices.Clone(l.tenants[i].more)
	}
	clone.index, clone.names, clone.places = maps.Clone(l.index), maps.Clone(l.names), maps.Clone(l.places)
	clone.started, clone.sorted = maps.Clone(l.started), slices.Clone(l.sorted)
	clone.classes, clone.last = map[classKey]*class{}, nil
	return &clone
}

// hold counts a thing under every cap that applies to it.
func (l *Ledger) hold(e *Entry) {
	thing := int32(len(l.things))
	l.things = append(l.things, *e)
	if e.Idle {
		l.idle++
	}
	who := l.names.add(e)
	l.eachCap(e, func(i int32, e *Entry) {
		c := &l.caps[i]
		if !c.hasPlaces() {
			l.addAmount(i, e)
			return
		}
		l.occupy(c.placeOf(l.groupFor(i, c.groupKey(e)), who), thing)
	})
}

// eachCap calls add for every cap that counts the entry.
func (l *Ledger) eachCap(e *Entry, add func(i int32, e *Entry)) {
	for i := range l.caps {
		if c := &l.caps[i]; e.Counts.Has(c.Counts) && c.applies(e) {
			add(int32(i), e)
		}
	}
}

// addStart counts a start of this tick under a cap that looks no further back (CAP-11).
func (l *Ledger) addStart(i int32, e *Entry) {
	if c := &l.caps[i]; c.Counts == Starts && c.Window == 0 {
		l.groups[l.groupFor(i, c.groupKey(e))].count++
	}
}

// addAmount counts what has no place: a start in the cap's window, or the dollars of a run (CAP-11).
func (l *Ledger) addAmount(i int32, e *Entry) {
	c := &l.caps[i]
	amount, assumed := c.amount(e, l.now)
	if amount == 0 {
		return
	}
	g := &l.groups[l.groupFor(i, c.groupKey(e))]
	g.count += amount
	if assumed {
		g.assumed = append(g.assumed, e.Run)
	}
}

// groupFor is the group of that key, made when there is none.
func (l *Ledger) groupFor(capIndex int32, key string) int32 {
	at, ok := l.index[groupKey{capIndex, key}]
	if !ok {
		at = int32(len(l.groups))
		l.groups = append(l.groups, group{cap: capIndex, key: key, name: groupName(key)})
		l.index[groupKey{capIndex, key}] = at
	}
	return at
}
