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

// caps are all caps of the home in the order in which they are tried: those made by the program, those of config.yaml,
// those of the workflows (CAP-8, 19).
func (p *planner) caps() []capacity.Cap {
	var all []capacity.Cap
	if n := p.s.Options.MaxRuns; n != nil {
		all = append(all, capacity.MaxRuns(*n))
	}
	all = append(all, capacity.WorkspaceSessions())
	all = append(all, p.executorCaps()...)
	for _, c := range p.s.Home.Caps {
		all = append(all, p.cap(c, nil))
	}
	for _, name := range p.workflowNames() {
		w := p.s.Workflows[name].Workflow
		if w == nil {
			continue
		}
		boards := p.boardsOf(name)
		all = append(all, capacity.StoryConcurrency("story concurrency of "+name, capacity.Fixed(int64(w.Dispatch.Story.Concurrency)), boards, sourceOf(w.Dispatch.Story.ConcurrencyAt)))
		for _, c := range w.Dispatch.Capacity {
			all = append(all, p.cap(c, boards))
		}
	}
	for i := range all {
		if raise := p.s.Options.Raise; raise.Cap == all[i].Name {
			all[i].Max = raised(all[i].Max, raise.By)
		}
	}
	return all
}

func (p *planner) workflowNames() []string {
	var names []string
	for _, b := range p.s.View.Boards {
		if !slices.Contains(names, b.Workflow) {
			names = append(names, b.Workflow)
		}
	}
	slices.Sort(names)
	return names
}

func (p *planner) boardsOf(workflow string) []string {
	boards := []string{} // not nil: nil would hold every start
	for _, b := range p.s.View.Boards {
		if b.Workflow == workflow {
			boards = append(boards, b.Slug)
		}
	}
	return boards
}

// executorCaps are the slots and daily dollars of every executor of every roster (CAP-19).
func (p *planner) executorCaps() []capacity.Cap {
	var all []capacity.Cap
	seen := map[string]bool{}
	for _, b := range p.s.View.Boards {
		for _, e := range p.s.Rosters[b.Slug].Executors {
			if seen[e.ID] {
				continue
			}
			seen[e.ID] = true
			at := capacity.Source{File: e.File, Line: e.Line, Key: "executors[" + e.ID + "]."}
			all = append(all, capacity.ExecutorSlots(e.ID, e.Slots, key(at, "slots")))
			if e.CoderSlots < e.Slots {
				all = append(all, capacity.CoderSlots(e.ID, e.CoderSlots, key(at, "coder_slots")))
			}
			if e.Limits.USDPerDay != nil {
				all = append(all, capacity.ExecutorDollars(e.ID, int64(*e.Limits.USDPerDay*1e6), key(at, "limits.usd_per_day")))
			}
		}
	}
	return all
}

// cap is the arithmetic form of a cap of a file.
func (p *planner) cap(c workflows.Cap, boards []string) capacity.Cap {
	out := capacity.Cap{
		Name: c.Name, Source: sourceOf(c.MaxAt), Counts: capacity.Kind(c.Counts),
		Where: p.site.NormalFilter(filterOf(c.Where)), Unless: p.site.NormalFilter(filterOf(c.Unless)),
		Max: p.limiter(c.Max, c.Counts == workflows.CountsSpend), Place: capacity.Place(c.Place), Window: c.Window,
		AssumeMicros: int64(c.AssumeUSD * 1e6), Boards: boards, Paused: p.pausedCap(c.Name),
	}
	for _, s := range c.Scope {
		out.Scope = append(out.Scope, capacity.Dimension(s))
	}
	if c.Reserve != nil {
		out.Reserve = &capacity.Reserve{For: p.site.NormalFilter(filterOf(c.Reserve.For)), Slots: p.limiter(c.Reserve.Slots, false)}
		if c.Reserve.Always {
			out.Reserve.When = capacity.WhenAlways
		}
	}
	return out
}

func (p *planner) pausedCap(name string) bool {
	_, paused := p.s.View.PausedBy(board.PauseCap, name)
	return paused
}

// limiter asks a number of the candidate's environment. One that reads nothing of a card is asked once per group.
func (p *planner) limiter(n *expr.Number, dollars bool) capacity.Limiter {
	if n == nil {
		return capacity.Unlimited()
	}
	if v, ok := n.Constant(); ok {
		limit := capacity.Limit{N: int64(v)}
		if p.s.Options.Explain {
			limit.Values = n.Reads(&expr.Env{}) // params
		}
		if dollars {
			limit = capacity.USD(limit)
		}
		return capacity.Limiter{Const: limit}
	}
	of := func(c *capacity.Candidate) capacity.Limit {
		env, ok := c.Env.(*expr.Env)
		if !ok {
			return capacity.Limit{None: true}
		}
		limit := capacity.Limit{}
		v, ok, err := n.Eval(env)
		switch {
		case err != nil:
			limit.Fault = err.Error()
		case !ok:
			limit.None = true
		default:
			limit.N = int64(v)
		}
		if p.s.Options.Explain || limit.Fault != "" {
			limit.Values = n.Reads(env)
		}
		if dollars {
			return capacity.USD(limit)
		}
		return limit
	}
	return capacity.Limiter{Of: of, Steady: steady(n)}
}

// steady says whether a number reads only what all candidates of one board, status, lane and host share.
func steady(n *expr.Number) bool {
	for path := range n.Reads(&expr.Env{}) {
		root, _, _ := strings.Cut(path, ".")
		switch root {
		case "host", "lane", "params", "board":
		default:
			return false
		}
	}
	return true
}

func sourceOf(o workflows.Origin) capacity.Source {
	return capacity.Source{File: o.File, Line: o.Line, Key: o.Path}
}

func filterOf(f workflows.Filter) capacity.Filter {
	return capacity.Filter{
		Board: f.Board, Card: f.Card, Status: f.Status, Profile: f.Profile, Executor: f.Executor, Harness: f.Harness,
		Model: f.Model, Host: f.Host, Slot: f.Slot, Role: f.Role, Surface: f.Surface, Label: f.Label,
		Story: f.Story, Dispatch: f.Dispatch,
	}
}

// countsCards says whether any cap counts cards that only rest in a status.
func countsCards(config []workflows.Cap, all map[string]WorkflowFacts) bool {
	has := func(caps []workflows.Cap) bool {
		return slices.ContainsFunc(caps, func(c workflows.Cap) bool { return c.Counts == workflows.CountsCards })
	}
	if has(config) {
		return true
	}
	for _, w := range all {
		if w.Workflow != nil && has(w.Workflow.Dispatch.Capacity) {
			return true
		}
	}
	return false
}

// facts are what a card's holdings are counted from (CAP-3).
func (p *planner) facts(c *board.Card) capacity.CardFacts {
	f := p.bareFacts(c)
	if r, ok := p.runOf[c.ID]; ok {
		f.Run = p.runFacts(r)
	}
	for _, x := range p.sessionsOf[c.ID] {
		f.Sessions = append(f.Sessions, p.sessionFacts(x))
	}
	if f.Run == nil && len(f.Sessions) == 0 && !f.Initial && !f.Terminal {
		f.Lane = p.restingLane(c)
	}
	return f
}

// bareFacts describe a card without what it holds.
func (p *planner) bareFacts(c *board.Card) capacity.CardFacts {
	f := capacity.CardFacts{
		ID: c.ID, Board: c.Board, Status: c.Status, Host: c.Host, Model: c.Model, Story: cmp.Or(c.Parent, ""), Labels: c.Labels,
		Terminal: c.EndedAt != 0, Archived: c.ArchivedAt != 0,
	}
	if w := p.workflowOf(c.Board); w != nil {
		f.Initial = c.Status == w.Initial
		f.Workspace = p.sharedWorkspace(c, c.Status)
	}
	return f
}

// sharedWorkspace is the key of a workspace that only one session may use; "" = the run has its own.
func (p *planner) sharedWorkspace(c *board.Card, status string) string {
	w := p.workflowOf(c.Board)
	if w == nil {
		return ""
	}
	kind, dir := workflows.WorkspaceDefault, ""
	if s := w.Status(status); s != nil {
		kind, dir = s.Workspace.Kind, s.Workspace.Dir
	}
	if c.Workspace != "" {
		kind, dir = workflows.WorkspaceKind(c.Workspace), ""
		if rest, ok := strings.CutPrefix(c.Workspace, "dir:"); ok {
			kind, dir = workflows.WorkspaceDir, strings.TrimSpace(rest)
		}
	}
	switch kind {
	case workflows.WorkspaceRepo:
		if b, ok := p.s.View.Board(c.Board); ok {
			return "repo " + b.Repo
		}
	case workflows.WorkspaceDir:
		return "dir " + dir
	case workflows.WorkspaceDefault, workflows.WorkspaceWorktree, workflows.WorkspaceScratch:
	}
	return ""
}

func (p *planner) runFacts(r board.Run) *capacity.RunFacts {
	lease := p.leaseOfRun[r.ID]
	f := &capacity.RunFacts{
		ID: r.ID, Session: r.Session, StartedAt: r.ClaimedAt.Time(),
		Lane: capacity.Lane{
			Slot: r.Slot, Role: string(r.Role), Profile: r.Profile, Executor: r.Executor, Harness: r.Harness, Model: r.Model,
			Surface: string(r.Surface), Host: r.Host, Borrowed: lease.ID != 0 && lease.Clone == 0,
		},
	}
	if r.CostMicros != nil {
		f.CostMicros, f.CostKnown = *r.CostMicros, true
	}
	return f
}

func (p *planner) sessionFacts(x board.Session) capacity.SessionFacts {
	seen := p.s.Sessions[x.ID]
	lease := p.leaseOfSession[x.ID]
	return capacity.SessionFacts{
		ID: x.ID, Run: x.LastRun, Adopted: x.Origin == board.Adopted, State: capacity.SessionState(x.State),
		Unsure: seen.Unsure, Stopping: x.StopAt != 0, IdleSince: x.IdleSince.Time(), ModelSeen: x.Model,
		Lane: capacity.Lane{
			Slot: x.Slot, Role: string(x.Role), Profile: x.Profile, Executor: x.Executor, Harness: x.Harness, Model: x.Model,
			Surface: string(x.Surface), Host: x.Host, Borrowed: lease.ID != 0 && lease.Clone == 0,
		},
	}
}

// restingLane is what a resting card's status resolves to, for caps that count cards; zero where it cannot be told.
func (p *planner) restingLane(c *board.Card) capacity.Lane {
	w := p.workflowOf(c.Board)
	if w == nil {
		return capacity.Lane{}
	}
	if s := w.Status(c.Status); s == nil || s.Run == nil {
		return capacity.Lane{}
	}
	lane, err := w.Lane(c.Status, p.env(c))
	if err != nil {
		return capacity.Lane{}
	}
	return capacity.Lane{Slot: lane.Slot, Role: string(lane.Profile.Role), Profile: lane.Profile.Name, Surface: string(lane.Profile.Surface), Host: lane.Profile.Host}
}

// held are the entries of everything that the home holds, in a steady order.
func (p *planner) held() []capacity.Entry {
	var entries []capacity.Entry
	done := map[string]bool{}
	for _, id := range p.busyIDs() {
		c := p.busy[id]
		done[id] = true
		entries = append(entries, p.site.Entries(p.facts(&c))...)
	}
	if !p.countsCards {
		return entries
	}
	cards := p.cards
	if p.s.View.Resting != nil {
		cards = p.s.View.Resting
	}
	for i := range cards {
		if !done[cards[i].ID] {
			entries = append(entries, p.site.Entries(p.facts(&cards[i]))...)
		}
	}
	return entries
}

// past are the ended runs that windows of starts and spending look back at.
func (p *planner) past() []capacity.Entry {
	var entries []capacity.Entry
	for _, r := range p.s.View.Past {
		if r.EndedAt == 0 {
			continue
		}
		f := capacity.RunFacts{
			ID: r.Run, StartedAt: r.ClaimedAt.Time(), EndedAt: r.EndedAt.Time(),
			Lane: capacity.Lane{
				Slot: r.Slot, Role: string(r.Role), Profile: r.Profile, Executor: r.Executor, Harness: r.Harness, Model: r.Model,
				Surface: r.Surface, Host: r.Host,
			},
		}
		if r.CostMicros != nil {
			f.CostMicros, f.CostKnown = *r.CostMicros, true
		}
		c := capacity.CardFacts{ID: r.Card, Board: r.Board, Status: r.Status, Story: r.Parent, Labels: r.Labels}
		entries = append(entries, p.site.EndedRun(c, f))
	}
	return entries
}

// rosterState is the roster of a board as its decisions want it, from the view's rows.
func (p *planner) rosterState(slug string) roster.State {
	s := roster.State{Now: p.s.Now, Executors: p.s.Rosters[slug].Executors, LastLeased: p.s.View.LastLeased}
	idle := map[int64]bool{}
	for _, x := range p.s.View.Sessions {
		idle[x.ID] = x.State == board.SessionIdle
	}
	for _, l := range p.s.View.Leases {
		c := p.busy[l.Card]
		s.Leases = append(s.Leases, roster.Lease{
			ID: l.ID, Executor: l.Executor, Role: l.Role, Clone: l.Clone, Card: l.Card, Story: c.Parent,
			Slot: l.Slot, Run: l.Run, Session: l.Session, Idle: idle[l.Session], Because: roster.Because(l.Because), Taken: l.TakenAt.Time(),
		})
	}
	for _, x := range p.s.View.Exclusions {
		s.Exclusions = append(s.Exclusions, roster.Exclusion{
			ID: x.ID, Executor: x.Executor, Account: x.Account, Kind: roster.ExclusionKind(x.Kind),
			Reason: x.Reason, Until: x.Until.Time(), NextProbe: x.ProbeAt.Time(), Fingerprint: x.Fingerprint,
		})
	}
	for _, x := range p.s.View.Pauses {
		if x.Kind == board.PauseExecutor {
			s.Pauses = append(s.Pauses, roster.Pause{ID: x.ID, Executor: x.Target, Until: x.Until.Time(), Reason: x.Reason, Actor: x.Actor})
		}
	}
	return s
}

// faultText is a cap's fault as the report tells it.
func faultText(r capacity.Refusal) string {
	return fmt.Sprintf("%s:%d %s: %s", r.Source.File, r.Source.Line, r.Source.Key, r.Fault)
}

func key(at capacity.Source, name string) capacity.Source {
	at.Key += name
	return at
}
