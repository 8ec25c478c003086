package board_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/board"
)

func (d *desk) edit(id string, e board.CardEdit, revision int64) (board.Edited, error) {
	return d.store.Edit(d.ctx, d.now, d.rules, board.EditRequest{Card: id, Edit: e, Actor: "ada", Revision: revision})
}

func TestEdit_ChangesWhatIsGivenAndNothingElse(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	title, priority := "Drop v1", 3
	done := must[board.Edited](t)(d.edit(id, board.CardEdit{Title: &title, Priority: &priority, Label: map[string]string{"a": "1"}}, 1))
	if !slices.Equal(done.Changed, []string{"title", "priority", "labels"}) || done.Card.Revision != 2 {
		t.Errorf("got %+v", done)
	}
	if got := d.lastEvent(id); got != "card.edited" { // MOD-5
		t.Errorf("the newest event is %s", got)
	}
	done = must[board.Edited](t)(d.edit(id, board.CardEdit{Title: &title, Unlabel: []string{"b"}}, 0))
	if len(done.Changed) != 0 || d.card(id).Revision != 2 {
		t.Errorf("an edit to what is so already: %+v", done)
	}
}

func TestEdit_RefusesAndLeavesTheCardAsItWas(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	text := func(s string) *string { return &s }
	number := func(n int) *int { return &n }
	for name, tt := range map[string]struct {
		edit     board.CardEdit
		revision int64
		kind     error
	}{
		"a stale revision":          {board.CardEdit{Title: text("x")}, 9, board.ErrRefused},
		"an empty title":            {board.CardEdit{Title: text("  ")}, 0, board.ErrUsage},
		"a title of two lines":      {board.CardEdit{Title: text("a\nb")}, 0, board.ErrUsage},
		"a title with an escape":    {board.CardEdit{Title: text("a\x1b[2Jb")}, 0, board.ErrUsage},
		"a title of 1025 bytes":     {board.CardEdit{Title: text(strings.Repeat("x", 1025))}, 0, board.ErrUsage},
		"a body with a NUL":         {board.CardEdit{Body: text("a\x00")}, 0, board.ErrUsage},
		"a body over 1 MiB":         {board.CardEdit{Body: text(strings.Repeat("x", 1<<20+1))}, 0, board.ErrUsage},
		"a body that is no UTF-8":   {board.CardEdit{Body: text("\xff\xfe")}, 0, board.ErrUsage},
		"a profile unknown":         {board.CardEdit{Assignee: text("codr")}, 0, board.ErrNotFound},
		"a story unknown":           {board.CardEdit{Parent: text("api-99")}, 0, board.ErrNotFound},
		"its own story":             {board.CardEdit{Parent: &id}, 0, board.ErrRefused},
		"an effort unknown":         {board.CardEdit{Effort: text("hihg")}, 0, board.ErrUsage},
		"a schedule unknown":        {board.CardEdit{Every: text("sometimes")}, 0, board.ErrUsage},
		"a workspace unknown":       {board.CardEdit{Workspace: text("dir:here")}, 0, board.ErrUsage},
		"a priority out of bounds":  {board.CardEdit{Priority: number(2_000_000)}, 0, board.ErrUsage},
		"a label without a name":    {board.CardEdit{Label: map[string]string{"": "x"}}, 0, board.ErrUsage},
		"an empty path that it has": {board.CardEdit{Owns: &board.Strings{""}}, 0, board.ErrUsage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := *d
			d.t = t
			d.refused(id, tt.kind, func() error { _, err := d.edit(id, tt.edit, tt.revision); return err })
		})
	}
	full := strings.Repeat("x", 1<<20)
	must[board.Edited](t)(d.edit(id, board.CardEdit{Body: &full}, 0))
}

func TestEdit_ABodyOfAMebibyteComesBackWhole(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	body := strings.Repeat("ä\n", 1<<20/3)
	must[board.Edited](t)(d.edit(id, board.CardEdit{Body: &body}, 0))
	if d.card(id).Body != body {
		t.Error("the body differs")
	}
}

// A name that is not there comes with the nearest.
func TestCard_OffersTheNearestID(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add()
	_, err := d.store.Card(d.ctx, "apii-1")
	if problem := (*board.Problem)(nil); !errors.As(err, &problem) || !errors.Is(err, board.ErrNotFound) || !strings.Contains(problem.Fix, `"api-1"`) {
		t.Errorf("got %v", err)
	}
}

func TestComment_IsKeptWithItsEvent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.add()
	must[board.Comment](t)(d.store.Comment(d.ctx, d.now, id, "The key is in the vault", "ada"))
	if p := d.page(id); len(p.Comments) != 1 || p.Comments[0].Author != "ada" || d.lastEvent(id) != "card.commented" {
		t.Errorf("got %+v, newest event %s", p.Comments, d.lastEvent(id))
	}
	for _, tt := range []struct {
		card, text string
		kind       error
	}{{id, "", board.ErrUsage}, {id, "a\x00", board.ErrUsage}, {"api-9", "x", board.ErrNotFound}} {
		if _, err := d.store.Comment(d.ctx, d.now, tt.card, tt.text, "ada"); !errors.Is(err, tt.kind) {
			t.Errorf("%s %q: got %v", tt.card, tt.text, err)
		}
	}
}
