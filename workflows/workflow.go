// Package workflows reads workflow files: statuses, events, profiles, prompts, the dispatcher's settings and caps. It
// decides which transition an event takes, as a pure function. It reads no file itself, knows no card and no capacity.
package workflows

import (
	"time"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/strict"
)

// Origin is where a key stands. Its text is what a hold shows: "workflows/default.yaml:41 dispatch.capacity[0].max".
type Origin = strict.Origin

// Problem is one thing wrong with a file.
type Problem = strict.Problem

// Problems is everything wrong with a file, in the order of the places. As an error it has one problem a line.
type Problems = strict.Problems

// Workflow is one file, checked. It is immutable and safe for use by several goroutines.
type Workflow struct {
	Version     int            `yaml:"version" doc:"The version of the file's format." want:"required" enum:"1"`
	Name        string         `yaml:"name" doc:"The workflow's name: the file's, without .yaml."`
	File        string         // as shown to people: "workflows/default.yaml"
	Description string         `yaml:"description" doc:"What the workflow is for, in one line."`
	Params      map[string]any `yaml:"params" doc:"Named values for expressions; config.yaml params override them by name."`
	Profiles    []Profile      `yaml:"profiles" doc:"Named ways to execute work." want:"required"`
	Initial     string         `yaml:"initial" doc:"The status of a card that is added." want:"required"`
	Statuses    []Status       `yaml:"statuses" doc:"The statuses of cards." want:"required"`
	Events      []Event        `yaml:"events" doc:"Events and what they do: the first transition whose from, by and when hold is taken." want:"required"`
	Dispatch    Dispatch       `yaml:"dispatch" doc:"What the dispatcher goes by."`
	Lint        Problems       // what is odd but loads (CAP-17)

	scope   *expr.Scope
	prompts func(path string) ([]byte, error)
	pending []pending
}

// Role is what an executor can serve.
type Role string

// The roles.
const (
	RolePlanner  Role = "planner"
	RoleCoder    Role = "coder"
	RoleReviewer Role = "reviewer"
	RoleJudge    Role = "judge"
	RoleVerifier Role = "verifier"
)

// Surface is where a session runs.
type Surface string

// The surfaces.
const (
	SurfaceHeadless Surface = "headless" // a detached process
	SurfacePane     Surface = "pane"     // a tmux window
)

// Permissions is what an agent may do.
type Permissions string

// The permissions.
const (
	PermissionsRead Permissions = "read"
	PermissionsEdit Permissions = "edit" // change its workspace and run its tools there
	PermissionsFull Permissions = "full" // the CLI's own bypass; never a default
	PermissionsAsk  Permissions = "ask"  // the person at the pane answers; interactive only
)

// Profile is a named way to execute: the lane.
type Profile struct {
	Name        string
	Role        Role        `yaml:"role" doc:"What the executor must be able to serve." want:"required"`
	Surface     Surface     `yaml:"surface" doc:"Where the session runs; default headless."`
	Interactive bool        `yaml:"interactive" doc:"Panes only: the harness's own screen instead of its headless form."`
	Permissions Permissions `yaml:"permissions" doc:"What the agent may do; default edit for a coder, read for others."`
	Host        string      `yaml:"host" doc:"The target machine of panes; default the card's."`
	Executors   []string    `yaml:"executors" doc:"Executors that may serve (globs); default any."`
	Harness     []string    `yaml:"harness" doc:"Harnesses that may serve (globs); default any."`
	Model       []string    `yaml:"model" doc:"Models that may serve (globs); default any."`
	MinEffort   string      `yaml:"min_effort" doc:"The least effort that an executor must offer." enum:"off,minimal,low,medium,high,xhigh,max"`
	Keep        []string    `yaml:"keep" doc:"Processes that may outlive a run."`
	Capacity    *int        `yaml:"capacity" doc:"A number that expressions read as lane.capacity."`
	Origin      Origin
}

// WorkspaceKind is what a run works in.
type WorkspaceKind string

// The workspaces.
const (
	WorkspaceDefault  WorkspaceKind = ""         // worktree with a repository, scratch without
	WorkspaceWorktree WorkspaceKind = "worktree" // a git worktree of the card
	WorkspaceRepo     WorkspaceKind = "repo"     // the repository itself, one run at a time
	WorkspaceDir      WorkspaceKind = "dir"      // a folder
	WorkspaceScratch  WorkspaceKind = "scratch"  // one folder per card under the home
)

// Workspace is a status's `workspace`.
type Workspace struct {
	Kind WorkspaceKind
	Dir  string // of WorkspaceDir
}

// Status is a status of cards.
type Status struct {
	Name        string
	Description string    `yaml:"description" doc:"What the status means, in one line."`
	Terminal    bool      `yaml:"terminal" doc:"Ends the card."`
	Workspace   Workspace `yaml:"workspace" doc:"What a run works in; default worktree with a repository, scratch without."`
	Run         *Run      `yaml:"run" doc:"How the status is run; a status without it cannot be started."` // nil: cannot be started (WF-4)
	Origin      Origin
}

// Run is how a status is run.
type Run struct {
	Profile  *expr.Template `yaml:"profile" doc:"A profile's name or a template; default card.assignee."` // nil: card.assignee
	Session  *expr.Template `yaml:"session" doc:"The slot, or a template of it; default worker."`         // never nil
	Prompt   string         `yaml:"prompt" doc:"A text, or a file under workflows/. A template."`         // see Workflow.Prompt; empty for none
	Limits   Limits         `yaml:"limits" doc:"What ends a run or an idle session."`
	Outcomes []Outcome      `yaml:"outcomes" doc:"Which event an outcome sends; completed sends done, a verdict its own name."` // in the file's order
	Origin   Origin
	// ProfileOrigin is of `profile` where it is given, else of the run; SessionOrigin and PromptOrigin likewise.
	ProfileOrigin Origin
	SessionOrigin Origin
	PromptOrigin  Origin
}

// Limits end a run or an idle session. Zero is no limit.
type Limits struct {
	Runtime     time.Duration `yaml:"runtime" doc:"Wall clock of the run; default none."`
	Quiet       time.Duration `yaml:"quiet" doc:"Time without output or a beat; default none."`
	Start       time.Duration `yaml:"start" doc:"Time before which quiet does not count; default 10m."`
	IdleTimeout time.Duration `yaml:"idle_timeout" doc:"How long a pane is kept idle after its run; default 30m."`
}

// Outcome is which event an outcome of a run sends.
type Outcome struct {
	Outcome string
	Event   string
	Origin  Origin
}

// Event is an event and what it does.
type Event struct {
	Name        string
	Transitions []Transition // the first whose From, By and When hold is taken
	Origin      Origin
}

// Transition is one way an event can go.
type Transition struct {
	From     []string       `yaml:"from" doc:"Statuses it leaves; default every status that is not terminal."`
	By       []string       `yaml:"by" doc:"Who may send it: person, board, session slots or globs of slots; default anyone who may write the card."`
	When     *expr.Bool     `yaml:"when" doc:"False means: not this transition."`
	Require  []Requirement  `yaml:"require" doc:"False means: refused, and here is the message."`
	To       *expr.Template `yaml:"to" doc:"The status it leads to, or a template of it; default the same status."` // nil: the same status
	Progress bool           `yaml:"progress" doc:"Resets the row of failures."`
	Do       []Action       `yaml:"do" doc:"What else is done, in order."`
	Origin   Origin
	WhenAt   Origin
	ToAt     Origin
}

// Requirement is a condition whose failure refuses the event with a message (WF-1).
type Requirement struct {
	Expr    *expr.Bool     `yaml:"expr" doc:"The condition." want:"required"`
	Message *expr.Template `yaml:"message" doc:"What the refused sender is told." want:"required"`
	Origin  Origin
}

// ActionKind is what an action does.
type ActionKind string

// The actions, a closed set.
const (
	ActionEndRun        ActionKind = "end_run"        // Value: the outcome
	ActionCloseSession  ActionKind = "close_session"  // Value: the slot or a glob of slots
	ActionForgetSession ActionKind = "forget_session" // Value: the slot or a glob of slots
	ActionAssign        ActionKind = "assign"         // Fields
	ActionCount         ActionKind = "count"          // Value: the counter
	ActionReset         ActionKind = "reset"          // Counters
	ActionRecord        ActionKind = "record"         // Value: the kind of the event row
	ActionNotify        ActionKind = "notify"         // Value: the text
	ActionMerge         ActionKind = "merge"          // nothing more
)

// Action is one entry of `do:`.
type Action struct {
	Kind     ActionKind
	Value    *expr.Template // see the kinds; nil where a kind has none
	Fields   []ActionField  // of assign, in the file's order
	Counters []string       // of reset
	Origin   Origin
}

// ActionField is a column that assign sets.
type ActionField struct {
	Name   string
	Value  *expr.Template
	Origin Origin
}

// Dispatch is the dispatcher's settings.
type Dispatch struct {
	Start      string     `yaml:"start" doc:"The event sent to a card that is started; default start."`
	StartAt    Origin     // of `start`, else of `events`
	Eligible   *expr.Bool `yaml:"eligible" doc:"Whether a card may be started now; default always."` // nil: always
	EligibleAt Origin
	Order      []*expr.Key `yaml:"order" doc:"Keys that cards are ordered by, a leading - is descending; then creation."`
	OrderAt    []Origin    // one per key
	Aging      Aging       `yaml:"aging" doc:"Adds one to the priority of a waiting card per period."`
	Retry      Retry       `yaml:"retry" doc:"When a failed card is tried again."`
	Story      Story       `yaml:"story" doc:"How the tasks of one story run."`
	Capacity   []Cap       `yaml:"capacity" doc:"The caps, tried in this order."`
}

// Aging adds one to the priority per Per of waiting, up to Max. The zero value is none.
type Aging struct {
	Per time.Duration `yaml:"per" doc:"The period." want:"required"`
	Max int           `yaml:"max" doc:"The most that is added." want:"required"`
}

// Retry says when a failed card is tried again.
type Retry struct {
	Limit        int     `yaml:"limit" doc:"Failures in a row that hold the card; default 3."`
	Backoff      Backoff `yaml:"backoff" doc:"How long a card waits after a failure."`
	LifetimeRuns int     `yaml:"lifetime_runs" doc:"Runs in all that hold the card; default 15."`
	LimitAt      Origin  // of `limit`, else of the nearest key around it
	LifetimeAt   Origin  // of `lifetime_runs`, else likewise
}

// Backoff is how long a card waits after a failure.
type Backoff struct {
	First  time.Duration `yaml:"first" doc:"After the first failure; default 1m."`
	Factor float64       `yaml:"factor" doc:"By which each wait is longer than the last; default 2."`
	Max    time.Duration `yaml:"max" doc:"The longest wait; default 30m."`
	Jitter float64       `yaml:"jitter" doc:"A share of the wait, from 0 to 1, that is spread; default 0.2."`
}

// Story is how many tasks of one story run at a time, the home task included.
type Story struct {
	Concurrency   int `yaml:"concurrency" doc:"Tasks of one story at a time, the one at home included; default 2."`
	ConcurrencyAt Origin
}

// Counts is what a cap counts.
type Counts string

// The things that can be counted (02, Capacity).
const (
	CountsRuns     Counts = "runs"
	CountsCards    Counts = "cards"
	CountsSessions Counts = "sessions"
	CountsTurns    Counts = "turns"
	CountsStarts   Counts = "starts"
	CountsSpend    Counts = "spend"
)

// Scope is one of the things that a cap groups by.
type Scope string

// The scopes.
const (
	ScopeHome     Scope = "home"
	ScopeBoard    Scope = "board"
	ScopeHost     Scope = "host"
	ScopeProfile  Scope = "profile"
	ScopeExecutor Scope = "executor"
	ScopeHarness  Scope = "harness"
	ScopeModel    Scope = "model"
	ScopeSlot     Scope = "slot"
	ScopeRole     Scope = "role"
)

// Place is what makes two sessions of a card one place.
type Place string

// The places.
const (
	PlaceSlot Place = "slot"
	PlaceCard Place = "card"
)

// Cap is a limit.
type Cap struct {
	Name      string        `yaml:"name" doc:"The cap's name, unique in its file." want:"required"`
	Counts    Counts        `yaml:"counts" doc:"What is counted." want:"required"`
	Scope     []Scope       `yaml:"scope" doc:"What it is counted by; default home."` // never empty
	Where     Filter        `yaml:"where" doc:"What the cap applies to; default everything."`
	Unless    Filter        `yaml:"unless" doc:"What it does not apply to."`
	Max       *expr.Number  `yaml:"max" doc:"How many places there are: a number or an expression; nothing is no cap."` // nil: no cap
	Place     Place         `yaml:"place" doc:"What makes two sessions of a card one place; default slot."`
	Reserve   *Reserve      `yaml:"reserve" doc:"Places kept for some cards."` // nil: none
	Window    time.Duration `yaml:"window" doc:"How far back starts and spend are counted; required for spend."`
	Burst     *Burst        `yaml:"burst" doc:"Lets a group go over max while nobody else waits."` // nil: none
	AssumeUSD float64       `yaml:"assume_usd" doc:"Dollars counted for a run of unknown cost; default 1."`
	Index     int           // in its list, from 0
	Origin    Origin        // of the cap
	MaxAt     Origin        // of `max`, else of the cap
}

// Reserve keeps places for some cards.
type Reserve struct {
	For     Filter       `yaml:"for" doc:"The cards that places are kept for." want:"required"`
	Slots   *expr.Number `yaml:"slots" doc:"How many places: a number or an expression." want:"required"`
	Always  bool         `yaml:"when" doc:"At all times, or while another such card waits; default waiting." enum:"waiting,always"`
	Origin  Origin
	SlotsAt Origin
}

// Burst lets a group go over its max while nobody else waits.
type Burst struct {
	To     *expr.Number `yaml:"to" doc:"How many places there are then." want:"required"`
	When   *expr.Bool   `yaml:"when" doc:"A further condition; default none."` // nil: always
	Origin Origin
}

// Filter narrows. Each key given narrows; its values are alternatives and may be globs. The zero value matches everything.
type Filter struct {
	Board    []string `yaml:"board"`
	Card     []string `yaml:"card"`
	Status   []string `yaml:"status"`
	Profile  []string `yaml:"profile"`
	Executor []string `yaml:"executor"`
	Harness  []string `yaml:"harness"`
	Model    []string `yaml:"model"`
	Host     []string `yaml:"host"`
	Slot     []string `yaml:"slot"`
	Role     []string `yaml:"role"`
	Surface  []string `yaml:"surface"`
	Story    *bool    `yaml:"story"`
	Label    []string `yaml:"label" doc:"key or key=value"`
	Dispatch *bool    `yaml:"dispatch"`

	origins []keyOrigin
}

// Empty says whether the filter has no key: it matches everything.
func (f *Filter) Empty() bool {
	return f.Story == nil && f.Dispatch == nil && len(f.lists()) == 0
}

// Status gives a status by name, nil when there is none.
func (w *Workflow) Status(name string) *Status {
	for i := range w.Statuses {
		if w.Statuses[i].Name == name {
			return &w.Statuses[i]
		}
	}
	return nil
}

// Profile gives a profile by name, nil when there is none.
func (w *Workflow) Profile(name string) *Profile {
	for i := range w.Profiles {
		if w.Profiles[i].Name == name {
			return &w.Profiles[i]
		}
	}
	return nil
}

// Event gives an event by name, nil when there is none.
func (w *Workflow) Event(name string) *Event {
	for i := range w.Events {
		if w.Events[i].Name == name {
			return &w.Events[i]
		}
	}
	return nil
}

// Terminal says whether a status ends its card. A status that the workflow has not does not.
func (w *Workflow) Terminal(status string) bool {
	s := w.Status(status)
	return s != nil && s.Terminal
}
