package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/tmux"
	"github.com/seed-2ddc2152/board/workflows"
)

func adoptCommand() command {
	return command{
		args: "ID --pane %N|--pid N", min: 1, max: 1,
		about: "Attaches a session of your own to a card: an agent that you run yourself, by its tmux pane or its process. It is counted by caps " +
			"and shown, and it is never signalled, whatever becomes of the card. While it lives no run starts in its slot; board release lets go of it.",
		examples: []string{"board adopt api-9 --pane %12", "board adopt api-9 --pid 4711 --slot reviewer"},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "pane", Usage: "the tmux pane, as in `%12` ($TMUX_PANE inside it)"},
			&cli.IntFlag{Name: "pid", Usage: "the process `N`"},
			&cli.StringFlag{Name: "slot", Usage: "the `SLOT` of the card", Value: "worker"},
			&cli.StringFlag{Name: "harness", Usage: "which `CLI` it is; default what the process is called"},
			&cli.StringFlag{Name: "socket", Usage: "the `PATH` of the tmux server's socket; default that of $TMUX, else the user's own server"},
		},
		document: board.Session{},
		run:      runAdopt,
	}
}

func runAdopt(ctx context.Context, c *call) error {
	pane, pid := c.flags.String("pane"), c.flags.Int("pid")
	if (pane == "") == (pid == 0) {
		return board.NewProblem(board.ErrUsage, "board help adopt", "adopt: expected either --pane or --pid")
	}
	store, err := c.write(ctx)
	if err != nil {
		return err
	}
	card, err := c.card(ctx, store, c.args[0])
	if err != nil {
		return err
	}
	set, err := c.settings(ctx)
	if err != nil {
		return err
	}
	q := board.AdoptRequest{Card: card.ID, Slot: c.flags.String("slot"), Host: set.Config.Host, Actor: c.actor()}
	if pane != "" {
		id, err := c.ownPane(ctx, pane)
		if err != nil {
			return err
		}
		q.Surface, q.TmuxSocket, q.TmuxSession, q.TmuxWindow, q.TmuxPane = workflows.SurfacePane, id.Socket, id.Session, id.Window, id.Pane
		pid = id.PID
	}
	if q.Process, q.Harness, err = c.ownProcess(pid); err != nil {
		return err
	}
	x, err := store.Adopt(ctx, c.now(), q)
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.document(x)
	}
	c.out.line("%s has adopted process %d in slot %s", card.ID, pid, x.Slot)
	c.out.remark("board release %s lets go of it", card.ID)
	return nil
}

// ownPane finds a pane of the person's tmux server.
func (c *call) ownPane(ctx context.Context, pane string) (tmux.Identity, error) {
	h, err := c.home()
	if err != nil {
		return tmux.Identity{}, err
	}
	socket, _, _ := strings.Cut(c.getenv("TMUX"), ",")
	usual := filepath.Join(cmp.Or(c.getenv("TMUX_TMPDIR"), "/tmp"), fmt.Sprintf("tmux-%d", os.Getuid()), "default")
	socket = cmp.Or(c.flags.String("socket"), socket, usual)
	all, err := c.tmux(h).At(socket).ListPanes(ctx)
	if err != nil {
		return tmux.Identity{}, err
	}
	for _, p := range all {
		if p.Pane == pane && !p.Dead {
			return p.Identity, nil
		}
	}
	return tmux.Identity{}, board.NewProblem(board.ErrNotFound, "tmux list-panes -a", "there is no live pane %s on the tmux server %s", pane, socket)
}

// ownProcess is the identity of a process, and the harness that it seems to be.
func (c *call) ownProcess(pid int) (identity, kind string, err error) {
	table, err := process.Open()
	if err != nil {
		return "", "", err
	}
	entry, err := table.Entry(pid)
	if errors.Is(err, process.ErrGone) || (err == nil && entry.Zombie) {
		return "", "", board.NewProblem(board.ErrNotFound, "", "there is no live process %d", pid)
	}
	if err != nil {
		return "", "", err
	}
	kind = c.flags.String("harness")
	if kind == "" && slices.Contains(harness.Names(), entry.Command) {
		kind = entry.Command
	}
	return entry.ID.String(), kind, nil
}
