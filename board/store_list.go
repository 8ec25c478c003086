package board

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"
)

// CardFilter says which cards a list has. Each field that is set narrows.
type CardFilter struct {
	Boards   []string // slugs; none = all
	Statuses []string // alternatives
	Labels   Labels   // each must be there; with the value "", whatever its own
	Assignee string
	Parent   string
	Open     bool // only those that have not ended
	Archived bool // archived ones too
	Limit    int  // 0 = all
}

// CardLine is a card as a list shows it: without its body.
type CardLine struct {
	ID         string   `db:"id" json:"id"`
	Board      string   `db:"board" json:"board"`
	Title      string   `db:"title" json:"title"`
	Status     string   `db:"status" json:"status"`
	Priority   int      `db:"priority" json:"priority"`
	Assignee   string   `db:"assignee" json:"assignee"`
	Host       string   `db:"host" json:"host"`
	Model      string   `db:"model" json:"model"`
	Effort     string   `db:"effort" json:"effort"`
	Parent     string   `db:"parent" json:"parent"`
	Owns       JSON     `db:"owns" json:"owns"` // as stored: an odd row must not keep a list from being shown
	Labels     JSON     `db:"labels" json:"labels"`
	NotBefore  Time     `db:"not_before_at_ms" json:"not_before"`
	Every      string   `db:"every" json:"every"`
	Failures   int      `db:"failures" json:"failures"`
	Attempts   int      `db:"attempts" json:"attempts"`
	Revision   int64    `db:"revision" json:"revision"`
	CreatedAt  Time     `db:"created_at_ms" json:"created_at"`
	UpdatedAt  Time     `db:"updated_at_ms" json:"updated_at"`
	EndedAt    Time     `db:"ended_at_ms" json:"ended_at"`
	ArchivedAt Time     `db:"archived_at_ms" json:"archived_at"`
	BlockedBy  int      `db:"blocked_by" json:"blocked_by"` // how many cards it waits for
	Question   string   `db:"question" json:"question"`     // its oldest open one; "" = none
	Paused     bool     `db:"paused" json:"paused"`         // by hand, itself
	HoldCode   HoldCode `db:"hold_code" json:"hold_code"`   // as the last tick saw it; "" = none
	HoldText   string   `db:"hold_text" json:"hold_text"`
	HoldSince  Time     `db:"hold_since_ms" json:"hold_since"`
	Run        int64    `db:"run" json:"run"` // open; 0 = none
	Executor   string   `db:"executor" json:"executor"`
	Clone      int      `db:"clone" json:"clone"`
	RunSince   Time     `db:"run_since_ms" json:"run_since"`
}

// ListCards gives the cards that a filter lets through, and how many its limit left out: by board, open before ended, then
// priority and number.
func (s *Store) ListCards(ctx context.Context, now Time, f CardFilter) (lines []CardLine, leftOut int, err error) {
	where, args, err := f.where()
	if err != nil {
		return nil, 0, err
	}
	err = s.read(ctx, func(tx *sqlx.Tx) error {
		limit := -1
		if f.Limit > 0 {
			limit = f.Limit
		}
		if err := tx.SelectContext(ctx, &lines, `
			SELECT
				c.id, c.board, c.title, c.status, c.priority, c.assignee, c.host, c.model, c.effort, coalesce(c.parent, '') AS parent,
				c.owns, c.labels, c.not_before_at_ms, c.every, c.failures, c.attempts, c.revision,
				c.created_at_ms, c.updated_at_ms, c.ended_at_ms, c.archived_at_ms,
				(SELECT count(*) FROM card_links k JOIN cards b ON b.id = k.blocker
					WHERE k.blocked = c.id AND k.waived = 0 AND (b.ended_at_ms IS NULL OR b.status = '`+Cancelled+`')) AS blocked_by,
				coalesce((SELECT q.text FROM blocks q WHERE q.card = c.id AND q.answered_at_ms IS NULL ORDER BY q.id LIMIT 1), '') AS question,
				EXISTS (SELECT 1 FROM pauses p
					WHERE p.kind = 'card' AND p.target = c.id AND (p.until_at_ms IS NULL OR p.until_at_ms > ?)) AS paused,
				coalesce(h.code, '') AS hold_code, coalesce(h.text, '') AS hold_text, h.since_at_ms AS hold_since_ms,
				coalesce(r.id, 0) AS run, coalesce(r.executor, '') AS executor, coalesce(r.clone, 0) AS clone, r.claimed_at_ms AS run_since_ms
			FROM cards c
			LEFT JOIN holds h ON h.card = c.id
			LEFT JOIN task_runs r ON r.card = c.id AND r.ended_at_ms IS NULL
			WHERE `+where+`
			ORDER BY c.board, c.ended_at_ms IS NOT NULL, c.priority DESC, c.number
			LIMIT ?`, append(append([]any{now}, args...), limit)...); err != nil {
			return fmt.Errorf("list cards: %w", err)
		}
		if limit < 0 || len(lines) < limit {
			return nil
		}
		if err := tx.GetContext(ctx, &leftOut, `SELECT count(*) FROM cards c WHERE `+where, args...); err != nil {
			return fmt.Errorf("count cards: %w", err)
		}
		leftOut -= len(lines)
		return nil
	})
	return lines, leftOut, err
}

// where is the filter as a condition on cards c, with its arguments.
func (f CardFilter) where() (string, []any, error) {
	where := `(? = '' OR c.assignee = ?) AND (? = '' OR c.parent = ?) AND (NOT ? OR c.ended_at_ms IS NULL) AND (? OR c.archived_at_ms IS NULL)`
	args := []any{f.Assignee, f.Assignee, f.Parent, f.Parent, f.Open, f.Archived}
	for _, alternatives := range []struct {
		column string
		values []string
	}{{"c.board", f.Boards}, {"c.status", f.Statuses}} {
		if len(alternatives.values) == 0 {
			continue
		}
		in, values, err := sqlx.In(alternatives.column+` IN (?)`, alternatives.values)
		if err != nil {
			return "", nil, fmt.Errorf("list cards: %w", err)
		}
		where, args = where+` AND `+in, append(args, values...)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Labels)) {
		value := f.Labels[name]
		where += ` AND EXISTS (SELECT 1 FROM json_each(c.labels) j WHERE j.key = ? AND (? = '' OR j.value = ?))`
		args = append(args, name, value, value)
	}
	return where, args, nil
}
