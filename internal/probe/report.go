package probe

import (
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// Report is what was found out about one executor.
type Report struct {
	Executor     string              `json:"executor"`
	Harness      string              `json:"harness"`
	Model        string              `json:"model"`   // of the entry; "" = the CLI's own choice
	OK           bool                `json:"ok"`      // nothing is known that would keep a run from working
	Path         string              `json:"path"`    // of the program; "" = not found
	Kind         harness.ProgramKind `json:"kind"`    // how it is installed; "" = not found
	Version      string              `json:"version"` // "" = it told none
	Node         string              `json:"node"`    // version of Node, where the program needs one; "" = it needs none, or there is none
	SignIn       harness.SignIn      `json:"sign_in"`
	SignInText   string              `json:"sign_in_text"`
	MissingFlags []string            `json:"missing_flags"` // that board uses and the version's help does not name
	ReadOnly     harness.Grade       `json:"read_only"`     // how well it keeps from writing (HAR-5)
	Unproven     bool                `json:"unproven"`      // its harness is from documentation only
	Health       *Health             `json:"health"`        // nil: the entry has no health URL
	Live         *Live               `json:"live"`          // nil: it was asked nothing that costs
	Problems     []Problem           `json:"problems"`      // what would keep a run from working, worst first
	Notes        []string            `json:"notes"`         // what surprises
	Unknown      string              `json:"unknown"`       // what only a run can tell; "" = nothing
}

// Health is what a health URL answered.
type Health struct {
	URL  string `json:"url"`
	OK   bool   `json:"ok"`
	Text string `json:"text"`
}

// Live is what one question to the model came to.
type Live struct {
	OK        bool          `json:"ok"`
	Class     harness.Class `json:"class"` // why not; "" = it answered
	Text      string        `json:"text"`  // its answer, or what went wrong
	Model     string        `json:"model"` // that answered; "" = not told
	TokensIn  int64         `json:"tokens_in"`
	TokensOut int64         `json:"tokens_out"`
	CostUSD   float64       `json:"cost_usd"` // 0 = nothing, or not told
}

// Code says what kind of problem an executor has.
type Code string

// The problems, in the order in which one looks for them. A person acts on each of them.
const (
	CodeNoDriver      Code = "no_driver"      // board cannot drive such a harness
	CodeEnv           Code = "env"            // a ${VAR} of its entry is not set
	CodeEntry         Code = "entry"          // its entry sets something that the harness refuses
	CodeMissing       Code = "missing"        // the program is not installed
	CodeNotExecutable Code = "not_executable" // it is there, and may not be run
	CodeNode          Code = "node"           // it needs Node, or a later one
	CodeBroken        Code = "broken"         // it does not start
	CodeNoAnswer      Code = "no_answer"      // it did not answer in time
	CodeOld           Code = "old"            // it lacks flags that board uses
	CodeSignedOut     Code = "signed_out"
	CodeHealth        Code = "health" // its health URL does not answer
	CodeLive          Code = "live"   // the question to the model went wrong
)

// Problem is something that would keep a run from working.
type Problem struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
	Fix  string `json:"fix"` // "" = the text says it
}

func (r *Report) problem(code Code, text, fix string) {
	r.Problems = append(r.Problems, Problem{Code: code, Text: text, Fix: fix})
}

func (r *Report) note(text string) {
	if text != "" {
		r.Notes = append(r.Notes, text)
	}
}

func newReport(e roster.Executor) Report {
	return Report{
		Executor: e.ID, Harness: e.Harness, Model: e.Model, SignIn: harness.SignInUnknown, MissingFlags: []string{},
		Problems: []Problem{}, Notes: []string{},
	}
}
