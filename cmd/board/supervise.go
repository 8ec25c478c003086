package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/term"

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
	pane, err := c.inPane(h, id)
	if err != nil {
		return err
	}
	defer pane.close()
	userHome, _ := c.userHome() // without one, workers have no HOME either
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(signals)
	code := supervise.Run(context.WithoutCancel(ctx), supervise.Options{ // a signal ends the run, not the supervisor (SUP-4)
		Home: h, Run: id, Program: self, Environ: outerEnv(c.env), UserHome: userHome, Clock: c.clock, Signals: signals, Fail: fail,
		Load: func(ctx context.Context, store *board.Store) (supervise.Settings, error) {
			return c.superviseSettings(ctx, h, store)
		},
		Stderr: c.stderr, Terminal: pane.terminal, Tmux: c.tmux(h),
	})
	if code != 0 {
		return fmt.Errorf("supervise run %d: see %s", id, h.Run(id))
	}
	return nil
}

// ownPane is what a supervisor has that a tmux window runs.
type ownPane struct {
	terminal *os.File // nil: the supervisor is detached
	log      *os.File
}

func (p ownPane) close() {
	if p.log != nil {
		_ = p.log.Close() // nothing is written any more
	}
}

// inPane finds out whether this process is what a tmux window runs. Then its environment is the one that the tick has handed
// over, since tmux gives it that of whoever started the server, and what it has to say goes to the run's folder.
func (c *call) inPane(h home.Home, run int64) (ownPane, error) {
	if c.getenv("TMUX_PANE") == "" || !term.IsTerminal(int(os.Stdin.Fd())) {
		return ownPane{}, nil
	}
	handed, err := h.TakeEnviron(run)
	if err != nil {
		return ownPane{}, err
	}
	if handed != nil {
		c.env = append(handed, "TERM="+c.getenv("TERM")) // the last of a name counts
	}
	if err := home.MkdirAll(h.Run(run)); err != nil {
		return ownPane{}, err
	}
	log, err := os.OpenFile(filepath.Join(h.Run(run), "supervise.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return ownPane{}, fmt.Errorf("open the log of run %d: %w", run, err)
	}
	c.stderr = log
	return ownPane{terminal: os.Stdin, log: log}, nil
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
	prices, err := s.Prices()
	if err != nil {
		return supervise.Settings{}, err
	}
	return supervise.Settings{Rules: rules, Prices: prices, Poke: s.Config.Poke}, nil
}

// shim becomes the command that follows, once its starter says so. It never looks at the words: they are another program's.
func (p *program) shim(words []string) int {
	err := process.RunShim(words, p.env)
	fmt.Fprintf(p.stderr, "board: %v\n", err)
	return 127
}
