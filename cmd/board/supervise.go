package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/settings"
	"github.com/seed-2ddc2152/board/internal/supervise"
)

// superviseCommand is what a tick spawns for each run: a process of the program itself, not for people.
func superviseCommand() command {
	return command{
		args: "RUN", min: 1, max: 1,
		examples: []string{"board supervise 12"},
		run:      runSupervise,
	}
}

func runSupervise(ctx context.Context, c *call) error {
	id, err := runNumber(c.args[0])
	if err != nil {
		return err
	}
	h, err := c.home()
	if err != nil {
		return err
	}
	self, err := c.self()
	if err != nil {
		return err
	}
	fail, err := failpoint.New(c.getenv(failpoint.EnvVar))
	if err != nil {
		return err
	}
	userHome, _ := c.userHome() // without one, workers have no HOME either
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(signals)
	code := supervise.Run(context.WithoutCancel(ctx), supervise.Options{ // a signal ends the run, not the supervisor (SUP-4)
		Home: h, Run: id, Program: self, Environ: outerEnv(c.env), UserHome: userHome, Clock: c.clock, Signals: signals, Fail: fail,
		Load: func(ctx context.Context, store *board.Store) (supervise.Settings, error) {
			return c.superviseSettings(ctx, h, store)
		},
		Stderr: c.stderr,
	})
	if code != 0 {
		return fmt.Errorf("supervise run %d: see %s", id, h.Run(id))
	}
	return nil
}

// superviseSettings reads the files that a session is run by, anew at each call.
func (c *call) superviseSettings(ctx context.Context, h home.Home, store *board.Store) (supervise.Settings, error) {
	o := c.settingsOptions(ctx, h, roster.Tick)
	o.Trusted = trustedBy(ctx, store)
	s := settings.LoadForTick(o)
	rules, err := rulesFrom(ctx, s, store)
	if err != nil {
		return supervise.Settings{}, err
	}
	return supervise.Settings{Rules: rules, Poke: s.Config.Poke}, nil
}

// shim becomes the command that follows, once its starter says so. It never looks at the words: they are another program's.
func (p *program) shim(words []string) int {
	err := process.RunShim(words, p.env)
	fmt.Fprintf(p.stderr, "board: %v\n", err)
	return 127
}
