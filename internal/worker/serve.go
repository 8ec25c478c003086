package worker

import (
	"context"

	"github.com/seed-2ddc2152/board/board"
)

// Server applies the requests of one session's outbox.
type Server struct {
	Outbox string
	Store  *board.Store
	Rules  func() board.Rules // asked for each round: a person may have changed the files
	// Beat is told of each accepted beat; nil where nobody counts silence.
	Beat func(Request)
	// Card makes the document of VerbCard for the run; nil: there is none.
	Card func(ctx context.Context, run board.Run) ([]byte, error)
}

// Served is what one round over an outbox did.
type Served struct {
	Verdict *Request // the last verdict that was taken; nil: none
	Applied int
	Refused int
}

// Close says in an outbox that its session has ended and why, so that a late worker is refused loudly (MOD-4).
func Close(outbox, why string) error { return writeWhole(outbox, closedFile, []byte(why)) }

// Drain applies what a session has left in its outbox, oldest first. It is called by its supervisor while it works, and once
// more, by whoever settles, before the run is settled (END-2).
func (s Server) Drain(ctx context.Context, now board.Time) (Served, error) {
	return Served{}, nil
}
