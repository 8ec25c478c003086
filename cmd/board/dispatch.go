package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"gopkg.in/yaml.v3"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/process"
)

// watchEvery is how often --watch ticks (chosen: twice as often as cron can).
const watchEvery = 30 * time.Second

func dispatchCommand() command {
	return command{
		about: "Looks at what runs, settles what has ended, and starts what the caps allow. Each run is launched as a process of its own and " +
			"outlives this one. When a run ends, its supervisor dispatches once more (config.yaml poke), so work goes on by itself; " +
			"`board cron install` is the safety net.",
		examples: []string{
			"board dispatch --dry-run                                     # what would start, and why the rest waits",
			"board dispatch --dry-run --set params.max_sessions=6         # what if",
			"board dispatch --dry-run --at 2026-12-01T08:00Z",
			"board dispatch --watch --every 10s",
		},
		flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "say what a tick would do, and change nothing"},
			&cli.StringSliceFlag{Name: "set", Usage: "with --dry-run: what if `KEY=VALUE`, such as host.memory_pressure=critical"},
			&cli.StringFlag{Name: "at", Usage: "with --dry-run: what if it were `TIME`"},
			&cli.IntFlag{Name: "max", Usage: "at most `N` open runs in the home, those already there included"},
			&cli.BoolFlag{Name: "watch", Usage: "tick again and again, until interrupted"},
			&cli.StringFlag{Name: "every", Usage: "with --watch: `DURATION` between two ticks; default 30s"},
			&cli.StringFlag{Name: "only", Usage: "start no card but `ID`"},
			&cli.StringFlag{Name: "executors", Usage: "only the executors `A,B` of the roster"},
			&cli.BoolFlag{Name: "no-lock", Usage: "do not take the lock that keeps ticks apart (for tests)"},
		},
		document: dispatch.Report{},
		run:      runDispatch,
	}
}

func runDispatch(ctx context.Context, c *call) error {
	if err := c.checkDispatchFlags(); err != nil {
		return err
	}
	if c.flags.Bool("dry-run") {
		return dryRun(ctx, c)
	}
	store, err := c.write(ctx)
	if err != nil {
		return err
	}
	o, err := c.tickOptions(ctx, store)
	if err != nil {
		return err
	}
	t, err := c.ticker(store)
	if err != nil {
		return err
	}
	if c.flags.Bool("watch") {
		return watch(ctx, c, t, o)
	}
	report, err := dispatch.Tick(ctx, t.deps(ctx), o)
	if err != nil {
		return err
	}
	if err := c.tellReport(ctx, store, report); err != nil {
		return err
	}
	if len(report.Started) > 0 {
		c.offerTicks(ctx)
	}
	return faultsOf(report)
}

// checkDispatchFlags refuses flags that contradict one another.
func (c *call) checkDispatchFlags() error {
	usage := func(format string, args ...any) error {
		return board.NewProblem(board.ErrUsage, "board help dispatch", "dispatch: "+format, args...)
	}
	dry, watching := c.flags.Bool("dry-run"), c.flags.Bool("watch")
	switch {
	case dry && watching:
		return usage("--dry-run and --watch are two things")
	case !dry && (c.flags.IsSet("set") || c.flags.IsSet("at")):
		return usage("--set and --at are for --dry-run")
	case !watching && c.flags.IsSet("every"):
		return usage("--every is for --watch")
	case c.flags.IsSet("max") && c.flags.Int("max") < 1:
		return usage("--max %d: expected a number from 1", c.flags.Int("max"))
	}
	return nil
}

// tickOptions are what the flags ask of a tick.
func (c *call) tickOptions(ctx context.Context, store *board.Store) (dispatch.TickOptions, error) {
	o := dispatch.TickOptions{
		Options: dispatch.Options{MaxRuns: c.flags.Int("max"), All: c.out.json, Explain: c.out.json},
		NoLock:  c.flags.Bool("no-lock"),
	}
	if !c.flags.IsSet("only") {
		return o, nil
	}
	card, err := c.card(ctx, store, c.flags.String("only"))
	o.Only = card.ID
	return o, err
}

// dryRun tells the plan of a tick made now (DSP-2, DSP-11).
func dryRun(ctx context.Context, c *call) error {
	store, err := c.read(ctx)
	if err != nil {
		return err
	}
	tick, err := c.tickOptions(ctx, store)
	if err != nil {
		return err
	}
	o := tick.Options
	if o.Set, err = whatIf(c.flags.StringSlice("set")); err != nil {
		return err
	}
	at := c.clock.Now()
	if text := c.flags.String("at"); c.flags.IsSet("at") {
		when, err := board.ParseWhen(text, at)
		if err != nil {
			return err
		}
		at = when.Time().Local()
	}
	t, err := c.ticker(store)
	if err != nil {
		return err
	}
	deps := t.deps(ctx)
	for key, value := range o.Set {
		if name, ok := strings.CutPrefix(key, "params."); ok {
			if deps.Settings.Config.Params == nil {
				deps.Settings.Config.Params = map[string]any{}
			}
			deps.Settings.Config.Params[name] = value // as config.yaml says them
		}
	}
	report, err := dispatch.DryRun(ctx, deps, o, at)
	if err != nil {
		return err
	}
	if err := c.tellReport(ctx, store, report); err != nil {
		return err
	}
	return faultsOf(report)
}

// whatIf reads --set: a known key, and a value as YAML has it.
func whatIf(pairs []string) (map[string]any, error) {
	set := map[string]any{}
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, board.NewProblem(board.ErrUsage, "--set host.memory_pressure=critical", "--set %q: expected KEY=VALUE", pair)
		}
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			return nil, board.NewProblem(board.ErrUsage, "", "--set %s: %q is no value", key, text)
		}
		if err := checkWhatIf(key, value); err != nil {
			return nil, err
		}
		set[key] = value
	}
	return set, nil
}

// checkWhatIf says whether a what-if value can be what its key means.
func checkWhatIf(key string, value any) error {
	expected := ""
	switch _, isInt := value.(int); {
	case strings.HasPrefix(key, "params.") && len(key) > len("params."):
	case key == "host.memory_pressure":
		if value != "low" && value != "elevated" && value != "critical" {
			expected = "low, elevated or critical"
		}
	case key == "host.load":
		if _, isFloat := value.(float64); !isInt && !isFloat {
			expected = "a number"
		}
	case slices.Contains(dispatch.SetPaths(), key):
		if !isInt {
			expected = "a whole number"
		}
	default:
		return board.NewProblem(board.ErrUsage, didYouMean(key, append(dispatch.SetPaths(), "params.NAME"), "keys"), "--set: unknown key %q", key)
	}
	if expected != "" {
		return board.NewProblem(board.ErrUsage, "", "--set %s: expected %s, found %v", key, expected, value)
	}
	return nil
}

// watch ticks until it is interrupted. A tick that another one was in the way of, or that had faults, is told and not the end.
func watch(ctx context.Context, c *call, t ticker, o dispatch.TickOptions) error {
	every, err := c.durationFlag("every")
	if err != nil {
		return err
	}
	if every == 0 {
		every = watchEvery
	}
	var reaper process.Reaper
	c.out.remark("a tick every %s, until interrupted", expr.FormatDuration(every))
	for {
		report, err := dispatch.Tick(ctx, t.deps(ctx), o)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // to be interrupted is how a watch ends
		case errors.Is(err, dispatch.ErrTickRunning):
			c.out.remark("%s  %v", c.clock.Now().Format("15:04:05"), err)
		case err != nil:
			return err
		case c.out.json:
			err = c.out.jsonLine(report)
		case changed(report):
			err = c.tellReport(ctx, t.store, report)
		}
		if err := errors.Join(err, c.out.w.Flush()); err != nil && !errors.Is(err, dispatch.ErrTickRunning) {
			return err
		}
		reaper.Reap() // supervisors that have ended are this process's children
		if c.clock.Sleep(ctx, every) != nil {
			return nil //nolint:nilerr // likewise
		}
	}
}

func changed(r dispatch.Report) bool {
	return len(r.Ended)+len(r.Started)+len(r.Stopping)+len(r.Elsewhere)+len(r.Faults) > 0
}

// faultsOf makes a tick that ran, but not wholly, exit 5.
func faultsOf(r dispatch.Report) error {
	if len(r.Faults) > 0 {
		return errFaults
	}
	return nil
}

// tellReport prints a report.
func (c *call) tellReport(ctx context.Context, store *board.Store, r dispatch.Report) error {
	if c.out.json {
		return c.out.document(r)
	}
	for _, f := range r.Faults {
		fmt.Fprintf(c.stderr, "board: %s: %s\n", clean(f.Scope), clean(f.Text))
	}
	if c.out.quiet {
		return nil
	}
	if err := fillTitles(ctx, store, &r); err != nil {
		return err
	}
	c.out.ended(r)
	c.out.started(r)
	c.out.section("stopping", 1, func(t *table) {
		for _, s := range r.Stopping {
			t.add(s.Card, s.Text)
		}
	})
	c.out.held(r)
	c.out.section("elsewhere", 1, func(t *table) {
		for _, e := range r.Elsewhere {
			t.add(e.Card, e.Text)
		}
	})
	c.out.line("%s", summary(r))
	return nil
}

// heldShown is how many waiting cards people are shown (chosen: a screen); --json has all.
const heldShown = 30

// fillTitles reads the titles of what is shown, which a plan does without.
func fillTitles(ctx context.Context, store *board.Store, r *dispatch.Report) error {
	title := func(id string, into *string) error {
		card, err := store.Card(ctx, id)
		*into = card.Title
		return err
	}
	for i := range r.Started {
		if err := title(r.Started[i].Card, &r.Started[i].Title); err != nil {
			return err
		}
	}
	for i := range r.Held[:min(len(r.Held), heldShown)] {
		if err := title(r.Held[i].Card, &r.Held[i].Title); err != nil {
			return err
		}
	}
	return nil
}

// section prints a heading and rows below it, and nothing where there are none.
func (p *printer) section(name string, stretch int, fill func(*table)) {
	t := table{head: make([]string, 8), indent: 2, stretch: stretch, bare: true}
	fill(&t)
	if len(t.rows) == 0 {
		return
	}
	p.heading(name)
	p.table(t)
}

func (p *printer) ended(r dispatch.Report) {
	name := "ended"
	if r.DryRun {
		name = "would be settled"
	}
	p.section(name, 3, func(t *table) {
		for _, e := range r.Ended {
			t.add(e.Card, fmt.Sprintf("run %d", e.Run), string(e.Outcome), "status "+e.Status)
		}
	})
}

func (p *printer) started(r dispatch.Report) {
	name := "started"
	if r.DryRun {
		name = "would start"
	}
	p.section(name, 1, func(t *table) {
		for _, s := range r.Started {
			run := ""
			if s.Run != 0 {
				run = fmt.Sprintf("run %d", s.Run)
			}
			t.add(s.Card, s.Title, s.Status, s.Label, s.Model, s.Surface, s.Host, run)
		}
	})
}

func (p *printer) held(r dispatch.Report) {
	name := "waits"
	if r.DryRun {
		name = "would wait"
	}
	p.section(name, 2, func(t *table) {
		for _, w := range r.Pending {
			t.add(w.Card, "start asked for", w.Text)
		}
		for _, h := range r.Held[:min(len(r.Held), heldShown)] {
			t.add(h.Card, cut(clean1(h.Title), titleColumns), h.Text)
		}
	})
	if more := len(r.Held) - heldShown; more > 0 {
		p.line("  and %d more: board status counts them, --json lists them", more)
	}
}

// titleColumns is how much of a title stands beside a reason.
const titleColumns = 28

// summary is the last line: "2 would start, 3 would wait, nothing was changed (9 ms)".
func summary(r dispatch.Report) string {
	waits := len(r.Held) + len(r.Pending)
	if r.DryRun {
		return fmt.Sprintf("%d would start, %d would wait, nothing was changed (%d ms)", len(r.Started), waits, r.TookMS)
	}
	parts := []string{fmt.Sprintf("%d started", len(r.Started)), fmt.Sprintf("%d waiting", waits)}
	if len(r.Ended) > 0 {
		parts = append(parts, fmt.Sprintf("%d ended", len(r.Ended)))
	}
	if len(r.Stopping) > 0 {
		parts = append(parts, fmt.Sprintf("%d stopping", len(r.Stopping)))
	}
	return fmt.Sprintf("%s, %d running (%d ms)", strings.Join(parts, ", "), r.Running, r.TookMS)
}

// offerTicks says how ticks go on when nothing is set up to make them (DSP-14). It asks crontab, so only a person at a
// terminal is told.
func (c *call) offerTicks(ctx context.Context) {
	if c.out.width == 0 || c.out.quiet || c.out.json {
		return
	}
	if h, err := c.home(); err == nil {
		if table, err := c.crontab(ctx); (err == nil && hasCronLine(table, h.Dir)) || errors.Is(err, exec.ErrNotFound) {
			return
		}
	}
	c.out.remark("a tick follows each ending; for timers and people's edits: board cron install, or board dispatch --watch")
}
