package capacity

import "time"

// Lane is how a run or session is executed, as far as caps care. Of a run it is what the claim planned, of a session
// what its record says, of a start what the planner resolved.
type Lane struct {
	Slot, Role, Profile, Executor, Harness, Model, Surface string
	// Host is the target host: of a recorded session its record's, of a run the claim's, of a start the profile's.
	Host     string
	Borrowed bool // the lease is borrowed: it takes no slot of the executor
}

// CardFacts is what is known of a card when it is counted.
type CardFacts struct {
	ID, Board, Status string
	Host, Model       string // the card's own wishes
	Story             string // id of the story that it is or belongs to
	Workspace         string // key of a workspace that only one session may use
	Labels            map[string]string
	// SessionCard is the story whose session a task that runs at home uses (TSK-3): its sessions are then recorded
	// with the story's card and counted there. Empty: the card's own.
	SessionCard string

	// Initial, Terminal and Archived say where the card rests. Where a broken workflow cannot tell, leave them false:
	// the card then counts.
	Initial, Terminal, Archived bool

	// Lane is what the card's present status and assignee resolve to; its zero value where that cannot be told. It is
	// used only for a card that has a place and neither an open run nor a session.
	Lane     Lane
	Run      *RunFacts      // the open run; nil: none
	Sessions []SessionFacts // recorded sessions in any order, those proved gone may be left out
}

// RunFacts is a run as the claim and its harness recorded it.
type RunFacts struct {
	ID      int64
	Session int64 // 0: none recorded yet, or a kept session that has not taken the run
	Adopted bool  // that session was attached by hand; read only where the session is not among the card's
	Lane

	StartedAt  time.Time
	EndedAt    time.Time // zero: open
	CostMicros int64
	CostKnown  bool
}

// SessionFacts is a session as its record and the last look at it say.
type SessionFacts struct {
	ID  int64
	Run int64 // the last run that it served; 0: none
	Lane
	ModelSeen string // what it is seen to run; empty: not seen

	Adopted   bool         // attached by hand
	State     SessionState // the last known
	Gone      bool         // everything that it started is proved gone; unknown liveness is not gone
	Unsure    bool         // whether it lives could not be told just now: it counts as last known
	Stopping  bool         // told to end
	IdleSince time.Time
}

// SessionState is what a session does.
type SessionState string

// The states of a session.
const (
	Busy    SessionState = "busy"    // in a turn
	Waiting SessionState = "waiting" // in a turn, waits for an answer
	Idle    SessionState = "idle"    // kept for the next run
	Unknown SessionState = "unknown" // cannot be told; counts as busy
	Ended   SessionState = "ended"   // its process ended; counts until all is proved gone
)
