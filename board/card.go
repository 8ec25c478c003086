package board

import (
	"fmt"
	"strconv"
)

// Board is a named list of cards with one workflow and usually one repository.
type Board struct {
	Slug       string `db:"slug" json:"slug"`
	Name       string `db:"name" json:"name"`
	Repo       string `db:"repo" json:"repo"`               // absolute path; "" = no repository
	BaseBranch string `db:"base_branch" json:"base_branch"` // what its worktrees start from
	Workflow   string `db:"workflow" json:"workflow"`
	Weight     int    `db:"weight" json:"weight"` // share of starts between boards; 1 or more
	CreatedAt  Time   `db:"created_at_ms" json:"created_at"`
}

// Card is a piece of work: all columns of its row but those that only the schema keeps. A planning read leaves Title, Body,
// Satisfies, Every, CreatedBy, Key and the times but CreatedAt, NotBefore, ReadySince and StartRequested empty (DB-4).
type Card struct {
	ID             string   `db:"id" json:"id"`
	Board          string   `db:"board" json:"board"`
	Number         int      `db:"number" json:"number"`
	Title          string   `db:"title" json:"title"`
	Body           string   `db:"body" json:"body"`
	Status         string   `db:"status" json:"status"`
	Priority       int      `db:"priority" json:"priority"` // higher first
	Assignee       string   `db:"assignee" json:"assignee"` // a profile; "" = the workflow's choice
	Host           string   `db:"host" json:"host"`         // where a pane is wanted; headless runs are on the home host
	Model          string   `db:"model" json:"model"`       // the card's own override
	Effort         string   `db:"effort" json:"effort"`
	Parent         string   `db:"parent" json:"parent"` // the story it belongs to
	Owns           Strings  `db:"owns" json:"owns"`     // paths that no other running card of the repository may own
	Satisfies      Strings  `db:"satisfies" json:"satisfies"`
	Labels         Labels   `db:"labels" json:"labels"`
	Workspace      string   `db:"workspace" json:"workspace"` // overrides the status's workspace
	NotBefore      Time     `db:"not_before_at_ms" json:"not_before"`
	ReadySince     Time     `db:"ready_since_at_ms" json:"ready_since"` // when it last became startable
	StartRequested Time     `db:"start_requested_at_ms" json:"start_requested"`
	Every          string   `db:"every" json:"every"`
	MaxRuns        int      `db:"max_runs" json:"max_runs"` // overrides retry.lifetime_runs; 0 = not set
	Failures       int      `db:"failures" json:"failures"` // in a row (RET-1)
	Handovers      int      `db:"handovers" json:"handovers"`
	Moves          int      `db:"moves" json:"moves"` // reasoning runs moved elsewhere, in the present status (ROS-18)
	Unanswered     int      `db:"unanswered" json:"unanswered"`
	RoundRuns      int      `db:"round_runs" json:"round_runs"`
	Attempts       int      `db:"attempts" json:"attempts"` // the number of its last run
	Counters       Counters `db:"counters" json:"counters"`
	CleanStart     bool     `db:"clean_start" json:"clean_start"`
	AsideDeclined  bool     `db:"aside_declined" json:"aside_declined"`
	AsideConflict  bool     `db:"aside_conflict" json:"aside_conflict"`
	CurrentRun     int64    `db:"current_run" json:"current_run"` // its open run; 0 = none (MOD-2)
	Revision       int64    `db:"revision" json:"revision"`
	CreatedBy      string   `db:"created_by" json:"created_by"`
	Key            string   `db:"idempotency_key" json:"key"`
	CreatedAt      Time     `db:"created_at_ms" json:"created_at"`
	UpdatedAt      Time     `db:"updated_at_ms" json:"updated_at"`
	EndedAt        Time     `db:"ended_at_ms" json:"ended_at"` // set while its status is terminal
	ArchivedAt     Time     `db:"archived_at_ms" json:"archived_at"`
}

// Odd says which column of the card's row is of a form that is not read here, and what it holds; empty where all could be
// read. Such a card starts nothing until its row is mended.
func (c Card) Odd() string {
	for _, column := range []struct{ name, text string }{
		{"owns", c.Owns.odd()}, {"satisfies", c.Satisfies.odd()}, {"labels", c.Labels.odd()}, {"counters", c.Counters.odd()},
	} {
		if column.text != "" {
			return fmt.Sprintf("cards.%s holds %.100q", column.name, column.text)
		}
	}
	return ""
}

// Cancelled is the terminal status that frees no dependent (WSP-8).
const Cancelled = "cancelled"

// Blocker is a card that another waits for and that is not done.
type Blocker struct {
	Blocker   string `db:"blocker" json:"card"`
	Blocked   string `db:"blocked" json:"-"`
	Status    string `db:"status" json:"status"`
	Cancelled bool   `db:"cancelled" json:"cancelled"`
}

// Block is a question that a person must answer; while it is open its card is held as needs_person.
type Block struct {
	ID         int64  `db:"id" json:"id"`
	Card       string `db:"card" json:"card"`
	Run        int64  `db:"run" json:"run"`
	Kind       string `db:"kind" json:"kind"`
	Text       string `db:"text" json:"text"`
	AskedBy    string `db:"asked_by" json:"asked_by"`
	AskedAt    Time   `db:"asked_at_ms" json:"asked_at"`
	Answer     string `db:"answer" json:"answer"`
	AnsweredBy string `db:"answered_by" json:"answered_by"`
	AnsweredAt Time   `db:"answered_at_ms" json:"answered_at"`
}

// Kinds of blocks that the board itself asks. A worker may give any other word.
const (
	BlockRetries   = "retries"   // the row of failures or the lifetime is used up (RET-1); board retry or an answer frees it
	BlockModel     = "model"     // the card's own model was refused
	BlockCancelled = "cancelled" // a blocker was cancelled: go on without it?
	BlockConflict  = "conflict"  // blockers' branches do not merge
	BlockScreen    = "screen"    // the harness shows a trust or sign-in screen
)

// Comment is a remark on a card.
type Comment struct {
	ID        int64  `db:"id" json:"id"`
	Card      string `db:"card" json:"card"`
	Run       int64  `db:"run" json:"run"`
	Author    string `db:"author" json:"author"`
	Text      string `db:"text" json:"text"`
	CreatedAt Time   `db:"created_at_ms" json:"created_at"`
}

// Evidence is what a run shows for its claim to be done: a file of the workspace or a text.
type Evidence struct {
	ID        int64  `db:"id" json:"id"`
	Card      string `db:"card" json:"card"`
	Run       int64  `db:"run" json:"run"`
	Name      string `db:"name" json:"name"`
	Path      string `db:"path" json:"path"`
	Text      string `db:"text" json:"text"`
	CreatedAt Time   `db:"created_at_ms" json:"created_at"`
}

// PauseKind says what a pause holds.
type PauseKind string

// What can be paused by hand.
const (
	PauseCard     PauseKind = "card"
	PauseBoard    PauseKind = "board"
	PauseExecutor PauseKind = "executor"
	PauseCap      PauseKind = "cap" // drain: it admits nothing and ends nothing (CAP-16)
	PauseHome     PauseKind = "home"
)

// Pause is a hold put by hand, until a time or until it is resumed.
type Pause struct {
	ID        int64     `db:"id" json:"id"`
	Kind      PauseKind `db:"kind" json:"kind"`
	Target    string    `db:"target" json:"target"` // "" for the home
	Until     Time      `db:"until_at_ms" json:"until"`
	Reason    string    `db:"reason" json:"reason"`
	Actor     string    `db:"actor" json:"actor"`
	CreatedAt Time      `db:"created_at_ms" json:"created_at"`
}

// Active says whether the pause still holds at now.
func (p Pause) Active(now Time) bool { return p.Until.IsZero() || now < p.Until }

// Criteria are the acceptance criteria of its story that the card satisfies, from 1. What is no number is left out.
func (c Card) Criteria() []int {
	var all []int
	for _, text := range c.Satisfies {
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			all = append(all, n)
		}
	}
	return all
}
