package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-2ddc2152/board/board"
)

// Verb is what a request asks for.
type Verb string

// The verbs of a worker.
const (
	VerbVerdict  Verb = "verdict"  // board done, approve, changes, blocked
	VerbBeat     Verb = "beat"     // it works, though it prints nothing
	VerbComment  Verb = "comment"  // on its own card, or on the one named
	VerbEvidence Verb = "evidence" // a file or a text that shows something about its card
	VerbAdd      Verb = "add"      // a subtask of its card
	VerbCard     Verb = "card"     // what its card is at present
)

// Request is one thing that a worker asks for. Fields that its verb does not use are ignored.
type Request struct {
	Verb    Verb          `json:"verb"`
	Token   string        `json:"token"`             // the session's secret
	Verdict board.Verdict `json:"verdict,omitempty"` // of VerbVerdict
	Reason  string        `json:"reason,omitempty"`  // of changes and blocked
	Kind    string        `json:"kind,omitempty"`    // of blocked
	Summary string        `json:"summary,omitempty"` // of VerbVerdict
	Text    string        `json:"text,omitempty"`    // of a beat's note, a comment, evidence
	Until   time.Time     `json:"until,omitzero"`    // of a beat: silence is no trouble before
	Name    string        `json:"name,omitempty"`    // of evidence
	Path    string        `json:"path,omitempty"`    // of evidence: an absolute file; instead of Text
	Card    string        `json:"card,omitempty"`    // of a comment: another card; empty is its own
	Subtask *Subtask      `json:"subtask,omitempty"` // of VerbAdd
}

// Subtask is a card to be added below the worker's own.
type Subtask struct {
	Title     string   `json:"title"`
	Body      string   `json:"body,omitempty"`
	DependsOn []string `json:"depends_on,omitempty"`
	Owns      []string `json:"owns,omitempty"`
	Key       string   `json:"key,omitempty"` // makes it idempotent
}

// Answer is what became of a request.
type Answer struct {
	Refused string          `json:"refused,omitempty"` // why nothing was changed; empty: it was applied
	Fix     string          `json:"fix,omitempty"`     // of a refusal
	Text    string          `json:"text,omitempty"`    // one line for the worker
	Card    string          `json:"card,omitempty"`    // of VerbAdd: the id
	Data    json.RawMessage `json:"data,omitempty"`    // of VerbCard: the document
	Pending bool            `json:"-"`                 // nobody has answered in time: the request is stored and will be applied
}

// MaxRequest is the largest request file, in bytes: JSON may double a text of 1 MiB, and a subtask has two.
const MaxRequest = 4*board.MaxText + 1<<16

// Validate says what is wrong with a request before anybody looks at whose it is. The error is board.ErrUsage.
func (r Request) Validate() error {
	switch r.Verb {
	case VerbVerdict:
		return r.validateVerdict()
	case VerbBeat:
		return optional("the note", r.Text)
	case VerbCard:
		return nil
	case VerbComment:
		return board.CheckText("the comment", r.Text)
	case VerbEvidence:
		return r.validateEvidence()
	case VerbAdd:
		if r.Subtask == nil {
			return board.CheckText("the title", "")
		}
		return optional("the body", r.Subtask.Body)
	}
	return board.NewProblem(board.ErrUsage, "", "no worker's verb %q", r.Verb)
}

func (r Request) validateVerdict() error {
	if err := errors.Join(optional("the summary", r.Summary), optional("the reason", r.Reason), optional("the kind", r.Kind)); err != nil {
		return err
	}
	switch r.Verdict {
	case board.VerdictDone, board.VerdictApprove:
		return nil
	case board.VerdictChanges, board.VerdictBlocked:
		return board.CheckText("the reason", r.Reason)
	}
	return board.NewProblem(board.ErrUsage, "give done, approve, changes or blocked", "no verdict %q", r.Verdict)
}

func (r Request) validateEvidence() error {
	if (r.Path == "") == (r.Text == "") {
		return board.NewProblem(board.ErrUsage, "board evidence NAME PATH|TEXT", "evidence needs either a file or a text")
	}
	return errors.Join(board.CheckText("the name", r.Name), optional("the text", r.Text), optional("the path", r.Path))
}

// optional checks a text that may be empty.
func optional(what, text string) error {
	if text == "" {
		return nil
	}
	return board.CheckText(what, text)
}

// decode reads a request file.
func decode(data []byte) (Request, error) {
	var r Request
	if err := json.Unmarshal(data, &r); err != nil {
		return Request{}, fmt.Errorf("read a request: %w: %w", board.ErrUsage, err)
	}
	return r, r.Validate()
}
