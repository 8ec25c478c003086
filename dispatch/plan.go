package dispatch

import (
	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/capacity"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// MakePlan decides what a tick does. It is pure: the same snapshot gives the same plan, in the same order (DSP-1). Every
// card that is not terminal and not running, of those that the snapshot has, is in Start or in Hold exactly once (DSP-3).
func MakePlan(s Snapshot) Plan {
	p := newPlanner(s)
	p.judgeRuns()
	p.judgeIdle()
	p.bury()
	p.count()
	p.startCards()
	p.plan.Running, p.plan.Probing = len(p.s.View.Runs), p.probing()
	if s.Options.Explain {
		p.plan.Usage = p.ledger.Usage(p.ask)
	}
	return *p.plan
}

// probing says whether somebody is out until a health URL answers.
func (p *planner) probing() bool {
	for _, b := range p.s.View.Boards {
		state := p.rosters[b.Slug]
		for _, e := range state.Executors {
			if out, isOut := state.OutOf(e); isOut && out.Code == roster.RefusedUnhealthy {
				return true
			}
		}
	}
	return false
}

// startCards walks all queues: at each step the next card of the board with the least open runs for its weight (DSP-4).
func (p *planner) startCards() {
	queues := p.queues()
	waiting := 0
	for _, q := range queues {
		waiting += len(q.cards)
	}
	p.plan.Hold = make([]Hold, 0, waiting)
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
		p.hold(c, hold)
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
func (p *planner) hold(c *board.Card, why *Reason) {
	h := Hold{Card: c.ID, Board: c.Board, Status: c.Status, Title: c.Title, Since: p.s.View.Now, Reason: why}
	if had, ok := p.s.View.Holds[c.ID]; ok && h.sameAs(had) {
		h.Since = had.Since
	}
	if why.cand != nil {
		p.makeRoom(h)
	}
	if c.StartRequested != 0 {
		p.plan.Pending = append(p.plan.Pending, Pending{Card: c.ID, Text: why.Text})
	}
	p.plan.Hold = append(p.plan.Hold, h)
}

// sameAs says whether a hold is the stored one: their counts may differ.
func (h Hold) sameAs(had board.Hold) bool {
	return h.Code == had.Code && h.Cap == had.Cap && h.Group == had.Group && h.Key == had.Key
}

// row is the hold as it is stored.
func (h Hold) row() board.Hold {
	return board.Hold{Card: h.Card, Code: h.Code, Cap: h.Cap, Group: h.Group, Key: h.Key, Text: h.Text, Since: h.Since}
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
