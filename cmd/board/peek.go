package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/panes"
	"github.com/seed-2ddc2152/board/internal/tmux"
)

// peekLines is how much of a log is shown where there is no screen (chosen: a terminal's height).
const peekLines = 40

// peekDocument is what `board peek --json` prints.
type peekDocument struct {
	Card       string             `json:"card"`
	Run        int64              `json:"run"`     // the session's last; 0: an adopted one
	Session    int64              `json:"session"` // 0: it has ended
	Slot       string             `json:"slot"`
	State      board.SessionState `json:"state"`
	WaitingFor string             `json:"waiting_for"`
	Screen     bool               `json:"screen"` // the text is a pane's screen; else the log's last lines
	Text       string             `json:"text"`
}

func peekCommand() command {
	return command{
		args: "ID|RUN", min: 1, max: 1,
		about:    "What a session shows at this moment: the screen of its tmux window; of a headless run, or one that has ended, the last lines of its log.",
		examples: []string{"board peek api-9", "board peek api-9 --history 200"},
		flags: []cli.Flag{
			slotFlag(),
			&cli.IntFlag{Name: "history", Usage: "of a window, `N` more lines that have scrolled out of it"},
		},
		document: peekDocument{},
		run:      runPeek,
	}
}

func runPeek(ctx context.Context, c *call) error {
	store, err := c.read(ctx)
	if err != nil {
		return err
	}
	d, err := c.peek(ctx, store)
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.document(d)
	}
	c.out.line("%s", clean(unstyled(d.Text)))
	if d.WaitingFor != "" {
		c.out.remark("it waits for: %s", clean1(d.WaitingFor))
	}
	return nil
}

func (c *call) peek(ctx context.Context, store *board.Store) (peekDocument, error) {
	h, err := c.home()
	if err != nil {
		return peekDocument{}, err
	}
	x, err := c.sessionOf(ctx, store, c.args[0])
	if errors.Is(err, board.ErrNotFound) && !c.flags.IsSet("slot") { // nothing lives: what the last run left
		r, err := c.runOf(ctx, store, c.args[0])
		if err != nil {
			return peekDocument{}, err
		}
		text, err := c.logEnd(r, h.Run(r.ID))
		return peekDocument{Card: r.Card, Run: r.ID, Slot: r.Slot, State: board.SessionEnded, Text: text}, err
	}
	if err != nil {
		return peekDocument{}, err
	}
	d := peekDocument{Card: x.Card, Run: x.LastRun, Session: x.ID, Slot: x.Slot, State: x.State, WaitingFor: x.WaitingFor}
	if id, ok := panes.Of(x); ok {
		d.Text, err = c.tmux(h).Capture(ctx, id, c.flags.Int("history"))
		if d.Screen = err == nil; err == nil || !errors.Is(err, tmux.ErrPaneGone) {
			return d, err
		}
	}
	r, err := store.Run(ctx, x.LastRun)
	if err != nil {
		return d, err
	}
	d.Text, err = c.logEnd(r, h.Run(r.ID))
	return d, err
}

// logEnd are the last lines of a run's log.
func (c *call) logEnd(r board.Run, dir string) (string, error) {
	const enough = 64 << 10 // bytes, for so many lines
	file, err := os.Open(filepath.Join(dir, logName))
	if errors.Is(err, os.ErrNotExist) {
		return "", c.noLog(r, dir)
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	text := make([]byte, min(info.Size(), enough))
	if n, err := file.ReadAt(text, info.Size()-int64(len(text))); n < len(text) {
		return "", err
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-peekLines):], "\n"), nil
}
