package board

// Origin says who started a session.
type Origin string

// The origins of sessions.
const (
	Dispatched Origin = "dispatched"
	Adopted    Origin = "adopted" // a person's own: counted, shown, never signalled (PAN-5)
)

// SessionState says what a session does, as last seen.
type SessionState string

// The states of a session.
const (
	SessionBusy    SessionState = "busy"
	SessionWaiting SessionState = "waiting" // for a person's answer to its own question
	SessionIdle    SessionState = "idle"
	SessionUnknown SessionState = "unknown" // it keeps its place (LIV-2)
	SessionEnded   SessionState = "ended"   // proved gone
)

// Session is one conversation of an agent: one process in one slot of a card. Its supervisor writes the row when it has
// won its first run (DSP-8).
type Session struct {
	ID             int64        `db:"id" json:"session"` // that of its first run; negative when adopted
	Card           string       `db:"card" json:"card"`
	Board          string       `db:"board" json:"board"`
	Slot           string       `db:"slot" json:"slot"`
	Role           Role         `db:"role" json:"role"`
	Profile        string       `db:"profile" json:"profile"`
	Origin         Origin       `db:"origin" json:"origin"`
	LaunchKey      string       `db:"launch_key" json:"-"`
	SecretHash     string       `db:"secret_hash" json:"-"` // SHA-256 of the worker's secret, hex
	Harness        string       `db:"harness" json:"harness"`
	HarnessSession string       `db:"harness_session" json:"harness_session"` // "" until known
	Executor       string       `db:"executor" json:"executor"`
	Model          string       `db:"model" json:"model"` // as seen to run, else as planned
	Host           string       `db:"host" json:"host"`
	Surface        Surface      `db:"surface" json:"surface"`
	Interactive    bool         `db:"interactive" json:"interactive"`
	Workspace      string       `db:"workspace" json:"workspace"`
	StopReason     string       `db:"stop_reason" json:"stop_reason"`
	StopActor      string       `db:"stop_actor" json:"stop_actor"`
	StopAt         Time         `db:"stop_at_ms" json:"stop_at"`
	Supervisor     string       `db:"supervisor" json:"supervisor"` // process.Identity as text; "" = none
	Process        string       `db:"process" json:"process"`       // that of the harness
	TmuxSocket     string       `db:"tmux_socket" json:"tmux_socket"`
	TmuxSession    string       `db:"tmux_session" json:"tmux_session"`
	TmuxWindow     string       `db:"tmux_window" json:"tmux_window"`
	TmuxPane       string       `db:"tmux_pane" json:"tmux_pane"`
	State          SessionState `db:"state" json:"state"`
	WaitingFor     string       `db:"waiting_for" json:"waiting_for"`
	FirstRun       int64        `db:"first_run" json:"first_run"`
	LastRun        int64        `db:"last_run" json:"last_run"`
	StartedAt      Time         `db:"started_at_ms" json:"started_at"`
	IdleSince      Time         `db:"idle_since_at_ms" json:"idle_since"`
	LastSeenAt     Time         `db:"last_seen_at_ms" json:"last_seen_at"`
	ForgottenAt    Time         `db:"forgotten_at_ms" json:"forgotten_at"`
	Transcript     string       `db:"transcript" json:"transcript"`
	TokensIn       int64        `db:"tokens_in" json:"-"` // cumulative, for HAR-4
	TokensOut      int64        `db:"tokens_out" json:"-"`
	TokensCached   int64        `db:"tokens_cached" json:"-"`
	CostMicros     int64        `db:"cost_micros" json:"-"`
	EndedAt        Time         `db:"ended_at_ms" json:"ended_at"`
}

// Lease is an executor's slot held by a session, from the claim until the session is proved gone (ROS-5).
type Lease struct {
	ID         int64  `db:"id" json:"lease"`
	Executor   string `db:"executor" json:"executor"`
	Role       Role   `db:"role" json:"role"`
	Clone      int    `db:"clone" json:"clone"` // 0 = borrowed: it takes no slot
	Card       string `db:"card" json:"card"`
	Slot       string `db:"slot" json:"slot"`
	Run        int64  `db:"run" json:"run"`
	Session    int64  `db:"session" json:"session"` // 0 until there is one
	Because    string `db:"because" json:"because"` // why not independent: nobody, held, out; "" = it is
	TakenAt    Time   `db:"taken_at_ms" json:"taken_at"`
	ReleasedAt Time   `db:"released_at_ms" json:"released_at"`
}

// ExclusionKind says what ends an exclusion.
type ExclusionKind string

// The kinds of exclusions.
const (
	OutUntil  ExclusionKind = "until"  // a time
	OutHealth ExclusionKind = "health" // its URL answers
	OutConfig ExclusionKind = "config" // its entry, binary or sign-in changes, or a person resumes it
)

// Exclusion keeps an executor, or every executor of an account, out of the round.
type Exclusion struct {
	ID          int64         `db:"id" json:"id"`
	Executor    string        `db:"executor" json:"executor"`
	Account     string        `db:"account" json:"account"`
	Kind        ExclusionKind `db:"kind" json:"kind"`
	Reason      string        `db:"reason" json:"reason"`
	Until       Time          `db:"until_at_ms" json:"until"`
	ProbeAt     Time          `db:"probe_at_ms" json:"probe_at"`
	Fingerprint string        `db:"fingerprint" json:"-"`
	CreatedAt   Time          `db:"created_at_ms" json:"created_at"`
}

// Hold is why a card was not started at the last look, as data. A real tick rewrites the row only when Code, Cap, Group or
// Key changes.
type Hold struct {
	Card  string   `db:"card" json:"card"`
	Code  HoldCode `db:"code" json:"code"`
	Cap   string   `db:"cap" json:"cap"`
	Group string   `db:"grp" json:"group"`
	Key   string   `db:"key" json:"key"` // the key that would change it, with file:line
	Text  string   `db:"text" json:"text"`
	Since Time     `db:"since_at_ms" json:"since"`
}

// HoldCode is the kind of a hold; the first that applies, in this order (DSP-3).
type HoldCode string

// The codes of holds.
const (
	HoldFault        HoldCode = "fault"         // the workflow, roster or configuration must be mended
	HoldPaused       HoldCode = "paused"        // a person resumes
	HoldNeedsPerson  HoldCode = "needs_person"  // a person answers
	HoldBlocked      HoldCode = "blocked"       // another card ends
	HoldNotBefore    HoldCode = "not_before"    // time passes
	HoldNoTransition HoldCode = "no_transition" // the workflow has no start from this status
	HoldRefused      HoldCode = "refused"       // a `when` or `require` is false
	HoldWorkspace    HoldCode = "workspace"     // another card has the workspace or the paths
	HoldIneligible   HoldCode = "ineligible"    // dispatch.eligible is false
	HoldCapacity     HoldCode = "capacity"      // a cap is full
	HoldRoster       HoldCode = "roster"        // no executor is free
	HoldLauncher     HoldCode = "launcher"      // the pane's host cannot take it
)

// Event is one change, as the history keeps it.
type Event struct {
	ID      int64  `db:"id" json:"id"`
	At      Time   `db:"at_ms" json:"at"`
	Board   string `db:"board" json:"board"`
	Card    string `db:"card" json:"card"`
	Run     int64  `db:"run" json:"run"`
	Kind    string `db:"kind" json:"kind"`
	Actor   string `db:"actor" json:"actor"`
	Payload JSON   `db:"payload" json:"payload"`
}
