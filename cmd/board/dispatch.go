package main

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

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
	deps := t.deps(ctx)
	report, err := dispatch.Tick(ctx, deps, o)
	if err != nil {
		return err
	}
	if err := c.tellReport(ctx, store, report); err != nil {
		return err
	}
	if len(report.Started) > 0 {
		c.offerTicks(ctx, deps.Settings.Config.Poke)
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
	case c.flags.IsSet("max") && c.flags.Int("max") < 0:
		return usage("--max %d: expected a number from 0", c.flags.Int("max"))
	}
	return nil
}

// tickOptions are what the flags ask of a tick.
func (c *call) tickOptions(ctx context.Context, store *board.Store) (dispatch.TickOptions, error) {
	o := dispatch.TickOptions{
		Options: dispatch.Options{MaxRuns: c.intFlag("max"), All: c.out.json, Explain: c.out.json},
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
		if c.clock.Sleep(ctx, report.Pause(every)) != nil {
			return nil //nolint:nilerr // likewise
		}
	}
}

func changed(r dispatch.Report) bool {
	return len(r.Ended)+len(r.Started)+len(r.Stopping)+len(r.Elsewhere)+len(r.Faults) > 0
}

// offerTicks says how ticks go on when nothing is set up to make them (DSP-14). It asks crontab, so only a person at a
// terminal is told.
func (c *call) offerTicks(ctx context.Context, poke bool) {
	if c.out.width == 0 || c.out.quiet || c.out.json {
		return
	}
	if h, err := c.home(); err == nil {
		if table, err := c.crontab(ctx); (err == nil && hasCronLine(table, h.Dir)) || errors.Is(err, exec.ErrNotFound) {
			return
		}
	}
	then := "a tick follows each ending (config.yaml poke); for all that comes without one"
	if !poke {
		then = "nothing ticks by itself (config.yaml poke is off)"
	}
	c.out.remark("%s: board cron install, or board dispatch --watch", then)
}
