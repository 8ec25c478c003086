package supervise_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// patience bounds how long a test waits for a process. Chosen: far more than a loaded machine needs.
const patience = 60 * time.Second

// workflowText is the workflow of the tests: a worker, then a reviewer.
const workflowText = `
version: 1
name: test
profiles:
  coder:    {role: coder, permissions: edit}
  keeper:   {role: coder, permissions: edit, keep: [sleep]}
  reviewer: {role: reviewer, permissions: read}
initial: todo
statuses:
  todo:   {}
  doing:  {run: {profile: coder, session: worker, prompt: 'Do {{ card.title }}', limits: {LIMITS}}}
  review: {run: {profile: reviewer, session: reviewer, prompt: 'Review {{ card.title }} on {{ run.branch }}'}}
  done:   {terminal: true}
  cancelled: {terminal: true}
events:
  start:   [{from: todo, to: doing}, {from: [doing, review]}]
  done:    [{from: doing, by: [worker, board], to: review, progress: true}]
  approve: [{from: review, by: [reviewer, person], to: done}]
  changes: [{from: review, by: [reviewer, person], require: [{expr: event.reason != "", message: say what must change}], to: doing}]
  cancel:  [{to: cancelled}]
`

// fixture is a home with one board, in which runs are claimed as a tick would.
type fixture struct {
	t     *testing.T
	home  home.Home
	store *board.Store
	plan  plan
	rules board.Rules
	repo  string
	path  string // the test program
}

// newFixture makes a home. limits are those of `doing`, as YAML.
func newFixture(t *testing.T, limits string) *fixture {
	t.Helper()
	program, err := os.Executable()
	must(t, err)
	f := &fixture{t: t, home: home.Home{Dir: t.TempDir()}, path: program}
	text := strings.ReplaceAll(workflowText, "LIMITS", limits)
	must(t, home.MkdirAll(f.home.Workflows()))
	must(t, home.WriteFile(f.home.Workflow("test"), []byte(text)))
	w, err := workflows.Load("test", "workflows/test.yaml", []byte(text), workflows.Options{})
	must(t, err)
	f.rules = rulesOf(w, roster.Roster{})
	f.store, err = board.Create(t.Context(), f.home.DB(), f.home.WriteLock())
	must(t, err)
	t.Cleanup(func() { _ = f.store.Close() })
	return f
}

// withBoard registers the board; with repo it has a repository with one commit.
func (f *fixture) withBoard(repo bool) *fixture {
	f.t.Helper()
	if repo {
		f.repo = f.t.TempDir()
		f.git("init", "-q", "-b", "main")
		must(f.t, os.WriteFile(filepath.Join(f.repo, "README"), []byte("hello\n"), 0o600))
		f.git("add", ".")
		f.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "first")
	}
	must(f.t, f.store.AddBoard(f.t.Context(), f.now(), board.Board{Slug: "api", Name: "api", Workflow: "test", Repo: f.repo, BaseBranch: "main"}, "me"))
	return f
}

func (f *fixture) git(words ...string) string {
	f.t.Helper()
	cmd := exec.Command("git", words...)
	cmd.Dir = f.repo
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Fatalf("git %v: %v: %s", words, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (f *fixture) now() board.Time { return board.At(time.Now()) }

// executor registers a shell script as an executor.
func (f *fixture) executor(id, script string) {
	f.plan.Executors = append(f.plan.Executors, agent{ID: id, Harness: "exec", Command: []string{"/bin/sh", "-c", script}})
}

func (f *fixture) card(title string) board.Card {
	f.t.Helper()
	c, _, err := f.store.AddCard(f.t.Context(), f.now(), board.NewCard{Card: board.Card{Board: "api", Title: title, Status: "todo"}, Actor: "me"})
	must(f.t, err)
	return c
}

// claim claims a run of the card on an executor, as a tick would, in the card's status or from todo in doing.
func (f *fixture) claim(card, executor string, change func(*board.Run)) board.Run {
	f.t.Helper()
	run, err := f.store.Claim(f.t.Context(), board.ViewSpec{Now: f.now(), Card: card, Full: true}, func(v *board.View) (board.Claim, error) {
		c := v.Cards[0]
		from := c.Status
		r := board.Run{
			Card: c.ID, Board: "api", Role: roster.RoleCoder, Slot: "worker", Profile: "coder", Executor: executor, Clone: 1,
			Harness: "exec", Surface: workflows.SurfaceHeadless, Host: "base", Mode: board.ModeFresh,
		}
		switch from {
		case "todo":
			c.Status = "doing"
		case "review":
			r.Role, r.Slot, r.Profile = roster.RoleReviewer, "reviewer", "reviewer"
		}
		r.Status = c.Status
		if change != nil {
			change(&r)
		}
		return board.Claim{Card: c, Run: r, From: from, Actor: "board"}, nil
	})
	must(f.t, err)
	return run
}

// supervisor is a running `board supervise RUN`.
type supervisor struct {
	f      *fixture
	run    int64
	cmd    *exec.Cmd
	waited chan error
}

// writePlan writes what the supervisor's process reads.
func (f *fixture) writePlan() {
	f.t.Helper()
	text, err := json.Marshal(f.plan)
	must(f.t, err)
	must(f.t, home.WriteFile(filepath.Join(f.home.Dir, "plan.json"), text))
}

func shell(script string) (string, error) {
	out, err := exec.Command("/bin/sh", "-c", script).CombinedOutput()
	return string(out), err
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// supervise starts the supervisor of a run.
func (f *fixture) supervise(run int64, env ...string) *supervisor {
	f.t.Helper()
	f.writePlan()
	must(f.t, home.MkdirAll(f.home.Run(run)))
	log, err := os.OpenFile(filepath.Join(f.home.Run(run), "supervise.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(f.t, err)
	defer func() { _ = log.Close() }()
	cmd := exec.Command(f.path, "--home", f.home.Dir, "supervise", strconv.FormatInt(run, 10))
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	must(f.t, cmd.Start())
	s := &supervisor{f: f, run: run, cmd: cmd, waited: make(chan error, 1)}
	go func() { s.waited <- cmd.Wait() }()
	f.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		for _, e := range f.survivors(run) {
			_ = syscall.Kill(e.ID.PID, syscall.SIGKILL)
		}
	})
	return s
}

// wait waits for the supervisor's end and gives its exit code; -1 for a signal.
func (s *supervisor) wait() int {
	s.f.t.Helper()
	select {
	case err := <-s.waited:
		s.waited <- err
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		s.f.t.Fatalf("run %d: its supervisor did not end; log:\n%s", s.run, s.f.read(s.run, "supervise.log"))
		return -1
	}
}

func (s *supervisor) signal(sig os.Signal) {
	s.f.t.Helper()
	must(s.f.t, s.cmd.Process.Signal(sig))
}

// finish runs the supervisor of a run to its end and gives the run as settled.
func (f *fixture) finish(run int64, env ...string) board.Run {
	f.t.Helper()
	if code := f.supervise(run, env...).wait(); code != 0 {
		f.t.Fatalf("run %d: supervisor exit %d; log:\n%s", run, code, f.read(run, "supervise.log"))
	}
	return f.run(run)
}

func (f *fixture) run(id int64) board.Run {
	f.t.Helper()
	r, err := f.store.Run(f.t.Context(), id)
	must(f.t, err)
	return r
}

// read gives a file of the run; empty when it is not there.
func (f *fixture) read(run int64, name string) string {
	text, _ := os.ReadFile(filepath.Join(f.home.Run(run), name))
	return string(text)
}

// scratch is the folder in which a card of a board without a repository is worked on.
func (f *fixture) scratch(card string) string { return filepath.Join(f.home.Worktrees(), "api", card) }

// survivors are the living processes that a session started, by its launch key.
func (f *fixture) survivors(session int64) []process.Entry {
	x, err := f.store.Session(context.Background(), session)
	if err != nil || x.LaunchKey == "" {
		return nil
	}
	table, err := process.Open()
	if err != nil {
		return nil
	}
	return table.FindByEnv("BOARD_LAUNCH_KEY", x.LaunchKey)
}

// await waits until something is so.
func (f *fixture) await(what string, so func() bool) {
	f.t.Helper()
	deadline := time.Now().Add(patience)
	for !so() {
		if time.Now().After(deadline) {
			f.t.Fatalf("waited in vain: %s", what)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// awaitFile waits for a file that a script makes.
func (f *fixture) awaitFile(path string) {
	f.t.Helper()
	f.await(path, func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// exitOf reads a run's exit.json.
func (f *fixture) exitOf(run int64) board.Exit {
	f.t.Helper()
	var x board.Exit
	if err := json.Unmarshal([]byte(f.read(run, "exit.json")), &x); err != nil {
		f.t.Fatalf("run %d: exit.json: %v", run, err)
	}
	return x
}

func (f *fixture) noExit(run int64) bool {
	_, err := os.Stat(filepath.Join(f.home.Run(run), "exit.json"))
	return errors.Is(err, os.ErrNotExist)
}

// script writes an executable shell script.
func (f *fixture) script(path, text string) {
	f.t.Helper()
	must(f.t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700))
}

// scratchFile gives a file that a worker left in its scratch folder.
func (f *fixture) scratchFile(card, name string) string {
	text, _ := os.ReadFile(filepath.Join(f.scratch(card), name))
	return string(text)
}

// killSurvivors ends what a killed supervisor left, as a tick does.
func (f *fixture) killSurvivors(session int64) {
	f.t.Helper()
	f.await("what lived is gone", func() bool {
		left := f.survivors(session)
		for _, e := range left {
			_ = syscall.Kill(e.ID.PID, syscall.SIGKILL)
		}
		return len(left) == 0
	})
}
