package bench_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/bench"
	"github.com/seed-2ddc2152/board/internal/process"
)

// openRuns is how many runs are open at most while claims are measured; those of a tick that starts twenty.
const openRuns = 20

// claimerEnv tells this test binary to be one of the processes of BenchmarkContention; its value is the claimer's order.
const claimerEnv = "BOARD_BENCH_CLAIMER"

// claimerOrder is what one process claims, and for how long.
type claimerOrder struct {
	DB    string        `json:"db"`
	First int           `json:"first"` // the number of its first card
	Cards int           `json:"cards"`
	For   time.Duration `json:"for"`
}

// claimerReport is what one process saw.
type claimerReport struct {
	Claims int           `json:"claims"`
	Worst  time.Duration `json:"worst"` // the longest claim
	Busy   int           `json:"busy"`  // claims that ended in ErrBusy
}

func TestMain(m *testing.M) {
	if text := os.Getenv(claimerEnv); text != "" {
		if err := claimer(text); err != nil {
			fmt.Fprintln(os.Stderr, "claimer:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// claim claims card number n of the board "bench" by the store's own door.
func claim(ctx context.Context, store *board.Store, n, clone int) error {
	id := fmt.Sprintf("bench-%d", n)
	_, err := store.Claim(ctx, board.ViewSpec{Now: board.At(time.Now()), Card: id}, func(v *board.View) (board.Claim, error) {
		if len(v.Cards) != 1 {
			return board.Claim{}, fmt.Errorf("the view holds %d cards named %s", len(v.Cards), id)
		}
		card := v.Cards[0]
		from := card.Status
		card.Status = "doing"
		return board.Claim{
			Card: card, From: from, Actor: "board",
			Run: board.Run{
				Card: id, Board: "bench", Status: "doing", Role: "coder", Slot: "worker", Profile: "coder", Executor: "e",
				Clone: clone, Harness: "exec", Surface: "headless", Host: "base", Mode: board.ModeFresh,
			},
		}, nil
	})
	return err
}

// end ends runs and releases their leases by plain SQL, under the writers' lock: what a settle costs is not measured here.
func end(ctx context.Context, db *sql.DB, path, cards string, args ...any) error {
	lock, err := process.Flock(ctx, path+".lock", time.Minute)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	for _, query := range []string{
		"UPDATE task_runs SET state = 'ended', outcome = 'completed', ended_at_ms = 2 WHERE ended_at_ms IS NULL AND " + cards,
		"UPDATE leases SET released_at_ms = 2 WHERE released_at_ms IS NULL AND " + cards,
	} {
		if _, err := db.ExecContext(ctx, query, args...); err != nil {
			return err
		}
	}
	return nil
}

func BenchmarkClaim(b *testing.B) {
	b.Run("1", func(b *testing.B) {
		db, path := newBoard(b)
		if err := bench.Seed(b.Context(), path, bench.Shape{Ready: floorCards}, time.Now()); err != nil {
			b.Fatal(err)
		}
		store, err := board.Open(b.Context(), path, path+".lock")
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = store.Close() })
		claimed := 0
		for b.Loop() {
			if err := claim(b.Context(), store, 1+claimed%floorCards, 1+claimed%openRuns); err != nil {
				b.Fatal(err)
			}
			claimed++
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

// BenchmarkContention lets eight processes claim at once for three seconds (DB-1).
func BenchmarkContention(b *testing.B) {
	const processes, span = 8, 3 * time.Second
	for b.Loop() {
		_, path := newBoard(b)
		if err := bench.Seed(b.Context(), path, bench.Shape{Ready: floorCards}, time.Now()); err != nil {
			b.Fatal(err)
		}
		reports, err := contend(b.Context(), path, processes, span)
		if err != nil {
			b.Fatal(err)
		}
		least, most, busy, worst := reports[0].Claims, 0, 0, time.Duration(0)
		for _, r := range reports {
			least, most, busy, worst = min(least, r.Claims), max(most, r.Claims), busy+r.Busy, max(worst, r.Worst)
		}
		b.ReportMetric(float64(worst.Milliseconds()), "worst-ms")
		b.ReportMetric(float64(least)/float64(most), "share")
		b.ReportMetric(float64(busy), "busy")
	}
}

// contend starts the processes, waits for all, and returns what each reported.
func contend(ctx context.Context, path string, processes int, span time.Duration) ([]claimerReport, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	reports := make([]claimerReport, processes)
	problems := make(chan error)
	for i := range reports {
		share := floorCards / processes
		order, err := json.Marshal(claimerOrder{DB: path, First: 1 + i*share, Cards: share, For: span})
		if err != nil {
			return nil, err
		}
		go func() {
			cmd := exec.CommandContext(ctx, self)
			cmd.Env, cmd.Stderr = append(os.Environ(), claimerEnv+"="+string(order)), os.Stderr
			text, err := cmd.Output()
			if err == nil {
				err = json.Unmarshal(text, &reports[i])
			}
			problems <- err
		}()
	}
	for range reports {
		err = errors.Join(err, <-problems)
	}
	return reports, err
}

// claimer claims one card after the other, ending each run before the next, and prints its report.
func claimer(text string) error {
	var order claimerOrder
	if err := json.Unmarshal([]byte(text), &order); err != nil {
		return err
	}
	ctx := context.Background()
	store, err := board.Open(ctx, order.DB, order.DB+".lock")
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	db, err := sql.Open("sqlite", "file:"+order.DB+"?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=synchronous(off)")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var report claimerReport
	for until := time.Now().Add(order.For); time.Now().Before(until); {
		number := order.First + report.Claims%order.Cards
		began := time.Now()
		err := claim(ctx, store, number, number)
		report.Worst = max(report.Worst, time.Since(began))
		if errors.Is(err, board.ErrBusy) {
			report.Busy++
			continue
		}
		if err != nil {
			return err
		}
		report.Claims++
		if err := end(ctx, db, order.DB, "card = ?", "bench-"+strconv.Itoa(number)); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}
