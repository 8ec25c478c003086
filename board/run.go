package board

import (
	"encoding/json"
	"strings"

	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// RunState says where a run is between its claim and its end, and so who acts next.
type RunState string

// The states of a run.
const (
	RunClaimed     RunState = "claimed"      // a supervisor takes it, or the tick launches it again
	RunRunning     RunState = "running"      // its supervisor works
	RunWaitingHost RunState = "waiting_host" // its host does not answer; its place is kept (LIV-2)
	RunEnded       RunState = "ended"        // nobody: it never changes again
)

// Mode says how a run comes to its session.
type Mode string

// The modes of a run.
const (
	ModeFresh  Mode = "fresh"  // a new process and a new conversation
	ModeResume Mode = "resume" // a new process goes on with a conversation
	ModeKept   Mode = "kept"   // the live session of its slot takes it
)

// Surface is where a harness runs: a detached process or a tmux window.
type Surface = workflows.Surface

// Role is what an executor serves.
type Role = roster.Role

// Outcome is how a run ended.
type Outcome string

// The outcomes (table "Endings and retries"). The comment says who acts next.
const (
	Completed        Outcome = "completed"         // the workflow: `done`, or the verdict's event
	Failed           Outcome = "failed"            // the tick, after backoff
	Crashed          Outcome = "crashed"           // the tick, after backoff
	TimedOut         Outcome = "timed_out"         // the tick, after backoff
	Quiet            Outcome = "quiet"             // the tick, after backoff
	Refused          Outcome = "refused"           // the tick, after backoff; the next prompt says why
	SpawnFailed      Outcome = "spawn_failed"      // the tick, after backoff
	RateLimited      Outcome = "rate_limited"      // the tick, after the wait
	UsageLimited     Outcome = "usage_limited"     // the tick, on another executor or after the reset
	Unauthenticated  Outcome = "unauthenticated"   // the tick, on another executor
	Quota            Outcome = "quota"             // the tick, on another executor
	ModelUnavailable Outcome = "model_unavailable" // the tick, on another executor, or a person
	HarnessMissing   Outcome = "harness_missing"   // the tick, on another executor
	Overloaded       Outcome = "overloaded"        // the tick, on another executor
	Outage           Outcome = "outage"            // the tick, on another executor
	ContextOverflow  Outcome = "context_overflow"  // the tick, in a fresh session
	Blocked          Outcome = "blocked"           // a person answers
	NoVerdict        Outcome = "no_verdict"        // the tick asks once, then it is a failure
	Stopped          Outcome = "stopped"           // a person resumes it
	Interrupted      Outcome = "interrupted"       // the tick, at once
	Reclaimed        Outcome = "reclaimed"         // the tick, at once
)

// Verdict is what a worker says of its work.
type Verdict string

// The verdicts. Each but blocked sends the event of its own name.
const (
	VerdictDone    Verdict = "done"
	VerdictApprove Verdict = "approve"
	VerdictChanges Verdict = "changes"
	VerdictBlocked Verdict = "blocked"
)

// Run is one attempt at a card's status, from claim to end. It is never reused.
type Run struct {
	ID               int64    `db:"id" json:"run"`
	Card             string   `db:"card" json:"card"`
	Board            string   `db:"board" json:"board"`
	Attempt          int      `db:"attempt" json:"attempt"` // 1, 2, ... per card
	Status           string   `db:"status" json:"status"`
	Role             Role     `db:"role" json:"role"`
	Slot             string   `db:"slot" json:"slot"`
	Profile          string   `db:"profile" json:"profile"`
	Executor         string   `db:"executor" json:"executor"`
	Clone            int      `db:"clone" json:"clone"` // 0 = the lease is borrowed
	Harness          string   `db:"harness" json:"harness"`
	Model            string   `db:"model" json:"model"`
	Effort           string   `db:"effort" json:"effort"`
	Surface          Surface  `db:"surface" json:"surface"`
	Host             string   `db:"host" json:"host"` // execution host
	Mode             Mode     `db:"mode" json:"mode"`
	Resumes          int64    `db:"resumes" json:"resumes"` // session whose conversation it goes on with; 0 = none
	State            RunState `db:"state" json:"state"`
	LaunchAttempt    int      `db:"launch_attempt" json:"launch_attempt"`
	SpawnedAt        Time     `db:"spawned_at_ms" json:"spawned_at"`
	Session          int64    `db:"session" json:"session"` // 0 until its supervisor has won it
	Verdict          Verdict  `db:"verdict" json:"verdict"`
	VerdictReason    string   `db:"verdict_reason" json:"verdict_reason"`
	VerdictAt        Time     `db:"verdict_at_ms" json:"verdict_at"`
	StopOutcome      Outcome  `db:"stop_outcome" json:"stop_outcome"` // END-0: stored before anything is signalled
	StopReason       string   `db:"stop_reason" json:"stop_reason"`
	StopActor        string   `db:"stop_actor" json:"stop_actor"`
	StopAt           Time     `db:"stop_at_ms" json:"stop_at"`
	Outcome          Outcome  `db:"outcome" json:"outcome"`
	Reason           string   `db:"reason" json:"reason"`
	ErrorClass       string   `db:"error_class" json:"error_class"`
	ExitCode         *int     `db:"exit_code" json:"exit_code"`
	Signal           string   `db:"signal" json:"signal"`
	Workspace        string   `db:"workspace" json:"workspace"`
	Branch           string   `db:"branch" json:"branch"`
	BaseCommit       string   `db:"base_commit" json:"base_commit"`
	HeadCommit       string   `db:"head_commit" json:"head_commit"`
	OverCap          bool     `db:"over_cap" json:"over_cap"`
	ClaimedAt        Time     `db:"claimed_at_ms" json:"claimed_at"`
	LaunchedAt       Time     `db:"launched_at_ms" json:"launched_at"`
	ProgressAt       Time     `db:"progress_at_ms" json:"progress_at"`
	EndedAt          Time     `db:"ended_at_ms" json:"ended_at"`
	Summary          string   `db:"summary" json:"summary"`
	TokensIn         *int64   `db:"tokens_in" json:"tokens_in"`
	TokensOut        *int64   `db:"tokens_out" json:"tokens_out"`
	TokensCached     *int64   `db:"tokens_cached" json:"tokens_cached"`
	CostMicros       *int64   `db:"cost_micros" json:"cost_micros"` // nil = unknown
	CostEstimated    bool     `db:"cost_estimated" json:"cost_estimated"`
	Turns            *int64   `db:"turns" json:"turns"`
	Independent      *bool    `db:"independent" json:"independent"` // nil where the question does not arise
	DependentBecause string   `db:"dependent_because" json:"dependent_because"`
	Metadata         JSON     `db:"metadata" json:"metadata"`
}

// Open says whether the run has not ended.
func (r Run) Open() bool { return r.State != RunEnded }

// Notes are what a person should know of how a run went, beside its outcome: what did not read, what was left out of the
// commit, what it had left alive.
func (r Run) Notes() []string {
	var kept struct {
		Notes  []string `json:"notes"`
		Killed []string `json:"killed"`
	}
	if len(r.Metadata) == 0 || json.Unmarshal([]byte(r.Metadata), &kept) != nil {
		return nil // a worker's own key of that name is shown with the rest of what it told
	}
	for _, left := range kept.Killed {
		kept.Notes = append(kept.Notes, "left alive, and ended: "+left)
	}
	return kept.Notes
}

// OtherModel says whether another model answered than was asked for (HAR-6). Where one name is part of the other it is the same:
// CLIs add dates and providers.
func OtherModel(asked, answered string) bool {
	asked, answered = strings.ToLower(asked), strings.ToLower(answered)
	return asked != "" && answered != "" && !strings.Contains(answered, asked) && !strings.Contains(asked, answered)
}
