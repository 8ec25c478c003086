package board

import (
	"context"
	"fmt"
)

// Spending is what the runs of an executor have cost.
type Spending struct {
	CostMicros int64 `db:"cost_micros"` // millionths of a US dollar, as far as it is known; estimates included
	Runs       int   `db:"runs"`
	Unknown    int   `db:"unknown"` // ended runs that told no cost
}

// Spent adds up, by executor, the runs that are open or have ended since a time: the window of limits.usd_per_day.
func (s *Store) Spent(ctx context.Context, since Time) (map[string]Spending, error) {
	var rows []struct {
		Executor string `db:"executor"`
		Spending
	}
	err := s.db.SelectContext(ctx, &rows, `
		SELECT r.executor,
			coalesce(sum(r.cost_micros), 0) AS cost_micros,
			count(*) AS runs,
			sum(r.cost_micros IS NULL AND r.ended_at_ms IS NOT NULL) AS unknown
		FROM task_runs r
		WHERE r.ended_at_ms >= ? OR r.ended_at_ms IS NULL
		GROUP BY r.executor`, since)
	if err != nil {
		return nil, s.explain(fmt.Errorf("add up what executors have spent: %w", err))
	}
	spent := make(map[string]Spending, len(rows))
	for _, row := range rows {
		spent[row.Executor] = row.Spending
	}
	return spent, nil
}
