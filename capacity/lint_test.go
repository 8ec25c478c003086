package capacity_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/capacity"
)

// CAP-17: lint names what can match nothing, what nobody has and what cannot be.
func TestLint_NamesEveryProblem(t *testing.T) {
	t.Parallel()
	caps := []capacity.Cap{
		{
			Name: "a", Counts: capacity.Runs, Max: capacity.Fixed(2),
			Where: capacity.Filter{Status: []string{"doin", "rev*"}, Host: []string{"base"}}, Window: time.Hour,
			Reserve: &capacity.Reserve{For: capacity.Filter{Status: []string{"done"}}, Slots: capacity.Fixed(2)},
		},
		{Name: "a", Counts: capacity.Spend, Max: capacity.Fixed(-1), Place: capacity.PerCard},
		{
			Name: "b", Counts: capacity.Sessions, Scope: []capacity.Dimension{capacity.Model},
			Where:  capacity.Filter{Status: []string{"review"}, Dispatch: new(true)},
			Unless: capacity.Filter{Status: []string{"rev*"}}, Max: capacity.Unlimited(),
			Reserve: &capacity.Reserve{For: capacity.Filter{Dispatch: new(true)}, Slots: capacity.Fixed(1)},
		},
		{
			Name: "fine", Counts: capacity.Sessions, Scope: []capacity.Dimension{capacity.Host}, Max: capacity.Fixed(4),
			Where:   capacity.Filter{Surface: []string{"pane"}},
			Reserve: &capacity.Reserve{For: capacity.Filter{Status: []string{"review"}}, Slots: capacity.Fixed(1)},
		},
	}
	known := capacity.Known{Statuses: []string{"doing", "review", "done"}}
	var got []string
	for _, p := range capacity.Lint(caps, known) {
		got = append(got, strings.TrimSuffix(p.Cap+" "+p.Key+" "+p.Value, " "))
	}
	want := []string{
		"a where.status doin", "a window", "a reserve.for", "a reserve.slots 2",
		"a name a", "a window", "a place card", "a max -1",
		"b unless", "b reserve model",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
