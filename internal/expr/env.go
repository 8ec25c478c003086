package expr

import "time"

// Env is what an expression can read. Each field is a root; the names that expressions use are in the tags. A nil pointer
// is nil to an expression (`card.assignee ?? "coder"`). The zero Env is safe to evaluate against.
//
// The root `params` is not here: params belong to the Scope that an expression is compiled in.
type Env struct {
	Card   Card      `expr:"card"`
	Event  Event     `expr:"event"`
	Lane   Lane      `expr:"lane"`
	Run    Run       `expr:"run"`
	Host   Host      `expr:"host"`
	Tick   Tick      `expr:"tick"`
	Board  Board     `expr:"board"`
	Sender Sender    `expr:"sender"`
	Now    time.Time `expr:"now"` // in the zone whose hours an expression like `now.Hour() < 7` means

	// For prompts; empty elsewhere.
	Attempts []Attempt `expr:"attempts"` // earlier runs of the card, oldest first
	Parents  []Parent  `expr:"parents"`  // what the card was waiting for
	Comments []Comment `expr:"comments"` // oldest first
	Verbs    []string  `expr:"verbs"`    // what this worker may call, such as "board done"
}

// Card is the card's columns and what is worked out from its other rows.
type Card struct {
	ID             string             `expr:"id"`
	Number         int                `expr:"number"`
	Board          string             `expr:"board"`
	Title          string             `expr:"title"`
	Body           string             `expr:"body"`
	Status         string             `expr:"status"`
	Priority       int                `expr:"priority"` // higher first
	Assignee       *string            `expr:"assignee"` // a profile
	Host           *string            `expr:"host"`     // the target machine
	Model          *string            `expr:"model"`
	Effort         *string            `expr:"effort"`
	Parent         *string            `expr:"parent"` // the story
	Owns           []string           `expr:"owns"`
	Satisfies      []int              `expr:"satisfies"`
	Labels         map[string]*string `expr:"labels"` // see Texts; a label that is not there reads as nil
	NotBefore      *time.Time         `expr:"not_before"`
	ReadySince     *time.Time         `expr:"ready_since"`
	StartRequested *time.Time         `expr:"start_requested"`
	Every          *string            `expr:"every"`
	MaxRuns        *int               `expr:"max_runs"`
	Failures       int                `expr:"failures"` // in a row
	Handovers      int                `expr:"handovers"`
	RoundRuns      int                `expr:"round_runs"` // runs of this round, of all runs for a card that does not recur
	Counters       map[string]int     `expr:"counters"`   // what the workflow's `count` actions have counted; missing reads as 0
	CurrentRun     *int               `expr:"current_run"`
	Revision       int                `expr:"revision"`
	CreatedAt      time.Time          `expr:"created_at"`
	UpdatedAt      time.Time          `expr:"updated_at"`
	EndedAt        *time.Time         `expr:"ended_at"`
	ArchivedAt     *time.Time         `expr:"archived_at"`
	CreatedBy      string             `expr:"created_by"`
	IdempotencyKey *string            `expr:"idempotency_key"`
	AsideDeclined  bool               `expr:"aside_declined"` // the marks of TSK-4
	AsideConflict  bool               `expr:"aside_conflict"`
	Attempts       int                `expr:"attempts"` // how many runs it has had
	Attempt        int                `expr:"attempt"`  // of the run that is being planned or is open, from 1
	BlockedBy      []string           `expr:"blocked_by"`
	Subtasks       []Subtask          `expr:"subtasks"`
	LastEvents     []string           `expr:"last_events"` // kinds of the card's last events, newest first
	Evidence       []string           `expr:"evidence"`    // names of what was recorded for the card
	Workspace      *string            `expr:"workspace"`
}

// Texts makes a map of texts one in which an expression reads a missing key as nil and not as an empty text.
func Texts(m map[string]string) map[string]*string {
	if m == nil {
		return nil
	}
	texts := make(map[string]*string, len(m))
	for key, text := range m {
		texts[key] = &text
	}
	return texts
}

// Subtask is a card whose parent is this card.
type Subtask struct {
	ID     string `expr:"id"`
	Title  string `expr:"title"`
	Status string `expr:"status"`
	Done   bool   `expr:"done"` // in a terminal status other than cancelled
}

// Event is the event being sent. Empty when none is.
type Event struct {
	Name    string             `expr:"name"`
	Reason  string             `expr:"reason"`
	Summary string             `expr:"summary"`
	Outcome string             `expr:"outcome"`
	Values  map[string]*string `expr:"values"` // `board send --set k=v`; see Texts
}

// Lane is the resolved profile and executor. Executor, Harness and Model are empty while none is picked.
type Lane struct {
	Profile  string `expr:"profile"`
	Role     string `expr:"role"`
	Surface  string `expr:"surface"`
	Capacity *int   `expr:"capacity"` // the profile's `capacity`
	Harness  string `expr:"harness"`
	Model    string `expr:"model"`
	Executor string `expr:"executor"`
}

// Run is the run being planned, or for a prompt the run it is for.
type Run struct {
	ID             int    `expr:"id"` // 0 while it is only planned
	Surface        string `expr:"surface"`
	Local          bool   `expr:"local"` // the execution host is the home host
	Host           string `expr:"host"`  // the execution host
	Slot           string `expr:"slot"`
	Workspace      string `expr:"workspace"`
	Branch         string `expr:"branch"`
	Base           string `expr:"base"`
	Takeover       string `expr:"takeover"`        // the note of a handover; empty for none
	NotIndependent string `expr:"not_independent"` // why a review is not independent; empty when it is
}

// Host is the execution host.
type Host struct {
	Name           string  `expr:"name"`
	MemoryPressure string  `expr:"memory_pressure"` // low, elevated, critical
	Load           float64 `expr:"load"`            // of the last minute
	CPUs           int     `expr:"cpus"`
	MemoryBytes    int     `expr:"memory_bytes"`
	FreeDiskBytes  int     `expr:"free_disk_bytes"`
	MaxSessions    int     `expr:"max_sessions"`
	Capacity       *int    `expr:"capacity"` // from config.yaml
}

// Tick is what this tick has planned so far.
type Tick struct {
	Started      int `expr:"started"`
	LocalStarted int `expr:"local_started"` // whose execution host is the home host
}

// Board is the card's board.
type Board struct {
	Slug     string `expr:"slug"`
	Name     string `expr:"name"`
	Repo     string `expr:"repo"` // empty without a repository
	Base     string `expr:"base"`
	Workflow string `expr:"workflow"`
	Weight   int    `expr:"weight"`
}

// Sender is who sends the event.
type Sender struct {
	Kind string `expr:"kind"` // person, board, session
	Name string `expr:"name"`
	Slot string `expr:"slot"` // of a session
}

// Attempt is an earlier run of the card.
type Attempt struct {
	Number   int    `expr:"number"`
	Status   string `expr:"status"`
	Slot     string `expr:"slot"`
	Role     string `expr:"role"`
	Executor string `expr:"executor"`
	Outcome  string `expr:"outcome"`
	Verdict  string `expr:"verdict"`
	Reason   string `expr:"reason"`
	Summary  string `expr:"summary"`
	Error    string `expr:"error"`
}

// Parent is a card that the card waited for.
type Parent struct {
	ID      string `expr:"id"`
	Title   string `expr:"title"`
	Status  string `expr:"status"`
	Summary string `expr:"summary"`
}

// Comment is what somebody wrote on the card.
type Comment struct {
	By   string    `expr:"by"`
	Text string    `expr:"text"`
	At   time.Time `expr:"at"`
}
