package board

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
	sqlite "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/migrations"
)

// LockWait is how long a writer waits for the lock of DB-1 before it gives up.
const LockWait = 10 * time.Second

// Store keeps a home's database. It is safe for use by several goroutines and processes.
type Store struct {
	db       *sqlx.DB
	path     string
	lock     string // flocked before every write transaction (DB-1)
	readOnly bool
}

// Open opens a database that exists, to write. An older one is migrated first; a newer one is ErrNewer and is not touched.
func Open(ctx context.Context, path, lock string) (*Store, error) {
	return open(ctx, path, lock, openWrite)
}

// OpenReadOnly opens a database without ever writing it. An older one is ErrMigrate.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	return open(ctx, path, "", openRead)
}

// Create opens a database to write, and makes it if there is none.
func Create(ctx context.Context, path, lock string) (*Store, error) {
	return open(ctx, path, lock, openCreate)
}

// OpenUnmigrated opens a database to write and leaves its schema as it is, older or newer. A supervisor uses it: meeting a
// newer schema, it writes only files (SUP-2), which it learns from Version.
func OpenUnmigrated(ctx context.Context, path, lock string) (*Store, error) {
	return open(ctx, path, lock, openAsIs)
}

type openMode int

const (
	openRead openMode = iota
	openWrite
	openCreate
	openAsIs
)

func open(ctx context.Context, path, lock string, mode openMode) (*Store, error) {
	if err := checkFile(path, mode); err != nil {
		return nil, err
	}
	db, err := sqlx.Open("sqlite", dsn(path, mode))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(1) // every use is one short transaction; a second connection would only wait for the first
	s := &Store{db: db, path: path, lock: lock, readOnly: mode == openRead}
	if err := s.prepare(ctx, mode); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// checkFile looks at the file without opening it: opening and closing it would drop SQLite's locks on it (POSIX).
func checkFile(path string, mode openMode) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && mode == openCreate:
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("make %s: %w", path, err)
		}
		return errors.Join(file.Chmod(0o600), file.Close())
	case errors.Is(err, fs.ErrNotExist):
		return NewProblem(ErrNoHome, "board init", "there is no database at %s", path)
	case err != nil:
		return fmt.Errorf("look at %s: %w", path, err)
	case !info.Mode().IsRegular():
		return NewProblem(ErrInvalid, "", "%s is not a file", path)
	case info.Size() == 0 && mode != openCreate:
		return NewProblem(ErrInvalid, "restore it from a backup, or move it away and run: board init", "the database %s is empty", path)
	}
	return nil
}

func dsn(path string, mode openMode) string {
	q := url.Values{}
	q.Set("_txlock", "immediate") // a deferred transaction that turns into a write fails at once
	q.Add("_pragma", "busy_timeout(10000)")
	q.Add("_pragma", "foreign_keys(ON)")
	if mode == openRead {
		q.Set("mode", "ro")
	} else {
		q.Set("mode", "rw")
		q.Add("_pragma", "synchronous(FULL)")
	}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String()
}

// prepare brings the schema to this program's version, or says why it cannot.
func (s *Store) prepare(ctx context.Context, mode openMode) error {
	version, err := s.Version(ctx)
	if err != nil {
		return s.explain(err)
	}
	if version == 0 {
		if err := s.onlyOurs(ctx); err != nil {
			return err
		}
	}
	switch {
	case mode == openAsIs, version == migrations.Newest:
		return nil
	case version > migrations.Newest:
		return NewProblem(ErrNewer, "use the newer board program, or another --home",
			"the database %s is of version %d; this program knows up to %d", s.path, version, migrations.Newest)
	case mode == openRead:
		return NewProblem(ErrMigrate, "board dispatch (or any verb that writes) brings it up to date",
			"the database %s is of version %d, older than this program's %d", s.path, version, migrations.Newest)
	}
	return s.migrate(ctx)
}

// onlyOurs refuses a database without a version that has something in it: it is another program's. Goose makes its own table
// before the first migration.
func (s *Store) onlyOurs(ctx context.Context) error {
	var tables, ours int
	err := s.db.QueryRowContext(ctx, `
		SELECT count(*), count(*) FILTER (WHERE name = 'goose_db_version')
		FROM sqlite_schema`).Scan(&tables, &ours)
	if err != nil {
		return s.explain(fmt.Errorf("look into %s: %w", s.path, err))
	}
	if tables > 0 && ours == 0 {
		return s.notOurs()
	}
	return nil
}

func (s *Store) notOurs() error {
	return NewProblem(ErrInvalid, "restore it from a backup, or move it away and run: board init", "%s is not a board database", s.path)
}

// Version is the database's user_version: the number of its newest migration.
func (s *Store) Version(ctx context.Context) (int, error) {
	var version int
	if err := s.db.GetContext(ctx, &version, "PRAGMA user_version"); err != nil {
		return 0, fmt.Errorf("read the version of %s: %w", s.path, err)
	}
	return version, nil
}

// migrate runs goose under the lock of DB-1, since goose has no lock of its own on SQLite (DB-3).
func (s *Store) migrate(ctx context.Context) (err error) {
	release, err := s.flock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	var mode string
	if err := s.db.GetContext(ctx, &mode, "PRAGMA journal_mode=WAL"); err != nil {
		return s.explain(fmt.Errorf("set the journal of %s: %w", s.path, err))
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, s.db.DB, migrations.FS, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return s.explain(fmt.Errorf("migrate %s: %w", s.path, err))
	}
	return nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// flock takes the writers' lock: shares are even, and the kernel queues the waiting (DB-1).
func (s *Store) flock(ctx context.Context) (func() error, error) {
	lock, err := process.Flock(ctx, s.lock, LockWait)
	if errors.Is(err, process.ErrLockTimeout) {
		return nil, NewProblem(ErrBusy, "try again; lsof "+s.lock+" shows who holds it", "another program held %s for %s", s.lock, LockWait)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", s.lock, err)
	}
	return lock.Release, nil
}

// write runs one IMMEDIATE transaction behind the lock. fn must be short: it starts no process and waits for nobody.
func (s *Store) write(ctx context.Context, fn func(tx *sqlx.Tx) error) (err error) {
	if s.readOnly {
		return NewProblem(ErrRefused, "", "the database %s was opened to read only", s.path)
	}
	release, err := s.flock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	tx, err := s.db.BeginTxx(ctx, nil)
	if err != nil {
		return s.explain(fmt.Errorf("begin: %w", err))
	}
	if err := fn(tx); err != nil {
		return s.explain(errors.Join(err, ignoreDone(tx.Rollback())))
	}
	if err := tx.Commit(); err != nil {
		return s.explain(fmt.Errorf("commit: %w", err))
	}
	return nil
}

// read runs one read transaction. It reads at once while a writer is open, since it begins plainly.
func (s *Store) read(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	tx, err := s.db.BeginTxx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return s.explain(fmt.Errorf("begin: %w", err))
	}
	err = fn(tx)
	return s.explain(errors.Join(err, ignoreDone(tx.Rollback())))
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// explain turns SQLite's own errors into what a person can act on.
func (s *Store) explain(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE {
		return s.full() // the file that the log's index is in could not grow
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return s.notOurs()
	case sqlite3.SQLITE_CORRUPT:
		return NewProblem(ErrInvalid, "put a copy that board backup made in its place", "the database %s is damaged: %v", s.path, e)
	case sqlite3.SQLITE_FULL:
		return s.full()
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return NewProblem(ErrInvalid, "see who owns the home and whether its disk is writable", "cannot %s %s: %v", s.use(), s.path, e)
	case sqlite3.SQLITE_IOERR:
		return NewProblem(ErrInvalid, "look at the disk: nothing was changed", "the disk failed under %s: %v", s.path, e)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return NewProblem(ErrBusy, "try again", "the database %s is locked by another program", s.path)
	}
	return err
}

func (s *Store) full() error {
	return NewProblem(ErrBusy, "free some space; nothing was changed", "no space left for %s", s.path)
}

// use is what the database was opened for.
func (s *Store) use() string {
	if s.readOnly {
		return "read"
	}
	return "write"
}
