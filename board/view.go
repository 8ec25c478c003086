package board

// ViewSpec says what a View is to hold besides what every view holds.
type ViewSpec struct {
	Now      Time
	Statuses map[string][]string // per board the statuses whose cards are read; a board that is missing = every open card of it
	Card     string              // only this card is read; "" = by Statuses
	Resting  bool                // also the cards of every status, for caps that count cards
	Since    Time                // starts and ended spending since then; none = not read
	Full     bool                // cards with all their columns: an expression reads title, body or the like
}

// View is what one read transaction saw: rows of the whole home, no files and no processes. A tick plans from one, and a
// claim decides on a fresh one.
type View struct {
	Now        Time
	Boards     []Board               // by slug
	Cards      []Card                // asked for by the spec; by board, status, priority, creation, id
	Resting    []Card                // with ViewSpec.Resting: every open card
	Busy       map[string]Card       // the cards of Runs and Sessions, archived and ended ones too
	Runs       []Run                 // open, by id
	Sessions   []Session             // not proved gone, by id
	Leases     []Lease               // not released, by id
	LastLeased map[string]int64      // per executor, the id of its newest lease
	Exclusions []Exclusion           // by id
	Pauses     []Pause               // by id
	RateLimits map[string][]Time     // per executor, within the last hour
	Blocks     map[string]Block      // per card its oldest open question
	Blockers   map[string][]Blocker  // per card what it waits for
	Holds      map[string]Hold       // as stored
	Past       []Past                // with ViewSpec.Since: runs claimed or ended since then, by id
	Workers    map[string][]Worker   // per busy or read card in a later status: who made its work (ROS-13)
	Resumable  map[SlotKey]Session   // per card and slot, its newest dispatched session with a conversation to go on with
	Returning  map[SlotKey][]Session // per card and slot, the conversations that executors left before its newest session (ROS-16)
	LastTick   Tick                  // the newest; zero before the first
}

// SlotKey names a slot of a card.
type SlotKey struct{ Card, Slot string }

// Past is a run as windows of starts and spending see it.
type Past struct {
	Run        int64  `db:"id"`
	Card       string `db:"card"`
	Board      string `db:"board"`
	Status     string `db:"status"`
	Role       Role   `db:"role"`
	Slot       string `db:"slot"`
	Profile    string `db:"profile"`
	Executor   string `db:"executor"`
	Harness    string `db:"harness"`
	Model      string `db:"model"`
	Surface    string `db:"surface"`
	Host       string `db:"host"`
	Parent     string `db:"parent"`
	Labels     Labels `db:"labels"`
	ClaimedAt  Time   `db:"claimed_at_ms"`
	EndedAt    Time   `db:"ended_at_ms"`
	CostMicros *int64 `db:"cost_micros"` // nil = unknown
}

// Worker is an executor that made work of a card since it was last approved.
type Worker struct {
	Card     string `db:"card"`
	Executor string `db:"executor"`
}

// Tick is one pass of the dispatcher, as it is recorded.
type Tick struct {
	ID        int64  `db:"id" json:"id"`
	StartedAt Time   `db:"started_at_ms" json:"started_at"`
	TookMS    int64  `db:"took_ms" json:"took_ms"`
	Idle      bool   `db:"idle" json:"idle"` // it changed nothing
	Ended     int    `db:"ended" json:"ended"`
	Started   int    `db:"started" json:"started"`
	Stopping  int    `db:"stopping" json:"stopping"`
	Held      int    `db:"held" json:"held"`
	Fault     string `db:"fault" json:"fault"`
}

// Board gives a board by slug; false when there is none.
func (v *View) Board(slug string) (Board, bool) {
	for _, b := range v.Boards {
		if b.Slug == slug {
			return b, true
		}
	}
	return Board{}, false
}

// PausedBy gives the pause that holds a target at the view's time.
func (v *View) PausedBy(kind PauseKind, target string) (Pause, bool) {
	for _, p := range v.Pauses {
		if p.Kind == kind && p.Target == target && p.Active(v.Now) {
			return p, true
		}
	}
	return Pause{}, false
}
