package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

// pauseDocument is what `board pause --json` prints.
type pauseDocument struct {
	board.Pause
	Already  bool  `json:"already"`  // it was paused before
	Running  []run `json:"running"`  // runs that go on
	Stopping []run `json:"stopping"` // runs that were asked to end
}

// resumeDocument is what `board resume --json` prints.
type resumeDocument struct {
	Kind     board.PauseKind `json:"kind"`
	Target   string          `json:"target"`
	Changed  bool            `json:"changed"`  // it was held by hand, or kept out
	Excluded int             `json:"excluded"` // automatic exclusions of an executor that were lifted
}

func pauseCommand() command {
	return command{
		args: "ID | --board SLUG | --cap NAME | --all", max: 1,
		about: "Puts a card, a board, a cap or the whole home on hold: nothing starts there until board resume, or until the time given. What " +
			"runs finishes, unless --stop ends it. A paused cap admits nothing and ends nothing.",
		examples: []string{"board pause api-7", "board pause api-7 --stop", `board pause --board api --for 2h --reason "release"`, `board pause --cap "sessions on a host"`, "board pause --all"},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "cap", Usage: "the cap of this `NAME`"},
			&cli.BoolFlag{Name: "all", Usage: "the whole home"},
			&cli.BoolFlag{Name: "stop", Usage: "also end what runs there"},
			&cli.StringFlag{Name: "until", Usage: "the `TIME` at which it resumes by itself"},
			&cli.StringFlag{Name: "for", Usage: "the `DURATION` after which it resumes by itself"},
			&cli.StringFlag{Name: "reason", Usage: "why, for whoever asks what holds it"},
		},
		document: pauseDocument{},
		run: func(ctx context.Context, c *call) error {
			store, err := c.write(ctx)
			if err != nil {
				return err
			}
			kind, target, err := c.pauseTarget(ctx, store)
			if err != nil {
				return err
			}
			return c.pause(ctx, store, kind, target)
		},
	}
}

func resumeCommand() command {
	return command{
		args: "ID | --board SLUG | --cap NAME | --all", max: 1,
		about:    "Takes away what board pause put on hold. Each hold is its own: --all resumes the home, not the cards that were paused one by one.",
		examples: []string{"board resume api-7", "board resume --board api", "board resume --all"},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "cap", Usage: "the cap of this `NAME`"},
			&cli.BoolFlag{Name: "all", Usage: "the whole home"},
		},
		document: resumeDocument{},
		run: func(ctx context.Context, c *call) error {
			store, err := c.write(ctx)
			if err != nil {
				return err
			}
			kind, target, err := c.pauseTarget(ctx, store)
			if err != nil {
				return err
			}
			return c.resume(ctx, store, board.ResumeRequest{Kind: kind, Target: target, Actor: c.actor()})
		},
	}
}

// pauseTarget is what the arguments name: exactly one of a card, a cap, the home and a board.
func (c *call) pauseTarget(ctx context.Context, store *board.Store) (board.PauseKind, string, error) {
	capName, all, slug := c.flags.String("cap"), c.flags.Bool("all"), c.flags.String("board")
	named := 0
	for _, given := range []bool{len(c.args) == 1, capName != "", all, slug != "" && len(c.args) == 0} {
		if given {
			named++
		}
	}
	switch {
	case named != 1:
		return "", "", board.NewProblem(board.ErrUsage, "board help pause", "say what: a card, --board, --cap or --all, one of them")
	case all:
		return board.PauseHome, "", nil
	case capName != "":
		return board.PauseCap, capName, c.checkCap(ctx, store, capName)
	case len(c.args) == 1:
		id, err := c.id(ctx, store, c.args[0])
		return board.PauseCard, id, err
	}
	boards, err := store.Boards(ctx)
	if err != nil {
		return board.PauseBoard, slug, err
	}
	_, err = boardNamed(boards, slug)
	return board.PauseBoard, slug, err
}

// checkCap refuses the name of a cap that stands in no file of the home; one that is paused can always be resumed. While a
// file cannot be read, every name is taken.
func (c *call) checkCap(ctx context.Context, store *board.Store, name string) error {
	names, whole, err := c.capNames(ctx, store)
	if err != nil || !whole || slices.Contains(names, name) {
		return err
	}
	pauses, err := store.Pauses(ctx, c.now())
	if err != nil {
		return err
	}
	if slices.ContainsFunc(pauses, func(p board.Pause) bool { return p.Kind == board.PauseCap && p.Target == name }) {
		return nil
	}
	return board.NewProblem(board.ErrNotFound, didYouMean(name, names, "caps"), "there is no cap %q", name)
}

// capNames are the caps of config.yaml and of the boards' workflows; whole is false when a file cannot be read.
func (c *call) capNames(ctx context.Context, store *board.Store) (names []string, whole bool, err error) {
	s, err := c.settings(ctx)
	if err != nil {
		return nil, false, err
	}
	boards, err := store.Boards(ctx)
	if err != nil {
		return nil, false, err
	}
	whole = true
	for _, limit := range s.Config.Capacity {
		names = append(names, limit.Name)
	}
	for _, b := range boards {
		w, err := s.Workflow(b.Workflow)
		if err != nil {
			whole = false
			continue
		}
		for _, limit := range w.Dispatch.Capacity {
			names = append(names, limit.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), whole, nil
}

// pause puts something on hold as the flags --until, --for, --reason and --stop say, and tells it.
func (c *call) pause(ctx context.Context, store *board.Store, kind board.PauseKind, target string) error {
	until, err := c.pauseUntil()
	if err != nil {
		return err
	}
	done, err := store.Pause(ctx, c.now(), board.PauseRequest{Stop: c.flags.Bool("stop"), Pause: board.Pause{
		Kind: kind, Target: target, Until: until, Reason: c.flags.String("reason"), Actor: c.actor(),
	}})
	if err != nil {
		return err
	}
	c.signal(ctx, store, done.Stopped)
	if c.out.json {
		d := pauseDocument{Pause: done.Pause, Already: done.Already, Running: append([]run{}, done.Running...), Stopping: append([]run{}, done.Stopped...)}
		return c.out.document(d)
	}
	what := pauseName(kind, target)
	till := "until board resume"
	if !until.IsZero() {
		till = "until " + c.out.clockTime(until)
	}
	c.out.line("%s is paused %s", what, till)
	switch {
	case len(done.Stopped) > 0:
		c.out.remark("stopping %s; a place is free when everything that a run started is gone", runNames(done.Stopped))
	case len(done.Running) > 0:
		c.out.remark("%s may finish; --stop ends it", runNames(done.Running))
	}
	return nil
}

// runNames are runs as people see them.
func runNames(runs []run) string {
	names := make([]string, len(runs))
	for i, id := range runs {
		names[i] = fmt.Sprint(id)
	}
	if len(runs) == 1 {
		return "run " + names[0]
	}
	return "runs " + strings.Join(names, ", ")
}

// pauseName is a paused thing as people see it.
func pauseName(kind board.PauseKind, target string) string {
	switch kind {
	case board.PauseHome:
		return "the whole home"
	case board.PauseBoard:
		return "board " + target
	case board.PauseCap:
		return fmt.Sprintf("cap %q", target)
	case board.PauseExecutor:
		return "executor " + target
	case board.PauseCard:
	}
	return target
}

// pauseUntil is the moment that --until or --for gives; none when neither does.
func (c *call) pauseUntil() (board.Time, error) {
	if c.flags.IsSet("until") && c.flags.IsSet("for") {
		return 0, board.NewProblem(board.ErrUsage, "", "--until and --for are given: which?")
	}
	until, err := c.whenFlag("until")
	if err != nil {
		return 0, err
	}
	d, err := c.durationFlag("for")
	switch {
	case err != nil:
		return 0, err
	case until != nil:
		return *until, nil
	case d > 0:
		return c.now().Add(d), nil
	case c.flags.IsSet("for"):
		return 0, board.NewProblem(board.ErrUsage, "write --for 2h", "--for is no length of time")
	}
	return 0, nil
}

// resume takes a hold away and tells it.
func (c *call) resume(ctx context.Context, store *board.Store, q board.ResumeRequest) error {
	done, err := store.Resume(ctx, c.now(), q)
	if err != nil {
		return err
	}
	d := resumeDocument{Kind: q.Kind, Target: q.Target, Changed: done.Paused || done.Excluded > 0, Excluded: done.Excluded}
	if c.out.json {
		return c.out.document(d)
	}
	what := pauseName(q.Kind, q.Target)
	if !d.Changed {
		c.out.line("%s was not paused", what)
		return nil
	}
	c.out.line("%s is resumed", what)
	return nil
}
