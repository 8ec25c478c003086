// Command e2e drives real coding-agent CLIs with the shipped program against a mock model server, and judges from outside:
// from the history that board keeps, from git, from the requests that reached the model, and from the processes that are left.
//
//	e2e                                        the CLIs of CI, every case
//	e2e -cli all                               every CLI that npm has
//	e2e -cli claude,codex -case stop,usage     some
//	e2e -install                               fetch the CLIs and do nothing else
//
// It prints a line for each CLI and case: how the run ended, the class, whether a reset time was told, the exit code, the
// seconds. A line that is not as the facts say is a surprise, and then the exit code is 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/seed-2ddc2152/board/internal/clock"
)

// ours are the CLIs that CI drives; the others take longer to fetch than they tell.
const ours = "claude,codex,opencode"

// options are the command line.
type options struct {
	board   string
	cache   string
	path    string // PATH of every world
	agents  []agent
	cases   []string // patterns; empty for all
	jobs    int
	keep    bool
	install bool
	out     io.Writer
}

func main() {
	var o options
	flag.StringVar(&o.board, "board", "bin/board", "the program")
	flag.StringVar(&o.cache, "cache", ".cache/npm", "folder that keeps the CLIs")
	chosen := flag.String("cli", ours, "the CLIs, or all")
	cases := flag.String("case", "", "the cases; a trailing * matches any ending; empty for all")
	flag.IntVar(&o.jobs, "jobs", 3, "how many at once")
	flag.BoolVar(&o.keep, "keep", false, "keep every world's folder, not only those of surprises")
	flag.BoolVar(&o.install, "install", false, "fetch the CLIs, and do nothing else")
	list := flag.Bool("list", false, "list the cases")
	flag.Parse()
	o.out, o.path = os.Stdout, os.Getenv("PATH")
	if *list {
		for _, c := range allCases() {
			fmt.Printf("%-14s %s\n", c.name, c.about)
		}
		return
	}
	if *cases != "" {
		o.cases = strings.Split(*cases, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // then every world is still taken down
	defer stop()
	if err := o.main(ctx, *chosen); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}

func (o options) main(ctx context.Context, chosen string) (err error) {
	if o.board, err = filepath.Abs(o.board); err != nil {
		return err
	}
	if o.cache, err = filepath.Abs(o.cache); err != nil {
		return err
	}
	if o.agents, err = choose(chosen); err != nil {
		return err
	}
	for _, a := range o.agents {
		if err := a.install(ctx, o.cache); err != nil {
			return err
		}
	}
	if o.install {
		return nil
	}
	return o.judge(o.runAll(ctx))
}

func choose(names string) ([]agent, error) {
	all := agents()
	if names == "all" {
		return all, nil
	}
	var list []agent
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(a agent) bool { return a.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no CLI is called %q", name)
		}
		list = append(list, all[i])
	}
	return list, nil
}

// trial is one case with one CLI.
type trial struct {
	options
	testCase
	agent agent
	world *world
	line  line
}

// line is what is told of a trial.
type line struct {
	outcome, class, reset, exit, note string
	seconds                           float64 // of the run that the case is about; 0 where it is about none
	took                              time.Duration
	err                               error // a surprise
}

// runAll runs every trial, some at a time, and tells of each as it ends.
func (o options) runAll(ctx context.Context) []*trial {
	trials := o.trials()
	fmt.Fprintf(o.out, "%-12s %-16s %-18s %-18s %-6s %-5s %8s  %s\n", "cli", "case", "outcome", "class", "reset", "exit", "seconds", "")
	var wait sync.WaitGroup
	var telling sync.Mutex
	places := make(chan struct{}, max(o.jobs, 1))
	for _, t := range trials {
		places <- struct{}{}
		wait.Go(func() {
			defer func() { <-places }()
			t.run(ctx)
			telling.Lock()
			defer telling.Unlock()
			t.tell(o.out)
		})
	}
	wait.Wait()
	return trials
}

// trials are the cases for each CLI, the longest first.
func (o options) trials() []*trial {
	var list []*trial
	for _, c := range allCases() {
		if len(o.cases) > 0 && !slices.ContainsFunc(o.cases, c.matches) {
			continue
		}
		if len(c.needs) > 0 {
			if a, ok := o.both(c.needs); ok {
				list = append(list, &trial{options: o, testCase: c, agent: a})
			}
			continue
		}
		for _, a := range o.agents {
			if !slices.Contains(c.not, a.name) {
				list = append(list, &trial{options: o, testCase: c, agent: a})
			}
		}
	}
	return list
}

// both gives the first of the CLIs that a case needs, when all of them were chosen.
func (o options) both(needs []string) (agent, bool) {
	for _, name := range needs {
		if _, ok := o.find(name); !ok {
			return agent{}, false
		}
	}
	return o.find(needs[0])
}

func (o options) find(name string) (agent, bool) {
	i := slices.IndexFunc(o.agents, func(a agent) bool { return a.name == name })
	if i < 0 {
		return agent{}, false
	}
	return o.agents[i], true
}

// trialLimit is how long one trial may take. Chosen: the longest waits for a reset of two minutes.
const trialLimit = 8 * time.Minute

func (t *trial) run(ctx context.Context) {
	watch := clock.StartStopwatch(clock.Real{})
	ctx, cancel := context.WithTimeout(ctx, trialLimit)
	defer cancel()
	w, err := newWorld(ctx, t.options, t.agent)
	if err == nil {
		t.world = w
		err = t.play(ctx, t)
		if left := w.processes(); err == nil && len(left) > 0 {
			err = w.gone(ctx)
		}
	}
	t.line.err, t.line.took = err, watch.Elapsed()
	if w != nil {
		if err := w.end(t.keep || t.line.err != nil); err != nil {
			t.line.err = errors.Join(t.line.err, err)
		}
	}
}

func (t *trial) tell(out io.Writer) {
	l := t.line
	seconds := ""
	if l.seconds > 0 {
		seconds = fmt.Sprintf("%.1f", l.seconds)
	}
	name := t.agent.name
	if len(t.needs) > 0 {
		name = strings.Join(t.needs, "+")
	}
	fmt.Fprintf(out, "%-12s %-16s %-18s %-18s %-6s %-5s %8s  %s\n", name, t.name, l.outcome, l.class, l.reset, l.exit, seconds, l.note)
	if l.err != nil {
		where := ""
		if t.world != nil {
			where = " (kept in " + t.world.dir + ")"
		}
		fmt.Fprintf(out, "    SURPRISE: %v%s\n", l.err, where)
	}
}

// judge counts the surprises.
func (o options) judge(trials []*trial) error {
	surprises := 0
	for _, t := range trials {
		if t.line.err != nil {
			surprises++
		}
	}
	fmt.Fprintf(o.out, "%d trials, %d surprises\n", len(trials), surprises)
	if surprises > 0 {
		return fmt.Errorf("%d of %d trials are a surprise", surprises, len(trials))
	}
	if len(trials) == 0 {
		return errors.New("nothing was tried")
	}
	return nil
}
