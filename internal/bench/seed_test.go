package bench_test

import (
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/bench"
)

func TestSeed_FillsTheSchemaOfTheProgram(t *testing.T) {
	t.Parallel()
	db, path := newBoard(t)
	shape := bench.Shape{Idle: 100, Ready: 30, Ended: 1000}
	if err := bench.Seed(t.Context(), path, shape, time.UnixMilli(1_800_000_000_000)); err != nil {
		t.Fatal(err)
	}

	for query, want := range map[string]int{
		"SELECT count(*) FROM cards":                                               130,
		"SELECT count(*) FROM cards WHERE status = 'todo'":                         30,
		"SELECT count(*) FROM cards WHERE ended_at_ms IS NOT NULL":                 80,
		"SELECT count(*) FROM task_runs WHERE ended_at_ms IS NOT NULL":             1000,
		"SELECT count(*) FROM leases WHERE released_at_ms IS NOT NULL":             1000,
		"SELECT count(*) FROM sessions":                                            1000,
		"SELECT next_number FROM boards":                                           131,
		"SELECT count(*) FROM pragma_foreign_key_check":                            0,
		"SELECT count(*) FROM task_runs WHERE claimed_at_ms > 1800000000000":       0,
		"SELECT count(DISTINCT card) FROM task_runs":                               100,
		"SELECT count(*) FROM cards WHERE status = 'todo' AND current_run NOTNULL": 0,
	} {
		var got int
		if err := db.QueryRowContext(t.Context(), query).Scan(&got); err != nil {
			t.Errorf("%s: %v", query, err)
		} else if got != want {
			t.Errorf("%s: got %d, want %d", query, got, want)
		}
	}
}
