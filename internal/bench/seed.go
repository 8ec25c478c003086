package bench

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// Shape says what a seeded board holds beside what it held before.
type Shape struct {
	Idle  int // cards that nothing can start: three fifths done, a fifth archived, a fifth in the backlog
	Ready int // cards in todo
	Ended int // runs of the idle cards, each with its session, its lease and an event
}

// Seed fills the board "bench" of the database at path, which `board init` has made. A history (Ended) is given once, to
// a board without cards. Seed leaves the file as a checkpointed WAL database, and does not analyze it: the program never
// does either, and its plans must be good without.
func Seed(ctx context.Context, path string, shape Shape, now time.Time) error {
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=synchronous(off)")
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	args := []any{
		sql.Named("idle", shape.Idle),
		sql.Named("ready", shape.Ready),
		sql.Named("ended", shape.Ended),
		sql.Named("now", now.UnixMilli()),
	}
	steps := cardSteps()
	if shape.Ended > 0 {
		steps = append(steps, historySteps()...)
	}
	for _, step := range steps {
		if _, err := tx.ExecContext(ctx, step.sql, args...); err != nil {
			return fmt.Errorf("seed %s: %w", step.what, err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if _, err := db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// step is plain SQL, since the engine makes rows five times as fast as they can be handed to it one by one.
type step struct{ what, sql string }

func cardSteps() []step {
	return []step{
		{"idle cards", `
		WITH RECURSIVE n (i) AS (SELECT 1 WHERE @idle > 0 UNION ALL SELECT i + 1 FROM n WHERE i < @idle)
		INSERT INTO cards (id, board, number, title, body, status, priority, assignee, attempts, ready_since_at_ms,
		                   created_at_ms, updated_at_ms, ended_at_ms, archived_at_ms)
		SELECT 'bench-' || (base.number + i), 'bench', base.number + i, 'Card number ' || i || ' does things',
		       replace(hex(zeroblob(150)), '00', 'text'),
		       CASE WHEN i % 5 < 4 THEN 'done' ELSE 'backlog' END, i % 5, '', @ended / @idle,
		       @now - 31536000000 + i, @now - 31536000000 + i, @now - 3600000,
		       CASE WHEN i % 5 < 4 THEN @now - 3600000 END, CASE WHEN i % 5 = 3 THEN @now - 3600000 END
		FROM n, (SELECT coalesce(max(number), 0) AS number FROM cards WHERE board = 'bench') base`},
		{"ready cards", `
		WITH RECURSIVE n (i) AS (SELECT 1 WHERE @ready > 0 UNION ALL SELECT i + 1 FROM n WHERE i < @ready)
		INSERT INTO cards (id, board, number, title, body, status, priority, ready_since_at_ms, created_at_ms, updated_at_ms)
		SELECT 'bench-' || (base.number + i), 'bench', base.number + i, 'Card number ' || i || ' waits',
		       replace(hex(zeroblob(150)), '00', 'text'), 'todo', i % 5,
		       @now - 7200000 + i % 3600000, @now - 7200000 + i % 3600000, @now - 7200000 + i % 3600000
		FROM n, (SELECT coalesce(max(number), 0) AS number FROM cards WHERE board = 'bench') base`},
		{"the next card's number", `
		UPDATE boards
		SET next_number = (SELECT coalesce(max(number), 0) + 1 FROM cards WHERE board = 'bench')
		WHERE slug = 'bench'`},
	}
}

// historySteps spread the runs evenly over the year before now; run i belongs to idle card 1 + (i-1) mod idle.
func historySteps() []step {
	return []step{
		{"ended runs", `
		WITH RECURSIVE n (i) AS (SELECT 1 WHERE @ended > 0 UNION ALL SELECT i + 1 FROM n WHERE i < @ended)
		INSERT INTO task_runs (card, board, attempt, status, role, slot, profile, executor, clone, harness, model, surface,
		                       host, mode, state, launch_attempt, session, outcome, exit_code, claimed_at_ms, launched_at_ms,
		                       ended_at_ms, summary, tokens_in, tokens_out, cost_micros, turns, metadata)
		SELECT 'bench-' || (1 + (i - 1) % @idle), 'bench', 1 + (i - 1) / @idle, 'doing', 'coder', 'worker',
		       'coder', 'executor' || i % 10, 1 + i % 3, 'exec', 'model-' || i % 5, 'headless', 'base', 'fresh', 'ended', 1,
		       i, CASE WHEN i % 20 = 0 THEN 'failed' ELSE 'completed' END, i % 20 = 0, at, at + 200, at + 60000,
		       'What run number ' || i || ' has done', i % 100000, i % 10000, i % 2000000, i % 50,
		       '{"usage":{"in":' || i % 100000 || ',"out":' || i % 10000 || '},"transcript":"session-' || i || '"}'
		FROM (SELECT i, @now - 3600000 - 60000 - (@ended - i) * (31536000000 / @ended) AS at FROM n)`},
		{"ended sessions", `
		INSERT INTO sessions (id, card, board, slot, role, profile, origin, launch_key, secret_hash, harness, harness_session,
		                      executor, model, host, surface, state, first_run, last_run, started_at_ms, last_seen_at_ms,
		                      ended_at_ms)
		SELECT id, card, board, slot, role, profile, 'dispatched', 'key-' || id, 'hash-' || id, harness, 'session-' || id,
		       executor, model, host, surface, 'ended', id, id, launched_at_ms, ended_at_ms, ended_at_ms
		FROM task_runs
		WHERE ended_at_ms IS NOT NULL`},
		{"released leases", `
		INSERT INTO leases (executor, role, clone, card, slot, run, session, taken_at_ms, released_at_ms)
		SELECT executor, role, clone, card, slot, id, session, claimed_at_ms, ended_at_ms
		FROM task_runs
		WHERE ended_at_ms IS NOT NULL`},
		{"events", `
		INSERT INTO events (at_ms, board, card, run, kind, actor)
		SELECT ended_at_ms, board, card, id, 'run_ended', 'board'
		FROM task_runs
		WHERE ended_at_ms IS NOT NULL`},
	}
}
