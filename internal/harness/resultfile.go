package harness

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// MaxResultFile is the largest $BOARD_RESULT that is read, in bytes (07).
const MaxResultFile = 1 << 20

// resultFile is the document of 07, "exec".
type resultFile struct {
	Summary string  `json:"summary"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`
	Session string  `json:"session"`
	Model   string  `json:"model"`
	Tokens  struct {
		In     int64 `json:"in"`
		Out    int64 `json:"out"`
		Cached int64 `json:"cached"`
	} `json:"tokens"`
	CostUSD float64 `json:"cost_usd"`
	Turns   int     `json:"turns"`
	Error   *struct {
		Class      Class  `json:"class"`
		Message    string `json:"message"`
		ResetAt    string `json:"reset_at"`
		RetryAfter string `json:"retry_after"`
	} `json:"error"`
}

// ParseResultFile reads a $BOARD_RESULT document. A malformed or oversized one gives an empty Result and a note that says
// what is wrong with it, and the exit code decides. A time of an error that does not read is left out, with a note: what the
// error is holds all the same.
func ParseResultFile(data []byte, now time.Time) (result Result, note string) {
	if len(data) > MaxResultFile {
		return Result{}, fmt.Sprintf("result file ignored: larger than %d bytes", MaxResultFile)
	}
	var doc resultFile
	if err := json.Unmarshal(data, &doc); err != nil {
		return Result{}, "result file ignored: " + err.Error()
	}
	if problem := doc.problem(); problem != "" {
		return Result{}, "result file ignored: " + problem
	}
	result = Result{
		Text: doc.Summary, Verdict: doc.Verdict, Reason: doc.Reason, Session: doc.Session, Model: doc.Model,
		Usage: Usage{
			In: doc.Tokens.In, Out: doc.Tokens.Out, Cached: doc.Tokens.Cached, CostMicros: micros(doc.CostUSD),
		},
		Turns: doc.Turns, Metadata: unknownKeys(data),
	}
	if doc.Error != nil {
		result.Failure, note = doc.failure(now)
	}
	return result, note
}

// problem names what a well-formed document cannot mean.
func (d resultFile) problem() string {
	switch d.Verdict {
	case "", VerdictDone, VerdictApprove, VerdictChanges, VerdictBlocked:
	default:
		return fmt.Sprintf("verdict %q is none of done, approve, changes, blocked", d.Verdict)
	}
	if d.Tokens.In < 0 || d.Tokens.Out < 0 || d.Tokens.Cached < 0 || d.CostUSD < 0 || d.Turns < 0 {
		return "tokens, cost_usd and turns must not be negative"
	}
	// No class that only board itself can find.
	told := []Class{
		"", ClassUsageLimited, ClassRateLimited, ClassQuota, ClassUnauthenticated, ClassModelUnavailable, ClassOverloaded,
		ClassOutage, ClassContextOverflow, ClassFailed,
	}
	if d.Error != nil && !slices.Contains(told, d.Error.Class) {
		return fmt.Sprintf("error.class %q is unknown", d.Error.Class)
	}
	return ""
}

// failure reads the error, and notes the times in it that do not read.
func (d resultFile) failure(now time.Time) (_ *Failure, note string) {
	f := Failure{Class: d.Error.Class, Message: cut(d.Error.Message, maxMessage)}
	if f.Class == "" {
		f.Class = ClassFailed
	}
	if d.Error.RetryAfter != "" {
		wait, err := expr.ParseDuration(d.Error.RetryAfter)
		if err != nil {
			note = fmt.Sprintf("result file: error.retry_after ignored: %v", err)
		} else {
			f.RetryAfter, f.ResetAt = wait, now.Add(wait)
		}
	}
	if d.Error.ResetAt != "" {
		at, err := time.Parse(time.RFC3339, d.Error.ResetAt)
		if err != nil {
			note = fmt.Sprintf("result file: error.reset_at ignored: %q is not a time such as 2026-12-01T07:10:00Z", d.Error.ResetAt)
		} else {
			f.ResetAt = at
		}
	}
	return &f, note
}

// unknownKeys are the keys of the document that 07 does not name; nil for none.
func unknownKeys(data []byte) map[string]any {
	known := []string{"summary", "verdict", "reason", "session", "model", "tokens", "cost_usd", "turns", "error"}
	doc, _ := decode(data)
	var rest map[string]any
	for _, key := range doc.keys() {
		if slices.Contains(known, key) {
			continue
		}
		if rest == nil {
			rest = map[string]any{}
		}
		rest[key] = doc[key]
	}
	return rest
}
