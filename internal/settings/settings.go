// Package settings loads every file that a home is run by: config.yaml, the workflows, the rosters. Each process loads
// them once, when it first needs them, and decides by what they said then: a change takes effect at the next tick.
package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/hostinfo"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// Options is what the files are loaded with. Nothing else is read from the process.
type Options struct {
	Home     home.Home
	Hostname string
	Env      func(name string) (string, bool)
	UserHome func() (string, error)               // the user database's answer, where HOME is unset
	LookPath func(program string) (string, error) // nil: nothing is on PATH
	Narrow   []string                             // --executors, or BOARD_EXECUTORS
	Trusted  func(hash string) bool               // whether a repository's file was accepted (board trust); nil: none was
	Mode     roster.Mode
}

// Settings are the files of one home. It is not safe for use by several goroutines.
type Settings struct {
	Home   home.Home
	Config *home.Config
	// ConfigErr is why config.yaml was not read (LoadForTick only); Config is then empty, and nothing may start.
	ConfigErr error

	opts      Options
	fileEnv   map[string]string
	workflows map[string]loadedWorkflow
	rosters   map[string]loadedRoster
}

type loadedWorkflow struct {
	workflow *workflows.Workflow
	source   string
	err      error
}

type loadedRoster struct {
	roster *roster.Roster
	err    error
}

// Load reads config.yaml and env_file. Workflows and rosters are read when they are asked for.
func Load(opts Options) (*Settings, error) {
	config, err := home.LoadConfig(opts.Home, opts.Hostname, home.Lookup{Env: plain(opts.Env), UserHome: opts.UserHome})
	if err != nil {
		return nil, &board.Problem{Kind: board.ErrInvalid, Text: err.Error(), Cause: err, Fix: "mend " + opts.Home.ConfigFile()}
	}
	s := &Settings{Home: opts.Home, Config: config, opts: opts, workflows: map[string]loadedWorkflow{}, rosters: map[string]loadedRoster{}}
	if config.EnvFile != "" {
		if s.fileEnv, err = home.ReadEnvFile(config.EnvFile); err != nil {
			return nil, &board.Problem{Kind: board.ErrInvalid, Text: err.Error(), Cause: err, Fix: "mend env_file of " + opts.Home.ConfigFile()}
		}
	}
	return s, nil
}

// LoadForTick is Load that goes on without a config.yaml that does not load, so that what runs is still settled.
func LoadForTick(opts Options) *Settings {
	s, err := Load(opts)
	if err == nil {
		return s
	}
	config := &home.Config{Host: hostinfo.Normalise(opts.Hostname), Poke: true}
	return &Settings{Home: opts.Home, Config: config, ConfigErr: err, opts: opts, workflows: map[string]loadedWorkflow{}, rosters: map[string]loadedRoster{}}
}

func plain(env func(string) (string, bool)) func(string) string {
	return func(name string) string {
		value, _ := env(name)
		return value
	}
}

// Env gives a variable of the process, else of env_file.
func (s *Settings) Env(name string) (string, bool) {
	if value, ok := s.opts.Env(name); ok && value != "" {
		return value, true
	}
	value, ok := s.fileEnv[name]
	return value, ok
}

// Workflow gives a workflow: the home's file, else the built-in one of that name. A broken one is an error that lists every
// problem; a name that stands for nothing names the nearest.
func (s *Settings) Workflow(name string) (*workflows.Workflow, error) {
	if had, ok := s.workflows[name]; ok {
		return had.workflow, had.err
	}
	var l loadedWorkflow
	l.source, l.err = s.WorkflowSource(name)
	if l.err == nil {
		l.workflow, l.err = s.parse(name, l.source)
	}
	s.workflows[name] = l
	return l.workflow, l.err
}

// WorkflowSource gives the text of a workflow.
func (s *Settings) WorkflowSource(name string) (string, error) {
	text, err := os.ReadFile(s.Home.Workflow(name))
	if err == nil {
		return string(text), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read workflow %s: %w", name, err)
	}
	if builtin, ok := workflows.Builtin(name); ok {
		return string(builtin), nil
	}
	return "", board.NewProblem(board.ErrNotFound, "board workflow list shows those there are", "there is no workflow %q", name)
}

// parse loads a text as the workflow of that name, with the home's params and prompts.
func (s *Settings) parse(name, source string) (*workflows.Workflow, error) {
	w, err := workflows.Load(name, WorkflowFile(name), []byte(source), s.WorkflowOptions())
	if err != nil {
		return nil, &board.Problem{Kind: board.ErrInvalid, Text: err.Error(), Cause: err, Fix: "board workflow check " + name}
	}
	return w, nil
}

// WorkflowFile is how people see the file of a workflow.
func WorkflowFile(name string) string { return "workflows/" + name + ".yaml" }

// WorkflowOptions are what workflows of this home are loaded with.
func (s *Settings) WorkflowOptions() workflows.Options {
	return workflows.Options{Params: s.Config.Params, Prompts: s.readPrompt}
}

// readPrompt reads a prompt file of the home, else the built-in one.
func (s *Settings) readPrompt(path string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(s.Home.Workflows(), filepath.FromSlash(path)))
	if err == nil {
		return text, nil
	}
	if builtin, ok := workflows.BuiltinPrompt(path); ok {
		return builtin, nil
	}
	return nil, fmt.Errorf("read prompt %s: %w", path, err)
}

// Loaded are the texts of the workflows asked for so far that loaded, by name.
func (s *Settings) Loaded() map[string]string {
	all := map[string]string{}
	for name, l := range s.workflows {
		if l.err == nil {
			all[name] = l.source
		}
	}
	return all
}

// repoRoster is where a repository keeps its roster.
const repoRoster = ".board/roster.yaml"

// UserRoster is where the user's roster stands: BOARD_ROSTER when it is a path, else under the user's configuration.
func (s *Settings) UserRoster() string {
	env := plain(s.Env)
	if setting := env("BOARD_ROSTER"); setting != "" && setting != "none" {
		return setting
	}
	base := env("XDG_CONFIG_HOME")
	if base == "" {
		userHome := env("HOME")
		if userHome == "" && s.opts.UserHome != nil {
			userHome, _ = s.opts.UserHome()
		}
		base = filepath.Join(userHome, ".config")
	}
	return filepath.Join(base, "board", "roster.yaml")
}

// Roster gives who may serve the cards of a board: the user's roster with that of the board's repository over it, when its
// content was accepted. A broken one is an error that lists every problem.
func (s *Settings) Roster(repo string) (*roster.Roster, error) {
	if had, ok := s.rosters[repo]; ok {
		return had.roster, had.err
	}
	var l loadedRoster
	l.roster, l.err = s.loadRoster(repo)
	s.rosters[repo] = l
	return l.roster, l.err
}

func (s *Settings) loadRoster(repo string) (*roster.Roster, error) {
	env := plain(s.Env)
	paths := roster.Paths{User: s.UserRoster(), Setting: env("BOARD_ROSTER")}
	if repo != "" {
		paths.Repo = filepath.Join(repo, repoRoster)
	}
	sources, err := roster.ReadFiles(paths)
	if err != nil {
		return nil, &board.Problem{Kind: board.ErrInvalid, Text: err.Error(), Cause: err, Fix: "see BOARD_ROSTER and " + paths.User}
	}
	if sources.Repo != nil && !s.trusts(sources.Repo.Data) {
		sources.Repo = nil
	}
	if repo != "" && sources.Repo == nil {
		return s.Roster("") // the repository says nothing: one roster serves all such boards
	}
	sources.Narrow = s.narrow()
	sources.Mode, sources.Lookup, sources.LookPath = s.opts.Mode, s.Env, s.opts.LookPath
	r, err := roster.Load(sources)
	if err != nil {
		fix := "mend the roster; board roster shows what is read"
		if off := (*roster.AllDisabledError)(nil); errors.As(err, &off) {
			fix = "take `disabled` out of one, or add one of your own; board roster says why each is off"
		}
		return nil, &board.Problem{Kind: board.ErrInvalid, Text: err.Error(), Cause: err, Fix: fix}
	}
	return r, nil
}

func (s *Settings) narrow() []string {
	if len(s.opts.Narrow) > 0 {
		return s.opts.Narrow
	}
	return strings.FieldsFunc(plain(s.Env)("BOARD_EXECUTORS"), func(r rune) bool { return r == ',' || r == ' ' })
}

// ContentHash identifies a repository's file for board trust.
func ContentHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func (s *Settings) trusts(data []byte) bool {
	return s.opts.Trusted != nil && s.opts.Trusted(ContentHash(data))
}

// Rules are what decisions of the board package are made by. kept are the last texts that loaded, for workflows that are
// broken at present; repo gives the repository of a board's executor, where known. The rosters are read here: a decision is
// made inside the database's write transaction, where Options.Trusted, which may ask that database, would wait for ever.
func (s *Settings) Rules(kept map[string]string, repos ...string) board.Rules {
	for _, repo := range append(repos, "") {
		_, _ = s.Roster(repo) // a broken one knows no executor; whoever needs it says so
	}
	return board.Rules{
		Workflow: func(name string) *workflows.Workflow {
			if w, err := s.Workflow(name); err == nil {
				return w
			}
			if source, ok := kept[name]; ok {
				if w, err := s.parse(name, source); err == nil {
					return w
				}
			}
			return nil
		},
		Executor:    func(id string) (roster.Executor, bool) { return s.executor(id, repos) },
		Fingerprint: s.Fingerprint,
	}
}

// executor finds an entry in the rosters of the repositories given, else in the user's.
func (s *Settings) executor(id string, repos []string) (roster.Executor, bool) {
	for _, repo := range append(repos, "") {
		r, err := s.Roster(repo)
		if err != nil {
			continue
		}
		for _, e := range r.Executors {
			if e.ID == id {
				return e, true
			}
		}
	}
	return roster.Executor{}, false
}
