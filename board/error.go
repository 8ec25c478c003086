package board

import (
	"errors"
	"fmt"
)

// What a caller can act on. cmd/board/exit.go gives each its exit code.
var (
	ErrUsage    = errors.New("wrong usage")
	ErrNotFound = errors.New("not found")
	ErrRefused  = errors.New("refused")                      // a guard, a cap, a fence, a stale revision
	ErrInvalid  = errors.New("invalid configuration")        // a file a person edits must be mended
	ErrBusy     = errors.New("the board is busy")            // a lock was not free within its time limit
	ErrNewer    = errors.New("the database is newer")        // made by a newer program; it was not touched
	ErrNoHome   = errors.New("there is no board home")       // board init makes one
	ErrMigrate  = errors.New("the database is not migrated") // older than the program, and this verb does not write
)

// Problem is an error for a person: what was being done to what, what is wrong, and what mends it. It matches (errors.Is) its Kind.
type Problem struct {
	Kind  error  // one of the sentinels above
	Text  string // one line; of a file's problems one line each
	Fix   string // one line; "" = none known
	Cause error  // what was wrong, for those who look for its type; nil = the text says all
}

func (p *Problem) Error() string { return p.Text }

// Unwrap gives the kind and the cause.
func (p *Problem) Unwrap() []error {
	if p.Cause == nil {
		return []error{p.Kind}
	}
	return []error{p.Kind, p.Cause}
}

// NewProblem makes a problem of a kind; the text is formatted, the fix is not.
func NewProblem(kind error, fix, format string, args ...any) *Problem {
	return &Problem{Kind: kind, Text: fmt.Sprintf(format, args...), Fix: fix}
}
