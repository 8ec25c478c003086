package board

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// Trust accepts content by its hash: a repository's file that a person has looked at. It is false when it was accepted
// before; nothing is written then.
func (s *Store) Trust(ctx context.Context, now Time, hash, path, actor string) (bool, error) {
	var added bool
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		result, err := tx.ExecContext(ctx, `
			INSERT INTO trusted (hash, path, actor, created_at_ms) VALUES (?, ?, ?, ?)
			ON CONFLICT (hash) DO NOTHING`, hash, path, actor, now)
		if err != nil {
			return fmt.Errorf("trust %s: %w", path, err)
		}
		n, err := result.RowsAffected()
		if err != nil {
			return fmt.Errorf("trust %s: %w", path, err)
		}
		if added = n > 0; !added {
			return nil
		}
		return record(ctx, tx, now, change{kind: "file.trusted", actor: actor, payload: map[string]any{"path": path, "hash": hash}})
	})
	return added, err
}
