package board

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// RosterView is a View of what concerns executors and of no cards but those at work: leases, sessions, exclusions, pauses,
// and with since the runs claimed or ended since then, in one transaction.
func (s *Store) RosterView(ctx context.Context, now, since Time) (*View, error) {
	v := &View{Now: now}
	err := s.read(ctx, func(tx *sqlx.Tx) error {
		for _, step := range []func(context.Context, *sqlx.Tx, ViewSpec) error{v.readBoards, v.readRuns, v.readBusy, v.readRoster, v.readPast} {
			if err := step(ctx, tx, ViewSpec{Now: now, Since: since}); err != nil {
				return err
			}
		}
		return nil
	})
	return v, err
}
