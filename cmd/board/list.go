package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

// listed is how many cards a terminal is shown; other outputs and --limit have their own. Chosen: four screens.
const listed = 200

func listCommand() command {
	return command{
		about: "Lists cards, open ones first. Without --board: those of this repository's board, else of every board.",
		examples: []string{
			"board list", "board list --status doing,review", "board list --label area=auth --limit 20", "board list --all --json",
		},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "status", Usage: "only these `STATUSES`"},
			&cli.StringFlag{Name: "assignee", Usage: "only with this profile"},
			&cli.StringSliceFlag{Name: "label", Usage: "only with this label, `k` or k=v; may be given again"},
			&cli.StringFlag{Name: "parent", Usage: "only the subtasks of this card"},
			&cli.BoolFlag{Name: "open", Usage: "only those that have not ended"},
			&cli.BoolFlag{Name: "all", Usage: "archived ones too, and every board"},
			&cli.IntFlag{Name: "limit", Usage: "at most `N`; 0 = all; default on a terminal 200"},
		},
		document: []board.CardLine{},
		run:      runList,
	}
}

func runList(ctx context.Context, c *call) error {
	store, err := c.read(ctx)
	if err != nil {
		return err
	}
	f, err := c.cardFilter(ctx, store)
	if err != nil {
		return err
	}
	lines, leftOut, err := store.ListCards(ctx, c.now(), f)
	if err != nil {
		return err
	}
	if c.out.json {
		if lines == nil {
			lines = []board.CardLine{}
		}
		return c.out.document(lines)
	}
	c.listTable(lines)
	if err := c.notePauses(ctx, store, f); err != nil {
		return err
	}
	if leftOut > 0 {
		c.note("%d more; --limit 0 lists all", leftOut)
	}
	if len(lines) == 0 {
		c.noteNone()
	}
	return nil
}

func (c *call) cardFilter(ctx context.Context, store *board.Store) (board.CardFilter, error) {
	f := board.CardFilter{
		Statuses: words(c.flags.String("status")), Assignee: c.flags.String("assignee"),
		Open: c.flags.Bool("open"), Archived: c.flags.Bool("all"), Limit: c.flags.Int("limit"), Labels: board.Labels{},
	}
	if f.Limit < 0 {
		return f, board.NewProblem(board.ErrUsage, "", "--limit %d is below 0", f.Limit)
	}
	if !c.flags.IsSet("limit") && c.out.width > 0 && !c.out.json {
		f.Limit = listed
	}
	for _, label := range c.flags.StringSlice("label") {
		name, value, _ := strings.Cut(label, "=")
		f.Labels[name] = value
	}
	boards, err := store.Boards(ctx)
	if err != nil {
		return f, err
	}
	if slug := c.flags.String("board"); slug != "" {
		if _, err := boardNamed(boards, slug); err != nil {
			return f, err
		}
		f.Boards = []string{slug}
	} else if b, ok := boardOfFolder(boards, workingFolder()); ok && !f.Archived {
		f.Boards = []string{b.Slug}
	}
	if parent := c.flags.String("parent"); parent != "" {
		id, err := c.id(ctx, store, parent)
		if err != nil {
			return f, err
		}
		if _, err := store.Card(ctx, id); err != nil {
			return f, err
		}
		f.Parent = id
	}
	return f, c.checkStatuses(ctx, store, f.Statuses)
}

// noteNone says why a list is empty.
func (c *call) noteNone() {
	if slices.ContainsFunc([]string{"status", "assignee", "label", "parent", "open"}, c.flags.IsSet) {
		c.note("no card is like that; board list shows all")
		return
	}
	c.note(`no card; board add "..." makes one`)
}

// checkStatuses refuses a status that no workflow of the home's boards has: a misspelt one must not look like an empty list.
func (c *call) checkStatuses(ctx context.Context, store *board.Store, statuses []string) error {
	if len(statuses) == 0 {
		return nil
	}
	rules, err := c.rules(ctx, store)
	if err != nil {
		return err
	}
	boards, err := store.Boards(ctx)
	if err != nil {
		return err
	}
	for _, status := range statuses {
		var refusal error
		for _, b := range boards {
			w := rules.Workflow(b.Workflow)
			if w == nil { // it cannot be read, and may have the status
				refusal = nil
				break
			}
			if refusal = board.CheckStatus(w, status); refusal == nil {
				break
			}
		}
		if refusal != nil {
			return refusal
		}
	}
	return nil
}

// notePauses tells of holds by hand that a list of cards does not show: they hold whole boards.
func (c *call) notePauses(ctx context.Context, store *board.Store, f board.CardFilter) error {
	pauses, err := store.Pauses(ctx, c.now())
	for _, p := range pauses {
		if p.Kind == board.PauseHome || p.Kind == board.PauseBoard && (len(f.Boards) == 0 || slices.Contains(f.Boards, p.Target)) {
			c.note("%s is paused by %s", pauseName(p.Kind, p.Target), p.Actor)
		}
	}
	return err
}

func (c *call) listTable(lines []board.CardLine) {
	t := table{head: []string{"card", "status", ">prio", "title", "who", "why it waits"}, stretch: 3, style: listStyle}
	for _, l := range lines {
		prio := ""
		if l.Priority != 0 {
			prio = fmt.Sprint(l.Priority)
		}
		t.add(l.ID, l.Status, prio, l.Title, c.who(l), why(l))
	}
	c.out.table(t)
}

func listStyle(column int, _ string) style {
	switch column {
	case 0:
		return bold
	case 4:
		return green
	case 5:
		return yellow
	}
	return plain
}

// who works on a card, and for how long.
func (c *call) who(l board.CardLine) string {
	if l.Run == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s", c.out.label(l.Executor, l.Clone), span(c.out.now.Sub(l.RunSince.Time())))
}

// why a card waits, as far as a list can say without planning.
func why(l board.CardLine) string {
	switch {
	case l.Run != 0 || !l.EndedAt.IsZero():
		return ""
	case l.Question != "":
		return "asks: " + l.Question
	case l.Paused:
		return "paused"
	case l.BlockedBy == 1:
		return "blocked by a card"
	case l.BlockedBy > 1:
		return fmt.Sprintf("blocked by %d cards", l.BlockedBy)
	}
	return l.HoldText
}
