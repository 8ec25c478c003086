package board

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// Comment writes a person's remark on a card; an archived or ended one takes remarks too. Workers read it with their next run.
func (s *Store) Comment(ctx context.Context, now Time, card, text, author string) (Comment, error) {
	out := Comment{Card: card, Author: author, Text: text, CreatedAt: now}
	if err := CheckText("the comment", text); err != nil {
		return out, err
	}
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		c, err := readCard(ctx, tx, card)
		if err != nil {
			return err
		}
		if err := tx.GetContext(ctx, &out.ID, `
			INSERT INTO comments (card, author, text, created_at_ms)
			VALUES (?, ?, ?, ?)
			RETURNING id`, card, author, text, now); err != nil {
			return fmt.Errorf("comment on %s: %w", card, err)
		}
		return record(ctx, tx, now, change{
			board: c.Board, card: c.ID, kind: "card.commented", actor: author,
			payload: map[string]any{"comment": out.ID},
		})
	})
	return out, err
}
