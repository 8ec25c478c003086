package main

import (
	"context"
	"fmt"
)

// failure is a way in which a model's side fails, and what must be made of it.
type failure struct {
	scenario string
	about    string
	want     ending
	but      map[string]ending // CLIs that cannot know better, or see it otherwise
	not      []string
	plan     bool
	ends     bool // every CLI gives up by itself, in its time; else the watchdog must be quick
}

// ending is how a run must end.
type ending struct {
	outcome, class string
	reset          bool // a time was told
}

func failures() []testCase {
	var list []testCase
	for _, f := range failureTable() {
		list = append(list, testCase{name: f.scenario, about: f.about, not: f.not, play: f.play})
	}
	return list
}

func failureTable() []failure {
	silent := ending{outcome: "quiet"} // it retries without a word, until the watchdog ends it
	return []failure{
		{
			scenario: "ratelimit", about: "429 for ever", want: ending{outcome: "rate_limited", class: "rate_limited"},
			but: map[string]ending{ // the provider's own words come through: "Please try again in 20s."
				"opencode": {outcome: "rate_limited", class: "rate_limited", reset: true},
				"gemini":   {outcome: "rate_limited", class: "rate_limited", reset: true},
				"pi":       {outcome: "rate_limited", class: "rate_limited", reset: true},
				"qwen":     silent,
			},
		},
		{
			scenario: "usage", about: "the plan is used up", plan: true,
			want: ending{outcome: "usage_limited", class: "usage_limited", reset: true},
			but: map[string]ending{ // the reset time is in the error's body, of which they print the message alone
				"opencode": {outcome: "usage_limited", class: "usage_limited"},
				"gemini":   {outcome: "usage_limited", class: "usage_limited"},
				"copilot":  {outcome: "usage_limited", class: "usage_limited"},
				"qwen":     silent,
			},
		},
		{
			scenario: "quota", about: "the purse is empty", want: ending{outcome: "quota", class: "quota"},
			but: map[string]ending{
				"gemini": {outcome: "usage_limited", class: "usage_limited"}, // its provider's quota is that of a day
				"qwen":   silent,
			},
		},
		{scenario: "auth", ends: true, about: "401", want: ending{outcome: "unauthenticated", class: "unauthenticated"}},
		{scenario: "nomodel", ends: true, about: "an unknown model", want: ending{outcome: "model_unavailable", class: "model_unavailable"}},
		{scenario: "toolong", ends: true, about: "the prompt is too long", want: ending{outcome: "context_overflow", class: "context_overflow"}},
		{
			scenario: "overload", about: "529 or 503 for ever", want: ending{outcome: "overloaded", class: "overloaded"},
			but: map[string]ending{"qwen": silent},
		},
		{scenario: "hang", about: "accepted and never answered: the supervisor's watchdog", want: ending{outcome: "quiet"}},
		{scenario: "drop", ends: true, about: "the stream is cut in the middle", want: ending{outcome: "outage", class: "outage"}},
	}
}

// play runs a card on a model that fails. The quiet limit is short where CLIs would try for minutes.
func (f failure) play(ctx context.Context, t *trial) error {
	quiet := "20s"
	if f.ends {
		quiet = "2m"
	}
	if err := t.alone(ctx, f.scenario, f.plan, setting{quiet: quiet}); err != nil {
		return err
	}
	if err := t.world.one(ctx); err != nil {
		return err
	}
	rows, err := t.world.ended(ctx, 1, soon)
	if err != nil {
		return err
	}
	r := rows[0]
	if err := t.tellRun(r); err != nil {
		return err
	}
	want, ok := f.but[t.agent.name]
	if !ok {
		want = f.want
	}
	got := ending{outcome: r.Outcome, class: r.Class, reset: t.line.reset == "told"}
	if got != want {
		return fmt.Errorf("got %+v, want %+v: %s", got, want, r.Reason)
	}
	return nil
}
