package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/hostinfo"
	"github.com/seed-2ddc2152/board/internal/panes"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/settings"
	"github.com/seed-2ddc2152/board/internal/tmux"
)

// ticker makes what ticks work with. The files are read anew for each tick, since a change of them takes effect at the next.
type ticker struct {
	c     *call
	home  home.Home
	store *board.Store
	table *process.Table
	fail  *failpoint.Set
	self  string
}

func (c *call) ticker(store *board.Store) (ticker, error) {
	t := ticker{c: c, store: store}
	var err error
	if t.home, err = c.home(); err != nil {
		return t, err
	}
	if t.table, err = process.Open(); err != nil {
		return t, err
	}
	if t.fail, err = failpoint.New(c.getenv(failpoint.EnvVar)); err != nil {
		return t, err
	}
	t.self, err = c.self()
	return t, err
}

// deps are what one tick works with.
func (t ticker) deps(ctx context.Context) dispatch.Deps {
	set := settings.LoadForTick(t.c.settingsOptions(ctx, t.home, roster.Tick))
	return dispatch.Deps{
		Home: t.home, Store: t.store, Clock: t.c.clock, Table: t.table,
		Settings: set, Hosts: []dispatch.Host{t.here(set)},
		Sensors: func() hostinfo.Reading { return hostinfo.Sensors{}.Read(t.home.Dir) },
		Program: t.self, Environ: outerEnv(t.c.env), PID: os.Getpid(), Fail: t.fail,
	}
}

// here is this machine as a host of panes.
func (t ticker) here(set *settings.Settings) *panes.Local {
	return &panes.Local{
		Host: set.Config.Host, Home: t.home, Program: t.self, Environ: outerEnv(t.c.env), LookPath: t.c.lookPath,
		Tmux: t.c.tmux(t.home), Window: set.Config.WindowCommand,
	}
}

// tmux is the home's tmux server, which need not run.
func (c *call) tmux(h home.Home) *tmux.Server {
	return tmux.New(tmux.Config{Home: h.Dir, Environ: outerEnv(c.env), LookPath: c.lookPath, Wait: c.clock.Sleep})
}

// outerEnv is an environment without what a worker's session has put into it, so that no card's words reach another's worker.
func outerEnv(env []string) []string {
	kept := make([]string, 0, len(env))
	for _, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		switch name {
		case "BOARD_CARD", "BOARD_RUN", "BOARD_SLOT", "BOARD_TOKEN", "BOARD_OUTBOX", "BOARD_PROMPT", "BOARD_RESULT", "BOARD_EXECUTOR",
			"BOARD_CLONE", "BOARD_WORKSPACE", "BOARD_HOST", "BOARD_SESSION", "BOARD_LAUNCH_KEY":
		default:
			kept = append(kept, pair)
		}
	}
	return kept
}

// card finds a card by what a person calls it; for one that is not there the nearest id is offered.
func (c *call) card(ctx context.Context, store *board.Store, word string) (board.Card, error) {
	id, err := c.id(ctx, store, word)
	if err != nil {
		return board.Card{}, err
	}
	card, err := store.Card(ctx, id)
	if err == nil || !errors.Is(err, board.ErrNotFound) {
		return card, err
	}
	view, viewErr := store.View(ctx, board.ViewSpec{Now: c.now()})
	if viewErr != nil {
		return card, err
	}
	ids := make([]string, len(view.Cards))
	for i, open := range view.Cards {
		ids[i] = open.ID
	}
	if near := expr.Nearest(id, ids); near != "" {
		return card, board.NewProblem(board.ErrNotFound, fmt.Sprintf("did you mean %q? board list shows the cards", near), "there is no card %q", id)
	}
	return card, err
}

// run finds a run by its number.
func (c *call) run(ctx context.Context, store *board.Store, text string) (board.Run, error) {
	id, err := runNumber(text)
	if err != nil {
		return board.Run{}, err
	}
	return store.Run(ctx, id)
}

func runNumber(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, board.NewProblem(board.ErrUsage, "board runs shows their numbers", "%q is no run: expected a number from 1", text)
	}
	return id, nil
}

// isNumber says whether a word that may name a card or a run is a run.
func isNumber(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// durationFlag reads a flag in the board's one grammar of durations; 0 when it is not given.
func (c *call) durationFlag(name string) (time.Duration, error) {
	text := c.flags.String(name)
	if text == "" && !c.flags.IsSet(name) {
		return 0, nil
	}
	d, err := expr.ParseDuration(text)
	if err != nil {
		return 0, board.NewProblem(board.ErrUsage, "", "--%s: %v", name, err)
	}
	if d <= 0 {
		return 0, board.NewProblem(board.ErrUsage, "", "--%s %s: expected more than no time", name, text)
	}
	return d, nil
}
