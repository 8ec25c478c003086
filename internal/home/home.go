// Package home knows the folder that holds one database and its configuration: where each file of it stands, what
// config.yaml says, and how files are written there. It opens no database and reads no environment: what it has to know
// of the user is handed in.
package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrMissing is a home that does not exist. Its text names the way out.
var ErrMissing = errors.New("there is no home there: run `board init`, or name another with --home or BOARD_HOME")

// Home is the folder. Its methods give paths and touch nothing.
type Home struct{ Dir string }

// DB is the database.
func (h Home) DB() string { return filepath.Join(h.Dir, "board.db") }

// WriteLock is the file that writers lock before they begin a transaction (DB-1).
func (h Home) WriteLock() string { return filepath.Join(h.Dir, "board.db.lock") }

// TickLock is the file that a tick locks (DSP-6).
func (h Home) TickLock() string { return filepath.Join(h.Dir, "board.db.tick") }

// ConfigFile is config.yaml.
func (h Home) ConfigFile() string { return filepath.Join(h.Dir, "config.yaml") }

// Workflows is the folder of workflow files.
func (h Home) Workflows() string { return filepath.Join(h.Dir, "workflows") }

// Workflow is the file of a workflow.
func (h Home) Workflow(name string) string { return filepath.Join(h.Dir, "workflows", name+".yaml") }

// Runs is the folder of the runs' folders.
func (h Home) Runs() string { return filepath.Join(h.Dir, "runs") }

// Run is the folder of a run.
func (h Home) Run(id int64) string { return filepath.Join(h.Dir, "runs", strconv.FormatInt(id, 10)) }

// Sessions is the folder of the sessions' folders.
func (h Home) Sessions() string { return filepath.Join(h.Dir, "sessions") }

// Session is the folder of a session.
func (h Home) Session(id int64) string {
	return filepath.Join(h.Dir, "sessions", strconv.FormatInt(id, 10))
}

// Inbox is the folder through which a session that is kept gets its next run (PAN-1).
func (h Home) Inbox(session int64) string { return filepath.Join(h.Session(session), "inbox") }

// Worktrees is the folder of git worktrees and scratch folders.
func (h Home) Worktrees() string { return filepath.Join(h.Dir, "worktrees") }

// Lookup is how to learn about the user.
type Lookup struct {
	Env      func(name string) string
	UserHome func() (string, error) // the user database's answer, for when HOME is unset (cron, systemd)
}

// HomeDir is the user's folder: HOME, else what the user database says.
func (l Lookup) HomeDir() (string, error) {
	if dir := l.Env("HOME"); dir != "" {
		return dir, nil
	}
	if l.UserHome == nil {
		return "", errors.New("HOME is not set")
	}
	dir, err := l.UserHome()
	if err != nil {
		return "", fmt.Errorf("find the user's folder, HOME being unset: %w", err)
	}
	if dir == "" {
		return "", errors.New("HOME is not set, and the user database names no folder")
	}
	return dir, nil
}

// Expand makes a path of a file people edit absolute: `~/` is the user's folder, a relative path stands in base.
func (l Lookup) Expand(path, base string) (string, error) {
	rest, tilde := strings.CutPrefix(path, "~/")
	switch {
	case tilde || path == "~":
		dir, err := l.HomeDir()
		if err != nil {
			return "", fmt.Errorf("expand %s: %w", path, err)
		}
		if path == "~" {
			return dir, nil
		}
		return filepath.Join(dir, rest), nil
	case filepath.IsAbs(path):
		return filepath.Clean(path), nil
	}
	return filepath.Join(base, path), nil
}

// Resolve finds the home's folder: the flag, else BOARD_HOME, else ${XDG_DATA_HOME:-$HOME/.local/share}/board. It is
// absolute, and need not exist.
func Resolve(flag string, look Lookup) (Home, error) {
	dir := flag
	if dir == "" {
		dir = look.Env("BOARD_HOME")
	}
	if dir == "" {
		data := look.Env("XDG_DATA_HOME")
		if !filepath.IsAbs(data) { // the XDG specification: a relative one is to be ignored
			user, err := look.HomeDir()
			if err != nil {
				return Home{}, fmt.Errorf("find the home: %w", err)
			}
			data = filepath.Join(user, ".local", "share")
		}
		dir = filepath.Join(data, "board")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Home{}, fmt.Errorf("find the home: %w", err)
	}
	return Home{Dir: dir}, nil
}

// Open says whether there is a home: a folder with a database in it. Without one the error is ErrMissing.
func Open(h Home) error {
	info, err := os.Stat(h.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("open %s: %w", h.Dir, ErrMissing)
	}
	if err != nil {
		return fmt.Errorf("open the home: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("open %s: not a folder: %w", h.Dir, ErrMissing)
	}
	if _, err := os.Stat(h.DB()); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("open %s: %w", h.DB(), ErrMissing)
	} else if err != nil {
		return fmt.Errorf("open the home: %w", err)
	}
	return nil
}
