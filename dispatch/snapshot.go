package dispatch

import (
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/capacity"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// Snapshot is everything that a plan is made from: rows, files, and what was seen of processes and hosts. A plan reads
// nothing else, so the same snapshot gives the same plan (DSP-1).
type Snapshot struct {
	Now       time.Time
	View      *board.View
	Home      HomeFacts
	Workflows map[string]WorkflowFacts     // by name, of every board
	Rosters   map[string]RosterFacts       // by board
	Runs      map[int64]RunSeen            // open runs
	Sessions  map[int64]SessionSeen        // sessions without an open run
	Facts     map[string]board.CardFacts   // of cards whose runs may be settled, and of all with View of Full
	Recent    map[string][]roster.EndedRun // last ended runs of the executors whose runs have ended, newest first
	Host      expr.Host                    // the home host's sensors
	Panes     map[string]PaneHost          // hosts that panes can be opened on, by normalised name
	Probes    map[string]roster.Probe      // health URLs asked just now, by executor
	Prints    map[string]string            // fingerprints, by executor
	Claimed   []capacity.Entry             // starts that this tick has made already; only a claim has any
	Faults    []Fault                      // found while observing
	Options   Options
}

// Options are what the caller of a plan asks for.
type Options struct {
	MaxRuns *int           // --max: runs in the home, 0 admits none; nil = not given
	Only    string         // plan this card only
	Actor   string         // who starts Only; "" = the board
	OverCap bool           // a person goes over the caps for Only (CAP-14)
	All     bool           // also the cards that no start can take: dry run, why, status
	Explain bool           // name every cap that blocks, not only the first
	Set     map[string]any // what-if values, by path (DSP-11)
	Raise   CapRaise       // what-if: a higher maximum for one cap (DSP-12)
}

// CapRaise gives one cap a higher maximum in all its groups; the zero value none.
type CapRaise struct {
	Cap string
	By  int64 // micro-dollars for spend
}

// HomeFacts are what config.yaml says.
type HomeFacts struct {
	Host     string            // the home host, normalised
	Aliases  map[string]string // other spellings of hosts, lower case
	Caps     []workflows.Cap
	Params   map[string]any
	Hosts    map[string]expr.Host // configured machines, by normalised name
	Fault    string               // nothing starts: a file that the last tick read is gone (DSP-15)
	FaultKey string
}

// WorkflowFacts are one workflow, or why there is none. Text is the last that loaded while the file is broken: its caps and
// transitions settle what runs, and start nothing.
type WorkflowFacts struct {
	Workflow *workflows.Workflow // nil: neither the file nor an older text loads
	Fault    string              // the file is broken: no start on its boards
}

// RosterFacts are who serves a board, or why nobody can be asked.
type RosterFacts struct {
	Executors []roster.Executor
	Fault     string
}

// LockState says whether a run's supervisor lives, as its record lock tells.
type LockState string

// The states of a run's lock.
const (
	LockHeld LockState = "held" // its supervisor lives
	LockFree LockState = "free" // there is none
)

// RunSeen is what was seen of an open run's processes.
type RunSeen struct {
	Lock     LockState
	Exit     *board.Exit      // its exit.json; nil = there is none
	Left     []process.Entry  // what it started that lives, looked for where the lock is free
	Unsure   bool             // what it started cannot be told from here (LIV-2)
	Rebooted bool             // it was started before this boot of its host
	Last     string           // the log's last lines, read where it seems to have crashed
	Super    process.Identity // its supervisor
	Process  process.Identity // its harness
}

// SessionSeen is what was seen of a session without an open run.
type SessionSeen struct {
	Alive  bool // its supervisor, or for an adopted one its process
	Left   []process.Entry
	Unsure bool
	Super  process.Identity
}

// Fault is something that failed while the rest went on.
type Fault struct {
	Scope string `json:"scope"` // "workflow default", "host far", "run 12", ...
	Text  string `json:"text"`
}

// Plan is what a tick is to do.
type Plan struct {
	Relaunch  []Relaunch
	Settle    []board.Exit   // endings to be written
	Endings   []board.Ending // what they do, in the order of Settle
	Stop      []Stop
	Close     []Closing // idle sessions to be closed to make room (CAP-18)
	EndIdle   []int64   // sessions without a run that are proved gone
	Bury      []Buried  // panes in which nothing lives any more
	Start     []Start
	Hold      []Hold
	Pending   []Pending
	Refreshed roster.Refreshed // exclusions that passed or appeared
	Questions []board.Block    // cards that a person must decide about
	Running   int              // open runs when it was made, its endings taken off
	Probing   bool             // somebody is out until a health URL answers
	Faults    []Fault
	Usage     []capacity.Usage // with Options.Explain

	waiting []capacity.Candidate // starts that could be made but for caps, for the claims' reserves
}

// Relaunch is a claim whose supervisor never came.
type Relaunch struct {
	Run     int64
	Attempt int // the launch attempt seen
}

// Stop is a signal to be sent to what is asked to end.
type Stop struct {
	Run     int64
	Session int64
	Card    string
	Store   *board.StopRequest // to be stored first (END-0); nil = it is stored
	Targets []process.Identity
	Kill    bool // KILL instead of TERM
	Text    string
}

// Closing is an idle session that is closed so that a held start has room.
type Closing struct {
	Session int64
	Run     int64
	Card    string
	For     string // the card that waits
}

// Start is a run that may start.
type Start struct {
	Card        board.Card // as it is
	After       board.Card // as the start leaves it
	From        string
	Status      string
	Role        roster.Role
	Slot        string
	Profile     string
	Executor    string
	Label       string // executor#clone where it has more than one slot
	Clone       int    // 0 = borrowed
	Because     roster.Because
	Independent *bool
	Harness     string
	Model       string
	Effort      string
	Surface     workflows.Surface
	Interactive bool
	Host        string
	Mode        board.Mode
	Resumes     int64
	Kept        int64
	OverCap     bool
	Entry       capacity.Entry
	Lease       roster.Lease
}

// Hold is a card that does not start, and why (DSP-3).
type Hold struct {
	Card   string
	Board  string
	Status string
	Title  string
	Since  board.Time // when it was first held for this reason
	*Reason
}

// Reason is why cards do not start, as data (DSP-10). Cards that wait for the same share one.
type Reason struct {
	Code     board.HoldCode
	Cap      string // of a cap, as are Group, Count, Max and Reserved
	Group    string
	Key      string // what a person would change
	Text     string
	Count    int64
	Max      int64
	Reserved int64
	Until    board.Time
	Values   map[string]any     // what the expression read
	Caps     []capacity.Refusal // every cap that blocks, with Options.Explain; else the first
	Others   []string           // further reasons, for people
	cand     *capacity.Candidate
}

// Pending is a card whose start a person asked for and that waits for room (DSP-9).
type Pending struct {
	Card string
	Text string
}
