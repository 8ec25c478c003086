package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/internal/bench"
)

const (
	liveCards = 20
	idleCards = 10_000
	// startsPerTick is the cap of the seeded workflow, and of cmd/floortick.
	startsPerTick = 4
)

// place is the folder that everything happens in: programs, a repository, a roster, and the homes.
type place struct {
	dir, bin, board string
	keep            bool
	env             []string
	workers         []worker
	histories       map[int]string // databases to copy, by their ended runs
}

// worker is a card whose run sleeps until it is stopped.
type worker struct{ home, card string }

func newPlace(o options) (*place, error) {
	program, err := filepath.Abs(o.program)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", o.program, err)
	}
	dir := o.dir
	if dir == "" {
		dir, err = os.MkdirTemp("", "board-bench-")
	} else {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	p := &place{dir: dir, bin: filepath.Join(dir, "bin"), board: program, keep: o.dir != "", histories: map[int]string{}}
	for _, sub := range []string{"bin", "user", "repo"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("make a folder: %w", err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "roster.yaml"), []byte(bench.Roster), 0o600); err != nil {
		return nil, fmt.Errorf("write the roster: %w", err)
	}
	p.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "user"), "LANG=C.UTF-8",
		"BOARD_ROSTER=" + filepath.Join(dir, "roster.yaml"),
		"GIT_CONFIG_NOSYSTEM=1",
	}
	return p, nil
}

// leave ends the seeded workers and removes the folder.
func (p *place) leave(ctx context.Context) error {
	// An interrupt has cancelled ctx; what was started is ended all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	var problems []error
	for _, w := range p.workers {
		_, err := p.call(ctx, w.home, "stop", w.card)
		problems = append(problems, err)
	}
	if !p.keep {
		problems = append(problems, os.RemoveAll(p.dir))
	}
	return errors.Join(problems...)
}

func (p *place) build(ctx context.Context) error {
	for _, name := range []string{"hello", "starts", "floortick"} {
		_, err := output(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w",
			"-o", filepath.Join(p.bin, name), "./internal/bench/cmd/"+name)
		if err != nil {
			return err
		}
	}
	repo := filepath.Join(p.dir, "repo")
	if _, err := os.Stat(filepath.Join(repo, ".git")); err == nil {
		return nil
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-q", "--allow-empty", "-m", "base"},
	} {
		if _, err := output(ctx, "git", append([]string{"-C", repo}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the homes that the chosen commands need and returns those commands.
func (p *place) prepare(ctx context.Context, o options) ([]bench.Command, error) {
	var chosen []bench.Command
	names := wanted(o.only)
	for _, h := range []struct {
		name  string
		shape bench.Shape
		live  bool
		some  func(home string) []bench.Command
	}{
		{"noop", bench.Shape{Idle: idleCards, Ended: o.history}, true, p.noop},
		{"short", bench.Shape{Idle: idleCards, Ended: o.history / 100}, true, p.short},
		{"1k", bench.Shape{Idle: idleCards, Ready: 1_000, Ended: o.history}, false, p.plan},
		{"10k", bench.Shape{Idle: idleCards, Ready: 10_000, Ended: o.history}, false, p.plan},
		{"100k", bench.Shape{Idle: idleCards, Ready: 100_000, Ended: o.history}, false, p.plan},
	} {
		home := filepath.Join(p.dir, h.name)
		var needed []bench.Command
		for _, c := range h.some(home) {
			if names[c.Name] {
				needed = append(needed, c)
			}
		}
		if len(needed) == 0 {
			continue
		}
		if err := p.makeHome(ctx, home, h.shape, h.live); err != nil {
			return nil, fmt.Errorf("home %s: %w", h.name, err)
		}
		chosen = append(chosen, needed...)
	}
	for _, c := range []bench.Command{
		{Name: "Start", Args: []string{p.board, "version"}},
		{Name: "Hello", Args: []string{filepath.Join(p.bin, "hello")}},
	} {
		if names[c.Name] {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

// wanted is the set of commands that the figures with part in their name compare.
func wanted(part string) map[string]bool {
	names := map[string]bool{}
	for _, f := range bench.Figures() {
		if strings.Contains(f.Name, part) {
			names[f.Name], names[f.Floor] = true, true
		}
	}
	names["Hello"] = true // Start's floor, and the least memory
	names["Start"] = names["Start"] || part == ""
	return names
}

func (p *place) noop(home string) []bench.Command {
	return []bench.Command{
		{Name: "TickNoop", Args: []string{p.board, "--home", home, "dispatch"}},
		{Name: "FloorNoop", Args: []string{filepath.Join(p.bin, "floortick"), "plan", filepath.Join(home, "board.db")}},
	}
}

func (p *place) short(home string) []bench.Command {
	return []bench.Command{{Name: "TickNoop/short", Args: []string{p.board, "--home", home, "dispatch"}}}
}

func (p *place) plan(home string) []bench.Command {
	size, db, floor := filepath.Base(home), filepath.Join(home, "board.db"), filepath.Join(p.bin, "floortick")
	return []bench.Command{
		{
			Name: "TickPlan/" + size, Args: []string{p.board, "--home", home, "dispatch"},
			Env: []string{"BOARD_FAILPOINT=plan.after"}, Killed: true,
		},
		{Name: "FloorPlan/" + size, Args: []string{floor, "plan", db}},
		{Name: "DryRunExplain/" + size, Args: []string{p.board, "--home", home, "dispatch", "--dry-run", "--json"}},
		{Name: "FloorExplain/" + size, Args: []string{floor, "explain", db}},
	}
}

// makeHome makes a home by the program's own verbs, fills its database, and starts its workers. A home with a database
// is used again; its workers are started again.
func (p *place) makeHome(ctx context.Context, home string, shape bench.Shape, live bool) error {
	if _, err := os.Stat(filepath.Join(home, "board.db")); err == nil && !live {
		return nil
	}
	say("home %s: %d cards idle, %d ready, %d runs", filepath.Base(home), shape.Idle, shape.Ready, shape.Ended)
	if err := os.RemoveAll(home); err != nil {
		return fmt.Errorf("remove the old one: %w", err)
	}
	if _, err := p.call(ctx, home, "init", "--repo", filepath.Join(p.dir, "repo"), "--slug", "bench"); err != nil {
		return err
	}
	if err := p.fill(ctx, filepath.Join(home, "board.db"), shape); err != nil {
		return err
	}
	if live {
		if err := p.configure(home, liveCards); err != nil {
			return err
		}
		if err := p.startWorkers(ctx, home); err != nil {
			return err
		}
	}
	return p.configure(home, startsPerTick)
}

// fill seeds the database; a history is made once, and copied.
func (p *place) fill(ctx context.Context, db string, shape bench.Shape) error {
	history, made := p.histories[shape.Ended]
	if !made {
		past := bench.Shape{Idle: shape.Idle, Ended: shape.Ended}
		if err := bench.Seed(ctx, db, past, time.Now()); err != nil {
			return err
		}
		history = filepath.Join(p.dir, fmt.Sprintf("history-%d.db", shape.Ended))
		p.histories[shape.Ended] = history
		if err := copyFile(history, db); err != nil {
			return err
		}
	} else if err := copyFile(db, history); err != nil {
		return err
	}
	return bench.Seed(ctx, db, bench.Shape{Ready: shape.Ready}, time.Now())
}

// copyFile copies a database that no process has open and whose log is checkpointed.
func copyFile(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copy the history: %w", err)
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("copy the history: %w", err)
	}
	_, err = io.Copy(target, source)
	if err = errors.Join(err, target.Close()); err != nil {
		return fmt.Errorf("copy the history: %w", err)
	}
	return nil
}

func (p *place) configure(home string, starts int) error {
	if err := os.WriteFile(filepath.Join(home, "workflows", "default.yaml"), []byte(bench.Workflow(starts)), 0o600); err != nil {
		return fmt.Errorf("write the workflow: %w", err)
	}
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(bench.Config), 0o600); err != nil {
		return fmt.Errorf("write the config: %w", err)
	}
	return nil
}

// startWorkers lets the program itself start sleeping workers: nothing about a live run is made up.
func (p *place) startWorkers(ctx context.Context, home string) error {
	for i := range liveCards {
		card, err := p.call(ctx, home, "add", fmt.Sprintf("Sleep number %d", i+1))
		if err != nil {
			return err
		}
		p.workers = append(p.workers, worker{home, strings.TrimSpace(card)})
	}
	if _, err := p.call(ctx, home, "dispatch"); err != nil {
		return err
	}
	deadline := time.Now().Add(time.Minute)
	for {
		text, err := p.call(ctx, home, "sql", "--json", "SELECT count(*) AS running FROM sessions WHERE state = 'busy' AND process <> ''")
		if err != nil {
			return err
		}
		if strings.Contains(strings.ReplaceAll(text, " ", ""), fmt.Sprintf(`"running":%d`, liveCards)) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d workers do not run a minute after their dispatch: %s", liveCards, text)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// call runs a verb of the program on a home.
func (p *place) call(ctx context.Context, home string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, p.board, append([]string{"--home", home}, args...)...)
	cmd.Env, cmd.Dir = p.env, p.dir
	return outputOf(cmd)
}
