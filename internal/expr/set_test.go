package expr_test

import (
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// DSP-11.
func TestSet_ChangesWhatAnExpressionReads(t *testing.T) {
	t.Parallel()
	scope := expr.NewScope(nil)
	for _, c := range [][3]string{
		{"host.memory_pressure", "critical", `host.memory_pressure == "critical"`},
		{"host.cpus", "3", "host.cpus == 3"},
		{"host.load", "2", "host.load == 2.0"},
		{"run.local", "false", "!run.local"},
		{"card.host", "null", "card.host == nil"},
		{"card.assignee", "pair", `card.assignee == "pair"`},
		{"card.labels.team", "core", `card.labels.team == "core" && card.labels.area == "ui"`},
		{"card.counters.rounds", "7", "card.counters.rounds == 7"},
		{"lane.capacity", "5", "lane.capacity == 5"},
		{"now", "2026-12-01T23:00:00Z", "now.Hour() == 23"},
		{"card.created_at", "2026-12-01T23:00:00Z", "card.created_at.Year() == 2026"},
	} {
		env := sample()
		if err := env.Set(c[0], c[1]); err != nil {
			t.Errorf("%s=%s: %v", c[0], c[1], err)
			continue
		}
		if ok, err := scope.Bool(c[2]).Eval(env); !ok || err != nil {
			t.Errorf("%s=%s: %s is %v, %v", c[0], c[1], c[2], ok, err)
		}
	}
	shared := sample()
	changed := *shared
	if err := changed.Set("card.labels.area", "api"); err != nil || *shared.Card.Labels["area"] != "ui" {
		t.Errorf("got %v; the environment it was copied from reads %q", err, *shared.Card.Labels["area"])
	}
}

func TestSet_RefusesWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"hots.cpus", "3", `an expression has no field "hots" (did you mean host?)`},
		{"host.cpu", "3", `host has no field "cpu" (did you mean cpus?)`},
		{"host.cpus", "many", `set host.cpus: found "many"; expected a whole number`},
		{"run.local", "1", "expected true or false"},
		{"host.load", "x", "expected a number"},
		{"now", "soon", "expected a time"},
		{"card", "x", "lists and whole roots cannot be set"},
		{"card.owns", "x", "lists and whole roots cannot be set"},
		{"now.hour", "3", `now has no field "hour"`},
		{"card.id.x", "3", `card.id has no field "x"`},
		{"", "3", "has no field"},
	} {
		if err := sample().Set(c[0], c[1]); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s=%s: got %v; want %q", c[0], c[1], err, c[2])
		}
	}
}

func TestParseValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"": nil, "null": nil, "true": true, "false": false, "6": 6, "-1": -1, "0.5": 0.5, "many": "many", `"6"`: "6", "'true'": "true", `"`: `"`,
	} {
		if got := expr.ParseValue(text); got != want {
			t.Errorf("%q: got %#v, want %#v", text, got, want)
		}
	}
}
