package board_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/strict"
)

func parseDrafts(t *testing.T, text string) ([]board.Draft, int) {
	t.Helper()
	drafts, skipped, err := board.ParseDrafts("cards", []byte(text), time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return drafts, skipped
}

func TestParseDrafts_ReadsATaskList(t *testing.T) {
	t.Parallel()
	drafts, skipped := parseDrafts(t, "# Plan\n\n- [ ] One\n  first\n\n    indented\n  - [ ] Below\n\t- [ ] Below too\n- [x] Ticked\n  its text\n  - [ ] Below a ticked one\nprose\n  not of a task\n1. [ ] no task\n* [ ] Two\r\n")
	var got []string
	for _, d := range drafts {
		got = append(got, d.Card.Title+"|"+d.Card.Parent+"|"+d.Card.Body)
	}
	want := []string{"One||first\n\n  indented", "Below|#1|", "Below too|#2|", "Below a ticked one||", "Two||"}
	if !slices.Equal(got, want) || skipped != 1 {
		t.Errorf("got %q, %d ticked\nwant %q", got, skipped, want)
	}
}

func TestParseDrafts_ReadsJSONAndYAMLAlike(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"cards": ["One", {"title": "Two", "depends_on": "#1", "satisfies": [1, 2], "labels": {"a": true}, "pause": true, "not_before": "2026-12-01"}]}`,
		"- One\n- title: Two\n  depends_on: ['#1']\n  satisfies: [1, 2]\n  labels: {a: true}\n  pause: true\n  not_before: 2026-12-01\n",
	} {
		drafts, _ := parseDrafts(t, text)
		if len(drafts) != 2 || drafts[0].Card.Title != "One" {
			t.Fatalf("got %+v", drafts)
		}
		two := drafts[1]
		if !slices.Equal(two.DependsOn, []string{"#1"}) || !two.Pause || two.Card.Labels["a"] != "true" || !slices.Equal(two.Card.Criteria(), []int{1, 2}) ||
			two.Card.NotBefore.String() != "2026-12-01T00:00:00.000Z" {
			t.Errorf("got %+v", two)
		}
	}
}

func TestParseDrafts_TellsEveryProblemAtOnce(t *testing.T) {
	t.Parallel()
	_, _, err := board.ParseDrafts("cards", []byte("- {title: One, kye: b}\n- {title: \"\", priority: high}\n- {title: T, every: never, not_before: never}\n"), time.Now())
	problems := strict.Problems(nil)
	if !errors.As(err, &problems) || len(problems) < 5 {
		t.Errorf("got %v", err)
	}
	for _, text := range []string{"", "cards: []", "a\x00b", strings.Repeat("x", 1<<20+1)} {
		if _, _, err := board.ParseDrafts("cards", []byte(text), time.Now()); !errors.Is(err, board.ErrUsage) {
			t.Errorf("%.20q: got %v", text, err)
		}
	}
}

func TestAddCards_AddsAllOrNone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	drafts := func(text string) []board.Draft {
		all, _ := parseDrafts(t, text)
		for i := range all {
			all[i].Card.Board, all[i].Card.Status, all[i].Actor = "api", "todo", "ada"
		}
		return all
	}
	added := must[[]board.Added](t)(d.store.AddCards(d.ctx, d.now, drafts("- {title: One, key: a, depends_on: b}\n- {title: Two, key: b}\n- {title: Three, parent: a}\n")))
	if got := d.page("api-1").Facts.BlockedBy; !slices.Equal(got, []string{"api-2"}) || added[2].Card.Parent != "api-1" {
		t.Errorf("blocked by %v; %+v", got, added)
	}
	again := must[[]board.Added](t)(d.store.AddCards(d.ctx, d.now, drafts("- {title: One, key: a}\n- {title: Four, depends_on: a}\n")))
	if !again[0].Existed || again[0].Card.ID != "api-1" || again[1].Card.ID != "api-4" {
		t.Errorf("got %+v", again)
	}
	for text, kind := range map[string]error{
		"- Five\n- {title: Six, depends_on: api-99}\n":                                         board.ErrNotFound,
		"- {title: Five, key: x, depends_on: y}\n- {title: Six, key: y, depends_on: x}\n":      board.ErrRefused, // a cycle
		"- {title: Five, key: x}\n- {title: Six, key: x}\n":                                    board.ErrUsage,
		"- {title: Five, parent: later}\n- {title: Six, key: later}\n":                         board.ErrNotFound,
		"- {title: Five, depends_on: '#1'}\n":                                                  board.ErrRefused,
		"- {title: Five, key: x, depends_on: [api-1, api-1, api-2]}\n- {title: 'a', key: x}\n": board.ErrUsage,
	} {
		if _, err := d.store.AddCards(d.ctx, d.now, drafts(text)); !errors.Is(err, kind) {
			t.Errorf("%q: got %v, want %v", text, err, kind)
		}
	}
	lines, _, err := d.store.ListCards(d.ctx, d.now, board.CardFilter{})
	if err != nil || len(lines) != 4 {
		t.Errorf("refused imports left %d cards, want 4: %v", len(lines), err)
	}
	if next := d.add(); next != "api-5" {
		t.Errorf("the next card is %s: a refused import took its number", next)
	}
}
