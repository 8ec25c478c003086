package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/workspace"
)

const (
	demoEvery = 250 * time.Millisecond // between two ticks
	demoLimit = 25 * time.Second       // in which the board is done many times over
)

// demoRoster are a coder that writes a file and a reviewer that wants one of the cards done again. They are commands, so the
// demo needs no agent; they speak to the board as an agent does.
const demoRoster = `executors:
  - id: scripted-coder
    harness: exec
    command: ["sh", "-c", "echo \"working on $BOARD_CARD\"; sleep 0.4; echo \"a line of $BOARD_CARD, run $BOARD_RUN\" >> \"$BOARD_CARD.txt\"; board done --summary \"wrote $BOARD_CARD.txt\""]
    roles: [coder]
    slots: 2
  - id: scripted-reviewer
    harness: exec
    command: ["sh", "-c", "echo \"reading $BOARD_CARD.txt\"; sleep 0.2; if [ $BOARD_CARD = demo-2 ] && [ $(wc -l < demo-2.txt) -lt 2 ]; then board changes 'one line is too short'; else board approve; fi"]
    roles: [reviewer]
`

// demoConfig lets few sessions run at once, so that something waits, and leaves all ticks to the demo, so that it can tell of
// them.
const demoConfig = "params: {max_sessions: 3}\npoke: false\n"

// demoDocument is what `board demo --json` prints.
type demoDocument struct {
	Folder  string  `json:"folder"`
	Kept    bool    `json:"kept"`
	Cards   int     `json:"cards"`
	Runs    int     `json:"runs"`
	Seconds float64 `json:"seconds"`
}

func demoCommand() command {
	return command{
		about: "Makes a scratch home and repository with five cards, a scripted coder and a scripted reviewer, and ticks until the board is done: " +
			"the plan with what waits and why, each run, the history. It needs no agent, no account and no network, and takes a few seconds.",
		examples: []string{"board demo", "board demo --keep"},
		flags:    []cli.Flag{&cli.BoolFlag{Name: "keep", Usage: "leave the folder there to look around in"}},
		document: demoDocument{},
		run:      runDemo,
	}
}

func runDemo(ctx context.Context, c *call) error {
	if c.flags.IsSet("home") || c.flags.IsSet("board") {
		return board.NewProblem(board.ErrUsage, "board demo", "demo makes a home and a board of its own")
	}
	dir, err := os.MkdirTemp(c.getenv("TMPDIR"), "board-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	dir = resolved(dir)
	demo := &demo{dir: dir, home: home.Home{Dir: filepath.Join(dir, "home")}, watch: clock.StartStopwatch(c.clock)}
	if err = demo.play(ctx, c); err != nil {
		return fmt.Errorf("demo in %s, which is left there: %w", dir, err)
	}
	return demo.leave(ctx, c)
}

// demo is one demonstration as it goes on.
type demo struct {
	dir   string
	home  home.Home
	watch clock.Stopwatch
	call  *call // in the demo's home
	store *board.Store
	told  map[int64]bool // runs whose end was told
	cards []board.Card
	runs  []board.Run
}

// play is the demonstration, from an empty folder to a board that is done.
func (d *demo) play(ctx context.Context, c *call) error {
	if err := d.make(ctx, c); err != nil {
		return err
	}
	defer d.call.close()
	c.out.remark("A scratch home and repository: %s", d.dir)
	c.out.remark("Five cards; three sessions may run at once, and one of these places is kept for reviews.\n")
	if err := d.showPlan(ctx, c); err != nil {
		return err
	}
	if err := d.work(ctx, c); err != nil {
		return err
	}
	return d.showHistory(ctx, c)
}

// make fills the folder.
func (d *demo) make(ctx context.Context, c *call) error {
	inner := *c.program
	inner.env = append(outerEnv(slices.DeleteFunc(slices.Clone(c.env), func(pair string) bool { return strings.HasPrefix(pair, "BOARD_EXECUTORS=") })),
		"BOARD_HOME="+d.home.Dir, "BOARD_ROSTER="+filepath.Join(d.dir, "roster.yaml"))
	d.call = &call{program: &inner, flags: c.flags, out: c.out}
	d.told = map[int64]bool{}
	repo, err := d.repository(ctx, &inner)
	if err != nil {
		return err
	}
	if d.store, err = makeHome(ctx, d.home, &initDocument{}); err != nil {
		return err
	}
	d.call.writer = d.store
	if err := errors.Join(
		home.WriteFile(filepath.Join(d.dir, "roster.yaml"), []byte(demoRoster)),
		home.WriteFile(d.home.ConfigFile(), []byte(demoConfig)),
		d.store.AddBoard(ctx, d.call.now(), board.Board{Slug: "demo", Name: "demo", Repo: repo, BaseBranch: "main", Workflow: "default"}, c.actor()),
	); err != nil {
		return err
	}
	for _, card := range []struct {
		title     string
		priority  int
		dependsOn []string
	}{
		{"Fix the login redirect", 0, nil},
		{"Document the rate limiter", 2, nil},
		{"Add a health page", 0, nil},
		{"Release 1.4", 0, []string{"demo-1", "demo-2", "demo-3"}},
		{"Tidy the changelog", 1, nil},
	} {
		added, _, err := d.store.AddCard(ctx, d.call.now(), board.NewCard{
			Card: board.Card{Board: "demo", Title: card.title, Status: "todo", Priority: card.priority}, DependsOn: card.dependsOn, Actor: c.actor(),
		})
		if err != nil {
			return err
		}
		d.cards = append(d.cards, added)
	}
	return nil
}

// repository makes a git repository with one commit; without git the cards work in scratch folders.
func (d *demo) repository(ctx context.Context, p *program) (string, error) {
	git, err := p.lookPath("git")
	if err != nil {
		return "", nil //nolint:nilerr // the demo goes on without
	}
	repo := filepath.Join(d.dir, "repo")
	for _, words := range [][]string{
		{"init", "--quiet", "--initial-branch=main", repo},
		{
			"-C", repo, "-c", "user.name=demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null",
			"commit", "--quiet", "--allow-empty", "--message=begin",
		},
	} {
		cmd := exec.CommandContext(ctx, git, words...)
		cmd.Env = workspace.CleanEnv(p.env)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("make a repository: %w: %s", err, clean1(string(out)))
		}
	}
	return repo, nil
}

// showPlan is `board dispatch --dry-run`, and the reason of one that waits.
func (d *demo) showPlan(ctx context.Context, c *call) error {
	t, err := d.call.ticker(d.store)
	if err != nil {
		return err
	}
	report, err := dispatch.DryRun(ctx, t.deps(ctx), dispatch.Options{}, c.clock.Now())
	if err != nil {
		return err
	}
	if c.out.json {
		return nil
	}
	c.out.heading("$ board dispatch --dry-run")
	return d.call.tellReport(ctx, d.store, report)
}

// work ticks until no card is open.
func (d *demo) work(ctx context.Context, c *call) error {
	t, err := d.call.ticker(d.store)
	if err != nil {
		return err
	}
	c.out.remark("\n%s", c.out.paint(bold, "$ board dispatch      # again and again, as cron does"))
	for {
		report, err := dispatch.Tick(ctx, t.deps(ctx), dispatch.TickOptions{})
		if err != nil {
			return err
		}
		if len(report.Faults) > 0 {
			return fmt.Errorf("%s: %s", report.Faults[0].Scope, report.Faults[0].Text)
		}
		if err := d.tell(ctx, c, report); err != nil {
			return err
		}
		open, err := d.open(ctx)
		if err != nil || open == 0 {
			return err
		}
		if d.watch.Elapsed() > demoLimit {
			return fmt.Errorf("%d cards are not done after %s: board --home %s status", open, demoLimit, d.home.Dir)
		}
		if err := c.clock.Sleep(ctx, demoEvery); err != nil {
			return err
		}
	}
}

// tell prints what has happened since the last tick.
func (d *demo) tell(ctx context.Context, c *call, report dispatch.Report) (err error) {
	if d.runs, err = d.store.Runs(ctx, board.RunFilter{}); err != nil {
		return err
	}
	at := fmt.Sprintf("  %4.1fs", d.watch.Elapsed().Seconds())
	for _, r := range d.runs {
		if r.Open() || d.told[r.ID] {
			continue
		}
		d.told[r.ID] = true
		c.out.remark("%s  ended    %s  run %-2d  %-9s  %s", at, r.Card, r.ID, r.Outcome, whyOf(r))
		if r.Outcome != board.Completed {
			return fmt.Errorf("run %d ended as %s: %s", r.ID, r.Outcome, r.Reason)
		}
	}
	for _, s := range report.Started {
		c.out.remark("%s  started  %s  run %-2d  %-9s  %s", at, s.Card, s.Run, s.Status, s.Label)
	}
	return c.out.w.Flush()
}

// open is how many cards are not done.
func (d *demo) open(ctx context.Context) (int, error) {
	n := 0
	for i := range d.cards {
		var err error
		if d.cards[i], err = d.store.Card(ctx, d.cards[i].ID); err != nil {
			return 0, err
		}
		if d.cards[i].EndedAt.IsZero() {
			n++
		}
	}
	return n, nil
}

func (d *demo) showHistory(ctx context.Context, c *call) (err error) {
	if d.runs, err = d.store.Runs(ctx, board.RunFilter{}); err != nil || c.out.json || c.out.quiet {
		return err
	}
	c.out.now, c.out.heads = c.clock.Now(), true
	d.call.learnSlots(ctx, d.store)
	c.out.heading("\n$ board runs")
	c.out.runs(d.runs, true)
	c.out.heading("\n$ board show demo-2     # its history")
	events, err := d.store.Events(ctx, "demo-2", 100)
	if err != nil {
		return err
	}
	t := table{head: make([]string, 4), indent: 2, bare: true}
	for _, e := range events {
		run := ""
		if e.Run != 0 {
			run = fmt.Sprintf("run %d", e.Run)
		}
		t.add(e.At.Time().Local().Format("15:04:05.0"), e.Kind, run, e.Actor)
	}
	c.out.table(t)
	return nil
}

// leave takes the folder away when nothing of the demo lives, or says where it is.
func (d *demo) leave(ctx context.Context, c *call) error {
	doc := demoDocument{Folder: d.dir, Kept: c.flags.Bool("keep"), Cards: len(d.cards), Runs: len(d.runs), Seconds: d.watch.Elapsed().Seconds()}
	if !doc.Kept {
		for _, r := range d.runs {
			if err := d.untilFree(ctx, c, r); err != nil {
				return err
			}
		}
		if err := os.RemoveAll(d.dir); err != nil {
			return fmt.Errorf("take the demo away: %w", err)
		}
	}
	if c.out.json {
		return c.out.document(doc)
	}
	c.out.line("\n%d cards done in %d runs, %.1f s.", doc.Cards, doc.Runs, doc.Seconds)
	if doc.Kept {
		c.out.line("It is in %s: board --home %s status", d.dir, shellWord(d.home.Dir))
	} else {
		c.out.remark("%s is gone again (--keep leaves it). Next: board init in a repository of yours", d.dir)
	}
	return nil
}

// untilFree waits until a run's supervisor has gone: it still writes a little when its run is over.
func (d *demo) untilFree(ctx context.Context, c *call, r board.Run) error {
	for d.watch.Elapsed() < 2*demoLimit {
		_, held, err := process.LockHolder(filepath.Join(d.home.Run(r.ID), "lock"))
		if err != nil || !held {
			return err
		}
		if err := c.clock.Sleep(ctx, demoEvery/10); err != nil {
			return err
		}
	}
	return fmt.Errorf("the supervisor of run %d does not end: %s is left there", r.ID, d.dir)
}
