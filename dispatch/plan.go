package dispatch

import (
	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/capacity"
)

// MakePlan decides what a tick does. It is pure: the same snapshot gives the same plan, in the same order (DSP-1). Every
// card that is not terminal and not running, of those that the snapshot has, is in Start or in Hold exactly once (DSP-3).
func MakePlan(s Snapshot) Plan {
	p := newPlanner(s)
	p.judgeRuns()
	p.judgeIdle()
	p.count()
	p.startCards()
	p.plan.Running = len(p.s.View.Runs)
	if s.Options.Explain {
		p.plan.Usage = p.ledger.Usage(p.ask)
	}
	return *p.plan
}

// startCards walks all queues: at each step the next card of the board with the least open runs for its weight (DSP-4).
func (p *planner) startCards() {
	queues := p.queues()
	for {
		q := p.nextQueue(queues)
		if q == nil {
			return
		}
		c := q.next()
		start, hold := p.judge(c)
		if hold == nil {
			p.take(start)
			continue
		}
		p.hold(c, *hold)
	}
}

// take counts a start everywhere at once (CAP-9, 10).
func (p *planner) take(s Start) {
	p.plan.Start = append(p.plan.Start, s)
	p.ledger.Take(&capacity.Candidate{Entry: s.Entry})
	clear(p.full)
	p.openRuns[s.Card.Board]++
	p.started++
	if s.Host == p.s.Home.Host {
		p.localStarted++
	}
	if len(s.Card.Owns) > 0 {
		p.owners = append(p.owners, owner{card: s.Card.ID, repo: p.repo(s.Card.Board), paths: s.Card.Owns})
	}
	if s.Kept == 0 {
		for slug, state := range p.rosters {
			p.rosters[slug] = state.With(s.Lease)
		}
		clear(p.offers)
	}
}

// hold notes why a card waits; where only idle sessions stand in its way, the longest idle is to be closed (CAP-18).
func (p *planner) hold(c *board.Card, h Hold) {
	h.Card, h.Board, h.Status, h.Title = c.ID, c.Board, c.Status, c.Title
	if had, ok := p.s.View.Holds[c.ID]; ok && sameHold(had, h.Hold) {
		h.Since = had.Since
	} else {
		h.Since = p.s.View.Now
	}
	if h.cand != nil {
		p.makeRoom(h)
	}
	if c.StartRequested != 0 {
		p.plan.Pending = append(p.plan.Pending, Pending{Card: c.ID, Text: h.Text})
	}
	p.plan.Hold = append(p.plan.Hold, h)
}

// sameHold says whether two holds are one to the store: their counts may differ.
func sameHold(a, b board.Hold) bool {
	return a.Code == b.Code && a.Cap == b.Cap && a.Group == b.Group && a.Key == b.Key
}

// makeRoom closes the longest idle session where idle ones are all that a held start waits for.
func (p *planner) makeRoom(h Hold) {
	idle, ok := p.ledger.IdleToClose(h.cand)
	if !ok {
		return
	}
	p.ledger.Closing(idle.Session)
	p.plan.Close = append(p.plan.Close, Closing{Session: idle.Session, Run: idle.Run, Card: idle.Card, For: h.Card})
}
