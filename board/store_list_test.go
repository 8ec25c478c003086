package board_test

import (
	"database/sql"
	"errors"
	"slices"
	"testing"

	"github.com/seed-2ddc2152/board/board"
)

func TestListCards_FiltersOrdersAndCountsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []board.Card{
		{Title: "One", Labels: board.Labels{"area": "auth"}},
		{Title: "Two", Labels: board.Labels{"area": "ui"}, Priority: 3},
		{Title: "Three", Assignee: "pair"},
		{Title: "Four", Parent: "api-1"},
	} {
		c.Board, c.Status = "api", "todo"
		if _, _, err := d.store.AddCard(d.ctx, d.now, board.NewCard{Card: c, Actor: "ada"}); err != nil {
			t.Fatal(err)
		}
	}
	must[board.Sent](t)(d.store.Move(d.ctx, d.now, d.rules, board.MoveRequest{Card: "api-1", To: "done", Actor: "ada"}))
	must[board.Archived](t)(d.store.Archive(d.ctx, d.now, board.ArchiveRequest{Card: "api-4", Actor: "ada"}))
	for name, tt := range map[string]struct {
		filter  board.CardFilter
		want    []string
		leftOut int
	}{
		"all":             {board.CardFilter{}, []string{"api-2", "api-3", "api-1"}, 0},
		"archived":        {board.CardFilter{Archived: true}, []string{"api-2", "api-3", "api-4", "api-1"}, 0},
		"open":            {board.CardFilter{Open: true}, []string{"api-2", "api-3"}, 0},
		"a status":        {board.CardFilter{Statuses: []string{"done", "review"}}, []string{"api-1"}, 0},
		"a label":         {board.CardFilter{Labels: board.Labels{"area": ""}}, []string{"api-2", "api-1"}, 0},
		"a label's value": {board.CardFilter{Labels: board.Labels{"area": "ui"}}, []string{"api-2"}, 0},
		"an assignee":     {board.CardFilter{Assignee: "pair"}, []string{"api-3"}, 0},
		"a parent":        {board.CardFilter{Parent: "api-1", Archived: true}, []string{"api-4"}, 0},
		"another board":   {board.CardFilter{Boards: []string{"web"}}, nil, 0},
		"a limit":         {board.CardFilter{Limit: 2}, []string{"api-2", "api-3"}, 1},
		"a wide limit":    {board.CardFilter{Limit: 3}, []string{"api-2", "api-3", "api-1"}, 0},
	} {
		lines, leftOut, err := d.store.ListCards(d.ctx, d.now, tt.filter)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range lines {
			got = append(got, l.ID)
		}
		if !slices.Equal(got, tt.want) || leftOut != tt.leftOut {
			t.Errorf("%s: got %v and %d left out, want %v and %d", name, got, leftOut, tt.want, tt.leftOut)
		}
	}
}

func TestListCards_SaysWhoWorksAndWhatWaits(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	runs := d.add()
	waits := d.add(runs)
	d.ask(waits, "question", "Remove v1?")
	d.pause(board.Pause{Kind: board.PauseCard, Target: waits}, false)
	run := d.start(runs)
	lines, _, err := d.store.ListCards(d.ctx, d.now, board.CardFilter{})
	if err != nil {
		t.Fatal(err)
	}
	if l := lines[0]; l.Run != run || l.Executor != "opus" || l.Clone != 1 || l.RunSince != d.now {
		t.Errorf("got %+v", l)
	}
	if l := lines[1]; l.BlockedBy != 1 || l.Question != "Remove v1?" || !l.Paused {
		t.Errorf("got %+v", l)
	}
}

// TSK-2: the criteria of a story, and which of them a done task meets.
func TestCardPage_ListsWhichCriteriaAreMet(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	story := d.add()
	for _, satisfies := range []board.Strings{{"1", "2"}, {"2", "x", "0"}} {
		if _, _, err := d.store.AddCard(d.ctx, d.now, board.NewCard{
			Actor: "ada",
			Card:  board.Card{Board: "api", Title: "Task", Status: "todo", Parent: story, Satisfies: satisfies},
		}); err != nil {
			t.Fatal(err)
		}
	}
	must[board.Sent](t)(d.store.Move(d.ctx, d.now, d.rules, board.MoveRequest{Card: "api-3", To: "done", Actor: "ada"}))
	got := d.page(story).Criteria
	if len(got) != 2 || got[0].Number != 1 || got[0].Met || !got[1].Met || !slices.Equal(got[1].Cards, []string{"api-2", "api-3"}) {
		t.Errorf("got %+v", got)
	}
}

// CAP-2: the host of a card means nothing to a headless profile, and something to a pane's.
func TestHostIgnored_IsTrueOfAHeadlessProfileOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	_, b, facts, err := d.store.CardWhole(d.ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		host, assignee string
		want           bool
	}{{"", "", false}, {"far", "", true}, {"far", "coder", true}, {"far", "pair", false}} {
		c := d.card(id)
		c.Host, c.Assignee = tt.host, tt.assignee
		if got := d.rules.HostNote(b, c, facts, d.now) != ""; got != tt.want {
			t.Errorf("host %q, profile %q: got %v", tt.host, tt.assignee, got)
		}
	}
}

// A row that another program wrote oddly fails that card alone, named; lists still list (faults 44).
func TestListCards_ListsARowThatIsOdd(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	odd, even := d.add(), d.add()
	db, err := sql.Open("sqlite", d.file)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(d.ctx, `UPDATE cards SET labels = '[1]', owns = '{"a": 1}' WHERE id = ?`, odd)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	lines, _, err := d.store.ListCards(d.ctx, d.now, board.CardFilter{})
	if err != nil || len(lines) != 2 {
		t.Errorf("got %d lines, %v", len(lines), err)
	}
	if c, err := d.store.Card(d.ctx, odd); err != nil || c.Odd() != `cards.owns holds "{\"a\": 1}"` {
		t.Errorf("the odd card says %q, %v", c.Odd(), err)
	}
	if c, err := d.store.Card(d.ctx, even); err != nil || c.Odd() != "" {
		t.Errorf("the other card says %q, %v", c.Odd(), err)
	}
	d.page(odd)
	d.page(even)
}
