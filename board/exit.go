package board

import (
	"time"
)

// Exit is what is known of how a run's process ended: the supervisor's exit.json (SUP-1), or what a tick worked out when
// there is none. Ending turns it into an outcome.
type Exit struct {
	Run        int64  `json:"run"`
	Crashed    bool   `json:"crashed,omitempty"`     // gone without a word
	Rebooted   bool   `json:"rebooted,omitempty"`    // its host was restarted
	SpawnError string `json:"spawn_error,omitempty"` // it never ran: the workspace, the setup or the launch failed
	Missing    bool   `json:"missing,omitempty"`     // it never ran: the harness's program is not there
	Ask        string `json:"ask,omitempty"`         // it never ran: what a person must decide first
	AskKind    string `json:"ask_kind,omitempty"`    // of the question; "" = BlockConflict

	// A limit that the supervisor enforced; also stored on the run, unless the database was out of reach.
	Stop       Outcome `json:"stop,omitempty"`
	StopReason string  `json:"stop_reason,omitempty"`

	Code      *int   `json:"code"`             // nil: it did not exit by itself
	Signal    string `json:"signal,omitempty"` // "" = none
	Output    bool   `json:"output"`           // there was an output event
	LastLines string `json:"last_lines,omitempty"`

	StartedAt Time `json:"started_at,omitempty"`
	EndedAt   Time `json:"ended_at,omitempty"`

	Result Result `json:"result"`

	Workspace  string   `json:"workspace,omitempty"`
	Branch     string   `json:"branch,omitempty"`
	BaseCommit string   `json:"base_commit,omitempty"`
	HeadCommit string   `json:"head_commit,omitempty"`
	Notes      []string `json:"notes,omitempty"`  // what a person should know: left out of the commit, a result file that did not read
	Killed     []string `json:"killed,omitempty"` // what the run had left alive (SUP-5)

	Kept bool `json:"kept,omitempty"` // an interactive pane: its session stays idle for the next run (PAN-1)
}

// Result is what a harness reported of a run, of any CLI.
type Result struct {
	Text       string        `json:"text,omitempty"` // its final words, or the summary it gave
	Verdict    Verdict       `json:"verdict,omitempty"`
	Reason     string        `json:"reason,omitempty"` // of the verdict
	Kind       string        `json:"kind,omitempty"`   // of a block
	Session    string        `json:"session,omitempty"`
	Model      string        `json:"model,omitempty"` // really used
	TokensIn   *int64        `json:"tokens_in,omitempty"`
	TokensOut  *int64        `json:"tokens_out,omitempty"`
	Cached     *int64        `json:"tokens_cached,omitempty"`
	CostMicros *int64        `json:"cost_micros,omitempty"`
	Estimated  bool          `json:"cost_estimated,omitempty"`
	Turns      *int64        `json:"turns,omitempty"`
	Class      string        `json:"class,omitempty"` // error class; "" = none
	Message    string        `json:"message,omitempty"`
	ResetAt    Time          `json:"reset_at,omitempty"`
	RetryAfter time.Duration `json:"retry_after_ns,omitempty"`
	OneModel   bool          `json:"one_model,omitempty"` // the limit is the model's, not the account's
	Lost       bool          `json:"lost,omitempty"`      // the conversation to go on with is not there any more
	Metadata   JSON          `json:"metadata,omitempty"`
}
