package dispatch

import (
	"maps"
	"slices"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/capacity"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// planner works on one snapshot. Its maps and ledger change as starts are taken; the snapshot does not.
type planner struct {
	s              Snapshot
	site           capacity.Site
	countsCards    bool
	cards          []board.Card // candidates, endings applied
	busy           map[string]board.Card
	runOf          map[string]board.Run
	sessionsOf     map[string][]board.Session
	leaseOfRun     map[int64]board.Lease
	leaseOfSession map[int64]board.Lease
	ledger         *capacity.Ledger
	rosters        map[string]roster.State // by board
	offers         map[offerKey]offered    // of the present leases; emptied by every start
	classyBoards   map[string]bool         // whether cards of the board can share an answer
	full           map[class]*Reason       // what holds whole classes; emptied by every start
	owners         []owner                 // paths that running cards own
	openRuns       map[string]int          // by board, this plan's starts included
	started        int
	localStarted   int
	recent         map[string][]roster.EndedRun // by executor, newest first
	faults         map[string]bool
	plan           *Plan
	prefer         string               // the executor that the plan chose, in a claim
	waitingNow     []capacity.Candidate // found by the plan, in a claim
}

type offerKey struct {
	board, role, slot, prefer, profile, card string
}

type offered struct {
	offers   []roster.Offer
	unserved *roster.Unserved
}

// owner is a running card that owns paths of a repository.
type owner struct {
	card, repo string
	paths      []string
}

func newPlanner(s Snapshot) *planner {
	p := &planner{
		s: s, busy: maps.Clone(s.View.Busy), cards: s.View.Cards,
		runOf: map[string]board.Run{}, sessionsOf: map[string][]board.Session{},
		leaseOfRun: map[int64]board.Lease{}, leaseOfSession: map[int64]board.Lease{},
		rosters: map[string]roster.State{}, offers: map[offerKey]offered{}, openRuns: map[string]int{},
		faults: map[string]bool{}, recent: maps.Clone(s.Recent), classyBoards: map[string]bool{}, full: map[class]*Reason{}, plan: &Plan{Faults: slices.Clone(s.Faults)},
	}
	if p.recent == nil {
		p.recent = map[string][]roster.EndedRun{}
	}
	p.started = len(s.Claimed)
	for _, e := range s.Claimed {
		if e.Host == s.Home.Host {
			p.localStarted++
		}
	}
	p.countsCards = countsCards(s.Home.Caps, s.Workflows)
	p.site = capacity.Site{HomeHost: s.Home.Host, Aliases: s.Home.Aliases, Models: map[string]string{}}
	for _, b := range s.View.Boards {
		for _, e := range s.Rosters[b.Slug].Executors {
			p.site.Models[e.ID] = e.Model
		}
	}
	p.index()
	return p
}

// index arranges the view's rows by what they belong to.
func (p *planner) index() {
	v := p.s.View
	clear(p.runOf)
	clear(p.sessionsOf)
	clear(p.leaseOfRun)
	clear(p.leaseOfSession)
	for _, r := range v.Runs {
		p.runOf[r.Card] = r
	}
	for _, x := range v.Sessions {
		p.sessionsOf[x.Card] = append(p.sessionsOf[x.Card], x)
	}
	for _, l := range v.Leases {
		p.leaseOfRun[l.Run] = l
		if l.Session != 0 {
			p.leaseOfSession[l.Session] = l
		}
	}
}

// count builds the ledger and all else that starts are weighed against, once the endings are applied.
func (p *planner) count() {
	p.index()
	p.openRuns = map[string]int{}
	for _, r := range p.s.View.Runs {
		p.openRuns[r.Board]++
		if c := p.busy[r.Card]; len(c.Owns) > 0 {
			p.owners = append(p.owners, owner{card: c.ID, repo: p.repo(c.Board), paths: c.Owns})
		}
	}
	for _, b := range p.s.View.Boards {
		p.rosters[b.Slug] = p.rosterState(b.Slug)
	}
	p.refreshRosters()
	var busyFacts []capacity.CardFacts
	for _, id := range p.busyIDs() {
		c := p.busy[id]
		busyFacts = append(busyFacts, p.facts(&c))
	}
	p.site.Defaults = capacity.DefaultModels(busyFacts)
	state := capacity.State{Now: p.s.Now, Held: p.held(), Past: p.past(), Started: p.s.Claimed}
	caps := p.caps()
	if waitsFor(caps) {
		state.Waiting = p.waiting()
		p.plan.waiting = state.Waiting
	}
	p.ledger = capacity.New(caps, state)
}

// busyIDs are the cards that hold something, in a steady order.
func (p *planner) busyIDs() []string {
	ids := slices.Collect(maps.Keys(p.busy))
	slices.Sort(ids)
	return ids
}

// refreshRosters drops exclusions that have passed and adds failed probes, for every board's roster alike (ROS-9).
func (p *planner) refreshRosters() {
	seen := roster.Seen{Fingerprints: p.s.Prints, Health: p.s.Probes}
	dropped := map[int64]bool{}
	resumed := map[int64]bool{}
	for _, b := range p.s.View.Boards {
		r := p.rosters[b.Slug].Refresh(seen)
		p.rosters[b.Slug] = r.State
		for _, x := range r.Dropped {
			if !dropped[x.ID] {
				dropped[x.ID] = true
				p.plan.Refreshed.Dropped = append(p.plan.Refreshed.Dropped, x)
			}
		}
		for _, x := range r.Resumed {
			if !resumed[x.ID] {
				resumed[x.ID] = true
				p.plan.Refreshed.Resumed = append(p.plan.Refreshed.Resumed, x)
			}
		}
		for _, x := range r.Added {
			if !slices.ContainsFunc(p.plan.Refreshed.Added, func(y roster.Exclusion) bool { return y.Executor == x.Executor && y.Kind == x.Kind }) {
				p.plan.Refreshed.Added = append(p.plan.Refreshed.Added, x)
			}
		}
		for _, x := range r.Back {
			if !slices.Contains(p.plan.Refreshed.Back, x) {
				p.plan.Refreshed.Back = append(p.plan.Refreshed.Back, x)
			}
		}
	}
}

func (p *planner) workflowOf(slug string) *workflows.Workflow {
	if b, ok := p.s.View.Board(slug); ok {
		return p.s.Workflows[b.Workflow].Workflow
	}
	return nil
}

func (p *planner) repo(slug string) string {
	b, _ := p.s.View.Board(slug)
	return b.Repo
}

// env is what expressions see of a card before its lane is known.
func (p *planner) env(c *board.Card) *expr.Env {
	b, _ := p.s.View.Board(c.Board)
	facts := p.s.Facts[c.ID]
	if facts.BlockedBy == nil {
		for _, k := range p.s.View.Blockers[c.ID] {
			facts.BlockedBy = append(facts.BlockedBy, k.Blocker)
		}
	}
	env := board.Env(b, *c, facts, p.s.View.Now)
	env.Sender = expr.Sender{Kind: workflows.ByBoard, Name: workflows.ByBoard}
	env.Host = p.s.Host
	env.Tick = expr.Tick{Started: p.started, LocalStarted: p.localStarted}
	return env
}

// host is what expressions see of an execution host. Sensors are known of the home host only.
func (p *planner) host(name string) expr.Host {
	if name == p.s.Home.Host {
		return p.s.Host
	}
	h, ok := p.s.Home.Hosts[name]
	if !ok {
		h = expr.Host{MemoryPressure: "low"}
	}
	h.Name = name
	return h
}

func (p *planner) fault(scope, text string) {
	if p.faults[scope+text] {
		return
	}
	p.faults[scope+text] = true
	p.plan.Faults = append(p.plan.Faults, Fault{Scope: scope, Text: text})
}
