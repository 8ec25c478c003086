package board

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"
)

// RunFilter says which runs a list has. Each field that is set narrows.
type RunFilter struct {
	Card     string
	Board    string
	Outcomes []Outcome // alternatives
	Open     bool      // only those that have not ended
	Since    Time      // claimed or ended since then, or still open
	Limit    int       // the newest so many; 0 = all
}

// Runs gives the runs that a filter lets through, oldest first.
func (s *Store) Runs(ctx context.Context, f RunFilter) ([]Run, error) {
	where, args, err := f.where()
	if err != nil {
		return nil, err
	}
	query := `SELECT ` + runColumns + ` FROM task_runs r ` + where + ` ORDER BY r.id DESC`
	if f.Limit > 0 {
		query += ` LIMIT ?`
		args = append(args, f.Limit)
	}
	var runs []Run
	if err := s.db.SelectContext(ctx, &runs, query, args...); err != nil {
		return nil, s.explain(fmt.Errorf("read runs: %w", err))
	}
	slices.Reverse(runs)
	return runs, nil
}

// where is the filter as SQL; its texts are this file's own, the values are arguments.
func (f RunFilter) where() (where string, args []any, err error) {
	var all []string
	add := func(condition string, values ...any) {
		all = append(all, condition)
		args = append(args, values...)
	}
	if f.Card != "" {
		add("r.card = ?", f.Card)
	}
	if f.Board != "" {
		add("r.board = ?", f.Board)
	}
	if f.Open {
		add("r.ended_at_ms IS NULL")
	}
	if f.Since != 0 {
		add("(r.claimed_at_ms >= ? OR r.ended_at_ms >= ? OR r.ended_at_ms IS NULL)", f.Since, f.Since)
	}
	if len(f.Outcomes) > 0 {
		condition, values, err := sqlx.In("r.outcome IN (?)", f.Outcomes)
		if err != nil {
			return "", nil, fmt.Errorf("read runs: %w", err)
		}
		add(condition, values...)
	}
	if len(all) == 0 {
		return "", nil, nil
	}
	return "WHERE " + strings.Join(all, " AND "), args, nil
}
