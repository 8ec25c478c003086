package board_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/migrations"
	"github.com/seed-2ddc2152/board/workflows"
)

// raw opens a database as any other program would.
func raw(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=foreign_keys(ON)&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func exec(t *testing.T, db *sql.DB, query string) error {
	t.Helper()
	_, err := db.ExecContext(t.Context(), query)
	return err
}

func TestOpen_RefusesWhatIsNoBoard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(t *testing.T, file string)
		want error
		says string
	}{
		{"no file", func(*testing.T, string) {}, board.ErrNoHome, "there is no database"},
		{"a folder", func(t *testing.T, file string) {
			t.Helper()
			ok(t, os.Mkdir(file, 0o700))
		}, board.ErrInvalid, "is not a file"},
		{"an empty file", func(t *testing.T, file string) {
			t.Helper()
			ok(t, os.WriteFile(file, nil, 0o600))
		}, board.ErrInvalid, "is empty"},
		{"another file", func(t *testing.T, file string) {
			t.Helper()
			ok(t, os.WriteFile(file, []byte(strings.Repeat("not a database, ", 1000)), 0o600))
		}, board.ErrInvalid, "is not a board database"},
		{"a truncated database", func(t *testing.T, file string) {
			t.Helper()
			ok(t, raw(t, file).Close())
			s, err := board.Create(t.Context(), file, file+".lock")
			ok(t, err)
			ok(t, s.Close())
			ok(t, os.Truncate(file, 5000))
		}, board.ErrInvalid, "damaged"},
		{"the database of another program", func(t *testing.T, file string) {
			t.Helper()
			ok(t, exec(t, raw(t, file), "CREATE TABLE theirs (x)"))
		}, board.ErrInvalid, "is not a board database"},
		{"a newer one (DB-3)", func(t *testing.T, file string) {
			t.Helper()
			ok(t, exec(t, raw(t, file), "PRAGMA user_version = 9999; CREATE TABLE later (x)"))
		}, board.ErrNewer, "9999"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "board.db")
			c.make(t, file)
			before, _ := os.ReadFile(file)
			s, err := board.Open(t.Context(), file, file+".lock")
			if err == nil {
				_, err = s.View(t.Context(), board.ViewSpec{})
				s.Close()
			}
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v, want %v saying %q", err, c.want, c.says)
			}
			if after, _ := os.ReadFile(file); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// DB-2, DB-3: looks at the file as another program sees it: the journal is WAL for good, the version is the newest
// migration's, the file is the owner's only.
func TestCreate_DB2_DB3_MakesAWholeDatabase(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	db := raw(t, d.file)
	var mode string
	var version int
	ok(t, db.QueryRowContext(d.ctx, "PRAGMA journal_mode").Scan(&mode))
	ok(t, db.QueryRowContext(d.ctx, "PRAGMA user_version").Scan(&version))
	if mode != "wal" || version != migrations.Newest {
		t.Errorf("journal %s, version %d; want wal, %d", mode, version, migrations.Newest)
	}
	info, err := os.Stat(d.file)
	ok(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode().Perm())
	}
	files, err := migrations.FS.ReadDir(".")
	ok(t, err)
	if len(files) != migrations.Newest {
		t.Errorf("%d migration files, the newest is %d", len(files), migrations.Newest)
	}
}

// DB-3: a dry run never migrates.
func TestOpenReadOnly_DB3_NeverMigrates(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "board.db")
	ok(t, exec(t, raw(t, file), "CREATE TABLE goose_db_version (x)")) // as a board of another version has
	s, err := board.OpenReadOnly(t.Context(), file)
	if err == nil {
		s.Close()
	}
	if !errors.Is(err, board.ErrMigrate) {
		t.Fatalf("got %v, want %v", err, board.ErrMigrate)
	}
}

// DB-4: planning reads a covering index and open runs by theirs, whatever the rest holds.
func TestView_DB4_ReadsCoveringIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	db := raw(t, d.file)
	for query, want := range map[string]string{
		`SELECT c.id, c.board, c.number, c.status, c.priority, c.assignee, c.host, c.model, c.effort, c.parent, c.owns, c.labels, c.workspace,
			c.not_before_at_ms, c.ready_since_at_ms, c.start_requested_at_ms, c.max_runs, c.failures, c.handovers, c.moves, c.unanswered,
			c.round_runs, c.attempts, c.counters, c.clean_start, c.current_run, c.revision, c.created_at_ms FROM cards c
			WHERE c.board = 'api' AND c.status = 'todo' AND c.ended_at_ms IS NULL AND c.archived_at_ms IS NULL`: "USING COVERING INDEX cards_plan",
		`SELECT id FROM task_runs WHERE ended_at_ms IS NULL AND card = 'api-1'`: "INDEX task_runs_open",
	} {
		plan := planOf(t, db, query)
		if !strings.Contains(strings.Join(plan, "; "), want) {
			t.Errorf("plan %q, want %q", plan, want)
		}
	}
}

// planOf is how SQLite would run a query.
func planOf(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query)
	ok(t, err)
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		ok(t, rows.Scan(&id, &parent, &unused, &detail))
		plan = append(plan, detail)
	}
	ok(t, rows.Err())
	return plan
}

// TestSchema_RefusesImpossibleRows tries to write, past the program, what can never be true.
func TestSchema_RefusesImpossibleRows(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	card := d.add()
	run := d.start(card)
	other := d.add()
	db := raw(t, d.file)
	for rule, query := range map[string]string{
		"MOD-1 a second open run": `INSERT INTO task_runs (card, board, attempt, status, role, slot, profile, executor, harness, surface, host, mode, state, claimed_at_ms)
			VALUES ('` + card + `', 'api', 9, 'doing', 'coder', 'worker', 'coder', 'x', 'exec', 'headless', 'base', 'fresh', 'claimed', 1)`,
		"MOD-2 a card without its open run":       `UPDATE cards SET current_run = NULL WHERE id = '` + card + `'`,
		"MOD-2 a card with a run that is not its": `UPDATE cards SET current_run = 1 WHERE id = '` + other + `'`,
		"MOD-3 a clone leased twice":              `INSERT INTO leases (executor, role, clone, card, slot, run, taken_at_ms) VALUES ('opus', 'coder', 1, '` + other + `', 'worker', 1, 1)`,
		"an outcome of an open run":               `UPDATE task_runs SET outcome = 'completed' WHERE id = 1`,
		"an unknown outcome":                      `UPDATE task_runs SET outcome = 'fine', state = 'ended', ended_at_ms = 1 WHERE id = 1`,
		"a link to itself":                        `INSERT INTO card_links (blocker, blocked, created_at_ms) VALUES ('api-1', 'api-1', 1)`,
		"a changed event":                         `UPDATE events SET kind = 'other'`,
		"a text for a number":                     `UPDATE cards SET priority = 'high'`,
	} {
		if err := exec(t, db, query); err == nil {
			t.Errorf("%s was written", rule)
		}
	}
	d.settle(run, 0)
	if err := exec(t, db, `UPDATE task_runs SET state = 'running', ended_at_ms = NULL, outcome = NULL WHERE id = 1`); err == nil {
		t.Error("an ended run was opened again")
	}
}

// TestSchema_NamesTheSameSetsAsTheCode compares the closed sets of Go with the CHECKs of SQL.
func TestSchema_NamesTheSameSetsAsTheCode(t *testing.T) {
	t.Parallel()
	source, err := migrations.FS.ReadFile("00001_create_board.sql")
	ok(t, err)
	check := func(name string, want ...string) {
		m := regexp.MustCompile(`(?s)CONSTRAINT ` + name + ` CHECK \([^(]*IN \(([^)]*)\)`).FindSubmatch(source)
		if m == nil {
			t.Errorf("there is no CHECK %s", name)
			return
		}
		var got []string
		for _, word := range regexp.MustCompile(`'(\w+)'`).FindAllStringSubmatch(string(m[1]), -1) {
			got = append(got, word[1])
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: SQL has %v, Go has %v", name, got, want)
		}
	}
	check("task_runs_state", string(board.RunClaimed), string(board.RunRunning), string(board.RunWaitingHost), string(board.RunEnded))
	check("task_runs_mode", string(board.ModeFresh), string(board.ModeResume), string(board.ModeKept))
	check("task_runs_surface", string(workflows.SurfaceHeadless), string(workflows.SurfacePane))
	check("sessions_origin", string(board.Dispatched), string(board.Adopted))
	check("sessions_state", string(board.SessionBusy), string(board.SessionWaiting), string(board.SessionIdle), string(board.SessionUnknown), string(board.SessionEnded))
	check("exclusions_kind", string(board.OutUntil), string(board.OutHealth), string(board.OutConfig))
	check("pauses_kind", string(board.PauseCard), string(board.PauseBoard), string(board.PauseExecutor), string(board.PauseCap), string(board.PauseHome))
	check("leases_because", string(roster.BecauseNobody), string(roster.BecauseHeld), string(roster.BecauseOut))
	check("holds_code", string(board.HoldFault), string(board.HoldPaused), string(board.HoldNeedsPerson), string(board.HoldBlocked), string(board.HoldNotBefore),
		string(board.HoldNoTransition), string(board.HoldRefused), string(board.HoldWorkspace), string(board.HoldIneligible), string(board.HoldCapacity),
		string(board.HoldRoster), string(board.HoldLauncher))
	check("task_runs_outcome", string(board.Completed), string(board.Failed), string(board.Crashed), string(board.TimedOut), string(board.Quiet), string(board.Refused),
		string(board.SpawnFailed), string(board.RateLimited), string(board.UsageLimited), string(board.Unauthenticated), string(board.Quota), string(board.ModelUnavailable),
		string(board.HarnessMissing), string(board.Overloaded), string(board.Outage), string(board.ContextOverflow), string(board.Blocked), string(board.NoVerdict),
		string(board.Stopped), string(board.Interrupted), string(board.Reclaimed))
}

// TestSettle_END2 is called twice, by supervisor and tick: the second finds it done.
func TestSettle_END2_IsDoneOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	card := d.add()
	run := d.start(card)
	d.settle(run, 0)
	events := len(d.page(card).Events)
	zero := 0
	out, err := d.store.Settle(d.ctx, d.now, d.rules, board.Exit{Run: run, Code: &zero})
	if err != nil || !out.Already {
		t.Fatalf("settled again: %+v, %v", out, err)
	}
	if n := len(d.page(card).Events); n != events {
		t.Errorf("%d events, there were %d", n, events)
	}
	if c := d.card(card); c.Status != "review" || c.CurrentRun != 0 {
		t.Errorf("card in %s with run %d, want review and none", c.Status, c.CurrentRun)
	}
}

// TestSettle_ROS5 holds that a lease ends in the transaction that records its session's end.
func TestSettle_ROS5_GivesTheLeaseBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	run := d.start(d.add())
	leases := func() int {
		v, err := d.store.View(d.ctx, board.ViewSpec{Now: d.now})
		ok(t, err)
		return len(v.Leases) + len(v.Sessions) + len(v.Runs)
	}
	if n := leases(); n != 3 {
		t.Fatalf("%d open rows, want a run, a session and a lease", n)
	}
	d.settle(run, 1)
	if n := leases(); n != 0 {
		t.Errorf("%d open rows are left", n)
	}
}

// TestClaim_DSP7 rolls back whole when the decision refuses.
func TestClaim_DSP7_ARefusalWritesNothing(t *testing.T) { // H8
	t.Parallel()
	d := newDesk(t)
	card := d.add()
	no := errors.New("no room")
	d.refused(card, no, func() error {
		_, err := d.store.Claim(d.ctx, board.ViewSpec{Now: d.now, Card: card}, func(*board.View) (board.Claim, error) { return board.Claim{}, no })
		return err
	})
}

// TestBegin_DSP8 is the compare-and-set of a supervisor: one wins, and nobody once the run was asked to stop (J2).
func TestBegin_DSP8_OneSupervisorWins(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	card := d.add()
	run := d.start(card)
	if _, err := d.store.Begin(d.ctx, d.now, run, board.Session{ID: run}); !errors.Is(err, board.ErrElsewhere) {
		t.Errorf("a second supervisor: %v, want %v", err, board.ErrElsewhere)
	}
}

// TestWait_RET2 holds that backoff grows, stays within its bounds, and is the same for everybody.
func TestWait_RET2_GrowsWithinItsBounds(t *testing.T) {
	t.Parallel()
	b := workflows.Backoff{First: time.Minute, Factor: 2, Max: 30 * time.Minute, Jitter: 0.2}
	for nth, base := range map[int]time.Duration{1: time.Minute, 2: 2 * time.Minute, 3: 4 * time.Minute, 12: 30 * time.Minute} {
		for run := int64(1); run < 50; run++ {
			got := board.Wait(b, nth, run)
			if got < base*8/10 || got > base*12/10 {
				t.Fatalf("failure %d of run %d waits %s, want %s give or take a fifth", nth, run, got, base)
			}
			if again := board.Wait(b, nth, run); again != got {
				t.Fatalf("run %d waits %s and %s", run, got, again)
			}
		}
	}
}

// TestDocumentedQueries runs every query of docs/queries.md.
func TestDocumentedQueries_Run(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.settle(d.start(d.add()), 0)
	text, err := os.ReadFile(filepath.Join("..", "docs", "queries.md"))
	ok(t, err)
	n := 0
	for _, block := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for query := range strings.SplitSeq(block[1], ";\n") {
			if strings.TrimSpace(query) == "" {
				continue
			}
			n++
			if err := d.store.Query(context.WithoutCancel(d.ctx), strings.TrimSuffix(strings.TrimSpace(query), ";"), func([]string, []any) error { return nil }); err != nil {
				t.Errorf("%v in\n%s", err, query)
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d queries were found", n)
	}
}
