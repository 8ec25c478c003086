package dispatch

import (
	"cmp"
	"math"
	"slices"

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

// rank is what a card is ordered by, before creation and id.
type rank struct {
	card      *board.Card
	requested board.Time // 0 sorts last
	starved   bool       // it waited for so long that it goes first
	keys      []expr.Value
}

// sort puts a queue into its order, which is total (DSP-4): requested starts, then those that have waited out their aging,
// then the workflow's keys, then creation and id.
func (p *planner) sort(q *queue) {
	w := p.s.Workflows[q.board.Workflow].Workflow
	ranks := make([]rank, len(q.cards))
	for i, c := range q.cards {
		ranks[i] = rank{card: c, requested: c.StartRequested}
	}
	if w != nil && len(ranks) > 1 {
		p.rankKeys(w, ranks)
	}
	slices.SortFunc(ranks, func(a, b rank) int { return compareRanks(w, a, b) })
	for i, r := range ranks {
		q.cards[i] = r.card
	}
}

func compareRanks(w *workflows.Workflow, a, b rank) int {
	if a.requested != b.requested {
		if a.requested == 0 || b.requested == 0 {
			return cmp.Compare(b.requested, a.requested)
		}
		return cmp.Compare(a.requested, b.requested)
	}
	if a.starved != b.starved {
		if a.starved {
			return -1
		}
		return 1
	}
	for i := range a.keys {
		if c := w.Dispatch.Order[i].Compare(a.keys[i], b.keys[i]); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(a.card.CreatedAt, b.card.CreatedAt), cmp.Compare(a.card.Number, b.card.Number), cmp.Compare(a.card.ID, b.card.ID))
}

// rankKeys works out the workflow's order keys for cards whose priority has grown with their waiting. One environment and
// one array serve them all: there may be 100,000.
func (p *planner) rankKeys(w *workflows.Workflow, ranks []rank) {
	order := w.Dispatch.Order
	keys := make([]expr.Value, len(ranks)*len(order))
	env := p.env(ranks[0].card)
	for i := range ranks {
		r := &ranks[i]
		var aged board.Card
		aged, r.starved = aging(w.Dispatch.Aging, *r.card, p.s.View.Now)
		board.SetCard(env, &aged, p.s.Facts[aged.ID])
		r.keys = keys[i*len(order) : (i+1)*len(order)]
		for k := range order {
			v, err := order[k].Eval(env)
			if err != nil {
				p.fault("workflow "+w.Name, w.Dispatch.OrderAt[k].String()+": "+err.Error())
			}
			r.keys[k] = v
		}
	}
}

// aging adds one to a card's priority for each period that it has been startable, up to the maximum. After one period more
// it goes first, so that the longest wait is bounded by per x (max + 1) and the time that the queue ahead of it takes.
func aging(a workflows.Aging, c board.Card, now board.Time) (board.Card, bool) {
	if a.Per <= 0 || now <= c.ReadySince {
		return c, false
	}
	periods := int(now.Sub(c.ReadySince) / a.Per)
	c.Priority += min(periods, a.Max)
	return c, periods > a.Max
}
