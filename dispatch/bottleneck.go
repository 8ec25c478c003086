package dispatch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/capacity"
)

// Bottleneck is a cap that cards wait for, and what raising it would do, worked out by planning again (DSP-12).
type Bottleneck struct {
	Cap    string        `json:"cap"`
	Counts capacity.Kind `json:"counts"`
	Group  string        `json:"group"` // of the first card that it holds
	Key    string        `json:"key"`
	Held   int           `json:"held"` // cards whose headline it is
	Max    int64         `json:"max"`  // of that group; micro-dollars for spend
	Raise  []Raise       `json:"raise"`
	Text   string        `json:"text"` // one line for a person
}

// Raise is a higher maximum and how many more cards it would start now.
type Raise struct {
	Max  int64 `json:"max"`
	More int   `json:"more"`
}

// raises are by how much a maximum is tried to be raised (chosen: the next place, and enough to see whether it matters).
func raises() []int64 { return []int64{1, 2, 4} }

// Bottlenecks are the caps of files that hold cards, the one that holds most first. Each is tried with a higher maximum; one
// that is paused, or whose maximum cannot be worked out, has no number to raise.
func Bottlenecks(s Snapshot, plan Plan) []Bottleneck {
	byCap := map[string]*Bottleneck{}
	for _, h := range plan.Hold {
		if h.Code != board.HoldCapacity || len(h.Caps) == 0 || !raisable(h.Caps[0]) {
			continue
		}
		b := byCap[h.Cap]
		if b == nil {
			b = &Bottleneck{Cap: h.Cap, Counts: h.Caps[0].Counts, Group: h.Group, Key: h.Key, Max: h.Max}
			byCap[h.Cap] = b
		}
		b.Held++
	}
	all := make([]Bottleneck, 0, len(byCap))
	for _, name := range sortedKeys(byCap) {
		b := byCap[name]
		b.tryRaises(s, len(plan.Start))
		b.Text = b.text()
		all = append(all, *b)
	}
	slices.SortStableFunc(all, func(x, y Bottleneck) int {
		return cmp.Or(cmp.Compare(y.Held, x.Held), strings.Compare(x.Cap, y.Cap))
	})
	return all
}

// raisable says whether a person could raise the number in a file of the workflow's or the home's.
func raisable(r capacity.Refusal) bool {
	switch r.Origin {
	case capacity.FromFile, capacity.FromStory, capacity.FromDollars:
		return !r.Paused && r.Fault == ""
	case capacity.FromSlots, capacity.FromMax, capacity.FromWorkspace:
	}
	return false
}

// tryRaises plans with each higher maximum, until a higher one does no more.
func (b *Bottleneck) tryRaises(s Snapshot, starts int) {
	unit := int64(1)
	if b.Counts == capacity.Spend {
		unit = capacity.USD(capacity.Limit{N: 1}).N
	}
	s.Options.Explain = false // the starts are all that is asked for
	for _, by := range raises() {
		s.Options.Raise = CapRaise{Cap: b.Cap, By: by * unit}
		more := len(MakePlan(s).Start) - starts
		if last := len(b.Raise) - 1; last >= 0 && b.Raise[last].More == more {
			return
		}
		b.Raise = append(b.Raise, Raise{Max: b.Max + by*unit, More: more})
	}
}

// text is `5 cards wait: raise max of "opus" from 1 to 2: 1 more would start now; to 3: 2 more`.
func (b *Bottleneck) text() string {
	waits := fmt.Sprintf("%d cards wait", b.Held)
	if b.Held == 1 {
		waits = "1 card waits"
	}
	last := b.Raise[len(b.Raise)-1]
	if last.More <= 0 {
		return fmt.Sprintf("%s for %q, whose max of %s is not all: with %s none more would start now", waits, b.Cap, b.amount(b.Max), b.amount(last.Max))
	}
	var more []string
	for i, r := range b.Raise {
		if i == 0 {
			more = append(more, fmt.Sprintf("%s: raise max of %q from %s to %s: %d more would start now", waits, b.Cap, b.amount(b.Max), b.amount(r.Max), r.More))
			continue
		}
		more = append(more, fmt.Sprintf("to %s: %d more", b.amount(r.Max), r.More))
	}
	return strings.Join(more, "; ")
}

func (b *Bottleneck) amount(n int64) string {
	if b.Counts == capacity.Spend {
		return "$" + capacity.Dollars(n)
	}
	return fmt.Sprint(n)
}

// raised is a maximum that is higher by some; none stays none.
func raised(m capacity.Limiter, by int64) capacity.Limiter {
	more := func(l capacity.Limit) capacity.Limit {
		if !l.None && l.Fault == "" {
			l.N += by
		}
		return l
	}
	if m.Of == nil {
		m.Const = more(m.Const)
		return m
	}
	of := m.Of
	m.Of = func(c *capacity.Candidate) capacity.Limit { return more(of(c)) }
	return m
}
