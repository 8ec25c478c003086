package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/internal/clock"
)

// world is a machine in small: a HOME, a repository, a home of board with its roster, and models. Nothing of it touches
// anything outside its folder.
type world struct {
	dir    string
	board  string // the program under test
	cache  string
	home   string // HOME
	path   string // PATH
	models *models
	seats  []map[string]any // of the roster
}

// setting is how a world's workflow and config differ from the built-in ones.
type setting struct {
	poke   bool   // an ending starts the next tick, as in use; else each run stands alone
	quiet  string // the coder's quiet limit
	prompt string // the coder's prompt as a template; "" leaves the built-in one
}

func newWorld(ctx context.Context, o options, a agent) (*world, error) {
	dir, err := os.MkdirTemp("", "board-e2e-")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, board: o.board, cache: o.cache, home: filepath.Join(dir, "home"), path: o.path}
	file := "mock.txt"
	if a.absolute {
		file = filepath.Join(w.boardHome(), "worktrees", "w", "w-1", file)
	}
	m, err := serveModels(ctx, file)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	w.models = m
	return w, w.makeRepo(ctx)
}

// end stops what the world still runs, and takes it away unless something in it is worth a look.
func (w *world) end(keep bool) error {
	w.models.close()
	for _, pid := range w.processes() {
		_ = syscallKill(pid)
	}
	if keep {
		return nil
	}
	return os.RemoveAll(w.dir)
}

func (w *world) repo() string      { return filepath.Join(w.dir, "repo") }
func (w *world) boardHome() string { return filepath.Join(w.dir, "board") }

func (w *world) makeRepo(ctx context.Context) error {
	if err := writeFile(filepath.Join(w.home, ".gitconfig"), "[user]\n\tname = e2e\n\temail = e2e@localhost\n[init]\n\tdefaultBranch = main\n"); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(w.repo(), "README.md"), "# scratch\n"); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "Begin"}} {
		if _, err := w.run(ctx, w.repo(), "git", args...); err != nil {
			return err
		}
	}
	return nil
}

// env is the environment of all that the world runs.
func (w *world) env() []string {
	return []string{
		"PATH=" + w.path, "HOME=" + w.home, "LANG=C.UTF-8", "TERM=dumb", "BOARD_ROSTER=" + filepath.Join(w.dir, "roster.yaml"),
		"TMPDIR=" + filepath.Join(w.dir, "tmp"), keyVar + "=" + key,
	}
}

// run runs a program in the world to its end. The error has what it said, and its exit code.
func (w *world) run(ctx context.Context, dir, name string, args ...string) (string, error) {
	if err := os.MkdirAll(filepath.Join(w.dir, "tmp"), 0o700); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, w.env()
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err, tail(said.String()+out.String(), 800))
	}
	return out.String(), nil
}

// do runs board in the world.
func (w *world) do(ctx context.Context, args ...string) (string, error) {
	return w.run(ctx, w.repo(), w.board, append([]string{"--home", w.boardHome()}, args...)...)
}

// seat adds an executor, whose name is also that of its model.
func (w *world) seat(a agent, id string, plan bool, roles ...string) error {
	dir := filepath.Join(w.dir, "seats", id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	env, flags, err := a.seat(seat{agent: a, dir: dir, base: w.models.url(id), plan: plan})
	if err != nil {
		return err
	}
	if path := a.path(w.cache); path != "" {
		env["PATH"] = path + string(os.PathListSeparator) + w.path
	}
	entry := map[string]any{
		"id": id, "harness": a.name, "bin": a.program(w.cache), "model": a.model, "roles": roles, "slots": 2, "env": env,
		"priority": 1 + len(w.seats),
	}
	if flags != nil {
		entry["flags"] = flags
	}
	w.seats = append(w.seats, entry)
	return nil
}

// found makes the home. JSON is YAML, so the roster is written as such.
func (w *world) found(ctx context.Context, s setting) error {
	if err := writeJSON(filepath.Join(w.dir, "roster.yaml"), map[string]any{"executors": w.seats}); err != nil {
		return err
	}
	if _, err := w.do(ctx, "init", "--repo", w.repo(), "--slug", "w"); err != nil {
		return err
	}
	if !s.poke {
		if err := writeFile(filepath.Join(w.boardHome(), "config.yaml"), "poke: false\n"); err != nil {
			return err
		}
	}
	path := filepath.Join(w.boardHome(), "workflows", "default.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed := string(text)
	if s.quiet != "" {
		changed = strings.ReplaceAll(changed, "quiet: 20m", "start: 1m, quiet: "+s.quiet)
	}
	if s.prompt != "" {
		changed = strings.ReplaceAll(changed, "prompt: prompts/implementer.md", "prompt: '"+s.prompt+"'")
	}
	return writeFile(path, changed)
}

// row is a row of run_history.
type row struct {
	Run       int64    `json:"run"`
	Card      string   `json:"card"`
	Role      string   `json:"role"`
	Executor  string   `json:"executor"`
	Mode      string   `json:"mode"`
	State     string   `json:"state"`
	Verdict   string   `json:"verdict"`
	Outcome   string   `json:"outcome"`
	Reason    string   `json:"reason"`
	Class     string   `json:"error_class"`
	Exit      *int     `json:"exit_code"`
	Seconds   *float64 `json:"duration_s"`
	Model     string   `json:"model"`
	TokensIn  *int64   `json:"tokens_in"`
	TokensOut *int64   `json:"tokens_out"`
	Cost      *float64 `json:"cost_usd"`
	Branch    string   `json:"branch"`
	Head      string   `json:"head_commit"`
}

func (w *world) rows(ctx context.Context) ([]row, error) {
	out, err := w.do(ctx, "sql", "--json", "SELECT run, card, role, executor, mode, state, verdict, outcome, reason, error_class, exit_code, "+
		"duration_s, model, tokens_in, tokens_out, cost_usd, branch, head_commit FROM run_history ORDER BY run")
	if err != nil {
		return nil, err
	}
	var rows []row
	if err := json.Unmarshal([]byte(out), &rows); err != nil {
		return nil, fmt.Errorf("read the history: %w: %s", err, tail(out, 200))
	}
	return rows, nil
}

// status is where a card is.
func (w *world) status(ctx context.Context, card string) (string, error) {
	out, err := w.do(ctx, "sql", "--json", "SELECT status FROM cards WHERE id = '"+card+"'")
	if err != nil {
		return "", err
	}
	var rows []struct {
		Status string `json:"status"`
	}
	if err := json.Unmarshal([]byte(out), &rows); err != nil || len(rows) != 1 {
		return "", fmt.Errorf("the status of %s: %s", card, out)
	}
	return rows[0].Status, nil
}

// errLate is a wait that was too long.
var errLate = errors.New("not in time")

// until asks again and again until ready says true.
func (w *world) until(ctx context.Context, limit time.Duration, what string, ready func() (bool, error)) error {
	const every = 200 * time.Millisecond
	watch := clock.StartStopwatch(clock.Real{})
	for {
		ok, err := ready()
		if err != nil || ok {
			return err
		}
		if watch.Elapsed() > limit {
			rows, _ := w.rows(ctx)
			return fmt.Errorf("%s: %w (%s): %s", what, errLate, limit, brief(rows))
		}
		if err := (clock.Real{}).Sleep(ctx, every); err != nil {
			return err
		}
	}
}

// ended waits until so many runs have ended, and gives all rows.
func (w *world) ended(ctx context.Context, n int, limit time.Duration) (rows []row, err error) {
	err = w.until(ctx, limit, fmt.Sprintf("%d runs to end", n), func() (bool, error) {
		if rows, err = w.rows(ctx); err != nil {
			return false, err
		}
		open := slices.ContainsFunc(rows, func(r row) bool { return r.State != "ended" })
		return len(rows) >= n && !open, nil
	})
	return rows, err
}

// brief is a history in one line.
func brief(rows []row) string {
	var parts []string
	for _, r := range rows {
		parts = append(parts, fmt.Sprintf("run %d %s %s by %s: %s%s %s", r.Run, r.Card, r.Role, r.Executor, r.State, strings.TrimSuffix(": "+r.Outcome, ": "), r.Reason))
	}
	return strings.Join(parts, "; ")
}

// exit is what the supervisor wrote down of a run.
type exit struct {
	Killed []string `json:"killed"`
	Notes  []string `json:"notes"`
	Result struct {
		Text    string    `json:"text"`
		Session string    `json:"session"`
		Message string    `json:"message"`
		ResetAt time.Time `json:"reset_at"`
	} `json:"result"`
}

func (w *world) exit(run int64) (exit, error) {
	var e exit
	text, err := os.ReadFile(filepath.Join(w.boardHome(), "runs", fmt.Sprint(run), "exit.json"))
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal(text, &e)
}

// prompt is what a run was given.
func (w *world) prompt(run int64) (string, error) {
	text, err := os.ReadFile(filepath.Join(w.boardHome(), "runs", fmt.Sprint(run), "prompt.md"))
	return string(text), err
}
