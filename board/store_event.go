package board

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// change is one event to be written.
type change struct {
	board, card string
	run         int64
	kind, actor string
	payload     map[string]any
}

// record appends an event; it belongs to the transaction of the change that it tells of (MOD-5).
func record(ctx context.Context, tx *sqlx.Tx, now Time, c change) error {
	payload := []byte("{}")
	if len(c.payload) > 0 {
		var err error
		if payload, err = json.Marshal(c.payload); err != nil {
			return fmt.Errorf("write event %s: %w", c.kind, err)
		}
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO events (at_ms, board, card, run, kind, actor, payload)
		VALUES (?, ?, ?, nullif(?, 0), ?, ?, ?)`,
		now, c.board, c.card, c.run, c.kind, c.actor, string(payload))
	if err != nil {
		return fmt.Errorf("write event %s: %w", c.kind, err)
	}
	return nil
}

// Events gives a card's history, oldest first, at most limit of its newest; with an empty card that of the home.
func (s *Store) Events(ctx context.Context, card string, limit int) ([]Event, error) {
	var events []Event
	err := s.db.SelectContext(ctx, &events, `
		SELECT id, at_ms, board, card, run, kind, actor, payload FROM (
			SELECT id, at_ms, board, card, coalesce(run, 0) AS run, kind, actor, payload
			FROM events
			WHERE ? = '' OR card = ?
			ORDER BY id DESC
			LIMIT ?)
		ORDER BY id`, card, card, limit)
	if err != nil {
		return nil, s.explain(fmt.Errorf("read the history of %q: %w", card, err))
	}
	return events, nil
}
