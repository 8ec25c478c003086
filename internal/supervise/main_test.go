package supervise_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/supervise"
	"github.com/seed-2ddc2152/board/internal/worker"
	"github.com/seed-2ddc2152/board/workflows"
)

// TestMain is the test program, and the board program that supervisors and workers call: a supervisor must be a process of
// its own, since whatever is below it is its session's.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		os.Exit(boardProgram(os.Args[1:]))
	}
	os.Exit(m.Run())
}

func boardProgram(words []string) int {
	if words[0] == "shim" {
		fmt.Fprintln(os.Stderr, process.RunShim(words[1:], os.Environ()))
		return 127
	}
	if words[0] == "--home" {
		h := home.Home{Dir: words[1]}
		if words[2] == "supervise" {
			return superviseProgram(h, words[3])
		}
		if err := os.WriteFile(filepath.Join(h.Dir, "poked"), []byte(strings.Join(words[2:], " ")), 0o600); err != nil {
			return 1
		}
		return 0
	}
	return workerProgram(words)
}

// plan is what a test gives the supervisor's process beside its home.
type plan struct {
	Executors []agent `json:"executors"`
	Speed     int     `json:"speed"` // of the clock; 0 = 1
	Poke      bool    `json:"poke"`
	LoadError string  `json:"load_error"`
}

// agent is an executor of a plan.
type agent struct {
	ID      string            `json:"id"`
	Harness string            `json:"harness"`
	Bin     string            `json:"bin"`
	Command []string          `json:"command"`
	Env     map[string]string `json:"env"`
}

func (p plan) roster() roster.Roster {
	var r roster.Roster
	for _, a := range p.Executors {
		r.Executors = append(r.Executors, roster.Executor{
			ID: a.ID, Harness: a.Harness, Bin: a.Bin, Command: a.Command, Env: a.Env, Roles: roster.Roles(), Slots: 1, CoderSlots: 1,
			Cooldown: roster.DefaultCooldown(),
		})
	}
	return r
}

func superviseProgram(h home.Home, run string) int {
	id, err := strconv.ParseInt(run, 10, 64)
	if err != nil {
		return 2
	}
	program, err := os.Executable()
	if err != nil {
		return 2
	}
	fail, err := failpoint.New(os.Getenv(failpoint.EnvVar))
	if err != nil {
		return 2
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	var p plan
	text, err := os.ReadFile(filepath.Join(h.Dir, "plan.json"))
	if err != nil || json.Unmarshal(text, &p) != nil {
		return 2
	}
	return supervise.Run(context.Background(), supervise.Options{
		Home: h, Run: id, Program: program, Environ: os.Environ(), Clock: newFast(max(p.Speed, 1)), Signals: signals, Fail: fail,
		Load: func(context.Context, *board.Store) (supervise.Settings, error) { return p.load(h) }, Stderr: os.Stderr,
	})
}

// load reads the workflow that the test wrote.
func (p plan) load(h home.Home) (supervise.Settings, error) {
	if p.LoadError != "" {
		return supervise.Settings{}, fmt.Errorf("%s", p.LoadError)
	}
	text, err := os.ReadFile(h.Workflow("test"))
	if err != nil {
		return supervise.Settings{}, err
	}
	w, err := workflows.Load("test", "workflows/test.yaml", text, workflows.Options{})
	if err != nil {
		return supervise.Settings{}, err
	}
	return supervise.Settings{Rules: rulesOf(w, p.roster()), Prices: harness.DefaultPrices(), Poke: p.Poke}, nil
}

func rulesOf(w *workflows.Workflow, r roster.Roster) board.Rules {
	return board.Rules{
		Workflow:    func(string) *workflows.Workflow { return w },
		Executor:    r.Find,
		Fingerprint: func(e roster.Executor) string { return e.Fingerprint() },
	}
}

// fast is a clock that runs faster than the machine's, so that a limit of minutes is met in a test of seconds.
type fast struct {
	start time.Time
	speed int64
}

func newFast(speed int) fast { return fast{start: time.Now(), speed: int64(speed)} }

func (f fast) Now() time.Time {
	return f.start.Add(time.Duration(time.Since(f.start).Nanoseconds() * f.speed))
}

func (f fast) After(d time.Duration) <-chan time.Time { return time.After(f.real(d)) }

func (f fast) real(d time.Duration) time.Duration { return time.Duration(d.Nanoseconds() / f.speed) }

func (f fast) Sleep(ctx context.Context, d time.Duration) error {
	return clock.Real{}.Sleep(ctx, f.real(d))
}

// workerProgram is the worker's verbs, as cmd/board has them.
func workerProgram(words []string) int {
	s, ok := worker.FromEnv(os.Getenv)
	if !ok {
		fmt.Fprintln(os.Stderr, "not in a session")
		return 2
	}
	arg := func(n int) string {
		if n < len(words) {
			return words[n]
		}
		return ""
	}
	var r worker.Request
	switch words[0] {
	case "done":
		r = worker.Request{Verb: worker.VerbVerdict, Verdict: board.VerdictDone, Summary: arg(1)}
	case "approve":
		r = worker.Request{Verb: worker.VerbVerdict, Verdict: board.VerdictApprove}
	case "changes":
		r = worker.Request{Verb: worker.VerbVerdict, Verdict: board.VerdictChanges, Reason: arg(1)}
	case "blocked":
		r = worker.Request{Verb: worker.VerbVerdict, Verdict: board.VerdictBlocked, Reason: arg(1), Kind: arg(2)}
	case "beat":
		r = worker.Request{Verb: worker.VerbBeat}
	case "beat-until":
		r = worker.Request{Verb: worker.VerbBeat, Until: time.Now().Add(time.Hour)}
	case "comment":
		r = worker.Request{Verb: worker.VerbComment, Text: arg(1), Card: arg(2)}
	case "evidence":
		r = worker.Request{Verb: worker.VerbEvidence, Name: arg(1), Text: arg(2)}
	case "add":
		r = worker.Request{Verb: worker.VerbAdd, Subtask: &worker.Subtask{Title: arg(1)}}
	case "card":
		r = worker.Request{Verb: worker.VerbCard}
	case "forged":
		s.Token = "FORGED"
		r = worker.Request{Verb: worker.VerbComment, Text: "forged"}
	default:
		return 2
	}
	a, err := worker.Client{Session: s, Clock: clock.Real{}}.Send(context.Background(), r)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 7
	}
	fmt.Println(a.Text + string(a.Data))
	return 0
}
