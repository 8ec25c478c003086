package worker

import (
	"encoding/json"
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

// Bounds on what a worker may send. Chosen: a text of 1 MiB is taken everywhere in the board.
const (
	MaxText    = 1 << 20     // bytes of one text
	MaxRequest = 4 * MaxText // bytes of a request file: JSON may double a text, and a subtask has two
	maxName    = 200         // bytes of a name
)

// Validate says what is wrong with a request before anybody looks at whose it is.
func (r Request) Validate() error {
	for _, text := range []string{r.Reason, r.Summary, r.Text} {
		if len(text) > MaxText {
			return board.NewProblem(board.ErrUsage, "", "a text of %d bytes is longer than %d", len(text), MaxText)
		}
	}
	switch r.Verb {
	case VerbVerdict:
		return r.validateVerdict()
	case VerbBeat, VerbCard:
		return nil
	case VerbComment:
		return needed("a comment", "text", r.Text)
	case VerbEvidence:
		return r.validateEvidence()
	case VerbAdd:
		return r.validateSubtask()
	}
	return board.NewProblem(board.ErrUsage, "", "no worker's verb %q", r.Verb)
}

func (r Request) validateVerdict() error {
	switch r.Verdict {
	case board.VerdictDone, board.VerdictApprove:
		return nil
	case board.VerdictChanges, board.VerdictBlocked:
		return needed(string(r.Verdict), "why", r.Reason)
	}
	return board.NewProblem(board.ErrUsage, "done, approve, changes or blocked", "no verdict %q", r.Verdict)
}

func (r Request) validateEvidence() error {
	if len(r.Name) > maxName {
		return board.NewProblem(board.ErrUsage, "", "a name of %d bytes is longer than %d", len(r.Name), maxName)
	}
	if (r.Path == "") == (r.Text == "") {
		return board.NewProblem(board.ErrUsage, "board evidence NAME PATH|TEXT", "evidence needs either a file or a text")
	}
	return needed("evidence", "name", r.Name)
}

func (r Request) validateSubtask() error {
	if r.Subtask == nil {
		return needed("a subtask", "title", "")
	}
	if len(r.Subtask.Title) > MaxText || len(r.Subtask.Body) > MaxText {
		return board.NewProblem(board.ErrUsage, "", "a title or body is longer than %d bytes", MaxText)
	}
	return needed("a subtask", "title", r.Subtask.Title)
}

func needed(what, part, value string) error {
	if value != "" {
		return nil
	}
	return board.NewProblem(board.ErrUsage, "", "%s needs a %s", what, part)
}

// decode reads a request file.
func decode(data []byte) (Request, error) {
	var r Request
	if err := json.Unmarshal(data, &r); err != nil {
		return Request{}, fmt.Errorf("read a request: %w", err)
	}
	return r, r.Validate()
}
