package roster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// ending makes one of an executor `a` at noon.
func ending(failure harness.Failure, with ...func(*roster.Executor)) roster.Ending {
	return roster.Ending{Now: noon(), Executor: executor("a", with...), Fingerprint: "f1", Failure: failure}
}

func account(name string) func(*roster.Executor) {
	return func(e *roster.Executor) { e.Account = name }
}

func health(e *roster.Executor) { e.Health = "http://127.0.0.1:8080/health" }

// ROS-7; scenarios 20 to 24.
func TestAssess_TakesTheKindFromTheClass(t *testing.T) {
	t.Parallel()
	model := func(e *roster.Executor) { e.Model = "opus-9" }
	for _, c := range []struct {
		class  harness.Class
		with   func(*roster.Executor)
		kind   roster.ExclusionKind // empty: none
		reason string
	}{
		{harness.ClassModelUnavailable, model, roster.KindConfig, "model unavailable (opus-9): words"},
		{harness.ClassUsageLimited, model, roster.KindUntil, "usage limited: words"},
		{harness.ClassUnauthenticated, model, roster.KindConfig, "unauthenticated: words"},
		{harness.ClassQuota, model, roster.KindConfig, "quota: words"},
		{harness.ClassHarnessMissing, model, roster.KindConfig, "harness missing: words"},
		{harness.ClassOverloaded, model, roster.KindUntil, "overloaded: words"},
		{harness.ClassOverloaded, health, roster.KindHealth, "overloaded: words"},
		{harness.ClassOutage, model, roster.KindUntil, "outage: words"},
		{harness.ClassOutage, health, roster.KindHealth, "outage: words"},
		{harness.ClassContextOverflow, health, "", ""},
		{harness.ClassFailed, health, "", ""},
		{"", health, "", ""},
	} {
		t.Run(string(c.class)+" "+string(c.kind), func(t *testing.T) {
			t.Parallel()
			x := roster.Assess(ending(harness.Failure{Class: c.class, Message: " words\n"}, c.with)).Exclude
			if (x == nil) != (c.kind == "") {
				t.Fatalf("got exclusion %+v, want kind %q", x, c.kind)
			}
			if x == nil {
				return
			}
			if x.Executor != "a" || x.Kind != c.kind || x.Reason != c.reason {
				t.Errorf("got %+v, want %s: %s", x, c.kind, c.reason)
			}
			if (x.Kind == roster.KindConfig) != (x.Fingerprint == "f1") {
				t.Errorf("got fingerprint %q in kind %s", x.Fingerprint, x.Kind)
			}
		})
	}
	outage := roster.Assess(ending(harness.Failure{Class: harness.ClassOutage}))
	if want := noon().Add(5 * time.Minute); !outage.Exclude.Until.Equal(want) {
		t.Errorf("an outage: got until %v, want the cooldown's %v", outage.Exclude.Until, want)
	}
}

// ROS-7; scenario 17.
func TestAssess_UsageLimitLastsUntilItsResetWithinBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		failure harness.Failure
		until   time.Duration // from now
		note    string
	}{
		{"a reset ahead", harness.Failure{ResetAt: noon().Add(40 * time.Second)}, 40 * time.Second, ""},
		{"none", harness.Failure{}, 30 * time.Minute, ""},
		{"retry after", harness.Failure{RetryAfter: 2 * time.Hour}, 2 * time.Hour, ""},
		{"past", harness.Failure{ResetAt: noon().Add(-time.Hour)}, 30 * time.Minute, "lies in the past"},
		{"now", harness.Failure{ResetAt: noon()}, 30 * time.Minute, "lies in the past"},
		{"8 days", harness.Failure{ResetAt: noon().Add(8 * 24 * time.Hour)}, 8 * 24 * time.Hour, ""},
		{"a year", harness.Failure{ResetAt: noon().AddDate(1, 0, 0)}, 8 * 24 * time.Hour, "more than 8 days ahead; out until 2026-12-09 12:00 UTC"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.failure.Class = harness.ClassUsageLimited
			effect := roster.Assess(ending(c.failure))
			if got := effect.Exclude.Until.Sub(noon()); got != c.until {
				t.Errorf("got %v, want %v", got, c.until)
			}
			if (effect.Note == "") != (c.note == "") || !strings.Contains(effect.Note, c.note) {
				t.Errorf("got note %q, want %q", effect.Note, c.note)
			}
		})
	}
}

// ROS-11.
func TestAssess_AnAccountSharesItsUsageLimitsOnly(t *testing.T) {
	t.Parallel()
	limit := roster.Assess(ending(harness.Failure{Class: harness.ClassUsageLimited}, account("max"))).Exclude
	if limit.Account != "max" || limit.Executor != "" {
		t.Errorf("got %+v, want the account out", limit)
	}
	s := stateOf(executor("a", account("max")), executor("b", account("max")), executor("c", account("other")), executor("d"))
	s.Exclusions = []roster.Exclusion{*limit}
	if got := offered(s, coder("C-1")); got != "c d" {
		t.Errorf("got %q, want c d", got)
	}
	one := roster.Assess(ending(harness.Failure{Class: harness.ClassUsageLimited, OneModel: true}, account("max"))).Exclude
	if one.Executor != "a" || one.Account != "" {
		t.Errorf("one model's limit: got %+v, want the executor alone", one)
	}
	outage := roster.Assess(ending(harness.Failure{Class: harness.ClassOutage}, account("max"))).Exclude
	if outage.Executor != "a" || outage.Account != "" {
		t.Errorf("an outage: got %+v, want the executor alone", outage)
	}
}

// ROS-8; scenarios 18 and 19.
func TestAssess_TheThirdRateLimitWithinTenMinutesExcludes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		before   []time.Duration // ago
		retry    time.Duration
		excluded bool
		wait     time.Duration
	}{
		{"the first", nil, 0, false, time.Minute},
		{"the first, with a longer wait", nil, 90 * time.Second, false, 90 * time.Second},
		{"the second", []time.Duration{time.Minute}, time.Second, false, time.Minute},
		{"the third", []time.Duration{10 * time.Minute, time.Minute}, 0, true, 0},
		{"two long ago", []time.Duration{11 * time.Minute, 11 * time.Minute}, 0, false, time.Minute},
		{"a nonsense wait", nil, 9000 * time.Hour, false, roster.MaxUsageLimit},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			end := ending(harness.Failure{Class: harness.ClassRateLimited, RetryAfter: c.retry}, account("max"))
			for _, ago := range c.before {
				end.RateLimits = append(end.RateLimits, noon().Add(-ago))
			}
			effect := roster.Assess(end)
			if (effect.Exclude != nil) != c.excluded || effect.ClearRateLimits != c.excluded || effect.CountRateLimit == c.excluded {
				t.Fatalf("got %+v, want excluded %v", effect, c.excluded)
			}
			if c.excluded {
				if want := noon().Add(10 * time.Minute); !effect.Exclude.Until.Equal(want) || effect.Exclude.Executor != "a" {
					t.Errorf("got %+v, want a out until %v", effect.Exclude, want)
				}
				return
			}
			if got := effect.NotBefore.Sub(noon()); got != c.wait {
				t.Errorf("got a wait of %v, want %v", got, c.wait)
			}
		})
	}
}

// The endings of 03: a card's own model override is the card's trouble.
func TestAssess_ACardsOwnModelBlamesNoExecutor(t *testing.T) {
	t.Parallel()
	end := ending(harness.Failure{Class: harness.ClassModelUnavailable, Message: "There's an issue with the selected model"})
	end.CardModel = "opus-99"
	effect := roster.Assess(end)
	if effect.Exclude != nil || !strings.Contains(effect.AskPerson, `"opus-99" was refused by a: There's an issue`) {
		t.Errorf("got %+v, want a question to a person", effect)
	}
}

func TestAssess_KeepsOneShortLineOfTheMessage(t *testing.T) {
	t.Parallel()
	message := "first\n\tsecond\x1b[31m " + strings.Repeat("é", 500)
	got := roster.Assess(ending(harness.Failure{Class: harness.ClassQuota, Message: message})).Exclude.Reason
	if strings.ContainsAny(got, "\n\t\x1b") || len([]rune(got)) > 220 || !strings.HasPrefix(got, "quota: first second") {
		t.Errorf("got %q", got)
	}
}

func TestRecord_KeepsOneRowOfAKindAndTheLaterEnd(t *testing.T) {
	t.Parallel()
	until := func(executor string, d time.Duration) roster.Exclusion { return outUntil(executor, noon().Add(d)) }
	config := func(fingerprint string) roster.Exclusion {
		return roster.Exclusion{Executor: "a", Kind: roster.KindConfig, Fingerprint: fingerprint}
	}
	unhealthy := roster.Exclusion{Executor: "a", Kind: roster.KindHealth}
	have := []roster.Exclusion{until("a", time.Hour), config("f1"), unhealthy, until("b", time.Minute)}
	for _, c := range []struct {
		name     string
		x        roster.Exclusion
		replaced int
		add      bool
	}{
		{"the same again", until("a", time.Hour), 0, false},
		{"sooner", until("a", time.Minute), 0, false},
		{"later", until("a", 2*time.Hour), 1, true},
		{"another executor", until("c", time.Hour), 0, true},
		{"config again", config("f1"), 0, false},
		{"config, changed meanwhile", config("f2"), 1, true},
		{"down again", unhealthy, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			replaced, add := roster.Record(have, c.x)
			if len(replaced) != c.replaced || add != c.add {
				t.Errorf("got %v, %v; want %d replaced, add %v", replaced, add, c.replaced, c.add)
			}
		})
	}
}
