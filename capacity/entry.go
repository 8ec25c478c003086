package capacity

import "time"

// Entry is one counted thing as filters and scopes see it: a run, a session or a card that is held, or a start as it
// would be once started. Entries of held things come from Site.Entries, those of starts from Site.Candidate.
type Entry struct {
	Card      string // id of the card, unique in the home (CAP-10)
	Board     string // slug of its board
	Status    string // the card's status; for a start its target status (CAP-4)
	Story     string // id of the story that the card is or belongs to; empty: none
	Workspace string // key of a workspace that only one session may use; empty: its own worktree or none
	Labels    map[string]string
	// SessionCard is the card that the session, turn and place in them belong to: the story of a task that runs at
	// home (TSK-3). Empty: Card itself.
	SessionCard string

	Slot     string
	Role     string
	Profile  string
	Executor string
	Harness  string
	Model    string
	Host     string // execution host, normalised (CAP-2)
	Surface  string // "headless" or "pane"

	Dispatch bool   // CAP-1: of the dispatcher's making
	Borrowed bool   // its lease is borrowed and takes none of the executor's slots
	Run      int64  // the run that explanations name; 0: none is open
	Session  int64  // 0: none is recorded yet
	Counts   Counts // the kinds it contributes to

	Idle      bool      // a session of the dispatcher's that nothing uses and that may be closed (CAP-18)
	IdleSince time.Time // when it became idle
	Stopping  bool      // it has been told to end: its place is on its way

	StartedAt  time.Time // when the run started; read by caps that count Starts in a window
	EndedAt    time.Time // zero: the run is open; read by caps that count Spend
	CostMicros int64     // micro-dollars, so far while the run is open
	CostKnown  bool      // false: nothing has told what the run cost
}

// Candidate is a start that asks for room. It counts in every kind, whatever its Counts say.
type Candidate struct {
	Entry
	// Env is handed to Limiters and never looked at here: what the caller's expressions read of this card.
	Env any
}
