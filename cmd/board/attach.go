package main

import (
	"context"
	"fmt"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/panes"
	"github.com/seed-2ddc2152/board/internal/tmux"
)

func attachCommand() command {
	return command{
		args: "ID|RUN", min: 1, max: 1,
		about: "Shows the card's session in its tmux window. Inside the board's own tmux it switches there; otherwise it attaches, and the " +
			"detach key (C-b d) leaves the session running.",
		examples: []string{"board attach api-9", "board attach api-9 --slot reviewer", "board attach api-9 --print"},
		flags: []cli.Flag{
			slotFlag(),
			&cli.BoolFlag{Name: "print", Usage: "print the command that attaches, and run nothing"},
		},
		run: runAttach,
	}
}

func slotFlag() cli.Flag {
	return &cli.StringFlag{Name: "slot", Usage: "the session in `SLOT`; default the one that works, else the first"}
}

func runAttach(ctx context.Context, c *call) error {
	store, err := c.read(ctx)
	if err != nil {
		return err
	}
	x, err := c.sessionOf(ctx, store, c.args[0])
	if err != nil {
		return err
	}
	id, ok := panes.Of(x)
	if !ok {
		return board.NewProblem(board.ErrRefused, fmt.Sprintf("board logs %s -f", x.Card), "attach: session %d of %s is %s and has no window", x.ID, x.Card, x.Surface)
	}
	h, err := c.home()
	if err != nil {
		return err
	}
	server := c.tmux(h)
	if err := shown(ctx, server, x, id); err != nil {
		return err
	}
	words, err := server.AttachCommand(c.getenv("TMUX"), id)
	if err != nil {
		return err
	}
	if c.flags.Bool("print") {
		c.out.line("%s", strings.Join(words, " "))
		return nil
	}
	program, err := c.lookPath(words[0])
	if err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	c.close() // the program is replaced, and what it has open with it
	return fmt.Errorf("attach: %w", syscall.Exec(program, words, c.env))
}

// shown says whether tmux still shows the session's pane.
func shown(ctx context.Context, server *tmux.Server, x board.Session, id tmux.Identity) error {
	all, err := server.At(id.Socket).ListPanes(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.Pane == id.Pane && p.PID == id.PID {
			return nil
		}
	}
	return board.NewProblem(board.ErrNotFound, fmt.Sprintf("board logs %s", x.Card), "the window of session %d of %s is gone", x.ID, x.Card)
}

// sessionOf is the session that a word names: a run's, or a card's in --slot, else the one that works, else the first that
// lives.
func (c *call) sessionOf(ctx context.Context, store *board.Store, word string) (board.Session, error) {
	if isNumber(word) {
		r, err := c.run(ctx, store, word)
		if err != nil {
			return board.Session{}, err
		}
		if r.Session == 0 {
			return board.Session{}, board.NewProblem(board.ErrNotFound, fmt.Sprintf("board run %d", r.ID), "run %d has no session", r.ID)
		}
		return store.Session(ctx, r.Session)
	}
	card, err := c.card(ctx, store, word)
	if err != nil {
		return board.Session{}, err
	}
	all, err := store.SessionsOf(ctx, card.ID)
	if err != nil {
		return board.Session{}, err
	}
	return pick(all, card, c.flags.String("slot"))
}

// pick chooses among a card's live sessions.
func pick(all []board.Session, card board.Card, slot string) (board.Session, error) {
	var best *board.Session
	for i := range all {
		x := &all[i]
		if slot != "" && x.Slot != slot {
			continue
		}
		if best == nil || (best.LastRun != card.CurrentRun && x.LastRun == card.CurrentRun) {
			best = x
		}
	}
	switch {
	case best != nil:
		return *best, nil
	case slot != "":
		return board.Session{}, board.NewProblem(board.ErrNotFound, "board show "+card.ID, "%s has no live session in slot %s", card.ID, slot)
	}
	return board.Session{}, board.NewProblem(board.ErrNotFound, "board why "+card.ID, "%s has no live session", card.ID)
}
