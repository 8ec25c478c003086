package board

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// ArchiveRequest puts a card away, or back.
type ArchiveRequest struct {
	Card     string
	Undo     bool
	Actor    string
	Revision int64 // refuse when the card has another; 0 = any
}

// Archived is what archiving did.
type Archived struct {
	Card       Card     // afterwards
	Changed    bool     // false: it was so already
	Dependents []string // open cards that wait for it and that nobody frees
}

// Archive takes a card out of every list and plan; its history stays. A card that runs is ErrRefused. Its idle sessions are
// asked to end, and keep their places until they are proved gone (LIV-3).
func (s *Store) Archive(ctx context.Context, now Time, q ArchiveRequest) (Archived, error) {
	var out Archived
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		c, err := readCard(ctx, tx, q.Card)
		if err != nil {
			return err
		}
		if err := checkArchive(c, q); err != nil {
			return err
		}
		if out.Dependents, err = waitingFor(ctx, tx, c); err != nil {
			return err
		}
		out.Card = c
		if c.ArchivedAt.IsZero() == q.Undo {
			return nil
		}
		out.Changed = true
		kind := "card.archived"
		if c.ArchivedAt = now; q.Undo {
			c.ArchivedAt, c.ReadySince, kind = 0, max(now, c.NotBefore), "card.unarchived"
		}
		if err := saveCard(ctx, tx, now, c); err != nil {
			return err
		}
		if !q.Undo {
			if err := closeSlot(ctx, tx, now, c.ID, "*", q.Actor); err != nil {
				return err
			}
		}
		if err := record(ctx, tx, now, change{board: c.Board, card: c.ID, kind: kind, actor: q.Actor}); err != nil {
			return err
		}
		out.Card, err = readCard(ctx, tx, c.ID)
		return err
	})
	return out, err
}

func checkArchive(c Card, q ArchiveRequest) error {
	switch {
	case q.Revision != 0 && q.Revision != c.Revision:
		return NewProblem(ErrRefused, "look again: board show "+c.ID, "%s has revision %d, not %d", c.ID, c.Revision, q.Revision)
	case c.CurrentRun != 0 && !q.Undo:
		return NewProblem(ErrRefused, "board stop "+c.ID+", or board cancel "+c.ID+", and archive it when the run has ended", "%s runs (run %d)", c.ID, c.CurrentRun)
	}
	return nil
}

// waitingFor are the open cards that wait for a card that has not ended well.
func waitingFor(ctx context.Context, tx *sqlx.Tx, c Card) ([]string, error) {
	var ids []string
	if !c.EndedAt.IsZero() && c.Status != Cancelled {
		return nil, nil
	}
	err := tx.SelectContext(ctx, &ids, `
		SELECT k.blocked
		FROM card_links k
		JOIN cards b ON b.id = k.blocked
		WHERE k.blocker = ? AND k.waived = 0 AND b.ended_at_ms IS NULL AND b.archived_at_ms IS NULL
		ORDER BY b.board, b.number`, c.ID)
	if err != nil {
		return nil, fmt.Errorf("read the cards that wait for %s: %w", c.ID, err)
	}
	return ids, nil
}
