package supervise

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// promptFacts is all that a prompt is made from.
type promptFacts struct {
	Now      board.Time
	Brief    board.Brief
	Template *expr.Template // nil: the status has none
	Lane     expr.Lane
	Place    place
	Takeover takeover
	Verbs    []string
	Reports  bool   // the worker can call the verbs; else its last line is its verdict
	Diff     string // what a reviewer that can run no command is to look at; empty: it looks itself
	Resumed  bool   // the conversation goes on: what it was told before need not be told again
}

// promptText is the prompt of a run (RET-5). A template that leaves out what every worker must know has it added: why it takes
// over, what earlier runs did, how to end.
func promptText(f promptFacts) (string, error) {
	if f.unanswered() && f.Resumed {
		return f.question() + "\n", nil
	}
	env := f.env()
	text := defaultPrompt(f.Brief.Card)
	source := ""
	if f.Template != nil {
		var err error
		if text, err = f.Template.Text(env); err != nil {
			return "", fmt.Errorf("write the prompt of run %d: %w", f.Brief.Run.ID, err)
		}
		source = f.Template.Source()
	}
	if strings.HasPrefix(strings.TrimSpace(text), "/") { // CLIs take such a start for a command of their own: claude's /clear
		text = fmt.Sprintf("# %s: %s\n\n%s", f.Brief.Card.ID, f.Brief.Card.Title, text)
	}
	var parts []string
	add := func(root, part string) {
		if part != "" && (root == "" || !reads(source, root)) {
			parts = append(parts, strings.TrimSpace(part))
		}
	}
	add("run.takeover", f.Takeover.Note)
	add("", text)
	add("run.not_independent", env.Run.NotIndependent)
	add("attempts", attemptsText(env.Attempts))
	add("comments", commentsText(env.Comments))
	if f.Diff != "" {
		add("", "## The change\n\n```diff\n"+f.Diff+"\n```")
	}
	if !strings.Contains(source, "BOARD: ") { // it says itself how a verdict is given
		add("verbs", f.howToEnd())
	}
	if f.unanswered() {
		add("", f.question())
	}
	return strings.Join(parts, "\n\n") + "\n", nil
}

// reads says whether an expression of a template names a root. The words around the expressions may say the same and read
// nothing.
func reads(source, root string) bool {
	for part := range strings.SplitSeq(source, "{{") {
		inside, _, ended := strings.Cut(part, "}}")
		if ended && strings.Contains(inside, root) {
			return true
		}
	}
	return false
}

// env is what the template reads.
func (f promptFacts) env() *expr.Env {
	b := f.Brief
	env := board.Env(b.Board, b.Card, b.Facts, f.Now)
	env.Lane = f.Lane
	env.Run = expr.Run{
		ID: int(b.Run.ID), Surface: string(b.Run.Surface), Local: b.Run.Surface == workflows.SurfaceHeadless, Host: b.Run.Host, Slot: b.Run.Slot,
		Workspace: f.Place.Path, Branch: f.Place.Branch, Base: f.Place.Base, Takeover: strings.TrimSpace(f.Takeover.Note),
		NotIndependent: roster.Because(b.Run.DependentBecause).Note(),
	}
	env.Host.Name = b.Run.Host
	env.Attempts, env.Parents, env.Comments, env.Verbs = attemptsOf(b.Runs), parentsOf(b.Parents), commentsOf(b), nil
	if f.Reports {
		env.Verbs = f.Verbs
	}
	return env
}

// unanswered says whether the slot's last run ended without a verdict that was needed: it is asked once (RET-4).
func (f promptFacts) unanswered() bool {
	for _, r := range slices.Backward(f.Brief.Runs) {
		if r.Slot == f.Brief.Run.Slot {
			return r.Outcome == board.NoVerdict && r.Status == f.Brief.Run.Status
		}
	}
	return false
}

func attemptsOf(runs []board.Run) []expr.Attempt {
	var attempts []expr.Attempt
	for _, r := range runs {
		a := expr.Attempt{
			Number: r.Attempt, Status: r.Status, Slot: r.Slot, Role: string(r.Role), Executor: r.Executor, Outcome: string(r.Outcome),
			Verdict: string(r.Verdict), Reason: cmp.Or(r.VerdictReason, r.Reason), Summary: r.Summary,
		}
		if r.Verdict == "" && r.Outcome != board.Completed {
			a.Error, a.Reason = r.Reason, ""
		}
		attempts = append(attempts, a)
	}
	return attempts
}

func parentsOf(parents []board.Parent) []expr.Parent {
	var all []expr.Parent
	for _, p := range parents {
		all = append(all, expr.Parent{ID: p.ID, Title: p.Title, Status: p.Status, Summary: p.Summary})
	}
	return all
}

// commentsOf are the comments and the answers to questions, in the order of their times.
func commentsOf(b board.Brief) []expr.Comment {
	var all []expr.Comment
	for _, c := range b.Comments {
		all = append(all, expr.Comment{By: c.Author, Text: c.Text, At: c.CreatedAt.Time()})
	}
	for _, a := range b.Answers {
		if a.Answer != "" {
			all = append(all, expr.Comment{By: a.AnsweredBy, Text: fmt.Sprintf("%s (answer to: %s)", a.Answer, a.Text), At: a.AnsweredAt.Time()})
		}
	}
	slices.SortStableFunc(all, func(a, b expr.Comment) int { return a.At.Compare(b.At) })
	return all
}

func defaultPrompt(c board.Card) string {
	return strings.TrimSpace("# " + c.ID + ": " + c.Title + "\n\n" + c.Body)
}

func attemptsText(attempts []expr.Attempt) string {
	if len(attempts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Earlier runs of this card, oldest first\n")
	for _, a := range attempts {
		fmt.Fprintf(&b, "\n- run %d (%s in %s, %s): %s", a.Number, a.Role, a.Status, a.Executor, cmp.Or(a.Verdict, a.Outcome, "not ended"))
		for _, more := range []string{a.Reason, a.Error} {
			if more != "" {
				b.WriteString(": " + more)
			}
		}
		if a.Summary != "" {
			b.WriteString("\n  " + strings.ReplaceAll(a.Summary, "\n", "\n  "))
		}
	}
	return b.String()
}

func commentsText(comments []expr.Comment) string {
	if len(comments) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Comments\n")
	for _, c := range comments {
		b.WriteString("\n- " + c.By + ": " + c.Text)
	}
	return b.String()
}

// howToEnd says which verbs there are and how a verdict is given.
func (f promptFacts) howToEnd() string {
	text := "## When you end\n\n"
	if f.Reports {
		text += "You may call: " + strings.Join(f.Verbs, "; ") + ".\nWhere you cannot run `board`, let"
	} else {
		text += "Let"
	}
	return text + " the last line of your last message be your verdict: " + strings.Join(verdictLines(f.Verbs), ", or ") + "."
}

// question asks a worker that ended without a verdict for it (RET-4).
func (f promptFacts) question() string {
	text := "Your last run ended without a verdict, and the card cannot go on without one. Give it as your only act"
	if f.Reports {
		text += ", by a verb: " + strings.Join(verdictVerbs(f.Verbs), ", or ") + ".\nWhere you cannot run `board`, by"
	} else {
		text += ", by"
	}
	return text + " the last line of your answer: " + strings.Join(verdictLines(f.Verbs), ", or ") + "."
}

// verdictOf is the verdict that a verb gives; empty for other verbs.
func verdictOf(verb string) board.Verdict {
	word := strings.Fields(strings.TrimPrefix(verb, "board "))
	if len(word) == 0 || !slices.Contains(verdicts(), board.Verdict(word[0])) {
		return ""
	}
	return board.Verdict(word[0])
}

func verdictVerbs(verbs []string) []string {
	var all []string
	for _, verb := range verbs {
		if verdictOf(verb) != "" {
			all = append(all, "`"+verb+"`")
		}
	}
	return all
}

func verdictLines(verbs []string) []string {
	var all []string
	for _, verb := range verbs {
		switch v := verdictOf(verb); v {
		case board.VerdictDone, board.VerdictApprove:
			all = append(all, fmt.Sprintf("`BOARD: %s`", v))
		case board.VerdictChanges, board.VerdictBlocked:
			all = append(all, fmt.Sprintf("`BOARD: %s: <why>`", v))
		}
	}
	return all
}

func verdicts() []board.Verdict {
	return []board.Verdict{board.VerdictDone, board.VerdictApprove, board.VerdictChanges, board.VerdictBlocked}
}

// verbsOf is what a worker in this slot may call: the verdicts that the workflow takes from it here, and what every worker may.
func verbsOf(w *workflows.Workflow, b board.Brief, now board.Time) []string {
	usage := map[board.Verdict]string{
		board.VerdictDone: "board done [--summary TEXT]", board.VerdictApprove: "board approve",
		board.VerdictChanges: "board changes WHY", board.VerdictBlocked: "board blocked WHY",
	}
	var verbs []string
	for _, v := range verdicts() {
		if v == board.VerdictBlocked || takes(w, b, v, now) {
			verbs = append(verbs, usage[v])
		}
	}
	return append(verbs, "board comment TEXT", "board evidence NAME PATH|TEXT", "board beat [NOTE]", "board add TITLE --parent", "board card")
}

// takes says whether the workflow has a transition for the verdict that this slot may take; its guards are asked when it is
// given.
func takes(w *workflows.Workflow, b board.Brief, v board.Verdict, now board.Time) bool {
	if w == nil {
		return true
	}
	event := w.OutcomeEvent(b.Run.Status, string(v))
	if event == "" {
		return false
	}
	env := board.Env(b.Board, b.Card, b.Facts, now)
	env.Event = expr.Event{Name: event, Reason: "why", Summary: "what"}
	env.Sender = expr.Sender{Kind: "session", Name: b.Run.Executor, Slot: b.Run.Slot}
	_, refusal := w.Fire(workflows.FireRequest{Event: event, From: b.Run.Status, By: b.Run.Slot, Env: env})
	if refusal == nil {
		return true
	}
	return !slices.Contains([]workflows.RefusalKind{workflows.RefusedNoEvent, workflows.RefusedNoTransition, workflows.RefusedSender}, refusal.Kind)
}
