package dispatch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/capacity"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// prepared is a card that nothing of its own holds: what its start would be, before room and executor are looked for.
type prepared struct {
	card    *board.Card
	board   board.Board
	w       *workflows.Workflow
	move    workflows.Move
	after   board.Card
	lane    workflows.Lane
	surface string
	host    string // execution host
	kept    *board.Session
	env     *expr.Env
}

// judge decides about one card: it starts, or the first reason in the order of DSP-3 holds it. It is the only place where
// that is decided.
func (p *planner) judge(c *board.Card) (Start, *Reason) {
	if hold := p.ofCard(c); hold != nil {
		return Start{}, hold
	}
	class, shared := p.classOf(c)
	if shared {
		if hold, known := p.full[class]; known {
			return Start{}, hold
		}
	}
	start, hold := p.judgeAfresh(c)
	if shared && hold != nil {
		p.full[class] = hold
	}
	return start, hold
}

func (p *planner) judgeAfresh(c *board.Card) (Start, *Reason) {
	pre, hold := p.ofWorkflow(c)
	if hold != nil {
		return Start{}, hold
	}
	if hold := p.eligible(pre); hold != nil {
		return Start{}, hold
	}
	return p.place(pre)
}

// prepare goes through all reasons that lie in the card, its board and its workflow.
func (p *planner) prepare(c *board.Card) (*prepared, *Reason) {
	if hold := p.ofCard(c); hold != nil {
		return nil, hold
	}
	return p.ofWorkflow(c)
}

// ofCard are the reasons that are told of the card alone.
func (p *planner) ofCard(c *board.Card) *Reason {
	b, _ := p.s.View.Board(c.Board)
	if hold := p.faulty(b, p.s.Workflows[b.Workflow]); hold != nil {
		return hold
	}
	if odd := c.Odd(); odd != "" {
		p.fault("card "+c.ID, odd+", which is not read here")
		return held(board.HoldFault, "board edit "+c.ID, "its row was written by another program: %s, which is not read here", odd)
	}
	if hold := p.paused(c); hold != nil {
		return hold
	}
	if hold := p.needsPerson(c); hold != nil {
		return hold
	}
	if hold := p.blocked(c); hold != nil {
		return hold
	}
	return p.notBefore(c)
}

// ofWorkflow are the reasons that its workflow and its workspace give.
func (p *planner) ofWorkflow(c *board.Card) (*prepared, *Reason) {
	b, _ := p.s.View.Board(c.Board)
	pre := &prepared{card: c, board: b, w: p.s.Workflows[b.Workflow].Workflow, env: p.env(c)}
	for _, look := range []func(*prepared) *Reason{p.transition, p.lane, p.workspace} {
		if hold := look(pre); hold != nil {
			return nil, hold
		}
	}
	return pre, nil
}

func held(code board.HoldCode, key, format string, args ...any) *Reason {
	return &Reason{Code: code, Key: key, Text: fmt.Sprintf(format, args...)}
}

// faulty is a file that must be mended before anything starts on the board.
func (p *planner) faulty(b board.Board, wf WorkflowFacts) *Reason {
	switch {
	case p.s.Home.Fault != "":
		return held(board.HoldFault, p.s.Home.FaultKey, "%s", p.s.Home.Fault)
	case wf.Fault != "" || wf.Workflow == nil:
		p.fault("workflow "+b.Workflow, wf.Fault)
		return held(board.HoldFault, "workflows/"+b.Workflow+".yaml", "the workflow %s of board %s does not load: %s", b.Workflow, b.Slug, firstLine(wf.Fault))
	case p.s.Rosters[b.Slug].Fault != "":
		p.fault("roster", p.s.Rosters[b.Slug].Fault)
		return held(board.HoldFault, "roster.yaml", "the roster does not load: %s", firstLine(p.s.Rosters[b.Slug].Fault))
	}
	return nil
}

func (p *planner) paused(c *board.Card) *Reason {
	if len(p.s.View.Pauses) == 0 {
		return nil
	}
	for _, k := range []struct {
		kind         board.PauseKind
		target, what string
		resume       string
	}{
		{board.PauseHome, "", "the whole home is paused", "board resume --all"},
		{board.PauseBoard, c.Board, "board " + c.Board + " is paused", "board resume --board " + c.Board},
		{board.PauseCard, c.ID, "paused", "board resume " + c.ID},
	} {
		pause, ok := p.s.View.PausedBy(k.kind, k.target)
		if !ok {
			continue
		}
		text := k.what + " by " + pause.Actor
		if pause.Reason != "" {
			text += ": " + pause.Reason
		}
		hold := held(board.HoldPaused, k.resume, "%s", text)
		hold.Until = pause.Until
		return hold
	}
	return nil
}

func (p *planner) needsPerson(c *board.Card) *Reason {
	if q, ok := p.s.View.Blocks[c.ID]; ok {
		return held(board.HoldNeedsPerson, answerKey(c.ID, q.Kind), "%s", q.Text)
	}
	for _, k := range p.s.View.Blockers[c.ID] {
		if !k.Cancelled {
			continue
		}
		text := fmt.Sprintf("%s, which it waits for, was cancelled: go on without it?", k.Blocker)
		q := board.Block{Card: c.ID, Kind: board.BlockCancelled, Text: text, AskedBy: "board", AskedAt: p.s.View.Now}
		p.plan.Questions = append(p.plan.Questions, q)
		return held(board.HoldNeedsPerson, answerKey(c.ID, q.Kind), "%s", text)
	}
	return nil
}

// answerKey is what a person types to answer.
func answerKey(card, kind string) string {
	if kind == board.BlockRetries {
		return "board retry " + card
	}
	return "board answer " + card
}

func (p *planner) blocked(c *board.Card) *Reason {
	blockers := p.s.View.Blockers[c.ID]
	if len(blockers) == 0 {
		return nil
	}
	names := make([]string, len(blockers))
	for i, k := range blockers {
		names[i] = k.Blocker + " (" + k.Status + ")"
	}
	return held(board.HoldBlocked, "board unlink "+c.ID+" "+blockers[0].Blocker, "blocked by %s", strings.Join(names, ", "))
}

func (p *planner) notBefore(c *board.Card) *Reason {
	if c.NotBefore <= p.s.View.Now {
		return nil
	}
	text := "not before " + c.NotBefore.Time().Local().Format("2006-01-02 15:04:05")
	if c.Failures > 0 {
		text += fmt.Sprintf(" (%d in a row failed)", c.Failures)
	}
	hold := held(board.HoldNotBefore, "board retry "+c.ID, "%s", text)
	hold.Until = c.NotBefore
	return hold
}

// transition asks the workflow where the start event leads (WF-1).
func (p *planner) transition(pre *prepared) *Reason {
	pre.env.Event = expr.Event{Name: pre.w.Dispatch.Start}
	move, refusal := pre.w.Fire(workflows.FireRequest{Event: pre.w.Dispatch.Start, From: pre.card.Status, By: workflows.ByBoard, Env: pre.env})
	if refusal != nil {
		return refusedStart(refusal)
	}
	s := pre.w.Status(move.To)
	if s == nil || s.Run == nil {
		return held(board.HoldFault, move.Origin.String(), "%s leads to %s, which has no run", pre.w.Dispatch.Start, move.To)
	}
	pre.move = move
	pre.after = board.Started(*pre.card, move, p.s.View.Now, pre.w)
	return nil
}

func refusedStart(r *workflows.Refusal) *Reason {
	hold := held(board.HoldRefused, r.Origin.String(), "%s", r.Text)
	hold.Values = r.Values
	switch r.Kind {
	case workflows.RefusedNoEvent, workflows.RefusedNoTransition, workflows.RefusedSender:
		hold.Code = board.HoldNoTransition
	case workflows.RefusedWhen, workflows.RefusedRequire:
	case workflows.RefusedFault:
		hold.Code = board.HoldFault
	}
	return hold
}

// lane works out profile, slot and execution host, and whether the slot is free (LIV-3).
func (p *planner) lane(pre *prepared) *Reason {
	lane, err := pre.w.Lane(pre.move.To, pre.env)
	if err != nil {
		p.fault("workflow "+pre.w.Name, err.Error())
		return held(board.HoldFault, keyOf(err), "%s", err.Error())
	}
	pre.lane, pre.surface = lane, string(lane.Profile.Surface)
	pre.host = p.site.ExecutionHost(pre.surface, pre.card.Host, lane.Profile.Host)
	for _, x := range p.sessionsOf[pre.card.ID] {
		if x.Slot != lane.Slot {
			continue
		}
		switch {
		case x.Origin == board.Adopted:
			return held(board.HoldWorkspace, "board release "+pre.card.ID, "a person's own session has slot %s", x.Slot)
		case x.State == board.SessionIdle && x.StopAt == 0 && p.serves(pre, x):
			pre.kept = &x
		case x.State == board.SessionIdle && x.StopAt == 0 && x.Interactive:
			return p.closeUnfit(pre, x)
		default:
			return held(board.HoldWorkspace, "", "session %d of slot %s is not proved gone", x.ID, x.Slot)
		}
	}
	pre.env.Lane = expr.Lane{Profile: lane.Profile.Name, Role: string(lane.Profile.Role), Surface: pre.surface, Capacity: lane.Profile.Capacity}
	pre.env.Run = expr.Run{Surface: pre.surface, Local: pre.host == p.s.Home.Host, Host: pre.host, Slot: lane.Slot}
	pre.env.Host = p.host(pre.host)
	return nil
}

func keyOf(err error) string {
	if f, ok := err.(*workflows.Fault); ok { //nolint:errorlint // Lane returns it as it is
		return f.Key.String()
	}
	return ""
}

// workspace looks for paths that a running card owns (WSP-7).
func (p *planner) workspace(pre *prepared) *Reason {
	if len(pre.card.Owns) == 0 {
		return nil
	}
	for _, o := range p.owners {
		if o.card == pre.card.ID || o.repo != pre.board.Repo {
			continue
		}
		if path, ok := overlap(pre.card.Owns, o.paths); ok {
			return held(board.HoldWorkspace, "board edit "+pre.card.ID+" --owns", "%s owns %s and runs", o.card, path)
		}
	}
	return nil
}

// eligible asks dispatch.eligible at the card's turn, so that it sees this plan's earlier starts (DSP-5).
func (p *planner) eligible(pre *prepared) *Reason {
	rule := pre.w.Dispatch.Eligible
	if rule == nil {
		return nil
	}
	pre.env.Tick = expr.Tick{Started: p.started, LocalStarted: p.localStarted}
	ok, err := rule.Eval(pre.env)
	at := pre.w.Dispatch.EligibleAt.String()
	if err != nil {
		p.fault("workflow "+pre.w.Name, at+": "+err.Error())
		return held(board.HoldFault, at, "dispatch.eligible: %s", err.Error())
	}
	if ok {
		return nil
	}
	hold := held(board.HoldIneligible, at, "dispatch.eligible is false: %s", rule.Source())
	hold.Values = rule.Reads(pre.env)
	hold.Text += valuesText(hold.Values)
	return hold
}

// valuesText is " (a = 1, b = \"x\")", by name.
func valuesText(values map[string]any) string {
	if len(values) == 0 {
		return ""
	}
	var parts []string
	for _, name := range sortedKeys(values) {
		parts = append(parts, fmt.Sprintf("%s = %s", name, valueText(values[name])))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func valueText(v any) string {
	if text, ok := v.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	if v == nil {
		return "nil"
	}
	return fmt.Sprint(v)
}

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

// overlap gives a path that both lists cover. A path covers what is below it; `**` and `*` cover anything from there on.
func overlap(a, b []string) (string, bool) {
	for _, x := range a {
		for _, y := range b {
			px, py := stem(x), stem(y)
			if px == py || strings.HasPrefix(px, py+"/") || strings.HasPrefix(py, px+"/") || px == "" || py == "" {
				return x, true
			}
		}
	}
	return "", false
}

// stem is the part of a path before its first glob.
func stem(path string) string {
	parts := strings.Split(strings.Trim(strings.TrimPrefix(path, "./"), "/"), "/")
	if i := slices.IndexFunc(parts, func(s string) bool { return strings.ContainsAny(s, "*?[") }); i >= 0 {
		parts = parts[:i]
	}
	return strings.Join(parts, "/")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
