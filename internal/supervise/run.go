package supervise

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/migrations"
	"github.com/seed-2ddc2152/board/workflows"
)

// Run is the whole life of a supervisor: it takes its run, works, proves that everything has gone, and settles (DSP-8). The
// exit code is 0 also when another supervisor has the run, and 1 when something failed that Stderr tells.
func Run(ctx context.Context, o Options) int {
	s := &supervisor{Options: o, loaded: Settings{Rules: noRules()}, locks: map[int64]*process.RecordLock{}}
	s.Fail.Hit(failpoint.SuperviseStart)
	err := s.life(ctx)
	if errors.Is(err, board.ErrElsewhere) {
		s.say("%v", err)
		return 0
	}
	if err != nil {
		s.say("%v", err)
		return 1
	}
	return 0
}

// supervisor is the process.
type supervisor struct {
	Options
	table  *process.Table
	reaper process.Reaper
	self   process.Identity
	store  *board.Store
	loaded Settings                      // the last that could be loaded
	locks  map[int64]*process.RecordLock // of its runs, by run, until it ends
}

// life takes the lock that it keeps until it ends, and the run. Before the run is taken nothing is started or written.
func (s *supervisor) life(ctx context.Context) (err error) {
	if err := s.lock(s.Run); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.unlock()) }()
	s.Fail.Hit(failpoint.SuperviseLock)
	if err := s.open(ctx); err != nil {
		return err
	}
	defer s.store.Close()
	x, run, err := s.begin(ctx)
	if err != nil {
		return err
	}
	s.Fail.Hit(failpoint.SuperviseRunning)
	return x.serve(ctx, run)
}

// lock takes the lock of a run, and keeps it until this process ends (DSP-8).
func (s *supervisor) lock(run int64) error {
	dir := s.Home.Run(run)
	if err := home.MkdirAll(dir); err != nil {
		return fmt.Errorf("make the folder of run %d: %w", run, err)
	}
	lock, held, err := process.LockRecord(filepath.Join(dir, "lock"))
	if err != nil {
		return fmt.Errorf("lock run %d: %w", run, err)
	}
	if held {
		return fmt.Errorf("run %d has a supervisor: %w", run, board.ErrElsewhere)
	}
	s.locks[run] = lock
	return nil
}

// unlock gives up the locks of runs, all of them where none is named.
func (s *supervisor) unlock(runs ...int64) error {
	if len(runs) == 0 {
		runs = slices.Collect(maps.Keys(s.locks))
	}
	var all []error
	for _, run := range runs {
		all = append(all, s.locks[run].Release())
		delete(s.locks, run)
	}
	return errors.Join(all...)
}

// open finds out where it is, and opens the database as it is: a supervisor never migrates (SUP-2).
func (s *supervisor) open(ctx context.Context) (err error) {
	if s.table, err = process.Open(); err != nil {
		return err
	}
	if s.self, err = s.table.Self(); err != nil {
		return err
	}
	if _, err := process.BecomeSubreaper(); err != nil {
		return err
	}
	if s.store, err = board.OpenUnmigrated(ctx, s.Home.DB(), s.Home.WriteLock()); err != nil {
		return err
	}
	if err := s.writable(ctx); err != nil {
		return errors.Join(err, s.store.Close())
	}
	return nil
}

// writable says whether this program may write the database: not when a newer one has migrated it (SUP-2).
func (s *supervisor) writable(ctx context.Context) error {
	version, err := s.store.Version(ctx)
	if err != nil {
		return err
	}
	if version != migrations.Newest {
		return board.NewProblem(board.ErrNewer, "", "the database is of version %d, this program's is %d: it is left alone", version, migrations.Newest)
	}
	return nil
}

// begin mints key and secret and takes the run (DSP-8). A run that was asked to stop is not begun (J2).
func (s *supervisor) begin(ctx context.Context) (*session, board.Run, error) {
	run, err := s.store.Run(ctx, s.Run)
	if err != nil {
		return nil, board.Run{}, err
	}
	select {
	case sig := <-s.Signals:
		return nil, run, fmt.Errorf("begin run %d: told to end by %v before it began: %w", run.ID, sig, board.ErrElsewhere)
	default:
	}
	x := s.newSession(run.ID, rand.Text(), rand.Text())
	x.pane, x.interactive = s.ownPane(ctx), s.interactive(ctx, run)
	now := board.At(s.Clock.Now())
	run, err = s.store.Begin(ctx, now, run.ID, board.Session{
		ID: run.ID, Card: run.Card, Board: run.Board, Slot: run.Slot, Role: run.Role, Profile: run.Profile, Origin: board.Dispatched,
		LaunchKey: x.key, SecretHash: board.SecretHash(x.secret), Harness: run.Harness, Executor: run.Executor, Model: run.Model,
		Host: run.Host, Surface: run.Surface, Interactive: x.interactive,
		TmuxSocket: x.pane.Socket, TmuxSession: x.pane.Session, TmuxWindow: x.pane.Window, TmuxPane: x.pane.Pane, Supervisor: s.self.String(), State: board.SessionBusy, FirstRun: run.ID, LastRun: run.ID,
		StartedAt: now, LastSeenAt: now,
	})
	return x, run, err
}

// settings loads the files anew; what a person has broken since leaves the last that loaded in force.
func (s *supervisor) settings(ctx context.Context) (Settings, error) {
	fresh, err := s.Load(ctx, s.store)
	if err != nil {
		return s.loaded, err
	}
	s.loaded = fresh
	return fresh, nil
}

// rules are the files' for one decision.
func (s *supervisor) rules(ctx context.Context) board.Rules {
	set, err := s.settings(ctx)
	if err != nil {
		s.say("read the settings: %v", err)
	}
	return set.Rules
}

// noRules are those of a supervisor that could never load any: no workflow and no executor.
func noRules() board.Rules {
	return board.Rules{
		Workflow:    func(string) *workflows.Workflow { return nil },
		Executor:    func(string) (roster.Executor, bool) { return roster.Executor{}, false },
		Fingerprint: func(roster.Executor) string { return "" },
	}
}

// label names an executor for people.
func label(rules board.Rules) func(id string, clone int) string {
	return func(id string, clone int) string {
		e, ok := rules.Executor(id)
		if !ok {
			return cmp.Or(id, "somebody")
		}
		return e.Label(clone)
	}
}

// say writes a line to runs/<id>/supervise.log.
func (s *supervisor) say(format string, args ...any) {
	fmt.Fprintf(s.Stderr, "%s supervise %d: %s\n", board.At(s.Clock.Now()), s.Run, fmt.Sprintf(format, args...))
}
