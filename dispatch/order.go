package dispatch

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/workflows"
)

// queue is a board's cards in the order in which they are looked at.
type queue struct {
	board  board.Board
	cards  []*board.Card
	at     int
	weight float64
}

func (q *queue) next() *board.Card {
	c := q.cards[q.at]
	q.at++
	return c
}

// queues are the boards' candidates, each board by itself in its own order. A card with an open run is no candidate.
func (p *planner) queues() []*queue {
	byBoard := map[string]*queue{}
	var all []*queue
	for _, b := range p.s.View.Boards {
		q := &queue{board: b, weight: float64(max(b.Weight, 1))}
		byBoard[b.Slug] = q
		all = append(all, q)
	}
	for i := range p.cards {
		c := &p.cards[i]
		if _, running := p.runOf[c.ID]; running || c.EndedAt != 0 || c.ArchivedAt != 0 {
			continue
		}
		if only := p.s.Options.Only; only != "" && c.ID != only {
			continue
		}
		if q := byBoard[c.Board]; q != nil {
			q.cards = append(q.cards, c)
		}
	}
	for _, q := range all {
		p.sort(q)
	}
	return all
}

// nextQueue is that of the board with the least open runs for its weight, then by slug; nil when all are empty.
func (p *planner) nextQueue(all []*queue) *queue {
	var best *queue
	least := math.Inf(1)
	for _, q := range all { // by slug
		if q.at == len(q.cards) {
			continue
		}
		if load := float64(p.openRuns[q.board.Slug]) / q.weight; load < least {
			best, least = q, load
		}
	}
	return best
}

// rank is what a card is ordered by, before its number and id.
type rank struct {
	card     *board.Card
	tier     int64   // starts that were asked for, by when; then who has waited out the aging, the longest first; then all others
	keys     []int64 // the workflow's order keys, and creation
	priority int     // grown with the waiting
}

// The tiers, to each of which a time in milliseconds is added: it is far from reaching the next.
const (
	tierRequested = math.MinInt64 / 2
	tierStarved   = math.MinInt64 / 4
)

// sort puts a queue into its order, which is total (DSP-4): requested starts, then those that have waited out their aging,
// the longest waiting first, then the workflow's keys, then creation and id. The starved ones are not ordered by the keys:
// urgent cards that come faster than places are free would starve too, and go before them for ever.
func (p *planner) sort(q *queue) {
	if len(q.cards) < 2 {
		return
	}
	ranks := p.ranks(q)
	slices.SortFunc(ranks, compareRanks)
	for i := range ranks {
		q.cards[i] = ranks[i].card
	}
}

func compareRanks(a, b rank) int {
	if a.tier != b.tier {
		return cmp.Compare(a.tier, b.tier)
	}
	for i, key := range a.keys {
		if key != b.keys[i] {
			return cmp.Compare(key, b.keys[i])
		}
	}
	return cmp.Or(cmp.Compare(a.card.Number, b.card.Number), cmp.Compare(a.card.ID, b.card.ID))
}

// ranks works out what a queue's cards are ordered by. Sorting then compares whole numbers only, and one array holds them
// all: there may be 100,000 cards.
func (p *planner) ranks(q *queue) []rank {
	var order []*expr.Key
	var age workflows.Aging
	w := p.s.Workflows[q.board.Workflow].Workflow
	if w != nil {
		order, age = w.Dispatch.Order, w.Dispatch.Aging
	}
	width := len(order) + 1
	numbers := make([]int64, len(q.cards)*width)
	ranks := make([]rank, len(q.cards))
	for i, c := range q.cards {
		priority, starved := aging(age, c, p.s.View.Now)
		ranks[i] = rank{card: c, keys: numbers[i*width : (i+1)*width], priority: priority}
		switch {
		case c.StartRequested != 0:
			ranks[i].tier = tierRequested + int64(c.StartRequested)
		case starved:
			ranks[i].tier = tierStarved + int64(c.ReadySince)
		}
		ranks[i].keys[len(order)] = int64(c.CreatedAt)
	}
	for k, key := range order {
		if of := plainColumn(key.Source()); of != nil {
			rankByColumn(ranks, k, key.Descending(), of)
			continue
		}
		for i, n := range key.Ranks(p.orderValues(w, k, ranks)) {
			ranks[i].keys[k] = n
		}
	}
	return ranks
}

// plainColumn reads the columns that nearly every order names straight from the card; nil for any other expression.
func plainColumn(source string) func(r *rank) int64 {
	switch strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(source), "-")) {
	case "card.priority":
		return func(r *rank) int64 { return int64(r.priority) }
	case "card.created_at":
		return func(r *rank) int64 { return int64(r.card.CreatedAt) }
	case "card.number":
		return func(r *rank) int64 { return int64(r.card.Number) }
	}
	return nil
}

func rankByColumn(ranks []rank, k int, descending bool, of func(*rank) int64) {
	sign := int64(1)
	if descending {
		sign = -1
	}
	for i := range ranks {
		ranks[i].keys[k] = sign * of(&ranks[i])
	}
}

// orderValues works out one order key of every card. One environment serves them all, and where the key reads nothing of a
// card but its status, one value serves all cards of a status.
func (p *planner) orderValues(w *workflows.Workflow, k int, ranks []rank) []expr.Value {
	key := w.Dispatch.Order[k]
	values := make([]expr.Value, len(ranks))
	env := p.env(ranks[0].card)
	byStatus := map[string]expr.Value{}
	shared := readsOnly(key.Reads(env), "card.status")
	for i := range ranks {
		c := ranks[i].card
		if known, ok := byStatus[c.Status]; ok {
			values[i] = known
			continue
		}
		board.SetCard(env, c, p.s.Facts[c.ID])
		env.Card.Priority = ranks[i].priority
		v, err := key.Eval(env)
		if err != nil {
			p.fault("workflow "+w.Name, w.Dispatch.OrderAt[k].String()+": "+err.Error())
		}
		if values[i] = v; shared {
			byStatus[c.Status] = v
		}
	}
	return values
}

// aging is a card's priority with one added for each period that it has been startable, up to the maximum. After one period
// more it goes before all that became startable later, so that its wait is bounded: per x (max + 1), and the time in which
// as many places get free as cards were startable before it.
func aging(a workflows.Aging, c *board.Card, now board.Time) (priority int, starved bool) {
	if a.Per <= 0 || now <= c.ReadySince {
		return c.Priority, false
	}
	periods := int(now.Sub(c.ReadySince) / a.Per)
	return c.Priority + min(periods, a.Max), periods > a.Max
}
