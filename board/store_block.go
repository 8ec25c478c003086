package board

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"
)

// AnswerRequest is a person's answer to a card's oldest open question.
type AnswerRequest struct {
	Card     string
	Text     string
	Actor    string
	Revision int64 // refuse when the card has another; 0 = any
}

// Answered is what an answer did.
type Answered struct {
	Card   Card     // afterwards
	Block  Block    // as answered
	Waived []string // cancelled blockers that the card no longer waits for
	Next   *Block   // the next open question; nil: none
}

// Answer answers the oldest open question of a card. One about a cancelled blocker is "go on without it" (WSP-8); one about
// used-up retries frees the card as Retry does (RET-1). Without an open question it is ErrRefused.
func (s *Store) Answer(ctx context.Context, now Time, q AnswerRequest) (Answered, error) {
	var out Answered
	if err := CheckText("the answer", q.Text); err != nil {
		return out, err
	}
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		c, err := readForChange(ctx, tx, q.Card, q.Revision)
		if err != nil {
			return err
		}
		b, err := openBlock(ctx, tx, c.ID)
		if err != nil {
			return err
		}
		if b == nil {
			return NewProblem(ErrRefused, "to leave a remark: board comment "+c.ID+" TEXT", "%s has no open question", c.ID)
		}
		b.Answer = q.Text
		if out.Waived, err = waive(ctx, tx, c, *b); err != nil {
			return err
		}
		if b.Kind == BlockRetries {
			c = retried(c)
		}
		if err := saveAnswer(ctx, tx, now, b, q.Actor); err != nil {
			return err
		}
		c.ReadySince = max(now, c.NotBefore)
		if err := saveCard(ctx, tx, now, c); err != nil {
			return err
		}
		out.Block = *b
		if out.Next, err = openBlock(ctx, tx, c.ID); err != nil {
			return err
		}
		out.Card, err = readCard(ctx, tx, c.ID)
		return err
	})
	return out, err
}

// openBlock is a card's oldest open question; nil when it has none.
func openBlock(ctx context.Context, tx *sqlx.Tx, card string) (*Block, error) {
	var b Block
	err := tx.GetContext(ctx, &b, `
		SELECT `+blockColumns+`
		FROM blocks b
		WHERE b.card = ? AND b.answered_at_ms IS NULL
		ORDER BY b.id
		LIMIT 1`, card)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the open question of %s: %w", card, err)
	}
	return &b, nil
}

// saveAnswer closes a question with its answer, and records that.
func saveAnswer(ctx context.Context, tx *sqlx.Tx, now Time, b *Block, actor string) error {
	b.AnsweredBy, b.AnsweredAt = actor, now
	if _, err := tx.NamedExecContext(ctx, `
		UPDATE blocks SET answer = :answer, answered_by = :answered_by, answered_at_ms = :answered_at_ms
		WHERE id = :id AND answered_at_ms IS NULL`, b); err != nil {
		return fmt.Errorf("answer the question %d of %s: %w", b.ID, b.Card, err)
	}
	c, err := readCard(ctx, tx, b.Card)
	if err != nil {
		return err
	}
	return record(ctx, tx, now, change{
		board: c.Board, card: b.Card, run: b.Run, kind: "card.answered", actor: actor,
		payload: map[string]any{"kind": b.Kind, "question": b.Text, "answer": b.Answer},
	})
}

// waive lets a card go on without its cancelled blockers, when that was the question. A plain "no" is not that.
func waive(ctx context.Context, tx *sqlx.Tx, c Card, b Block) ([]string, error) {
	if b.Kind != BlockCancelled {
		return nil, nil
	}
	switch strings.ToLower(strings.Trim(b.Answer, " .!\n\t")) {
	case "no", "n":
		return nil, NewProblem(ErrRefused, "board cancel "+c.ID+", or board reopen the card it waits for",
			"an answer lets %s go on without what was cancelled, and this one says no", c.ID)
	}
	var waived []string
	err := tx.SelectContext(ctx, &waived, `
		UPDATE card_links SET waived = 1
		WHERE blocked = ? AND waived = 0 AND blocker IN (SELECT id FROM cards WHERE status = '`+Cancelled+`')
		RETURNING blocker`, c.ID)
	if err != nil {
		return nil, fmt.Errorf("let %s go on without its cancelled blockers: %w", c.ID, err)
	}
	return waived, nil
}
