package board

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// RetryRequest is a person's "try again".
type RetryRequest struct {
	Card     string
	Clean    bool // the next run starts on a new worktree; the old branch is kept (WSP-3)
	Actor    string
	Revision int64 // refuse when the card has another; 0 = any
}

// Retried is what a retry did.
type Retried struct {
	Card    Card   // afterwards
	Block   *Block // the question that it answered; nil: none
	Changed bool   // false: the card could start already, and nothing was written
}

// Retry lets a card be tried again at once: its row of failures and the runs of its round begin anew, no wait is left, and a
// question about the failure is answered (RET-1). A card that runs, has ended, or asks something else is ErrRefused.
func (s *Store) Retry(ctx context.Context, now Time, q RetryRequest) (Retried, error) {
	var out Retried
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		c, err := readForChange(ctx, tx, q.Card, q.Revision)
		if err != nil {
			return err
		}
		if err := checkRetry(c); err != nil {
			return err
		}
		if out.Block, err = answerByRetry(ctx, tx, now, c, q.Actor); err != nil {
			return err
		}
		again := retried(c)
		again.CleanStart = c.CleanStart || q.Clean
		out.Card = c
		if out.Block == nil && c.sameTries(again) {
			return nil
		}
		out.Changed, again.ReadySince = true, now
		if err := saveCard(ctx, tx, now, again); err != nil {
			return err
		}
		if err := record(ctx, tx, now, change{
			board: c.Board, card: c.ID, kind: "card.retried", actor: q.Actor,
			payload: map[string]any{"clean": q.Clean, "failures": c.Failures, "round_runs": c.RoundRuns},
		}); err != nil {
			return err
		}
		out.Card, err = readCard(ctx, tx, c.ID)
		return err
	})
	return out, err
}

func checkRetry(c Card) error {
	switch {
	case c.CurrentRun != 0:
		return NewProblem(ErrRefused, "board stop "+c.ID+" --restart ends it and tries again", "%s runs (run %d): there is nothing to try again yet", c.ID, c.CurrentRun)
	case !c.EndedAt.IsZero():
		return NewProblem(ErrRefused, "board reopen "+c.ID, "%s is %s", c.ID, c.Status)
	}
	return nil
}

// retried is a card whose tries begin anew.
func retried(c Card) Card {
	c.Failures, c.RoundRuns, c.Handovers, c.Moves, c.Unanswered, c.NotBefore = 0, 0, 0, 0, 0, 0
	return c
}

// sameTries says whether a retry changes nothing of a card.
func (c Card) sameTries(d Card) bool {
	return c.Failures == d.Failures && c.RoundRuns == d.RoundRuns && c.Handovers == d.Handovers && c.Moves == d.Moves &&
		c.Unanswered == d.Unanswered && c.NotBefore == d.NotBefore && c.CleanStart == d.CleanStart
}

// answerByRetry answers the questions to which "try again" is an answer; any other needs words.
func answerByRetry(ctx context.Context, tx *sqlx.Tx, now Time, c Card, actor string) (*Block, error) {
	b, err := openBlock(ctx, tx, c.ID)
	if err != nil || b == nil {
		return nil, err
	}
	switch b.Kind {
	case BlockRetries, BlockModel, BlockConflict, BlockScreen:
		b.Answer = "try again"
		return b, saveAnswer(ctx, tx, now, b, actor)
	}
	return nil, NewProblem(ErrRefused, "board answer "+c.ID+" TEXT", "%s waits for an answer: %s", c.ID, firstLine(b.Text))
}
