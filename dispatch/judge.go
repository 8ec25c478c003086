package dispatch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/expr"
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
