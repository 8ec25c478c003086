package dispatch

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/capacity"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// place finds room and an executor: the first executor in the roster's order that passes every cap (CAP-13).
func (p *planner) place(pre *prepared) (Start, *Reason) {
	if pre.kept != nil {
		if hold := p.keptOut(pre); hold != nil {
			return Start{}, hold
		}
		return p.placeKept(pre)
	}
	found := p.offersFor(pre)
	if found.unserved != nil {
		return Start{}, p.unserved(pre, found.unserved)
	}
	var first *Reason
	refused := 0
	for _, o := range found.offers {
		cand := p.candidate(pre, o)
		if r, ok := p.admit(cand); !ok {
			if refused++; first == nil {
				first = p.refusedBy(r, cand)
			}
			continue
		}
		if hold := p.launcher(pre); hold != nil {
			return Start{}, hold
		}
		if hold := p.lacks(pre, o.Executor); hold != nil {
			if first == nil {
				first = hold
			}
			continue
		}
		return p.start(pre, o, cand), nil
	}
	if refused > 1 {
		first.Others = append(first.Others, fmt.Sprintf("%d more executors are held by caps too", refused-1))
	}
	return Start{}, first
}

func (p *planner) admit(cand *capacity.Candidate) (capacity.Refusal, bool) {
	r, ok := p.ledger.Admit(cand)
	if !ok && r.Fault != "" {
		p.fault("cap "+r.Cap, faultText(r))
	}
	if !ok && p.s.Options.OverCap {
		return p.overCap(cand)
	}
	return r, ok
}

// overCap passes over the caps of files (CAP-14); a limit that stands elsewhere holds all the same.
func (p *planner) overCap(cand *capacity.Candidate) (capacity.Refusal, bool) {
	for _, r := range p.ledger.Explain(cand) {
		if r.Origin != capacity.FromFile {
			return r, false
		}
	}
	return capacity.Refusal{}, true
}

// unserved is a card that no executor can take: a cap that holds it anyway is told first (DSP-3).
func (p *planner) unserved(pre *prepared, u *roster.Unserved) *Reason {
	cand := p.candidate(pre, roster.Offer{Clone: 1})
	if r, ok := p.admit(cand); !ok {
		return p.refusedBy(r, cand)
	}
	hold := held(board.HoldRoster, p.rosterKey(pre, u), "%s", u.Text)
	hold.Until = board.At(u.Until)
	for _, r := range u.Refusals {
		hold.Others = append(hold.Others, r.Executor+": "+r.Text)
	}
	p.closeForRoster(pre, u)
	return hold
}

// rosterKey is what would be changed so that more runs of this kind are served: the slots of the first executor that serves
// them at all. It is the same whether that one is busy or out just now, so that the hold stays one.
func (p *planner) rosterKey(pre *prepared, u *roster.Unserved) string {
	if u.Exhausted {
		return "roster exhausted"
	}
	for _, r := range u.Refusals {
		switch r.Code {
		case roster.RefusedBusy, roster.RefusedUntil, roster.RefusedUnhealthy, roster.RefusedPaused:
			if e, ok := p.executor(pre.board.Slug, r.Executor); ok {
				return e.Where() + " executors[" + e.ID + "].slots"
			}
		case roster.RefusedRole, roster.RefusedSlots, roster.RefusedMatch, roster.RefusedAvoided, roster.RefusedConfig:
		}
	}
	return "roster"
}

// offersFor are the executors that could take the run now. Cards that ask the same of the roster share one answer until a
// lease is taken.
func (p *planner) offersFor(pre *prepared) offered {
	want := p.want(pre)
	key := offerKey{board: pre.board.Slug, role: string(want.Role), slot: want.Slot, prefer: want.Prefer, profile: pre.lane.Profile.Name}
	asked := pre.card.Unanswered > 0
	if want.Role.Reasoning() || asked {
		key.card = pre.card.ID // who made its work matters, and whom the question is for
	}
	if had, ok := p.offers[key]; ok {
		return had
	}
	var found offered
	found.offers, found.unserved = p.rosters[pre.board.Slug].Offers(want)
	if asked { // the question goes to the conversation that owes the answer, whoever comes first otherwise (RET-4)
		slices.SortStableFunc(found.offers, func(a, b roster.Offer) int {
			return cmp.Compare(p.begins(pre, a), p.begins(pre, b))
		})
	}
	p.offers[key] = found
	return found
}

// begins is 1 for an executor that would begin the run afresh, 0 for one that goes on with a conversation.
func (p *planner) begins(pre *prepared, o roster.Offer) int {
	if p.conversation(pre, o.Executor.ID) == 0 {
		return 1
	}
	return 0
}

func (p *planner) want(pre *prepared) roster.Want {
	prof := pre.lane.Profile
	w := roster.Want{
		Role: roster.Role(prof.Role), Card: pre.card.ID, Story: pre.card.Parent, Slot: pre.lane.Slot,
		Constraints: roster.Constraints{Executors: prof.Executors, Harness: prof.Harness, Model: prof.Model, MinEffort: prof.MinEffort},
	}
	if w.Role.Reasoning() {
		w.Avoid = p.s.View.Executors(pre.card.ID)
	}
	if last, ok := p.s.View.Resumable[board.SlotKey{Card: pre.card.ID, Slot: pre.lane.Slot}]; ok {
		w.Prefer = last.Executor
	}
	if p.prefer != "" {
		w.Prefer = p.prefer
	}
	return w
}

// candidate is the start as caps see it, with the environment that their numbers read.
func (p *planner) candidate(pre *prepared, o roster.Offer) *capacity.Candidate {
	model := pre.card.Model
	if model == "" {
		model = o.Executor.Model
	}
	facts := p.bareFacts(pre.card)
	facts.Workspace = p.sharedWorkspace(pre.card, pre.move.To)
	entry := p.site.Candidate(facts, capacity.Lane{
		Slot: pre.lane.Slot, Role: string(pre.lane.Profile.Role), Profile: pre.lane.Profile.Name, Executor: o.Executor.ID,
		Harness: o.Executor.Harness, Model: model, Surface: pre.surface, Host: pre.lane.Profile.Host, Borrowed: o.Clone == 0,
	}, pre.move.To)
	env := *pre.env
	env.Lane.Executor, env.Lane.Harness, env.Lane.Model = o.Executor.ID, o.Executor.Harness, model
	env.Card.Status = pre.move.To
	return &capacity.Candidate{Entry: entry, Env: &env}
}

// start puts together what the claim is to write.
func (p *planner) start(pre *prepared, o roster.Offer, cand *capacity.Candidate) Start {
	prof := pre.lane.Profile
	s := Start{
		Card: *pre.card, After: pre.after, From: pre.card.Status, Status: pre.move.To,
		Role: roster.Role(prof.Role), Slot: pre.lane.Slot, Profile: prof.Name,
		Executor: o.Executor.ID, Label: o.Executor.Label(o.Clone), Clone: o.Clone, Because: o.Because,
		Harness: o.Executor.Harness, Model: cand.Model, Effort: o.Executor.Effort.For(roster.Role(prof.Role)),
		Surface: prof.Surface, Interactive: prof.Interactive, Host: cand.Host, Mode: board.ModeFresh,
		OverCap: p.s.Options.OverCap, Entry: cand.Entry,
		Lease: roster.Lease{
			Executor: o.Executor.ID, Role: roster.Role(prof.Role), Clone: o.Clone, Card: pre.card.ID, Story: pre.card.Parent,
			Slot: pre.lane.Slot, Because: o.Because, Taken: p.s.Now,
		},
	}
	if pre.card.Effort != "" {
		s.Effort = pre.card.Effort
	}
	if s.Role.Reasoning() && len(p.s.View.Executors(pre.card.ID)) > 0 {
		independent := o.Because == ""
		s.Independent = &independent
	}
	if x := p.conversation(pre, s.Executor); x != 0 {
		s.Mode, s.Resumes = board.ModeResume, x
	}
	return s
}

// conversation is the session that an executor goes on with: the slot's last one where that is its own (RET-7), and after a
// handover the one that it left (ROS-16); 0 = it begins afresh.
func (p *planner) conversation(pre *prepared, executor string) int64 {
	if pre.card.CleanStart {
		return 0
	}
	key := board.SlotKey{Card: pre.card.ID, Slot: pre.lane.Slot}
	if last, ok := p.s.View.Resumable[key]; ok && last.Executor == executor {
		return last.ID
	}
	if pre.card.Handovers == 0 {
		return 0
	}
	for _, x := range p.s.View.Returning[key] {
		if x.Executor == executor {
			return x.ID
		}
	}
	return 0
}

// placeKept gives the run to the idle session of its slot: it needs no new place and no lease (I5), and its caps were
// passed when it was opened; those that count runs, turns and starts are asked.
func (p *planner) placeKept(pre *prepared) (Start, *Reason) {
	x := pre.kept
	e, _ := p.executor(pre.board.Slug, x.Executor)
	lease := p.leaseOfSession[x.ID]
	o := roster.Offer{Executor: e, Clone: lease.Clone, Because: roster.Because(lease.Because)}
	o.Executor.ID, o.Executor.Harness, o.Executor.Model = x.Executor, x.Harness, x.Model
	o.Executor.Slots = max(o.Executor.Slots, 1)
	cand := p.candidate(pre, o)
	cand.Session = x.ID
	if r, ok := p.admit(cand); !ok {
		return Start{}, p.refusedBy(r, cand)
	}
	if hold := p.launcher(pre); hold != nil {
		return Start{}, hold
	}
	s := p.start(pre, o, cand)
	s.Mode, s.Kept, s.Resumes = board.ModeKept, x.ID, 0
	return s, nil
}

func (p *planner) executor(slug, id string) (roster.Executor, bool) {
	for _, e := range p.s.Rosters[slug].Executors {
		if e.ID == id {
			return e, true
		}
	}
	return roster.Executor{}, false
}

// launcher is whether a pane's host can take it (DSP-13). A headless start always passes.
func (p *planner) launcher(pre *prepared) *Reason {
	if pre.surface != string(workflows.SurfacePane) {
		return nil
	}
	if pre.card.Host == "" && pre.lane.Profile.Host == "" {
		return held(board.HoldLauncher, "board edit "+pre.card.ID+" --host", "a pane needs a host, and neither the card nor the profile %s names one", pre.lane.Profile.Name)
	}
	h, ok := p.s.Panes[pre.host]
	switch {
	case !ok:
		return held(board.HoldLauncher, "config.yaml hosts", "host %s is not configured", pre.host)
	case !h.Answered:
		return held(board.HoldLauncher, "config.yaml hosts."+pre.host, "host %s did not answer: %s", pre.host, h.Text)
	case !h.Tmux:
		return held(board.HoldLauncher, "install tmux on "+pre.host, "host %s has no tmux", pre.host)
	}
	return nil
}
