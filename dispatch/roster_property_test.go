package dispatch_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/process"
)

// watchdog makes the database itself note each lease that breaks a promise, in the transaction that takes or ends it, whatever
// the interleaving: no slot and no coder slot beyond those there are, the lowest free clone, no second end.
const watchdog = `
CREATE TABLE seats (executor TEXT PRIMARY KEY, slots INTEGER, coder_slots INTEGER);
CREATE TABLE breaches (text TEXT);
CREATE TRIGGER lease_taken AFTER INSERT ON leases BEGIN
	INSERT INTO breaches SELECT 'slots of ' || NEW.executor FROM seats s WHERE s.executor = NEW.executor AND s.slots <
		(SELECT count(*) FROM leases l WHERE l.executor = NEW.executor AND l.clone IS NOT NULL AND l.released_at_ms IS NULL);
	INSERT INTO breaches SELECT 'coder slots of ' || NEW.executor FROM seats s WHERE s.executor = NEW.executor AND s.coder_slots <
		(SELECT count(*) FROM leases l WHERE l.executor = NEW.executor AND l.role = 'coder' AND l.released_at_ms IS NULL);
	INSERT INTO breaches SELECT 'not the lowest clone: ' || NEW.executor || '#' || NEW.clone WHERE NEW.clone - 1 >
		(SELECT count(*) FROM leases l WHERE l.executor = NEW.executor AND l.clone < NEW.clone AND l.released_at_ms IS NULL);
END;
CREATE TRIGGER lease_ended AFTER UPDATE OF released_at_ms ON leases WHEN OLD.released_at_ms IS NOT NULL BEGIN
	INSERT INTO breaches VALUES ('lease ' || OLD.id || ' has ended twice');
END;`

// orphans are leases that have outlived their holder, and runs without a lease; in one snapshot there is never one.
const orphans = `
SELECT coalesce(group_concat(text), '') FROM (
	SELECT 'lease ' || l.id || ' outlives run ' || l.run AS text FROM leases l
	WHERE l.released_at_ms IS NULL
		AND NOT EXISTS (SELECT 1 FROM task_runs r WHERE r.id = l.run AND r.ended_at_ms IS NULL)
		AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = l.session AND s.ended_at_ms IS NULL)
	UNION ALL
	SELECT 'run ' || r.id || ' has no lease' FROM task_runs r
	WHERE r.ended_at_ms IS NULL AND r.mode <> 'kept'
		AND NOT EXISTS (SELECT 1 FROM leases l WHERE l.run = r.id AND l.released_at_ms IS NULL)
	UNION ALL
	SELECT text FROM breaches)`

// mortal is a process table in which a session's supervisor cannot be told from here until it is known to be dead.
type mortal struct{ dead *sync.Map }

func (m mortal) Check(id process.Identity) process.Liveness {
	if _, dead := m.dead.Load(id.PID); dead {
		return process.Dead
	}
	return process.Unknown
}
func (mortal) Rebooted(process.Identity) bool                { return false }
func (mortal) FindByEnv(string, string) []process.Entry      { return nil }
func (mortal) Members(process.Tree) []process.Entry          { return nil }
func (mortal) Signal(process.Identity, syscall.Signal) error { return nil }

// shift is what several processes do to one home at the same time.
type shift struct {
	*place
	db     *sql.DB // what looks at the whole
	dead   sync.Map
	counts *shiftCounts
}

type shiftCounts struct{ ticks, leases, deaths, exclusions, borrowed, handovers, looks atomic.Int64 }

// crew are the processes of the property.
const crew = 4

// act is one thing that a process does. pick chooses among what there is.
func (s *shift) act(store *board.Store, what string, pick int) error {
	ctx := context.Background()
	if what == "tick" {
		d := s.deps(store)
		d.Table = mortal{&s.dead}
		s.counts.ticks.Add(1)
		_, err := dispatch.Tick(ctx, d, dispatch.TickOptions{NoLock: true})
		return err
	}
	executor := string(rune('a' + pick%3))
	switch what {
	case "later":
		s.clock.Advance(time.Duration(pick) * time.Second)
		return nil
	case "pause":
		_, err := store.Pause(ctx, s.now(), board.PauseRequest{Pause: board.Pause{Kind: board.PauseExecutor, Target: executor, Actor: "ada", Until: s.now().Add(time.Minute)}})
		return err
	case "resume":
		_, err := store.Resume(ctx, s.now(), board.ResumeRequest{Kind: board.PauseExecutor, Target: executor, Actor: "ada"})
		return err
	}
	view, err := store.View(ctx, board.ViewSpec{Now: s.now()})
	if err != nil || len(view.Runs) == 0 {
		return err
	}
	run := view.Runs[pick%len(view.Runs)]
	if run.State == board.RunClaimed {
		if err := s.begin(ctx, store, run); err != nil {
			return err
		}
	}
	switch what {
	case "dies":
		s.counts.deaths.Add(1)
		s.dead.Store(int(run.ID), true)
		return nil
	case "limit":
		return s.leave(run, failed(board.UsageLimited, said("s"), resets(s.clock.Now().Add(time.Minute))))
	case "fails":
		return s.leave(run, failed(board.Failed))
	case "idle":
		if run.Slot == "worker" {
			return s.leave(run, board.Exit{Code: new(int), Output: true, Kept: true})
		}
	}
	exit := board.Exit{Code: new(int), Output: true}
	if run.Role == "reviewer" {
		exit.Result.Verdict, exit.Result.Reason = []board.Verdict{board.VerdictApprove, board.VerdictChanges}[pick%2], "so"
	}
	return s.leave(run, exit)
}

func (s *shift) begin(ctx context.Context, store *board.Store, r board.Run) error {
	x := board.Session{
		ID: r.ID, Card: r.Card, Board: r.Board, Slot: r.Slot, Role: r.Role, Profile: r.Profile, Origin: board.Dispatched, Harness: r.Harness,
		Executor: r.Executor, Host: r.Host, Surface: r.Surface, State: board.SessionBusy, FirstRun: r.ID, LastRun: r.ID, StartedAt: s.now(), LastSeenAt: s.now(),
		Interactive: true, SecretHash: board.SecretHash(fmt.Sprint("secret of ", r.ID)), LaunchKey: fmt.Sprint("key of ", r.ID),
		Supervisor: process.Identity{BootID: "boot", PID: int(r.ID), StartTime: 1}.String(),
	}
	if r.Mode == board.ModeKept {
		x.ID = r.Resumes
	}
	_, err := store.Begin(ctx, s.now(), r.ID, x)
	return err
}

// leave writes a run's exit.json; the next tick settles from it.
func (s *shift) leave(run board.Run, exit board.Exit) error {
	s.exits(run.ID, exit)
	return nil
}

// look checks one snapshot of the whole database.
func (s *shift) look() string {
	s.counts.looks.Add(1)
	var broken string
	if err := s.db.QueryRowContext(context.Background(), orphans).Scan(&broken); err != nil {
		return err.Error()
	}
	return broken
}

// Issue 4: random leases, releases, exclusions, deaths and ticks of four processes on one database. Slots and coder slots are
// never exceeded, the lowest free clone is taken and no clone is out twice, no lease outlives its holder (ROS-4, ROS-5, ROS-14).
func TestLeases_ROS5_KeepTheirPromisesWhateverFourProcessesDo(t *testing.T) {
	t.Parallel()
	var counts shiftCounts
	rapid.Check(t, func(rt *rapid.T) {
		s := &shift{place: newShift(t), counts: &counts}
		s.sql(watchdog)
		s.db = s.raw()
		if rapid.Bool().Draw(rt, "two single seats") { // where reviews must borrow
			s.staff(`id: a`, `id: b`)
			s.sql(`INSERT INTO seats VALUES ('a', 1, 1), ('b', 1, 1)`)
		} else {
			s.staff(`id: a, slots: 3, coder_slots: 2, priority: 1`, `id: b, slots: 2, priority: 1`, `id: c, roles: [reviewer], priority: 2`)
			s.sql(`INSERT INTO seats VALUES ('a', 3, 2), ('b', 2, 2), ('c', 1, 0)`)
		}
		for range rapid.IntRange(2, 7).Draw(rt, "cards") {
			s.card(rapid.SampledFrom([]string{"todo", "todo", "review"}).Draw(rt, "status"))
		}
		deeds := rapid.SampledFrom([]string{"tick", "tick", "tick", "done", "done", "idle", "idle", "limit", "fails", "dies", "later", "pause", "resume"})
		days := make([][]string, crew)
		picks := make([][]int, crew)
		for i := range crew {
			days[i] = rapid.SliceOfN(deeds, 2, 6).Draw(rt, "deeds")
			picks[i] = rapid.SliceOfN(rapid.IntRange(0, 120), len(days[i]), len(days[i])).Draw(rt, "picks")
		}
		if broken := s.together(days, picks); broken != "" {
			rt.Fatal(broken)
		}
		if broken := s.drain(); broken != "" {
			rt.Fatal(broken)
		}
	})
	t.Logf("%d ticks of %d processes, %d leases (%d borrowed), %d exclusions, %d handovers, %d deaths; %d looks at the whole",
		counts.ticks.Load(), crew, counts.leases.Load(), counts.borrowed.Load(), counts.exclusions.Load(), counts.handovers.Load(), counts.deaths.Load(), counts.looks.Load())
}

// together lets each process do its day's deeds, all at once; the answer is what was broken.
func (s *shift) together(days [][]string, picks [][]int) string {
	var wait sync.WaitGroup
	broken := make(chan string, 1000)
	for i := range days {
		store := s.open()
		wait.Go(func() {
			for n, deed := range days[i] {
				if err := s.act(store, deed, picks[i][n]); err != nil && !errors.Is(err, board.ErrElsewhere) && !strings.Contains(err.Error(), "not paused") {
					broken <- deed + ": " + err.Error()
				}
				if text := s.look(); text != "" {
					broken <- deed + ": " + text
				}
			}
		})
	}
	wait.Wait()
	close(broken)
	return <-broken
}

// drain ends all that lives; afterwards no lease may be left.
func (s *shift) drain() string {
	for _, x := range s.view().Sessions {
		s.dead.Store(int(x.ID), true)
	}
	for _, executor := range []string{"a", "b", "c"} {
		s.paused(executor)
	}
	for range 4 { // a claim that nobody comes for is given up at its third launch
		s.clock.Advance(dispatch.SpawnGrace)
		if err := s.act(s.store, "tick", 0); err != nil {
			return err.Error()
		}
	}
	s.counts.leases.Add(s.number(`SELECT count(*) FROM leases`))
	s.counts.borrowed.Add(s.number(`SELECT count(*) FROM leases WHERE clone IS NULL`))
	s.counts.exclusions.Add(s.number(`SELECT count(*) FROM events WHERE kind = 'executor.excluded'`))
	s.counts.handovers.Add(s.number(`SELECT coalesce(sum(handovers), 0) FROM cards`))
	if v := s.view(); len(v.Leases)+len(v.Runs)+len(v.Sessions) > 0 {
		return fmt.Sprintf("when all is dead there are left: leases %+v, runs %+v, sessions %+v", v.Leases, v.Runs, v.Sessions)
	}
	return s.look()
}

// raw opens the database as any other program would; it is closed with the test.
func (s *shift) raw() *sql.DB {
	db, err := sql.Open("sqlite", s.home.DB()+"?_pragma=busy_timeout(5000)")
	if err != nil {
		s.tb.Fatal(err)
	}
	s.tb.Cleanup(func() { _ = db.Close() })
	return db
}

func (s *shift) number(query string) int64 {
	var n int64
	if _, err := fmt.Sscan(s.text(query), &n); err != nil {
		s.tb.Fatal(err)
	}
	return n
}
