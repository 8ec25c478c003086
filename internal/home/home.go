// Package home knows the folder that holds one database and its configuration: where each file of it stands, what
// config.yaml says, and how files are written there. It opens no database.
package home

import (
	"errors"
	"path/filepath"
	"strconv"
	"time"

	"github.com/seed-2ddc2152/board/workflows"
)

// ErrMissing is a home that does not exist: `board init` makes one.
var ErrMissing = errors.New("no home there")

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

// Worktrees is the folder of git worktrees and scratch folders.
func (h Home) Worktrees() string { return filepath.Join(h.Dir, "worktrees") }

// Config is config.yaml.
type Config struct {
	Host          string          // this machine's name, normalised; default its hostname
	Hosts         []HostConfig    // other machines, in the file's order
	Capacity      []workflows.Cap // hold every start in the home
	Params        map[string]any  // override workflow params by name
	Retention     Retention
	EnvFile       string // absolute; empty for none
	Prices        string // absolute; empty for none
	Notify        []Sink
	Poke          bool     // a supervisor runs a tick when its run ends; default true
	WindowCommand []string // opens a terminal window on this host
	Database      string   // empty: board.db
	Exists        bool     // whether there is a file
}

// HostConfig is another machine.
type HostConfig struct {
	Name        string // normalised
	SSH         string // user@host
	Aliases     []string
	MaxSessions int               // 0: worked out from its memory
	Capacity    *int              // `host.capacity`
	Repos       map[string]string // board -> path there
}

// Retention is how long things are kept. Zero keeps for ever.
type Retention struct {
	Runs   time.Duration // default 365d
	Logs   time.Duration // default 30d
	Events time.Duration // default 365d
}

// Sink is where notices go: exactly one of Command, Webhook and File is set.
type Sink struct {
	Command  []string
	Webhook  string
	File     string
	Events   []string // empty: every kind
	Template string   // empty: the built-in text
}

// NormaliseHost makes spellings of one machine one: lower case, without a trailing dot and domain, `localhost` being
// this machine, an alias being its host.
func (c *Config) NormaliseHost(name string) string { return name }

// HostNamed gives a configured machine by any of its spellings; nil when there is none.
func (c *Config) HostNamed(name string) *HostConfig { return nil }

// Lookup is how to learn about the user, so that this package reads no environment itself.
type Lookup struct {
	Env      func(name string) string
	UserHome func() (string, error) // the user database's answer, for when HOME is unset
}

// Resolve finds the home's folder: the flag, else BOARD_HOME, else ${XDG_DATA_HOME:-$HOME/.local/share}/board. It is absolute and need not exist.
func Resolve(flag string, look Lookup) (Home, error) { return Home{}, nil }

// Open is Resolve's home if it is a folder, else ErrMissing.
func Open(h Home) error { return nil }

// LoadConfig reads config.yaml; a missing file is an empty one. All problems come at once, as workflows.Problems.
// hostname is this machine's own, for `host`.
func LoadConfig(h Home, hostname string, look Lookup) (*Config, error) { return nil, nil }

// ReadEnvFile reads KEY=VALUE lines. The file must be readable by its owner only.
func ReadEnvFile(path string) (map[string]string, error) { return nil, nil }

// MkdirAll makes a folder and its parents, 0700 whatever the umask.
func MkdirAll(dir string) error { return nil }

// WriteFile writes a file whole or not at all: temp file, fsync, rename; 0600 whatever the umask.
func WriteFile(path string, data []byte) error { return nil }
