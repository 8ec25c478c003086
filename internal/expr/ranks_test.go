package expr_test

import (
	"cmp"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// A rank orders two cards as comparing their values does, whatever the kinds of the values.
func TestKeyRanks_OrderAsCompareDoes(t *testing.T) {
	t.Parallel()
	sources := []string{
		"card.priority", "-card.priority", `card.status == "review" ? 0 : 1`, "-card.ready_since", "card.title", `-card.labels["n"]`,
		`card.priority > 1 ? card.title : card.priority`, "card.priority / 3", "card.aside_declined",
	}
	rapid.Check(t, func(rt *rapid.T) {
		key := expr.NewScope(nil).Key(rapid.SampledFrom(sources).Draw(rt, "key"))
		values := make([]expr.Value, rapid.IntRange(1, 12).Draw(rt, "cards"))
		for i := range values {
			env := expr.Env{Card: expr.Card{
				Priority: rapid.IntRange(-3, 3).Draw(rt, "priority"), Status: rapid.SampledFrom([]string{"review", "todo"}).Draw(rt, "status"),
				Title: rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "title"), AsideDeclined: rapid.Bool().Draw(rt, "declined"),
			}}
			if rapid.Bool().Draw(rt, "ready") {
				at := time.Unix(int64(rapid.IntRange(0, 3).Draw(rt, "since")), 0)
				env.Card.ReadySince, env.Card.Labels = &at, expr.Texts(map[string]string{"n": "x"})
			}
			var err error
			if values[i], err = key.Eval(&env); err != nil {
				rt.Fatal(err)
			}
		}
		ranks := key.Ranks(values)
		for i := range values {
			for j := range values {
				if got, want := cmp.Compare(ranks[i], ranks[j]), key.Compare(values[i], values[j]); got != want {
					rt.Fatalf("%s: ranks %v order cards %d and %d as %d, their values %+v and %+v as %d", key.Source(), ranks, i, j, got, values[i], values[j], want)
				}
			}
		}
	})
}
