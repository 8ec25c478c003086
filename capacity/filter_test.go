package capacity_test

import (
	"testing"

	"github.com/seed-2ddc2152/board/capacity"
)

// CAP-4: each key narrows, its values are alternatives, and what lacks a given key does not match.
func TestFilter_MatchesEveryKeyGiven(t *testing.T) {
	t.Parallel()
	e := capacity.Entry{
		Board: "api", Card: "api-7", Status: "doing", Profile: "coder", Executor: "opus", Harness: "claude",
		Model: "anthropic/claude-opus-4-5", Host: "base", Slot: "reviewer-2", Role: "coder", Surface: "pane",
		Story: "api-1", Dispatch: true, Labels: map[string]string{"urgent": "", "team": "blue"},
	}
	for _, c := range []struct {
		name string
		f    capacity.Filter
		want bool
	}{
		{"nothing given", capacity.Filter{}, true},
		{"board", capacity.Filter{Board: []string{"web", "api"}}, true},
		{"another board", capacity.Filter{Board: []string{"web"}}, false},
		{"card", capacity.Filter{Card: []string{"api-7"}}, true},
		{"card, not its prefix", capacity.Filter{Card: []string{"api-"}}, false},
		{"status", capacity.Filter{Status: []string{"d?ing"}}, true},
		{"profile", capacity.Filter{Profile: []string{"critic"}}, false},
		{"executor", capacity.Filter{Executor: []string{"o*s"}}, true},
		{"harness", capacity.Filter{Harness: []string{"codex"}}, false},
		{"a star crosses slashes", capacity.Filter{Model: []string{"*claude-opus-*"}}, true},
		{"a glob covers the whole", capacity.Filter{Model: []string{"claude-opus-*"}}, false},
		{"several stars", capacity.Filter{Model: []string{"a*c*-*5"}}, true},
		{"host", capacity.Filter{Host: []string{"far"}}, false},
		{"slot", capacity.Filter{Slot: []string{"reviewer-*"}}, true},
		{"role", capacity.Filter{Role: []string{"reviewer"}}, false},
		{"surface", capacity.Filter{Surface: []string{"pane"}}, true},
		{"label", capacity.Filter{Label: []string{"urgent"}}, true},
		{"label and value", capacity.Filter{Label: []string{"team=b*"}}, true},
		{"label and another value", capacity.Filter{Label: []string{"team=red"}}, false},
		{"another label", capacity.Filter{Label: []string{"slow"}}, false},
		{"story", capacity.Filter{Story: new(true)}, true},
		{"no story", capacity.Filter{Story: new(false)}, false},
		{"dispatch", capacity.Filter{Dispatch: new(false)}, false},
		{"lacks a workspace", capacity.Filter{Workspace: []string{"*"}}, false},
		{"one of two keys", capacity.Filter{Board: []string{"api"}, Role: []string{"judge"}}, false},
	} {
		if got := c.f.Match(&e); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		if got := c.f.Empty(); got != (c.name == "nothing given") {
			t.Errorf("%s: empty is %v", c.name, got)
		}
	}
}
