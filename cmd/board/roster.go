package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// seat is an executor as `board roster --json` prints it.
type seat struct {
	Executor   string      `json:"executor"`
	Harness    string      `json:"harness"`
	Model      string      `json:"model"`
	Roles      []string    `json:"roles"`
	Slots      int         `json:"slots"`
	Used       int         `json:"used"`
	CoderSlots int         `json:"coder_slots"`
	CoderUsed  int         `json:"coder_used"`
	Priority   float64     `json:"priority"`
	In         bool        `json:"in"` // in the round
	Out        string      `json:"out"`
	Until      board.Time  `json:"until"`
	Leases     []seatLease `json:"leases"`
	Where      string      `json:"where"`
}

// seatLease is a slot that is held, and by which card.
type seatLease struct {
	Card  string `json:"card"`
	Slot  string `json:"slot"`
	Clone int    `json:"clone"`
	Run   int64  `json:"run"`
}

func rosterCommand() command {
	return command{
		about: "Who serves runs: each executor's harness, model, roles and slots, whether it is in the round, and which cards hold it.",
		examples: []string{
			"board roster",
			`board roster pause opus --for 2h --reason "my own work first"`,
		},
		document: []seat{},
		run:      runRoster,
		subs: []verb{
			{"pause", groupHome, "take an executor out by hand", func() command {
				return command{
					args: "EXECUTOR", min: 1, max: 1,
					examples: []string{"board roster pause opus --for 2h"},
					flags: []cli.Flag{
						&cli.StringFlag{Name: "for", Usage: "for a `DURATION`; default until it is resumed"},
						&cli.StringFlag{Name: "reason", Usage: "`WHY`, for those who look"},
					},
					document: board.Pause{},
					run:      rosterPause,
				}
			}},
			{"resume", groupHome, "put it back, whatever took it out", func() command {
				return command{
					args: "EXECUTOR", min: 1, max: 1, examples: []string{"board roster resume opus"},
					document: resumedSeat{}, run: rosterResume,
				}
			}},
		},
	}
}

func runRoster(ctx context.Context, c *call) error {
	seats, off, err := c.seats(ctx)
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.document(seats)
	}
	t := table{head: []string{"executor", "harness", "model", "roles", ">used", ">coders", ">priority", "state", "held by"}, stretch: 7}
	t.style = func(column int, cell string) style {
		if column == 7 && cell != "in" {
			return yellow
		}
		return plain
	}
	for _, s := range seats {
		state := "in"
		if !s.In {
			state = s.Out
		}
		var held []string
		for _, l := range s.Leases {
			held = append(held, l.Card+" "+l.Slot)
		}
		t.add(s.Executor, s.Harness, s.Model, strings.Join(s.Roles, ","), fmt.Sprintf("%d/%d", s.Used, s.Slots),
			fmt.Sprintf("%d/%d", s.CoderUsed, s.CoderSlots), fmt.Sprintf("%g", s.Priority), state, strings.Join(held, ", "))
	}
	c.out.table(t)
	for _, e := range off {
		c.out.remark("%s (%s) is disabled: %s", e.ID, e.Harness, e.Where())
	}
	return nil
}

// seats are the executors of the board that the verb is about, or of all boards, and those that are disabled.
func (c *call) seats(ctx context.Context) (seats []seat, off []roster.Executor, err error) {
	store, err := c.read(ctx)
	if err != nil {
		return nil, nil, err
	}
	boards, err := c.boardsAbout(ctx, store)
	if err != nil {
		return nil, nil, err
	}
	t, err := c.ticker(ctx, store)
	if err != nil {
		return nil, nil, err
	}
	deps := t.deps(ctx)
	for _, b := range boards { // a broken roster is told here, not as a fault among others
		r, err := deps.Settings.Roster(b.Repo)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range r.Disabled {
			if !slices.ContainsFunc(off, func(x roster.Executor) bool { return x.ID == e.ID }) {
				off = append(off, e)
			}
		}
	}
	snapshot, _, err := dispatch.Look(ctx, deps, dispatch.Options{})
	if err != nil {
		return nil, nil, err
	}
	seats = []seat{}
	for _, b := range boards {
		for _, standing := range dispatch.Standings(snapshot, b.Slug) {
			if !slices.ContainsFunc(seats, func(s seat) bool { return s.Executor == standing.ID }) {
				seats = append(seats, seatOf(standing))
			}
		}
	}
	return seats, off, nil
}

// boardsAbout are the board that --board or the working directory names, else all.
func (c *call) boardsAbout(ctx context.Context, store *board.Store) ([]board.Board, error) {
	boards, err := store.Boards(ctx)
	if err != nil {
		return nil, err
	}
	if slug := c.flags.String("board"); slug != "" {
		b, err := boardNamed(boards, slug)
		return []board.Board{b}, err
	}
	if b, ok := boardOfFolder(boards, workingFolder()); ok {
		return []board.Board{b}, nil
	}
	return boards, nil
}

func seatOf(s roster.Standing) seat {
	out := seat{
		Executor: s.ID, Harness: s.Harness, Model: s.Model, Roles: []string{}, Slots: s.Use.Slots, Used: s.Use.Used, CoderSlots: s.Use.CoderSlots,
		CoderUsed: s.Use.CoderUsed, Priority: s.Priority.Default, In: s.Out == nil, Leases: []seatLease{}, Where: s.Where(),
	}
	for _, role := range s.Roles {
		out.Roles = append(out.Roles, string(role))
	}
	if s.Out != nil {
		out.Out, out.Until = s.Out.Text, board.At(s.Out.Until)
	}
	for _, l := range s.Leases {
		out.Leases = append(out.Leases, seatLease{Card: l.Card, Slot: l.Slot, Clone: l.Clone, Run: l.Run})
	}
	return out
}

// executorNamed checks that a roster has an executor.
func (c *call) executorNamed(ctx context.Context, store *board.Store, id string) (roster.Executor, error) {
	s, err := c.settings(ctx)
	if err != nil {
		return roster.Executor{}, err
	}
	boards, err := store.Boards(ctx)
	if err != nil {
		return roster.Executor{}, err
	}
	var names []string
	for _, repo := range append(repos(boards), "") {
		r, err := s.Roster(repo)
		if err != nil {
			return roster.Executor{}, err
		}
		if e, ok := r.Find(id); ok {
			return e, nil
		}
		for _, e := range r.Executors {
			if !slices.Contains(names, e.ID) {
				names = append(names, e.ID)
			}
		}
	}
	return roster.Executor{}, board.NewProblem(board.ErrNotFound, didYouMean(id, names, "executors"), "there is no executor %q", id)
}

func rosterPause(ctx context.Context, c *call) error {
	store, err := c.write(ctx)
	if err != nil {
		return err
	}
	e, err := c.executorNamed(ctx, store, c.args[0])
	if err != nil {
		return err
	}
	p := board.Pause{Kind: board.PauseExecutor, Target: e.ID, Reason: c.flags.String("reason"), Actor: c.actor()}
	length, err := c.durationFlag("for")
	if err != nil {
		return err
	}
	if length > 0 {
		p.Until = c.now().Add(length)
	}
	done, err := store.Pause(ctx, c.now(), board.PauseRequest{Pause: p})
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.document(done.Pause)
	}
	until := "until board roster resume " + e.ID
	if !p.Until.IsZero() {
		until = "until " + c.out.clockTime(p.Until)
	}
	c.out.line("%s is out %s; %d running there go on", e.ID, until, len(done.Running))
	return nil
}

// resumedSeat is what `board roster resume --json` prints.
type resumedSeat struct {
	Executor string `json:"executor"`
	Paused   bool   `json:"paused"`   // it was out by hand
	Excluded int    `json:"excluded"` // what else kept it out, and is lifted
}

func rosterResume(ctx context.Context, c *call) error {
	store, err := c.write(ctx)
	if err != nil {
		return err
	}
	e, err := c.executorNamed(ctx, store, c.args[0])
	if err != nil {
		return err
	}
	done, err := store.Resume(ctx, c.now(), board.ResumeRequest{Kind: board.PauseExecutor, Target: e.ID, Account: e.Account, Actor: c.actor()})
	if err != nil {
		return err
	}
	d := resumedSeat{Executor: e.ID, Paused: done.Paused, Excluded: done.Excluded}
	switch {
	case c.out.json:
		return c.out.document(d)
	case d.Paused || d.Excluded > 0:
		c.out.line("%s is in the round again", e.ID)
	default:
		c.out.line("%s was in the round: nothing was changed", e.ID)
	}
	return nil
}
