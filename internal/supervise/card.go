package supervise

import (
	"encoding/json"
	"fmt"

	"github.com/seed-2ddc2152/board/board"
)

// cardDocument is what `board card` shows a worker: a file of the run, and the answer to the verb (WRK-1).
type cardDocument struct {
	Card      board.Card        `json:"card"`
	Board     board.Board       `json:"board"`
	Run       int64             `json:"run"`
	Attempt   int               `json:"attempt"`
	Status    string            `json:"status"`
	Slot      string            `json:"slot"`
	Role      board.Role        `json:"role"`
	Workspace string            `json:"workspace"`
	Branch    string            `json:"branch"`
	Base      string            `json:"base_commit"`
	Verbs     []string          `json:"verbs"`
	Attempts  []attemptDocument `json:"attempts"`
	Parents   []board.Parent    `json:"parents"`
	Subtasks  []subtaskDocument `json:"subtasks"`
	Comments  []commentDocument `json:"comments"`
	Evidence  []string          `json:"evidence"`
}

type attemptDocument struct {
	Run      int64         `json:"run"`
	Attempt  int           `json:"attempt"`
	Status   string        `json:"status"`
	Role     board.Role    `json:"role"`
	Executor string        `json:"executor"`
	Outcome  board.Outcome `json:"outcome"`
	Verdict  board.Verdict `json:"verdict"`
	Reason   string        `json:"reason"`
	Summary  string        `json:"summary"`
}

type subtaskDocument struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status string `json:"status"`
	Done   bool   `json:"done"`
}

type commentDocument struct {
	By   string     `json:"by"`
	Text string     `json:"text"`
	At   board.Time `json:"at"`
}

// cardText is the document of a run. Lists are never null.
func cardText(b board.Brief, at place, verbs []string) ([]byte, error) {
	doc := cardDocument{
		Card: b.Card.Filled(), Board: b.Board, Run: b.Run.ID, Attempt: b.Run.Attempt, Status: b.Run.Status, Slot: b.Run.Slot, Role: b.Run.Role,
		Workspace: at.Path, Branch: at.Branch, Base: at.Base, Verbs: verbs, Attempts: []attemptDocument{}, Parents: []board.Parent{},
		Subtasks: []subtaskDocument{}, Comments: []commentDocument{}, Evidence: append([]string{}, b.Facts.Evidence...),
	}
	doc.Parents = append(doc.Parents, b.Parents...)
	for _, r := range b.Runs {
		reason := r.VerdictReason
		if reason == "" {
			reason = r.Reason
		}
		doc.Attempts = append(doc.Attempts, attemptDocument{
			Run: r.ID, Attempt: r.Attempt, Status: r.Status, Role: r.Role, Executor: r.Executor,
			Outcome: r.Outcome, Verdict: r.Verdict, Reason: reason, Summary: r.Summary,
		})
	}
	for _, t := range b.Facts.Subtasks {
		doc.Subtasks = append(doc.Subtasks, subtaskDocument{ID: t.ID, Title: t.Title, Status: t.Status, Done: t.Done})
	}
	for _, c := range commentsOf(b) {
		doc.Comments = append(doc.Comments, commentDocument{By: c.By, Text: c.Text, At: board.At(c.At)})
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the card of run %d: %w", b.Run.ID, err)
	}
	return append(text, '\n'), nil
}
