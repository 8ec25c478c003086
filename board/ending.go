package board

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// EndingFacts is all that the end of a run is decided from.
type EndingFacts struct {
	Now         Time
	Board       Board
	Card        Card
	Facts       CardFacts
	Run         Run
	Exit        Exit
	Workflow    *workflows.Workflow // nil: broken, and no text of it was ever read; then no event is sent
	Executor    roster.Executor     // zero when the roster has it no more
	Fingerprint string              // of the executor
	RateLimits  []Time              // the executor's, of the last hour
	Recent      []roster.EndedRun   // the executor's last ended runs, newest first
	LastBlock   string              // kind of the card's last question that a worker asked; "" = none
}

// Ending is what the end of a run does, as data: Store.Settle writes it, and a plan applies it to its view.
type Ending struct {
	Run             Run  // as ended
	Card            Card // as it is afterwards
	Event           string
	By              string // who sent it: a slot, or workflows.ByBoard
	Move            *workflows.Move
	Refusal         string // why the workflow refused the event; "" = it did not
	Failure         bool   // it counts in the row of failures
	Step            roster.Step
	Block           *Block            // a question to a person
	Exclude         *roster.Exclusion // the executor leaves the round
	CountRateLimit  bool
	ClearRateLimits bool
	Forget          []string // slots whose conversation is not to be gone on with; globs
	Close           []string // slots whose sessions are to be closed; globs
	Records         []string // kinds of further events
	Notices         []string // texts for NOT-1
	quiet           bool     // an outage that nothing but a row of silent failures tells of (ROS-21)
	Kept            bool     // its session stays idle, with its lease
}

// End decides what the end of a run does. It is the one place where outcomes, retries, handovers and verdicts meet (END-2).
func End(f EndingFacts) Ending {
	e := Ending{Run: f.Run, Card: f.Card, Kept: f.Exit.Kept, Step: roster.StepOutcome}
	e.fill(f)
	e.Run.Outcome, e.Run.Reason = outcomeOf(e.Run, f.Exit)
	e.silent(f)
	e.send(f)
	e.count(f)
	e.finish(f)
	return e
}

// fill takes over what the exit reports.
func (e *Ending) fill(f EndingFacts) {
	r, x := &e.Run, f.Exit
	r.State, r.EndedAt = RunEnded, f.Now
	r.ExitCode, r.Signal, r.ErrorClass = x.Code, x.Signal, x.Result.Class
	r.Summary = cmp.Or(x.Result.Text, r.Summary)
	r.Workspace, r.Branch = cmp.Or(x.Workspace, r.Workspace), cmp.Or(x.Branch, r.Branch)
	r.BaseCommit, r.HeadCommit = cmp.Or(x.BaseCommit, r.BaseCommit), cmp.Or(x.HeadCommit, r.HeadCommit)
	r.Model = cmp.Or(x.Result.Model, r.Model)
	r.TokensIn, r.TokensOut, r.TokensCached, r.Turns = x.Result.TokensIn, x.Result.TokensOut, x.Result.Cached, x.Result.Turns
	if x.Result.CostMicros != nil {
		r.CostMicros, r.CostEstimated = x.Result.CostMicros, x.Result.Estimated
	}
	if r.Verdict == "" && x.Result.Verdict != "" && x.Stop == "" {
		r.Verdict, r.VerdictReason, r.VerdictAt = x.Result.Verdict, x.Result.Reason, f.Now
	}
	if r.StopOutcome == "" && x.Stop != "" {
		r.StopOutcome, r.StopReason, r.StopActor, r.StopAt = x.Stop, x.StopReason, "supervisor", f.Now
	}
}

// outcomeOf is how the run ended, from what was stored on it and how its process went.
func outcomeOf(r Run, x Exit) (Outcome, string) {
	switch {
	case r.StopOutcome == Stopped, r.StopOutcome == Reclaimed:
		return r.StopOutcome, r.StopReason
	case r.Verdict == VerdictBlocked:
		return Blocked, r.VerdictReason
	case r.Verdict != "":
		return Completed, r.VerdictReason
	case r.StopOutcome != "":
		return r.StopOutcome, r.StopReason
	case x.Missing:
		return HarnessMissing, x.SpawnError
	case x.SpawnError != "", x.Ask != "":
		return SpawnFailed, cmp.Or(x.SpawnError, x.Ask)
	case x.Rebooted:
		return Interrupted, "host restarted"
	case x.Crashed:
		return Crashed, crashText(x)
	}
	if o, ok := classOutcomes()[x.Result.Class]; ok {
		return o, cmp.Or(x.Result.Message, x.Result.Class)
	}
	if x.Code != nil && *x.Code == 0 && x.Result.Class == "" {
		return Completed, ""
	}
	return Failed, failText(x)
}

// classOutcomes are the error classes of a harness that are outcomes of their own; any other class is a failure.
func classOutcomes() map[string]Outcome {
	return map[string]Outcome{
		string(RateLimited): RateLimited, string(UsageLimited): UsageLimited, string(Unauthenticated): Unauthenticated,
		string(Quota): Quota, string(ModelUnavailable): ModelUnavailable, string(HarnessMissing): HarnessMissing,
		string(Overloaded): Overloaded, string(Outage): Outage, string(ContextOverflow): ContextOverflow,
	}
}

func crashText(x Exit) string {
	if x.LastLines == "" {
		return "gone without a word"
	}
	return "gone without a word; last lines: " + x.LastLines
}

func failText(x Exit) string {
	how := "it did not exit by itself"
	switch {
	case x.Signal != "":
		how = "ended by signal " + x.Signal
	case x.Code != nil:
		how = fmt.Sprintf("exit %d", *x.Code)
	}
	if detail := cmp.Or(x.Result.Message, x.LastLines); detail != "" {
		how += ": " + detail
	}
	return how
}

// silent takes the third short and silent failure in a row on one executor for an outage of it: what ails the machine must
// not eat every card's attempts (ROS-21).
func (e *Ending) silent(f EndingFacts) {
	if e.Run.Outcome != Failed && e.Run.Outcome != Crashed {
		return
	}
	if roster.RowOfFailures(append([]roster.EndedRun{EndedRunOf(e.Run, f.Exit.Output)}, f.Recent...)) {
		e.Run.Reason = "the third run in a row that failed on " + f.Run.Executor + " within a minute and without output, taken for an outage; " + e.Run.Reason
		e.Run.Outcome, e.quiet = Outage, true
	}
}

// EndedRunOf is an ended run as ROS-21 looks at it.
func EndedRunOf(r Run, output bool) roster.EndedRun {
	start := cmp.Or(r.LaunchedAt, r.ClaimedAt)
	return roster.EndedRun{Card: r.Card, Took: r.EndedAt.Sub(start), Output: output, Failed: r.Outcome == Failed || r.Outcome == Crashed}
}

// send works out the event that the outcome sends, and what the workflow does with it.
func (e *Ending) send(f EndingFacts) {
	if f.Workflow == nil || f.Card.Status != f.Run.Status || !f.Card.EndedAt.IsZero() {
		return // the card has left the run's status, or nothing can be asked
	}
	e.Event, e.By = f.Workflow.OutcomeEvent(f.Run.Status, string(e.Run.Outcome)), workflows.ByBoard
	if e.Run.Verdict != "" && (e.Run.Outcome == Completed || e.Run.Outcome == Blocked) {
		e.Event, e.By = f.Workflow.OutcomeEvent(f.Run.Status, string(e.Run.Verdict)), f.Run.Slot
	}
	if e.Event == "" {
		e.unanswered("the workflow has no event for it")
		return
	}
	env := Env(f.Board, f.Card, f.Facts, f.Now)
	env.Event = expr.Event{Name: e.Event, Reason: e.Run.VerdictReason, Summary: e.Run.Summary, Outcome: string(e.Run.Outcome)}
	env.Sender = expr.Sender{Kind: "session", Name: e.Run.Executor, Slot: e.By}
	if e.By == workflows.ByBoard {
		env.Sender = expr.Sender{Kind: workflows.ByBoard, Name: workflows.ByBoard}
	}
	env.Run = expr.Run{
		ID: int(f.Run.ID), Surface: string(f.Run.Surface), Host: f.Run.Host, Slot: f.Run.Slot,
		Workspace: e.Run.Workspace, Branch: e.Run.Branch, Base: e.Run.BaseCommit,
	}
	move, refusal := f.Workflow.Fire(workflows.FireRequest{Event: e.Event, From: f.Card.Status, By: e.By, Env: env})
	if refusal == nil {
		e.Move = &move
		return
	}
	e.refuse(refusal)
}

// refuse is an event that the workflow did not take: END-3, or a missing verdict (RET-4).
func (e *Ending) refuse(r *workflows.Refusal) {
	switch r.Kind {
	case workflows.RefusedWhen, workflows.RefusedRequire, workflows.RefusedFault:
		if e.Run.Outcome == Completed {
			e.Refusal, e.Run.Outcome, e.Run.Reason = r.Text, Refused, r.Text
		}
	case workflows.RefusedNoEvent, workflows.RefusedNoTransition, workflows.RefusedSender:
		e.unanswered(r.Text)
	}
	if e.Run.Outcome != Refused {
		e.Event, e.By = "", ""
	}
}

// unanswered is a run that completed where the workflow takes nothing from the board: a verdict is missing. Where a verdict
// was given that the workflow does not take, it is refused.
func (e *Ending) unanswered(text string) {
	if e.Run.Outcome != Completed {
		return
	}
	if e.Run.Verdict != "" {
		e.Refusal, e.Run.Outcome, e.Run.Reason = text, Refused, text
		return
	}
	e.Run.Outcome = NoVerdict
	e.Run.Reason = "it ended without a verdict (board approve, board changes, ... or a last line BOARD: ...)"
}

// count decides what the outcome means for the card's counters, its executor and its next start (table of endings).
func (e *Ending) count(f EndingFacts) {
	c := &e.Card
	if e.Run.Outcome != NoVerdict {
		c.Unanswered = 0
	}
	switch e.Run.Outcome {
	case Failed, Crashed, TimedOut, Quiet, Refused:
		if f.Exit.Result.Lost {
			e.Forget = append(e.Forget, f.Run.Slot)
		}
		e.fail(f)
	case SpawnFailed:
		if f.Exit.Ask != "" {
			e.ask(f, cmp.Or(f.Exit.AskKind, BlockConflict), f.Exit.Ask)
			return
		}
		e.fail(f)
	case ContextOverflow:
		e.Forget = append(e.Forget, f.Run.Slot)
		e.fail(f)
	case NoVerdict:
		if c.Unanswered++; c.Unanswered >= 2 {
			e.fail(f)
		}
	case RateLimited, UsageLimited, Unauthenticated, Quota, ModelUnavailable, HarnessMissing, Overloaded, Outage:
		e.blame(f)
	case Blocked:
		e.ask(f, cmp.Or(f.Exit.Result.Kind, "question"), cmp.Or(e.Run.VerdictReason, "it is blocked and did not say why"))
		if e.Block.Kind == f.LastBlock {
			e.Notices = append(e.Notices, fmt.Sprintf("%s is blocked again (%s): %s", c.ID, e.Block.Kind, e.Block.Text))
		}
	case Completed, Stopped, Interrupted, Reclaimed:
	}
}

// fail counts one failure in a row and sets the backoff, or asks a person when the row is used up (RET-1, 2).
func (e *Ending) fail(f EndingFacts) {
	c := &e.Card
	e.Failure = true
	c.Failures++
	retry := workflows.Retry{Limit: 3}
	if f.Workflow != nil {
		retry = f.Workflow.Dispatch.Retry
	}
	if c.Failures >= retry.Limit {
		e.ask(f, BlockRetries, fmt.Sprintf("%d failures in a row; the last: %s: %s", c.Failures, e.Run.Outcome, firstLine(e.Run.Reason)))
		return
	}
	c.NotBefore = f.Now.Add(Wait(retry.Backoff, c.Failures, f.Run.ID))
}

// blame decides what the end means for the executor, and with that what becomes of the card (ROS-7..11, 16..18).
func (e *Ending) blame(f EndingFacts) {
	c, x := &e.Card, f.Exit.Result
	limits := make([]time.Time, len(f.RateLimits))
	for i, at := range f.RateLimits {
		limits[i] = at.Time()
	}
	said := e.Run.Reason
	if said == string(e.Run.Outcome) {
		said = "" // it named its class and no more
	}
	effect := roster.Assess(roster.Ending{
		Now: f.Now.Time(), Executor: f.Executor, Fingerprint: f.Fingerprint, CardModel: c.Model, RateLimits: limits,
		Failure: harness.Failure{Class: harness.Class(e.Run.Outcome), Message: said, ResetAt: x.ResetAt.Time(), RetryAfter: x.RetryAfter, OneModel: x.OneModel},
	})
	if e.quiet {
		effect = roster.SilentOutage(f.Now.Time(), f.Executor)
	}
	e.Exclude, e.CountRateLimit, e.ClearRateLimits = effect.Exclude, effect.CountRateLimit, effect.ClearRateLimits
	if effect.Note != "" {
		e.Run.Reason += " (" + effect.Note + ")"
	}
	moves := &c.Moves
	if f.Run.Role == roster.RoleCoder {
		moves = &c.Handovers
	}
	e.Step = roster.NextAfter(f.Run.Role, effect, *moves)
	switch e.Step {
	case roster.StepLater:
		c.NotBefore = At(effect.NotBefore)
	case roster.StepHandover, roster.StepElsewhere:
		*moves++
	case roster.StepPerson:
		e.ask(f, BlockModel, effect.AskPerson)
	case roster.StepFailure:
		e.fail(f)
	case roster.StepOutcome:
	}
}

func (e *Ending) ask(f EndingFacts, kind, text string) {
	e.Block = &Block{Card: f.Card.ID, Run: f.Run.ID, Kind: kind, Text: text, AskedBy: f.Run.Slot, AskedAt: f.Now}
}

// finish applies the move to the card, and holds a card whose lifetime is used up.
func (e *Ending) finish(f EndingFacts) {
	e.Card.CurrentRun = 0
	if e.Move != nil {
		done := applyMove(e.Card, *e.Move, f.Now, f.Workflow)
		e.Card = done.Card
		e.Close, e.Forget = append(e.Close, done.Close...), append(e.Forget, done.Forget...)
		e.Records, e.Notices = append(e.Records, done.Records...), append(e.Notices, done.Notices...)
	}
	e.Card.ReadySince = max(f.Now, e.Card.NotBefore)
	if e.Block != nil || !e.Card.EndedAt.IsZero() || f.Workflow == nil {
		return
	}
	lifetime := cmp.Or(e.Card.MaxRuns, f.Workflow.Dispatch.Retry.LifetimeRuns)
	if lifetime > 0 && e.Card.RoundRuns >= lifetime {
		text := fmt.Sprintf("%d runs in all, as many as it may have", e.Card.RoundRuns)
		if e.Run.Reason != "" {
			text += "; the last: " + firstLine(e.Run.Reason)
		}
		e.ask(f, BlockRetries, text)
	}
}

// moved is what a transition does to a card, and what it asks of others.
type moved struct {
	Card    Card
	Close   []string
	Forget  []string
	Records []string
	Notices []string
	EndRun  Outcome // end the open run with this outcome; "" = not asked
}

// applyMove is the one place where a transition changes a card.
func applyMove(c Card, m workflows.Move, now Time, w *workflows.Workflow) moved {
	out := moved{}
	if m.Progress {
		c.Failures = 0
	}
	if m.To != c.Status {
		c.Status = m.To
		c.Handovers, c.Moves, c.Unanswered, c.NotBefore = 0, 0, 0, 0
		c.ReadySince = now
		c.StartRequested = 0
		c.EndedAt = 0
		if w.Terminal(m.To) {
			c.EndedAt = now
			out.Close = append(out.Close, "*")
			if again, ok := nextRound(c, now, w); ok {
				c = again
				out.Forget = append(out.Forget, "*")
				out.Records = append(out.Records, "card.next_round")
			}
		}
	}
	for _, a := range m.Actions {
		switch a.Kind {
		case workflows.ActionEndRun:
			out.EndRun = Outcome(a.Value)
		case workflows.ActionCloseSession:
			out.Close = append(out.Close, a.Value)
		case workflows.ActionForgetSession:
			out.Forget = append(out.Forget, a.Value)
		case workflows.ActionAssign:
			c = assign(c, a.Fields)
		case workflows.ActionCount:
			c.Counters = c.Counters.with(a.Value)
		case workflows.ActionReset:
			c = resetCounters(c, a.Counters)
		case workflows.ActionRecord:
			out.Records = append(out.Records, a.Value)
		case workflows.ActionNotify:
			out.Notices = append(out.Notices, a.Value)
		case workflows.ActionMerge: // a supervised job of its own, started by the dispatcher
		}
	}
	out.Card = c
	return out
}

// nextRound is a recurring card whose round has ended, back in its first status until its next time (REC-1). Missed times do
// not pile up: the next is counted from now. A cancelled card recurs no more.
func nextRound(c Card, now Time, w *workflows.Workflow) (Card, bool) {
	if c.Every == "" || c.Status == Cancelled {
		return c, false
	}
	every, err := ParseEvery(c.Every)
	if err != nil {
		return c, false // another program wrote it: the card ends
	}
	c.Status, c.EndedAt = w.Initial, 0
	c.NotBefore = At(every.Next(now.Time().Local()))
	c.ReadySince = c.NotBefore
	c.RoundRuns, c.Failures = 0, 0
	return c, true
}

// with is a copy in which one counter is one higher.
func (c Counters) with(name string) Counters {
	next := Counters{name: 1}
	for k, n := range c {
		if next[k] = n; k == name {
			next[k] = n + 1
		}
	}
	return next
}

func resetCounters(c Card, names []string) Card {
	kept := Counters{}
	for k, n := range c.Counters {
		if !slices.Contains(names, k) {
			kept[k] = n
		}
	}
	c.Counters = kept
	if slices.Contains(names, "failures") {
		c.Failures = 0
	}
	if slices.Contains(names, "handovers") {
		c.Handovers = 0
	}
	if slices.Contains(names, "runs") {
		c.RoundRuns = 0
	}
	return c
}

// assign sets the columns that a workflow may assign; loading has refused any other name.
func assign(c Card, fields []workflows.FieldValue) Card {
	for _, f := range fields {
		text := ""
		if f.Value != nil {
			text = fmt.Sprint(f.Value)
		}
		switch f.Name {
		case "assignee":
			if c.Assignee != text {
				c.Assignee, c.Failures = text, 0
			}
		case "host":
			c.Host = text
		case "model":
			c.Model = text
		case "effort":
			c.Effort = text
		case "priority":
			if n, ok := f.Value.(int); ok {
				c.Priority = n
			}
		}
	}
	return c
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// Started is a card as the start event leaves it. The claim adds its run's counters.
func Started(c Card, m workflows.Move, now Time, w *workflows.Workflow) Card {
	failures, handovers, moves, unanswered := c.Failures, c.Handovers, c.Moves, c.Unanswered
	c = applyMove(c, m, now, w).Card
	if !m.Progress {
		c.Failures = failures // a start is no progress (RET-1)
	}
	if m.To == m.From {
		c.Handovers, c.Moves, c.Unanswered = handovers, moves, unanswered
	}
	return c
}
