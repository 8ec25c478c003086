package capacity_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-2ddc2152/board/capacity"
)

// oracle says what a ledger must say, the slow way: it counts everything again for each question, and remembers nothing.
type oracle struct {
	caps    []capacity.Cap
	held    []capacity.Entry // taken starts included
	taken   []string         // cards
	waiting []capacity.Candidate
	starts  []capacity.Entry // of this tick
}

func (o *oracle) applies(c *capacity.Cap, e *capacity.Entry) bool {
	return e.Counts.Has(c.Counts) && c.Where.Match(e) && (c.Unless.Empty() || !c.Unless.Match(e))
}

func (o *oracle) binds(c *capacity.Cap, e *capacity.Entry) bool {
	return o.applies(c, e) && (c.Boards == nil || slices.Contains(c.Boards, e.Board))
}

func group(c *capacity.Cap, e *capacity.Entry) string {
	names := map[string]string{
		"board": e.Board, "host": e.Host, "profile": e.Profile, "model": e.Model, "slot": e.Slot, "story": e.Story,
	}
	text := ""
	for _, d := range c.Scope {
		text += "|" + names[string(d)]
	}
	return text
}

func key(c *capacity.Cap, e *capacity.Entry) string {
	if (c.Counts == capacity.Sessions || c.Counts == capacity.Turns) && c.Place != capacity.PerCard {
		return e.Card + "|" + e.Slot
	}
	return e.Card
}

func (o *oracle) count(c *capacity.Cap, e *capacity.Entry) (n int, own bool) {
	things := o.held
	if c.Counts == capacity.Starts {
		things = o.starts
	}
	places := map[string]bool{}
	for i := range things {
		thing := &things[i]
		if o.applies(c, thing) && group(c, thing) == group(c, e) {
			n++
			places[key(c, thing)] = true
		}
	}
	if c.Counts == capacity.Starts {
		return n, false
	}
	return len(places), places[key(c, e)]
}

// holds reports whether cap i refuses, where reserves for waiting cards are believed of the caps before upTo.
func (o *oracle) holds(i, upTo int, e *capacity.Entry) bool {
	c := &o.caps[i]
	limit := c.Max.Const
	if !o.binds(c, e) || (limit.None && !c.Paused) {
		return false
	}
	if limit.N == 0 || c.Paused {
		return true
	}
	n, own := o.count(c, e)
	return !own && n >= int(limit.N)-o.reserved(i, upTo, e, int(limit.N))
}

func (o *oracle) reserved(i, upTo int, e *capacity.Entry, limit int) int {
	r := o.caps[i].Reserve
	if r == nil || r.For.Match(e) {
		return 0
	}
	slots := min(int(r.Slots.Const.N), limit-1)
	if r.When == capacity.WhenAlways {
		return slots
	}
	if i >= upTo {
		return 0
	}
	for _, w := range o.waiting {
		c := &o.caps[i]
		if w.Card == e.Card || slices.Contains(o.taken, w.Card) || !r.For.Match(&w.Entry) || !o.binds(c, &w.Entry) ||
			group(c, &w.Entry) != group(c, e) {
			continue
		}
		if _, own := o.count(c, &w.Entry); own {
			continue
		}
		blocked := false
		for j := range o.caps {
			blocked = blocked || (j != i && o.holds(j, i, &w.Entry))
		}
		if !blocked {
			return slots
		}
	}
	return 0
}

func (o *oracle) refusals(e *capacity.Entry) []string {
	var names []string
	for i := range o.caps {
		if o.holds(i, len(o.caps), e) {
			names = append(names, o.caps[i].Name)
		}
	}
	return names
}

func (o *oracle) take(c capacity.Candidate) {
	o.held = append(o.held, c.Entry)
	o.starts = append(o.starts, c.Entry)
	o.taken = append(o.taken, c.Card)
}

// The generators draw from few names, so that things meet.

func drawFilter(t *rapid.T, label string) capacity.Filter {
	var f capacity.Filter
	pick := func(name string, values ...string) []string {
		return rapid.SampledFrom(append([][]string{nil, nil, nil}, values, values[:1])).Draw(t, label+"."+name)
	}
	f.Status = pick("status", "doing", "review")
	f.Host = pick("host", "base", "far")
	f.Model = pick("model", "opus*", "sonnet")
	f.Label = pick("label", "urgent", "team=a")
	f.Story = rapid.SampledFrom([]*bool{nil, nil, nil, new(true), new(false)}).Draw(t, label+".story")
	f.Dispatch = rapid.SampledFrom([]*bool{nil, nil, new(true), new(false)}).Draw(t, label+".dispatch")
	return f
}

func drawCaps(t *rapid.T) []capacity.Cap {
	kinds := []capacity.Kind{capacity.Runs, capacity.Cards, capacity.Sessions, capacity.Turns, capacity.Starts}
	scopes := [][]capacity.Dimension{
		nil, {capacity.Home}, {capacity.Host}, {capacity.Board}, {capacity.Model, capacity.Slot}, {capacity.Story},
	}
	caps := make([]capacity.Cap, rapid.IntRange(1, 5).Draw(t, "caps"))
	for i := range caps {
		c := capacity.Cap{
			Name: fmt.Sprint("cap ", i), Counts: rapid.SampledFrom(kinds).Draw(t, "counts"),
			Scope:  rapid.SampledFrom(scopes).Draw(t, "scope"),
			Where:  drawFilter(t, "where"),
			Place:  rapid.SampledFrom([]capacity.Place{"", capacity.PerCard}).Draw(t, "place"),
			Max:    capacity.Fixed(rapid.Int64Range(0, 4).Draw(t, "max")),
			Paused: rapid.IntRange(0, 9).Draw(t, "paused") == 0,
			Boards: rapid.SampledFrom([][]string{nil, nil, {"api"}}).Draw(t, "boards"),
		}
		if rapid.Bool().Draw(t, "through a function") {
			limit := c.Max.Const
			c.Max.Of = func(*capacity.Candidate) capacity.Limit { return limit }
			c.Max.Steady = rapid.Bool().Draw(t, "steady")
		}
		if rapid.IntRange(0, 3).Draw(t, "unless") == 0 {
			c.Unless = drawFilter(t, "unless")
		}
		if rapid.Bool().Draw(t, "reserve") {
			c.Reserve = &capacity.Reserve{
				For:   capacity.Filter{Status: []string{rapid.SampledFrom([]string{"doing", "review"}).Draw(t, "for")}},
				Slots: capacity.Fixed(rapid.Int64Range(0, 3).Draw(t, "slots")),
			}
			if c.Where.Status == nil && c.Unless.Empty() { // else E17 may say that nothing is kept
				c.Reserve.When = rapid.SampledFrom([]capacity.When{"", capacity.WhenAlways}).Draw(t, "when")
			}
		}
		caps[i] = c
	}
	return caps
}

func drawEntry(t *rapid.T, counts capacity.Counts) capacity.Entry {
	board := rapid.SampledFrom([]string{"api", "web"}).Draw(t, "board")
	status := rapid.SampledFrom([]string{"doing", "review"}).Draw(t, "status")
	return capacity.Entry{
		Card: fmt.Sprint(board, "-", rapid.IntRange(1, 5).Draw(t, "card")), Board: board, Status: status,
		Slot:   map[string]string{"doing": "worker", "review": "reviewer"}[status],
		Host:   rapid.SampledFrom([]string{"base", "far"}).Draw(t, "host"),
		Model:  rapid.SampledFrom([]string{"", "opus-4", "sonnet"}).Draw(t, "model"),
		Story:  rapid.SampledFrom([]string{"", "api-9"}).Draw(t, "story"),
		Labels: rapid.SampledFrom([]map[string]string{nil, {"urgent": ""}, {"team": "a"}, {"team": "b"}}).Draw(t, "labels"),
		// What is held may be a session attached by hand; a start is of the dispatcher's making.
		Dispatch: counts == capacity.CountsStart || rapid.Bool().Draw(t, "dispatch"),
		Counts:   counts,
	}
}

func drawHeld(t *rapid.T) []capacity.Entry {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) capacity.Entry {
		return drawEntry(t, rapid.SampledFrom([]capacity.Counts{
			capacity.CountsRuns | capacity.CountsCards, capacity.CountsSessions, capacity.CountsCards,
			capacity.CountsSessions | capacity.CountsTurns,
		}).Draw(t, "holds"))
	}), 0, 8).Draw(t, "held")
}

// drawCandidates draws starts of which many differ only in what is their card's own, as on a board.
func drawCandidates(t *rapid.T, label string, most int) []capacity.Candidate {
	var all []capacity.Candidate
	for range rapid.IntRange(0, most).Draw(t, label) {
		e := drawEntry(t, capacity.CountsStart)
		if len(all) > 0 && rapid.Bool().Draw(t, "alike") {
			like := rapid.SampledFrom(all).Draw(t, "like").Entry
			like.Card, like.Labels = fmt.Sprint(like.Board, "-", rapid.IntRange(1, 9).Draw(t, "card")), e.Labels
			e = like
		}
		all = append(all, capacity.Candidate{Entry: e})
	}
	return all
}

// CAP-4, CAP-5, CAP-6, CAP-7, CAP-8, CAP-9, CAP-12, CAP-16: whatever is held, waits and is taken, the ledger with its counters and memories says
// of every candidate what counting all over again says: the same caps, in the same order.
func TestLedger_SaysWhatCountingAgainSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := drawCandidates(t, "candidates", 24)
		for i := range all {
			all[i].Dispatch = rapid.IntRange(0, 5).Draw(t, "by hand") > 0
		}
		o := &oracle{caps: drawCaps(t), held: drawHeld(t)}
		o.waiting = all[rapid.IntRange(0, len(all)).Draw(t, "not waiting"):]
		l := capacity.New(o.caps, capacity.State{Now: now, Held: slices.Clone(o.held), Waiting: o.waiting})
		for _, c := range all {
			want := o.refusals(&c.Entry)
			headline, ok := l.Admit(&c)
			if ok != (len(want) == 0) || (!ok && headline.Cap != want[0]) {
				t.Fatalf("%+v\nadmit: got %v %q, want refusals %q", c.Entry, ok, headline.Cap, want)
			}
			var got []string
			for _, r := range l.Explain(&c) {
				got = append(got, r.Cap)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%+v\nexplain: got %q, want %q", c.Entry, got, want)
			}
			if ok {
				l.Take(&c)
				o.take(c)
			}
		}
	})
}

// CAP-8, CAP-10: no order of starts takes a group over its maximum; what is over at first never grows.
func TestTake_NeverExceedsAMaximum(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		caps := drawCaps(t)
		for i := range caps {
			caps[i].Boards = nil // another board's cap counts starts that it does not hold
		}
		l := capacity.New(caps, capacity.State{Now: now, Held: drawHeld(t), Waiting: drawCandidates(t, "waiting", 5)})
		before := used(l)
		for _, c := range drawCandidates(t, "candidates", 20) {
			if _, ok := l.Admit(&c); ok {
				l.Take(&c)
			}
		}
		for _, u := range l.Usage(func(e capacity.Entry) *capacity.Candidate { return &capacity.Candidate{Entry: e} }) {
			if u.Used > max(u.Max.N, before[u.Cap+u.Group]) {
				t.Fatalf("%s in %q: %d of %d, at first %d", u.Cap, u.Group, u.Used, u.Max.N, before[u.Cap+u.Group])
			}
		}
	})
}

// CAP-9: taking a start twice counts what taking it once counts, but for starts; and a ledger that took starts counts
// what a ledger counts that finds them held.
func TestTake_TwiceIsOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		caps := slices.DeleteFunc(drawCaps(t), func(c capacity.Cap) bool { return c.Counts == capacity.Starts })
		held := drawHeld(t)
		once := capacity.New(caps, capacity.State{Now: now, Held: held})
		twice := capacity.New(caps, capacity.State{Now: now, Held: held})
		taken := drawCandidates(t, "taken", 6)
		for i := range taken {
			once.Take(&taken[i])
			twice.Take(&taken[i])
			twice.Take(&taken[i])
		}
		again := capacity.New(caps, capacity.State{Now: now, Held: append(slices.Clone(held), entries(taken)...)})
		if want := used(once); !reflect.DeepEqual(used(twice), want) || !reflect.DeepEqual(used(again), want) {
			t.Fatalf("once %v, twice %v, counted again %v", want, used(twice), used(again))
		}
	})
}

// CAP-8: more held by other cards never makes room.
func TestAdmit_IsMonotoneInWhatIsHeld(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		caps := drawCaps(t)
		for i := range caps {
			if r := caps[i].Reserve; r != nil {
				r.For.Status, caps[i].Where.Status, caps[i].Unless = []string{"review"}, nil, capacity.Filter{}
				r.When = capacity.WhenAlways // a reserve for waiting cards ends when those cannot start either
			}
		}
		held, more := drawHeld(t), drawHeld(t)
		c := capacity.Candidate{Entry: drawEntry(t, capacity.CountsStart)}
		more = slices.DeleteFunc(more, func(e capacity.Entry) bool { return e.Card == c.Card })
		_, fewer := capacity.New(caps, capacity.State{Now: now, Held: held}).Admit(&c)
		_, greater := capacity.New(caps, capacity.State{Now: now, Held: append(held, more...)}).Admit(&c)
		if greater && !fewer {
			t.Fatalf("%+v is admitted with more held, and refused with less", c.Entry)
		}
	})
}

// CAP-6: a card is never held by a cap that counts its place already, unless the cap holds everything.
func TestAdmit_NeverHoldsAPlaceThatIsCounted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		caps := drawCaps(t)
		l := capacity.New(caps, capacity.State{Now: now, Held: drawHeld(t), Waiting: drawCandidates(t, "waiting", 5)})
		c := capacity.Candidate{Entry: drawEntry(t, capacity.CountsStart)}
		l.Take(&c)
		for _, r := range l.Explain(&c) {
			if r.Counts != capacity.Starts && r.Max > 0 && !r.Paused {
				t.Fatalf("%+v is held by %+v, which counts it", c.Entry, r)
			}
		}
	})
}

func TestClone_IsIndependent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := capacity.New(drawCaps(t), capacity.State{Now: now, Held: drawHeld(t)})
		before, clone := used(l), l.Clone()
		for _, c := range drawCandidates(t, "taken in the clone", 6) {
			clone.Take(&c)
		}
		after := used(clone)
		if !reflect.DeepEqual(used(l), before) {
			t.Fatalf("before %v, after %v", before, used(l))
		}
		for _, c := range drawCandidates(t, "taken in the first", 6) {
			l.Take(&c)
		}
		if !reflect.DeepEqual(used(clone), after) {
			t.Fatalf("clone: before %v, after %v", after, used(clone))
		}
	})
}

func used(l *capacity.Ledger) map[string]int64 {
	all := map[string]int64{}
	for _, u := range l.Usage(nil) {
		if u.Used > 0 {
			all[u.Cap+u.Group] = u.Used
		}
	}
	return all
}
