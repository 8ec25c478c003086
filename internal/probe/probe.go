package probe

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// AskLimit is how long a program may take for one answer. From the specification of the roster check; the slowest known
// needs two seconds for its version.
const AskLimit = 10 * time.Second

// Prober asks. It holds no state and may be used by many goroutines.
type Prober struct {
	Environ  []string // of this process
	UserHome string   // what HOME is where the environment has none; "" = unknown
	Clock    clock.Clock
	Table    process.Prober                                     // finds what a program leaves behind
	Health   func(ctx context.Context, url string) roster.Probe // asks a health URL; nil = none is asked
	Told     func(executor string)                              // told when one is done, by one goroutine at a time; nil = nobody
	Limit    time.Duration                                      // for one answer; 0 = AskLimit
	Whole    time.Duration                                      // for all answers together; 0 = none: what is asked later gets none
	Live     bool                                               // also ask each model one question, which spends tokens
}

// Check looks at executors, those of different harnesses at once: a program that is started twice for the first time may
// meet itself making its files. The reports stand in the order of the executors.
func (p Prober) Check(ctx context.Context, executors []roster.Executor) ([]Report, error) {
	scratch, err := os.MkdirTemp("", "board-check-")
	if err != nil {
		return nil, fmt.Errorf("make a folder to check executors in: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }() // what a program left there and cannot be removed is the system's to clean
	reports := make([]Report, len(executors))
	byHarness := map[string][]int{}
	for i, e := range executors {
		byHarness[e.Harness] = append(byHarness[e.Harness], i)
	}
	asking := ctx
	if p.Whole > 0 {
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeout(ctx, p.Whole)
		defer cancel()
	}
	var told sync.Mutex
	var wait sync.WaitGroup
	for _, name := range slices.Sorted(maps.Keys(byHarness)) {
		wait.Go(func() {
			a := newAsker(p, scratch)
			for _, i := range byHarness[name] {
				reports[i] = p.look(asking, a, executors[i])
				told.Lock()
				if p.Told != nil {
					p.Told(executors[i].ID)
				}
				told.Unlock()
			}
		})
	}
	wait.Wait()
	return reports, ctx.Err()
}

// look finds out about one executor, in the order of the problem codes: what is missing makes the rest pointless.
func (p Prober) look(ctx context.Context, a *asker, e roster.Executor) Report {
	r := newReport(e)
	for _, name := range e.Unset {
		r.problem(CodeEnv, fmt.Sprintf("${%s} of its entry is not set", name), "set it, or name it in env_file of config.yaml")
	}
	driver, ok := harness.Lookup(e.Harness)
	if !ok {
		r.problem(CodeNoDriver, "board has no way to drive "+e.Harness, "")
		return r
	}
	s := subject{entry: e, facts: driver.Facts(), driver: driver}
	s.env = s.facts.Inherited(p.Environ, p.UserHome)
	maps.Copy(s.env, e.Env)
	r.ReadOnly, r.Unproven, r.Unknown = s.facts.ReadOnly, s.facts.Unproven, s.facts.Probe.Unknown
	s.entryProblems(&r)
	if found := s.find(&r); found && s.facts.Name != execName {
		s.ask(ctx, a, &r)
	}
	if p.Health != nil && e.Health != "" {
		answer := p.Health(ctx, e.Health)
		r.Health = &Health{URL: e.Health, OK: answer.OK, Text: answer.Text}
		if !answer.OK {
			r.problem(CodeHealth, "its health URL "+e.Health+" does not answer: "+answer.Text, "")
		}
	}
	if p.Live && len(r.Problems) == 0 {
		s.live(ctx, a, &r)
	}
	r.OK = len(r.Problems) == 0
	return r
}

// subject is an executor that is looked at, and what is known of its harness.
type subject struct {
	entry  roster.Executor
	facts  harness.Facts
	driver harness.Harness
	env    map[string]string // that a run would get
}

// execName is the harness that stands for any command: there is nothing that it could be asked.
const execName = "exec"

// entryProblems says what of the entry the harness refuses, without starting anything.
func (s subject) entryProblems(r *Report) {
	for _, permissions := range []harness.Permissions{harness.PermissionEdit, harness.PermissionRead} {
		if _, err := s.driver.Command(s.job(permissions)); err != nil {
			r.problem(CodeEntry, err.Error(), "mend "+s.entry.Where())
			return
		}
	}
	if _, err := s.driver.Command(s.job(harness.PermissionFull)); err != nil {
		r.note(err.Error())
	}
}

// job is a run of the executor as its harness is told of it.
func (s subject) job(permissions harness.Permissions) harness.Job {
	return harness.Job{
		Bin: s.entry.Bin, Argv: s.entry.Command, Model: s.entry.Model, Effort: s.entry.Effort.Default, Flags: s.entry.Flags,
		Permissions: permissions, Root: os.Geteuid() == 0, Home: s.env["HOME"], Env: s.env,
	}
}

// program is what the executor starts, as its entry or its harness names it.
func (s subject) program() string {
	switch {
	case s.facts.Name == execName && len(s.entry.Command) > 0:
		return s.entry.Command[0]
	case s.entry.Bin != "":
		return s.entry.Bin
	}
	return s.facts.Binary
}

// ask asks the program itself: it must answer with its version before anything else is worth asking.
func (s subject) ask(ctx context.Context, a *asker, r *Report) {
	s.askNode(ctx, a, r)
	if !s.askVersion(ctx, a, r) {
		return
	}
	s.askFlags(ctx, a, r)
	s.askSignIn(ctx, a, r)
	r.note(s.facts.Warning)
	if s.facts.Unproven {
		r.note("unproven: written from " + s.facts.Name + "'s documentation, and run by nobody yet")
	}
}

// askVersion says whether the program starts.
func (s subject) askVersion(ctx context.Context, a *asker, r *Report) bool {
	if s.facts.Probe.Version == nil {
		return true
	}
	answer := a.ask(ctx, s.env, append([]string{r.Path}, s.facts.Probe.Version...))
	if s.noAnswer(answer, r) {
		return false
	}
	r.Version = harness.ReadVersion(answer.stdout)
	if r.Version == "" {
		r.Version = harness.ReadVersion(answer.stderr)
	}
	switch {
	case answer.code == 0:
		if r.Version == "" {
			r.note(fmt.Sprintf("%s tells no version", answer.words))
		}
		return true
	case r.Node == "" && r.Kind == harness.ProgramNode:
		return false // told already: there is no Node
	}
	r.problem(CodeBroken, fmt.Sprintf("%s ended with exit %d: %s", answer.words, answer.code, answer.lastLine()), "install it again")
	return false
}

// noAnswer tells that a program could not be started, or did not answer in time.
func (s subject) noAnswer(answer answer, r *Report) bool {
	switch {
	case answer.late:
		r.problem(CodeNoAnswer, fmt.Sprintf("%s did not answer within %s", answer.words, answer.limit), "run it by hand to see what it waits for")
	case answer.err != nil:
		r.problem(CodeBroken, fmt.Sprintf("%s: %v", answer.words, answer.err), "install it again")
	default:
		return false
	}
	return true
}

// askFlags looks for the flags that board and the entry use in the program's own help (HAR-8).
func (s subject) askFlags(ctx context.Context, a *asker, r *Report) {
	var help strings.Builder
	for _, words := range s.facts.Probe.Help {
		answer := a.ask(ctx, s.env, append([]string{r.Path}, words...))
		if answer.late || answer.err != nil {
			r.note(answer.words + " gave no answer, so its flags are unknown")
			return
		}
		help.WriteString(answer.stdout + "\n" + answer.stderr + "\n")
	}
	missing := harness.MissingFlags(help.String(), s.facts.Probe.Flags)
	if len(missing) > 0 && len(missing) == len(s.facts.Probe.Flags) {
		r.note("its help names none of the flags that board uses, so whether it knows them is unknown")
		return
	}
	if len(missing) > 0 {
		r.MissingFlags = missing
		r.problem(CodeOld, fmt.Sprintf("version %s is too old, or too new: it does not know %s, which board uses",
			cmp.Or(r.Version, "unknown"), strings.Join(missing, ", ")), "update it")
	}
	var own []string
	for _, name := range slices.Sorted(maps.Keys(s.entry.Flags)) {
		if len(name) > 1 {
			own = append(own, "--"+name)
		}
	}
	if unnamed := harness.MissingFlags(help.String(), own); len(unnamed) > 0 {
		r.note("its help does not name " + strings.Join(unnamed, ", ") + ", which the entry sets")
	}
}
