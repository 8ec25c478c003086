package dispatch

import (
	"maps"
	"slices"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
)

const (
	// SpawnGrace is how long a claim may stand with a free lock before its supervisor is spawned again (DSP-8).
	SpawnGrace = 30 * time.Second
	// SpawnAttempts is how often a claim is launched before it counts as spawn_failed (DSP-8).
	SpawnAttempts = 3
	// KillGrace is how long after a stored stop request a tick sends KILL (END-0).
	KillGrace = 10 * time.Second
	// StuckAfter is how long after a stored stop request a run that is still there is reported. Chosen: KILL has come, and a
	// supervisor has had time to commit and settle.
	StuckAfter = time.Minute
)

// judgeRuns decides about every open run: it has ended, must be stopped, is launched again, or goes on.
func (p *planner) judgeRuns() {
	for _, r := range slices.Clone(p.s.View.Runs) {
		seen := p.s.Runs[r.ID]
		exit, over := endOf(r, seen, p.s.View)
		switch {
		case over:
			p.settle(r, exit)
		case relaunches(r, seen, p.s.View.Now):
			p.plan.Relaunch = append(p.plan.Relaunch, Relaunch{Run: r.ID, Attempt: r.LaunchAttempt})
		default:
			p.stopRun(r, seen)
			p.stuck(r)
		}
	}
}

// endOf says whether a run is over and how, from what was seen of it. Nothing is over while anything it started may live.
func endOf(r board.Run, seen RunSeen, v *board.View) (board.Exit, bool) {
	now := v.Now
	exit := board.Exit{Run: r.ID, EndedAt: now}
	switch {
	case seen.Exit != nil:
		exit = *seen.Exit
		exit.Run = r.ID
		return exit, true
	case seen.Lock == LockHeld:
		return exit, false
	case r.State == board.RunClaimed && r.StopOutcome != "":
		return exit, true // nobody has begun it, and nobody can
	case lost(r, v.Sessions):
		exit.Stop, exit.StopReason = board.Interrupted, "the session that was to take it is gone"
		return exit, true
	case r.State == board.RunClaimed:
		exit.SpawnError = "launched three times, and no supervisor came"
		return exit, r.LaunchAttempt >= SpawnAttempts && passed(now, r.SpawnedAt, SpawnGrace)
	case seen.Rebooted:
		exit.Rebooted = true
		return exit, true
	case seen.Unsure || len(seen.Left) > 0:
		return exit, false
	}
	exit.Crashed, exit.LastLines = true, seen.Last
	return exit, true
}

func relaunches(r board.Run, seen RunSeen, now board.Time) bool {
	return r.State == board.RunClaimed && seen.Lock == LockFree && passed(now, r.SpawnedAt, SpawnGrace)
}

// passed says whether a grace has passed since a stored time. A time that lies ahead by more than the grace is of a clock that
// was set back since, and holds nothing: else a claim dated a day ahead would stand for a day (LIV-4).
func passed(now, since board.Time, grace time.Duration) bool {
	age := now.Sub(since)
	return age >= grace || age <= -grace
}

// settle plans an ending and applies it to the view, so that the starts planned after it see the card where it then is.
func (p *planner) settle(r board.Run, exit board.Exit) {
	c := p.busy[r.Card]
	b, _ := p.s.View.Board(r.Board)
	facts := board.EndingFacts{Now: p.s.View.Now, Board: b, Card: c, Facts: p.s.Facts[c.ID], Run: r, Exit: exit, Workflow: p.workflowOf(r.Board), RateLimits: p.s.View.RateLimits[r.Executor], Recent: p.recent[r.Executor]}
	if e, ok := p.executor(r.Board, r.Executor); ok {
		facts.Executor, facts.Fingerprint = e, p.s.Prints[e.ID]
	} else {
		facts.Executor = roster.Executor{ID: r.Executor, Harness: r.Harness, Cooldown: roster.DefaultCooldown(), Slots: 1}
	}
	e := board.End(facts)
	p.plan.Settle = append(p.plan.Settle, exit)
	p.plan.Endings = append(p.plan.Endings, e)
	p.recent[r.Executor] = append([]roster.EndedRun{board.EndedRunOf(e.Run, exit.Output)}, p.recent[r.Executor]...)
	p.apply(e)
}

// apply changes the planner's view as the ending will change the rows.
func (p *planner) apply(e board.Ending) {
	v := *p.s.View
	v.Runs = slices.DeleteFunc(slices.Clone(v.Runs), func(r board.Run) bool { return r.ID == e.Run.ID })
	if e.Kept {
		v.Sessions = mapSessions(v.Sessions, e.Run.Session, func(x *board.Session) {
			x.State, x.IdleSince = board.SessionIdle, v.Now
		})
	} else {
		v.Sessions = slices.DeleteFunc(slices.Clone(v.Sessions), func(x board.Session) bool { return x.ID == e.Run.Session })
		v.Leases = slices.DeleteFunc(slices.Clone(v.Leases), func(l board.Lease) bool {
			return l.Run == e.Run.ID || (e.Run.Session != 0 && l.Session == e.Run.Session)
		})
	}
	for _, slot := range e.Close {
		v.Sessions = closeSlots(v, e.Card.ID, slot)
	}
	if e.Exclude != nil {
		x := e.Exclude
		v.Exclusions = append(slices.Clone(v.Exclusions), board.Exclusion{
			Executor: x.Executor, Account: x.Account, Kind: board.ExclusionKind(x.Kind),
			Reason: x.Reason, Until: board.At(x.Until), ProbeAt: board.At(x.NextProbe), Fingerprint: x.Fingerprint,
		})
	}
	if e.CountRateLimit {
		v.RateLimits = cloneWith(v.RateLimits, e.Run.Executor, append(slices.Clone(v.RateLimits[e.Run.Executor]), v.Now))
	}
	if e.ClearRateLimits {
		v.RateLimits = cloneWith(v.RateLimits, e.Run.Executor, []board.Time(nil))
	}
	if e.Block != nil {
		v.Blocks = cloneWith(v.Blocks, e.Card.ID, *e.Block)
	}
	v.Workers = p.workAfter(v, e)
	v.Resumable, v.Returning = p.conversationsAfter(v, e)
	if e.Card.EndedAt != 0 && e.Card.Status != board.Cancelled {
		v.Blockers = freed(v.Blockers, e.Card.ID)
	}
	p.s.View = &v
	p.replaceCard(e.Card)
	p.index()
}

func mapSessions(all []board.Session, id int64, change func(*board.Session)) []board.Session {
	out := slices.Clone(all)
	for i := range out {
		if out[i].ID == id {
			change(&out[i])
		}
	}
	return out
}

// closeSlots marks the idle sessions of a slot as asked to stop.
func closeSlots(v board.View, card, slot string) []board.Session {
	out := slices.Clone(v.Sessions)
	for i := range out {
		x := &out[i]
		busy := slices.ContainsFunc(v.Runs, func(r board.Run) bool { return r.Session == x.ID })
		if x.Card == card && globMatch(slot, x.Slot) && x.Origin == board.Dispatched && x.StopAt == 0 && !busy {
			x.StopAt = v.Now
		}
	}
	return out
}

func cloneWith[V any](m map[string]V, key string, value V) map[string]V {
	out := maps.Clone(m)
	if out == nil {
		out = map[string]V{}
	}
	out[key] = value
	return out
}

// freed are the blockers without a card that is done.
func freed(all map[string][]board.Blocker, done string) map[string][]board.Blocker {
	out := make(map[string][]board.Blocker, len(all))
	for card, blockers := range all {
		rest := slices.DeleteFunc(slices.Clone(blockers), func(k board.Blocker) bool { return k.Blocker == done })
		if len(rest) > 0 {
			out[card] = rest
		}
	}
	return out
}

// workAfter are the makers of work after an ending: approved work counts no more (ROS-13).
func (p *planner) workAfter(v board.View, e board.Ending) map[string][]board.Worker {
	if e.Run.Verdict == board.VerdictApprove {
		return cloneWith(v.Workers, e.Card.ID, []board.Worker(nil))
	}
	return v.Workers
}

// conversationsAfter are the conversations to go on with after an ending: the ended run's own is the last of its slot, and what
// was the last before it is one to return to.
func (p *planner) conversationsAfter(v board.View, e board.Ending) (map[board.SlotKey]board.Session, map[board.SlotKey][]board.Session) {
	last, before := maps.Clone(v.Resumable), maps.Clone(v.Returning)
	if last == nil {
		last = map[board.SlotKey]board.Session{}
	}
	if before == nil {
		before = map[board.SlotKey][]board.Session{}
	}
	key := board.SlotKey{Card: e.Card.ID, Slot: e.Run.Slot}
	for _, x := range p.s.View.Sessions {
		if x.ID != e.Run.Session {
			continue
		}
		left := slices.Clone(before[key])
		if was, ok := last[key]; ok && was.ID != x.ID {
			left = append([]board.Session{was}, left...)
		}
		before[key] = slices.DeleteFunc(left, func(o board.Session) bool { return o.Executor == x.Executor })
		delete(last, key)
		if x.HarnessSession != "" || p.exitSession(e.Run.ID) != "" {
			last[key] = x
		}
	}
	forgotten := func(k board.SlotKey) bool {
		return k.Card == e.Card.ID && slices.ContainsFunc(e.Forget, func(slot string) bool { return globMatch(slot, k.Slot) })
	}
	maps.DeleteFunc(last, func(k board.SlotKey, _ board.Session) bool { return forgotten(k) })
	maps.DeleteFunc(before, func(k board.SlotKey, _ []board.Session) bool { return forgotten(k) })
	return last, before
}

func (p *planner) exitSession(run int64) string {
	if exit := p.s.Runs[run].Exit; exit != nil {
		return exit.Result.Session
	}
	return ""
}

// replaceCard puts the card as an ending leaves it among the candidates and the busy cards.
func (p *planner) replaceCard(c board.Card) {
	if _, still := p.runOf[c.ID]; still || len(p.sessionsOf[c.ID]) > 0 {
		p.busy[c.ID] = c
	}
	if len(p.cards) > 0 && len(p.s.View.Cards) > 0 && &p.cards[0] == &p.s.View.Cards[0] {
		p.cards = slices.Clone(p.cards)
	}
	for i := range p.cards {
		if p.cards[i].ID == c.ID {
			p.cards[i] = c
			return
		}
	}
	p.cards = append(p.cards, c)
}

// stopRun signals a run that is asked to end, or what a dead supervisor left (END-0).
func (p *planner) stopRun(r board.Run, seen RunSeen) {
	stop := Stop{Run: r.ID, Session: r.Session, Card: r.Card}
	switch {
	case seen.Unsure:
		p.fault("run "+itoa(r.ID), "whether it lives cannot be told from here; it keeps its place (board reclaim "+itoa(r.ID)+" --gone says it is gone)")
		return
	case seen.Lock == LockFree && len(seen.Left) > 0 && r.StopAt == 0:
		stop.Store = &board.StopRequest{Run: r.ID, Outcome: board.Crashed, Actor: "board", Reason: "its supervisor is gone"}
		stop.Text = "its supervisor is gone: what it started is stopped"
	case r.StopAt == 0:
		return
	default:
		stop.Text = string(r.StopOutcome) + ": " + r.StopReason
		stop.Kill = passed(p.s.View.Now, r.StopAt, KillGrace)
	}
	for _, left := range seen.Left {
		stop.Targets = append(stop.Targets, left.ID)
	}
	if seen.Lock == LockHeld && !seen.Super.IsZero() && !stop.Kill {
		stop.Targets = []process.Identity{seen.Super}
	}
	if len(stop.Targets) > 0 {
		p.plan.Stop = append(p.plan.Stop, stop)
	}
}

// stuck reports a run that does not end though it must: it keeps its place until all of it is gone (SUP-3).
func (p *planner) stuck(r board.Run) {
	for _, x := range p.sessionsOf[r.Card] {
		if x.ID == r.Session && x.State == board.SessionWaiting && !x.Interactive { // a headless one asks nobody anything
			p.fault("run "+itoa(r.ID), x.WaitingFor+"; it keeps its place until that is gone")
			return
		}
	}
	if r.StopAt != 0 && passed(p.s.View.Now, r.StopAt, StuckAfter) {
		p.fault("run "+itoa(r.ID), "asked to stop by "+r.StopActor+" and not gone since; it keeps its place until it is (board run "+itoa(r.ID)+")")
	}
}

// judgeIdle decides about sessions that serve no run: proved gone, asked to close, or going on.
func (p *planner) judgeIdle() {
	for _, x := range slices.Clone(p.s.View.Sessions) {
		if slices.ContainsFunc(p.s.View.Runs, func(r board.Run) bool { return r.Session == x.ID }) {
			continue
		}
		seen, looked := p.s.Sessions[x.ID]
		switch {
		case !looked || seen.Unsure:
		case !seen.Alive && len(seen.Left) == 0:
			p.plan.EndIdle = append(p.plan.EndIdle, x.ID)
			p.dropSession(x.ID)
		case x.Origin == board.Adopted:
		case x.StopAt != 0:
			p.stopSession(x, seen, x.StopReason)
		case !seen.Alive:
			p.stopSession(x, seen, "its supervisor is gone")
		}
	}
}

func (p *planner) dropSession(id int64) {
	v := *p.s.View
	v.Sessions = slices.DeleteFunc(slices.Clone(v.Sessions), func(x board.Session) bool { return x.ID == id })
	v.Leases = slices.DeleteFunc(slices.Clone(v.Leases), func(l board.Lease) bool { return l.Session == id })
	p.s.View = &v
	p.index()
}

func (p *planner) stopSession(x board.Session, seen SessionSeen, why string) {
	stop := Stop{Session: x.ID, Run: x.LastRun, Card: x.Card, Text: why, Kill: x.StopAt != 0 && passed(p.s.View.Now, x.StopAt, KillGrace)}
	if x.StopAt == 0 {
		stop.Store = &board.StopRequest{Session: x.ID, Actor: "board", Reason: why}
	}
	if seen.Alive && !stop.Kill {
		stop.Targets = []process.Identity{seen.Super}
	} else {
		for _, left := range seen.Left {
			stop.Targets = append(stop.Targets, left.ID)
		}
	}
	if len(stop.Targets) > 0 {
		p.plan.Stop = append(p.plan.Stop, stop)
	}
}
