package board

import (
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// Rules are the files that decisions are made by, as whoever decides has loaded them.
type Rules struct {
	// Workflow gives a workflow by name: the file's, or while that is broken the last text that loaded; nil when there is
	// neither.
	Workflow func(name string) *workflows.Workflow
	// Executor gives a roster entry by id; false when the roster has it no more.
	Executor func(id string) (roster.Executor, bool)
	// Fingerprint identifies what an executor is at present: its entry, its binary, its sign-in.
	Fingerprint func(roster.Executor) string
}
