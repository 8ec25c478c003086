package bench_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/seed-2ddc2152/board/internal/bench"
	"github.com/seed-2ddc2152/board/migrations"
)

// floorCards is more than a benchmark claims in its second.
const floorCards = 50_000

// newBoard makes a database of the program's schema with the empty board "bench", at synchronous=FULL.
func newBoard(tb testing.TB) (*sql.DB, string) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "board.db")
	db, err := sql.Open("sqlite", "file:"+path+
		"?_txlock=immediate&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=foreign_keys(on)&_pragma=busy_timeout(5000)")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, migrations.FS)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := provider.Up(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	_, err = db.ExecContext(tb.Context(), "INSERT INTO boards (slug, name, workflow, created_at_ms) VALUES ('bench', 'bench', 'default', 1)")
	if err != nil {
		tb.Fatal(err)
	}
	return db, path
}

// BenchmarkFloorClaim is the least that a claim can cost with this stack and schema: under the writers' lock, read the
// card, count the open runs, insert run, lease and event, move the card, commit with one fdatasync.
func BenchmarkFloorClaim(b *testing.B) {
	for _, perCommit := range []int{1, 10} {
		b.Run(fmt.Sprint(perCommit), func(b *testing.B) {
			db, path := newBoard(b)
			if err := bench.Seed(b.Context(), path, bench.Shape{Ready: floorCards}, time.Now()); err != nil {
				b.Fatal(err)
			}
			lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = lock.Close() })
			db.SetMaxOpenConns(1)
			claimed := 0
			for b.Loop() {
				if err := claimFloor(b.Context(), db, lock, claimed, perCommit); err != nil {
					b.Fatal(err)
				}
				claimed += perCommit
				if claimed%openRuns == 0 {
					b.StopTimer()
					if err := end(b.Context(), db, path, "true"); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(claimed), "ns/claim")
		})
	}
}

func claimFloor(ctx context.Context, db *sql.DB, lock *os.File, first, n int) error {
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	defer func() { _ = syscall.Flock(int(lock.Fd()), syscall.LOCK_UN) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for i := range n {
		var open, revision int
		card := fmt.Sprintf("bench-%d", 1+(first+i)%floorCards)
		if err := tx.QueryRowContext(ctx, "SELECT revision FROM cards WHERE id = ?", card).Scan(&revision); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM task_runs WHERE ended_at_ms IS NULL").Scan(&open); err != nil {
			return err
		}
		if err := claimRows(ctx, tx, card, first+i); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func claimRows(ctx context.Context, tx *sql.Tx, card string, before int) error {
	result, err := tx.ExecContext(ctx, `
		INSERT INTO task_runs (card, board, attempt, status, role, slot, profile, executor, clone, harness, surface, host,
		                       mode, state, claimed_at_ms)
		VALUES (?, 'bench', ?, 'doing', 'coder', 'worker', 'coder', 'e', 1, 'exec', 'headless', 'base', 'fresh', 'claimed', 1)`,
		card, before/floorCards+1)
	if err != nil {
		return err
	}
	run, err := result.LastInsertId()
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `
		INSERT INTO leases (executor, role, clone, card, slot, run, taken_at_ms)
		VALUES ('e', 'coder', ?, ?, 'worker', ?, 1)`, run, card, run); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `
		UPDATE cards
		SET status = 'doing', revision = revision + 1, attempts = attempts + 1, updated_at_ms = 1
		WHERE id = ?`, card); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO events (at_ms, board, card, run, kind, actor)
		VALUES (1, 'bench', ?, ?, 'claimed', 'board')`, card, run)
	return err
}
