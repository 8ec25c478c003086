package board

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// LinkRequest names a card and those that it waits for.
type LinkRequest struct {
	Card     string
	Blockers []string
	Actor    string
}

// Linked is what a link or its removal did.
type Linked struct {
	Card    Card     // that waits
	Changed []string // blockers that were not linked before, or are not any more
	Waiting []string // what the card waits for afterwards
	Freed   *Block   // the question about a cancelled blocker that has become pointless
}

// Link makes a card wait for others: all of them, or on any refusal none. A cycle is ErrRefused. A link that is there stays,
// and one that a person had waived holds again.
func (s *Store) Link(ctx context.Context, now Time, q LinkRequest) (Linked, error) {
	return s.relink(ctx, now, q, "card.linked", func(tx *sqlx.Tx, blocker string) (bool, error) {
		var had int
		if err := tx.GetContext(ctx, &had, `
			SELECT count(*) FROM card_links WHERE blocker = ? AND blocked = ? AND waived = 0`, blocker, q.Card); err != nil {
			return false, fmt.Errorf("look for the link of %s to %s: %w", q.Card, blocker, err)
		}
		if had > 0 {
			return false, nil
		}
		if err := link(ctx, tx, now, blocker, q.Card); err != nil {
			return false, err
		}
		if _, err := tx.ExecContext(ctx, `
			UPDATE card_links SET waived = 0 WHERE blocker = ? AND blocked = ?`, blocker, q.Card); err != nil {
			return false, fmt.Errorf("link %s to %s: %w", q.Card, blocker, err)
		}
		return true, nil
	})
}

// Unlink takes links away: all that are named, or none. One that is not there is ErrNotFound.
func (s *Store) Unlink(ctx context.Context, now Time, q LinkRequest) (Linked, error) {
	return s.relink(ctx, now, q, "card.unlinked", func(tx *sqlx.Tx, blocker string) (bool, error) {
		res, err := tx.ExecContext(ctx, `DELETE FROM card_links WHERE blocker = ? AND blocked = ?`, blocker, q.Card)
		if err != nil {
			return false, fmt.Errorf("unlink %s from %s: %w", q.Card, blocker, err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return false, fmt.Errorf("unlink %s from %s: %w", q.Card, blocker, err)
		}
		if n > 0 {
			return true, nil
		}
		if _, err := readCard(ctx, tx, blocker); err != nil {
			return false, err
		}
		return false, NewProblem(ErrNotFound, "board show "+q.Card+" lists what it waits for", "%s does not wait for %s", q.Card, blocker)
	})
}

// relink changes the links of a card one by one, with one event, and says what it waits for afterwards.
func (s *Store) relink(ctx context.Context, now Time, q LinkRequest, kind string, one func(*sqlx.Tx, string) (bool, error)) (Linked, error) {
	var out Linked
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		c, err := readForChange(ctx, tx, q.Card, 0)
		if err != nil {
			return err
		}
		for _, blocker := range q.Blockers {
			changed, err := one(tx, blocker)
			if err != nil {
				return err
			}
			if changed {
				out.Changed = append(out.Changed, blocker)
			}
		}
		if out.Waiting, err = waitsFor(ctx, tx, c.ID); err != nil {
			return err
		}
		if len(out.Changed) > 0 {
			if out.Freed, err = saveLinks(ctx, tx, now, c, out.Waiting, q.Actor); err != nil {
				return err
			}
			if err := record(ctx, tx, now, change{
				board: c.Board, card: c.ID, kind: kind, actor: q.Actor,
				payload: map[string]any{"blockers": out.Changed},
			}); err != nil {
				return err
			}
		}
		out.Card, err = readCard(ctx, tx, c.ID)
		return err
	})
	return out, err
}

func waitsFor(ctx context.Context, tx sqlx.QueryerContext, id string) ([]string, error) {
	facts, err := readFacts(ctx, tx, id)
	return facts.BlockedBy, err
}

// saveLinks counts a card's revision for its changed links. One that waits for nobody any more is startable from now, and a
// question whether to go on without a blocker is pointless.
func saveLinks(ctx context.Context, tx *sqlx.Tx, now Time, c Card, waiting []string, actor string) (*Block, error) {
	freed, err := unask(ctx, tx, now, c.ID, "no longer linked", actor)
	if err != nil {
		return nil, err
	}
	if len(waiting) == 0 {
		c.ReadySince = max(now, c.NotBefore)
	}
	return freed, saveCard(ctx, tx, now, c)
}

// unask closes a card's question whether to go on without a cancelled blocker, once none of its blockers is cancelled.
func unask(ctx context.Context, tx *sqlx.Tx, now Time, card, why, actor string) (*Block, error) {
	b, err := openBlock(ctx, tx, card)
	if err != nil || b == nil || b.Kind != BlockCancelled {
		return nil, err
	}
	left, err := cancelledBlockers(ctx, tx, card)
	if err != nil || left > 0 {
		return nil, err
	}
	b.Answer = why
	return b, saveAnswer(ctx, tx, now, b, actor)
}

// unaskDependents closes the questions of those who asked whether to go on without a card that is cancelled no more.
func unaskDependents(ctx context.Context, tx *sqlx.Tx, now Time, c Card, actor string) error {
	var blocked []string
	if err := tx.SelectContext(ctx, &blocked, `SELECT blocked FROM card_links WHERE blocker = ? AND waived = 0 ORDER BY blocked`, c.ID); err != nil {
		return fmt.Errorf("read the cards that wait for %s: %w", c.ID, err)
	}
	for _, id := range blocked {
		if _, err := unask(ctx, tx, now, id, c.ID+" is "+c.Status+" again", actor); err != nil {
			return err
		}
	}
	return nil
}

func cancelledBlockers(ctx context.Context, tx *sqlx.Tx, id string) (int, error) {
	var n int
	err := tx.GetContext(ctx, &n, `
		SELECT count(*)
		FROM card_links k
		JOIN cards b ON b.id = k.blocker
		WHERE k.blocked = ? AND k.waived = 0 AND b.status = '`+Cancelled+`'`, id)
	if err != nil {
		return 0, fmt.Errorf("read the cancelled blockers of %s: %w", id, err)
	}
	return n, nil
}
