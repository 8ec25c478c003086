package capacity

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Site is what one home knows of machines and models: what Entries needs beside the card.
type Site struct {
	HomeHost string
	Aliases  map[string]string // another name of a host, lower-case -> its name
	Models   map[string]string // executor id -> the model that the roster gives it
	Defaults map[string]string // harness -> the model that its sessions without a configured one are seen to run
}

// Entries turns a card into what it holds (CAP-1, CAP-2, CAP-3): one entry for its open run, which holds its slot's
// session and turn too while no session is recorded; one for the session of each slot; one for a card that only has
// its status. The first of them counts the card. The order is: the run, then the sessions by slot. Holdings, planning,
// the claim and every launch use this function and no other.
func (s Site) Entries(c CardFacts) []Entry {
	sessions := liveSessions(c.Sessions)
	entries := make([]Entry, 0, len(sessions)+1)
	if c.Run != nil {
		entries = append(entries, s.runEntry(&c, c.Run, sessions))
	}
	for i := range sessions {
		entries = append(entries, s.sessionEntry(&c, &sessions[i]))
	}
	if len(entries) == 0 {
		if c.Initial || c.Terminal || c.Archived {
			return nil
		}
		entries = append(entries, s.entry(&c, c.Lane, s.ExecutionHost(c.Lane.Surface, c.Host, c.Lane.Host), ""))
	}
	entries[0].Counts |= CountsCards
	return entries
}

// EndedRun is the entry of a run that has ended, for State.Past. Of the card it needs only what describes it.
func (s Site) EndedRun(c CardFacts, r RunFacts) Entry {
	e := s.runEntry(&c, &r, liveSessions(c.Sessions))
	e.Counts = CountsStarts | CountsSpend
	return e
}

// Candidate is what a start of the card would be once started: in the target status, of the dispatcher's making, on
// its execution host, with a place in every kind (CAP-4). A start that goes on in a kept session is given that
// session's lane.
func (s Site) Candidate(c CardFacts, l Lane, target string) Entry {
	e := s.entry(&c, l, s.ExecutionHost(l.Surface, c.Host, l.Host), "")
	e.Status = target
	e.Dispatch = true
	e.Counts = CountsStart
	return e
}

// NormalFilter is the filter with its host names normalised; globs are only put in lower case.
func (s Site) NormalFilter(f Filter) Filter {
	f.Host = slices.Clone(f.Host)
	for i, name := range f.Host {
		f.Host[i] = s.normalPattern(name)
	}
	return f
}

// DefaultModels is Site.Defaults worked out from sessions: per harness the model that most of those without a
// configured one are seen to run, the first by name among equals.
func DefaultModels(cards []CardFacts) map[string]string {
	seen := map[string]map[string]int{}
	for _, c := range cards {
		for _, session := range liveSessions(c.Sessions) {
			if session.Model != "" || session.ModelSeen == "" {
				continue
			}
			if seen[session.Harness] == nil {
				seen[session.Harness] = map[string]int{}
			}
			seen[session.Harness][session.ModelSeen]++
		}
	}
	defaults := make(map[string]string, len(seen))
	for harness, models := range seen {
		defaults[harness] = slices.MinFunc(slices.Collect(maps.Keys(models)), func(a, b string) int {
			return cmp.Or(cmp.Compare(models[b], models[a]), cmp.Compare(a, b))
		})
	}
	return defaults
}

// runEntry is the run as its session's record shows it where there is one, else as the claim planned it.
func (s Site) runEntry(c *CardFacts, r *RunFacts, sessions []SessionFacts) Entry {
	e := s.entry(c, r.Lane, s.plannedHost(c, r), "")
	e.Run, e.Session = r.ID, r.Session
	e.StartedAt, e.EndedAt, e.CostMicros, e.CostKnown = r.StartedAt, r.EndedAt, r.CostMicros, r.CostKnown
	e.Counts = CountsRuns | CountsStarts | CountsSpend
	e.Dispatch = !r.Adopted
	if r.Session == 0 {
		e.Dispatch = true
		e.Counts |= CountsSessions | CountsTurns
		return e
	}
	for i := range sessions {
		if session := &sessions[i]; session.ID == r.Session {
			e.Host = s.recordedHost(c, session.Lane, r)
			e.Model = s.model(c, session.laneWith(r), session.ModelSeen)
			e.Dispatch = !session.Adopted
		}
	}
	return e
}

// sessionEntry is the session of one slot. One that waits for a claimed run to take it is not idle.
func (s Site) sessionEntry(c *CardFacts, session *SessionFacts) Entry {
	run := c.Run
	if run != nil && run.Session != session.ID && (run.Session != 0 || run.Slot != session.Slot) {
		run = nil
	}
	e := s.entry(c, session.laneWith(run), s.recordedHost(c, session.Lane, run), session.ModelSeen)
	e.Session, e.Run = session.ID, session.Run
	if run != nil {
		e.Run = run.ID
	}
	e.Dispatch = !session.Adopted
	e.Counts = CountsSessions
	if session.inTurn() {
		e.Counts |= CountsTurns
	}
	e.Idle = session.State == Idle && !session.Adopted && !session.Unsure && run == nil
	e.IdleSince, e.Stopping = session.IdleSince, session.Stopping
	return e
}

func (s Site) entry(c *CardFacts, l Lane, host, modelSeen string) Entry {
	return Entry{
		Card: c.ID, Board: c.Board, Status: c.Status, Story: c.Story, Workspace: c.Workspace, Labels: c.Labels,
		SessionCard: c.SessionCard,
		Slot:        l.Slot, Role: l.Role, Profile: l.Profile, Executor: l.Executor, Harness: l.Harness,
		Model: s.model(c, l, modelSeen), Host: host, Surface: l.Surface, Borrowed: l.Borrowed,
	}
}

// model is the model that counts: seen, recorded, the card's, the executor's, else what the harness's other sessions
// without a configured model are seen to run (CAP-3).
func (s Site) model(c *CardFacts, l Lane, seen string) string {
	return firstOf(seen, l.Model, c.Model, s.Models[l.Executor], s.Defaults[l.Harness])
}

func (s Site) normalPattern(name string) string {
	if isGlob(name) {
		return strings.ToLower(name)
	}
	return s.Host(name)
}

// liveSessions are the newest session of each slot that is not proved gone, by slot.
func liveSessions(all []SessionFacts) []SessionFacts {
	live := make([]SessionFacts, 0, len(all))
	for _, session := range all {
		if !session.Gone {
			live = append(live, session)
		}
	}
	slices.SortFunc(live, func(a, b SessionFacts) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(b.ID, a.ID))
	})
	return slices.CompactFunc(live, func(a, b SessionFacts) bool { return a.Slot == b.Slot })
}

// laneWith is the session's lane, with what its record leaves open taken from the run that it serves.
func (f *SessionFacts) laneWith(run *RunFacts) Lane {
	l := f.Lane
	if run == nil {
		return l
	}
	l.Slot, l.Role, l.Profile = firstOf(l.Slot, run.Slot), firstOf(l.Role, run.Role), firstOf(l.Profile, run.Profile)
	l.Executor, l.Harness = firstOf(l.Executor, run.Executor), firstOf(l.Harness, run.Harness)
	l.Model, l.Surface = firstOf(l.Model, run.Model), firstOf(l.Surface, run.Surface)
	return l
}

// inTurn reports whether the session is in a turn; what cannot be told is never taken for free.
func (f *SessionFacts) inTurn() bool {
	return f.State == Busy || f.State == Waiting || f.State == Unknown
}
