// Package workflows reads workflow files: statuses, events, profiles, prompts, the dispatcher's settings and caps. It
// decides which transition an event takes, as a pure function. It reads no file itself, knows no card and no capacity.
package workflows

import (
	"fmt"
	"time"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// Workflow is one file, checked. It is immutable and safe for use by several goroutines.
type Workflow struct {
	Version     int
	Name        string
	File        string // as shown to people: "workflows/default.yaml"
	Description string
	Params      map[string]any // the file's, with config.yaml's over them
	Profiles    []Profile      // in the file's order
	Initial     string
	Statuses    []Status // in the file's order
	Events      []Event  // in the file's order
	Dispatch    Dispatch
	Lint        Problems // what is odd but loads (CAP-17)

	scope   *expr.Scope
	prompts func(path string) ([]byte, error)
}

// Origin is where a key stands. Its text is what a hold shows: "workflows/default.yaml:41 dispatch.capacity[0].max".
type Origin struct {
	File   string
	Line   int // from 1
	Column int // from 1
	Path   string
}

// String is "file:line path".
func (o Origin) String() string { return fmt.Sprintf("%s:%d %s", o.File, o.Line, o.Path) }

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
	Role        Role
	Surface     Surface // default headless
	Interactive bool
	Permissions Permissions // default edit for a coder, read for the others
	Host        string      // target machine of panes; empty: the card's
	Executors   []string    // globs; empty: any
	Harness     []string    // globs; empty: any
	Model       []string    // globs; empty: any
	MinEffort   string      // low, medium, high, max or empty
	Keep        []string    // processes allowed to outlive a run
	Capacity    *int        // `lane.capacity`; nil when not given
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
	Description string
	Terminal    bool
	Workspace   Workspace
	Run         *Run // nil: cannot be started (WF-4)
	Origin      Origin
}

// Run is how a status is run.
type Run struct {
	Profile  *expr.Template // nil: card.assignee
	Session  *expr.Template // the slot; never nil
	Prompt   string         // text, or a path under workflows/: see Workflow.Prompt; empty for none
	Limits   Limits
	Outcomes []Outcome // in the file's order
	Origin   Origin
	// ProfileOrigin is `profile` where it is given, else the run itself.
	ProfileOrigin Origin
	SessionOrigin Origin
	PromptOrigin  Origin
}

// Limits end a run or an idle session. Zero is no limit.
type Limits struct {
	Runtime     time.Duration // wall clock of the run
	Quiet       time.Duration // without an output event or a beat
	Start       time.Duration // before which quiet does not count; default 10m
	IdleTimeout time.Duration // of a pane kept after its run; default 30m
}

// Outcome is which event an outcome of a run sends.
type Outcome struct {
	Outcome string
	Event   string
}

// Event is an event and what it does.
type Event struct {
	Name        string
	Transitions []Transition // the first whose From, By and When hold is taken
	Origin      Origin
}

// Transition is one way an event can go.
type Transition struct {
	From     []string // empty: every status that is not terminal
	By       []string // person, board, slots or globs of slots; empty: anyone who may write the card
	When     *expr.Bool
	Require  []Requirement
	To       *expr.Template // nil: the same status again
	Progress bool           // resets the row of failures (RET-1)
	Do       []Action
	Origin   Origin
	WhenAt   Origin
	ToAt     Origin
}

// Requirement is a condition whose failure refuses the event with a message (WF-1).
type Requirement struct {
	Expr    *expr.Bool
	Message *expr.Template
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
	Start      string     // the event sent to a card that is started; default "start"
	Eligible   *expr.Bool // nil: always
	EligibleAt Origin
	Order      []*expr.Key
	OrderAt    []Origin // one per key
	Aging      Aging
	Retry      Retry
	Story      Story
	Capacity   []Cap
}

// Aging adds one to the priority per Per of waiting, up to Max. The zero value is none.
type Aging struct {
	Per time.Duration
	Max int
}

// Retry says when a failed card is tried again.
type Retry struct {
	Limit        int // failures in a row that hold the card; default 3
	Backoff      Backoff
	LifetimeRuns int // runs in all that hold the card; default 15
}

// Backoff is how long a card waits after a failure.
type Backoff struct {
	First  time.Duration // default 1m
	Factor float64       // default 2
	Max    time.Duration // default 30m
	Jitter float64       // a share of the wait, 0 to 1; default 0.2
}

// Story is how many tasks of one story run at a time, the home task included.
type Story struct {
	Concurrency   int // default 2
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
	Name      string
	Counts    Counts
	Scope     []Scope // never empty; default home
	Where     Filter
	Unless    Filter
	Max       *expr.Number // nil: no cap
	Place     Place        // default slot
	Reserve   *Reserve     // nil: none
	Window    time.Duration
	Burst     *Burst  // nil: none
	AssumeUSD float64 // default 1
	Index     int     // in its list, from 0
	Origin    Origin  // of the cap
	MaxAt     Origin  // of `max`, else of the cap
	// Paused and drained caps are rows of the board, not of the file.
}

// Reserve keeps places for some cards.
type Reserve struct {
	For     Filter
	Slots   *expr.Number
	Always  bool // else while another such card waits
	Origin  Origin
	SlotsAt Origin
}

// Burst lets a group go over its max while nobody else waits.
type Burst struct {
	To     *expr.Number
	When   *expr.Bool // nil: always
	Origin Origin
}

// Filter narrows. Each key given narrows; its values are alternatives and may be globs. The zero value matches everything.
type Filter struct {
	Board    []string
	Card     []string
	Status   []string
	Profile  []string
	Executor []string
	Harness  []string
	Model    []string
	Host     []string
	Slot     []string
	Role     []string
	Surface  []string
	Label    []string // "key" or "key=value"
	Dispatch *bool
	Story    *bool
}

// Prompt gives the text of a status's prompt: of the file under workflows/ when `prompt` names one, else `prompt` itself.
func (w *Workflow) Prompt(status string) (*expr.Template, error) { return nil, nil }

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
