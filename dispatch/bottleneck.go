package dispatch

import (
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/capacity"
)

// Bottleneck is a cap that cards wait for, and what raising it would do, worked out by planning again (DSP-12).
type Bottleneck struct {
	Cap   string  `json:"cap"`
	Group string  `json:"group"`
	Key   string  `json:"key"`
	Held  int     `json:"held"` // cards whose headline it is
	Max   int64   `json:"max"`
	Raise []Raise `json:"raise"`
}

// Raise is a higher maximum and how many more cards it would start now.
type Raise struct {
	Max  int64 `json:"max"`
	More int   `json:"more"`
}

// raises are by how much a maximum is tried to be raised (chosen: the next place, and enough to see whether it matters).
func raises() []int64 { return []int64{1, 2, 4} }

// Bottlenecks are the caps of files that hold cards, the one that holds most first. Each is tried with a higher maximum.
func Bottlenecks(s Snapshot, plan Plan) []Bottleneck {
	byCap := map[string]*Bottleneck{}
	for _, h := range plan.Hold {
		if h.Code != board.HoldCapacity || len(h.Caps) == 0 || h.Caps[0].Paused || h.Caps[0].Fault != "" || h.Caps[0].Origin != capacity.FromFile {
			continue
		}
		b := byCap[h.Cap]
		if b == nil {
			b = &Bottleneck{Cap: h.Cap, Group: h.Group, Key: h.Key, Max: h.Max}
			byCap[h.Cap] = b
		}
		b.Held++
	}
	var all []Bottleneck
	for _, name := range sortedKeys(byCap) {
		b := byCap[name]
		for _, by := range raises() {
			what := s
			what.Options.Raise = CapRaise{Cap: name, Max: b.Max + by}
			more := len(MakePlan(what).Start) - len(plan.Start)
			if last := len(b.Raise) - 1; last >= 0 && b.Raise[last].More == more {
				break // a higher one does no more
			}
			b.Raise = append(b.Raise, Raise{Max: b.Max + by, More: more})
		}
		all = append(all, *b)
	}
	slices.SortStableFunc(all, func(x, y Bottleneck) int {
		if x.Held != y.Held {
			return y.Held - x.Held
		}
		return strings.Compare(x.Cap, y.Cap)
	})
	return all
}
