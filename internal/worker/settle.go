package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed-2ddc2152/board/board"
)

// Settle ends a run as its exit says: it applies what the session has left in its outbox, settles the run, and, unless the
// session goes on, closes the outbox, so that who comes later is refused. Supervisor and tick alike settle by it, in any order
// and more than once (END-2). The caller has proved that everything the run started is gone (LIV-3).
func (s Server) Settle(ctx context.Context, now board.Time, exit board.Exit) (board.Settled, error) {
	_, drained := s.Drain(ctx, now) // a request that cannot be applied must not keep the run open
	settled, err := s.Store.Settle(ctx, now, s.Rules(), exit)
	if err != nil {
		return settled, errors.Join(err, drained)
	}
	if exit.Kept {
		return settled, nil
	}
	return settled, s.close(ctx, now, exit.Run)
}

// close refuses what comes after the end, and what could not be applied before it: no secret stays in a file.
func (s Server) close(ctx context.Context, now board.Time, run int64) error {
	err := Close(s.Outbox, fmt.Sprintf("run %d has ended: nothing was changed", run))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it never had an outbox
	}
	if err == nil {
		_, err = s.Drain(ctx, now)
	}
	if err != nil {
		return fmt.Errorf("close the outbox of run %d: %w", run, err)
	}
	return nil
}
