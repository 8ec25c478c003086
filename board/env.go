package board

import (
	"time"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// CardFacts are what expressions read of a card besides its own columns.
type CardFacts struct {
	BlockedBy  []string
	Subtasks   []expr.Subtask
	LastEvents []string // kinds, newest first
	Evidence   []string // names
}

// Env is the environment that a workflow's expressions see for a card; callers add the lane, the run, the host, the tick,
// the event and its sender. Now is in local time, so that `now.Hour()` means the hours of this machine.
func Env(b Board, c Card, facts CardFacts, now Time) *expr.Env {
	env := &expr.Env{
		Board: expr.Board{Slug: b.Slug, Name: b.Name, Repo: b.Repo, Base: b.BaseBranch, Workflow: b.Workflow, Weight: b.Weight},
		Now:   now.Time().Local(),
	}
	SetCard(env, &c, facts)
	return env
}

// SetCard puts a card into an environment, so that one environment can serve many cards in turn. The environment points into
// the card, which must not change while it is read.
func SetCard(env *expr.Env, c *Card, facts CardFacts) {
	env.Card = expr.Card{
		ID: c.ID, Board: c.Board, Title: c.Title, Body: c.Body, Status: c.Status, Priority: c.Priority,
		Assignee: optional(&c.Assignee), Host: optional(&c.Host), Model: optional(&c.Model), Effort: optional(&c.Effort),
		Parent: optional(&c.Parent), Owns: c.Owns, Satisfies: c.Criteria(), Labels: pointers(c.Labels),
		NotBefore: moment(c.NotBefore), ReadySince: moment(c.ReadySince), StartRequested: moment(c.StartRequested),
		Every: optional(&c.Every), MaxRuns: positive(c.MaxRuns),
		Failures: c.Failures, Handovers: c.Handovers, RoundRuns: c.RoundRuns, Counters: c.Counters,
		CurrentRun: positive(int(c.CurrentRun)), Revision: int(c.Revision),
		CreatedAt: c.CreatedAt.Time(), UpdatedAt: c.UpdatedAt.Time(), EndedAt: moment(c.EndedAt), CreatedBy: c.CreatedBy,
		Attempt: c.attempt(), BlockedBy: facts.BlockedBy, Subtasks: facts.Subtasks, LastEvents: facts.LastEvents,
		Evidence: facts.Evidence, Workspace: optional(&c.Workspace),
	}
}

// attempt is the number of the open run, else of the next one.
func (c Card) attempt() int {
	if c.CurrentRun != 0 {
		return c.Attempts
	}
	return c.Attempts + 1
}

func optional(text *string) *string {
	if *text == "" {
		return nil
	}
	return text
}

func positive(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

func moment(t Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	at := t.Time()
	return &at
}

// pointers are the values of a map in which a name that is missing reads as nil.
func pointers(m map[string]string) map[string]*string {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]*string, len(m))
	for k, v := range m {
		out[k] = &v
	}
	return out
}
