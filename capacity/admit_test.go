package capacity_test

import (
	"slices"
	"testing"

	"github.com/seed-2ddc2152/board/capacity"
)

func start(card, slot string) capacity.Candidate {
	status, profile := "doing", "coder"
	if slot == "reviewer" {
		status, profile = "review", "critic"
	}
	site := capacity.Site{HomeHost: "base"}
	facts := capacity.CardFacts{ID: card, Board: boardOf(card)}
	lane := capacity.Lane{
		Slot: slot, Role: profile, Profile: profile, Executor: "opus", Harness: "claude", Surface: "headless",
	}
	return capacity.Candidate{Entry: site.Candidate(facts, lane, status)}
}

// CAP-5: none is no cap, 0 holds everything, and nothing is admitted on a fault, of slots neither.
func TestAdmit_NeverOnAFault(t *testing.T) {
	t.Parallel()
	answers := func(limit capacity.Limit) capacity.Limiter {
		return capacity.Limiter{Of: func(*capacity.Candidate) capacity.Limit { return limit }}
	}
	steady := func(limit capacity.Limit) capacity.Limiter {
		l := answers(limit)
		l.Steady = true
		return l
	}
	for _, c := range []struct {
		name  string
		limit capacity.Limit
		room  bool
		fault string
	}{
		{"none", capacity.Limit{None: true}, true, ""},
		{"one", capacity.Limit{N: 1}, true, ""},
		{"zero", capacity.Limit{}, false, ""},
		{"below zero", capacity.Limit{N: -3}, false, "max is -3, less than 0"},
		{"fault", capacity.Limit{Fault: "no number"}, false, "no number"},
	} {
		for _, limiter := range []capacity.Limiter{{Const: c.limit}, answers(c.limit), steady(c.limit)} {
			l := capacity.New([]capacity.Cap{{Name: "c", Counts: capacity.Runs, Max: limiter}}, capacity.State{})
			candidate := start("api-1", "worker")
			refusal, ok := l.Admit(&candidate)
			if ok != c.room || refusal.Fault != c.fault {
				t.Errorf("%s: admitted %v, fault %q", c.name, ok, refusal.Fault)
			}
		}
	}
	for _, slots := range []capacity.Limiter{
		{Const: capacity.Limit{Fault: "no number"}}, answers(capacity.Limit{Fault: "no number"}),
	} {
		l := capacity.New([]capacity.Cap{{
			Name: "c", Counts: capacity.Runs, Max: capacity.Fixed(5),
			Reserve: &capacity.Reserve{For: capacity.Filter{Status: []string{"review"}}, Slots: slots},
		}}, capacity.State{})
		coder, reviewer := start("api-1", "worker"), start("api-2", "reviewer")
		if refusal, ok := l.Admit(&coder); ok || refusal.Fault != "no number" {
			t.Errorf("slots: admitted %v, fault %q", ok, refusal.Fault)
		}
		if _, ok := l.Admit(&reviewer); !ok {
			t.Error("slots: the reserve's own kind is held by it")
		}
	}
}

// CAP-8, DSP-10: the reason is data, with what the maximum read and who holds the places.
func TestExplain_GivesTheReasonAsData(t *testing.T) {
	t.Parallel()
	values := map[string]any{"host.memory_pressure": "elevated"}
	site := capacity.Site{HomeHost: "base"}
	held := site.Entries(capacity.CardFacts{
		ID: "api-1", Run: &capacity.RunFacts{ID: 41, Lane: capacity.Lane{Slot: "worker", Surface: "headless"}},
	})
	l := capacity.New([]capacity.Cap{{
		Name: "sessions on a host", Source: capacity.Source{File: "w.yaml", Line: 12, Key: "max"},
		Counts: capacity.Sessions, Scope: []capacity.Dimension{capacity.Host},
		Max: capacity.Limiter{Of: func(*capacity.Candidate) capacity.Limit { return capacity.Limit{N: 1, Values: values} }},
	}}, capacity.State{Held: held})
	c := start("api-2", "worker")
	all := l.Explain(&c)
	if len(all) != 1 {
		t.Fatalf("got %+v", all)
	}
	r := all[0]
	if r.Cap != "sessions on a host" || r.Source.Line != 12 || r.Group != "base" || r.Count != 1 || r.Max != 1 ||
		r.Values["host.memory_pressure"] != "elevated" ||
		!slices.Equal(r.Holders, []capacity.Holder{{Card: "api-1", Slot: "worker", Run: 41}}) {
		t.Errorf("got %+v", r)
	}
}

// CAP-11: a claim counts the starts that its tick made before, for caps on starts without a window.
func TestNew_CountsTheStartsOfThisTick(t *testing.T) {
	t.Parallel()
	first, second := start("api-1", "worker"), start("api-2", "worker")
	l := capacity.New([]capacity.Cap{{Name: "starts", Counts: capacity.Starts, Max: capacity.Fixed(1)}},
		capacity.State{Started: []capacity.Entry{first.Entry}})
	if _, ok := l.Admit(&second); ok {
		t.Error("the second start of the tick is admitted under a maximum of 1")
	}
	if _, ok := l.Admit(&first); ok {
		t.Error("a start has no place of its own: starting again is another start")
	}
}

// CAP-12: admitting and refusing cost no allocation.
func TestAdmit_AllocatesNothing(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts the whole process
	caps := twentyCaps()
	all := candidates(200)
	caps[19].Max = capacity.Fixed(0)
	for _, l := range []*capacity.Ledger{
		capacity.New(caps[:19], capacity.State{Waiting: all}), capacity.New(caps, capacity.State{Waiting: all}),
	} {
		for i := range all {
			l.Admit(&all[i])
		}
		if n := testing.AllocsPerRun(100, func() { l.Admit(&all[1]) }); n != 0 {
			t.Errorf("got %v allocations", n)
		}
	}
}

// CAP-12: a maximum that is the same for a class is asked once for it.
func TestAdmit_AsksASteadyMaximumOncePerClass(t *testing.T) {
	t.Parallel()
	asked := 0
	l := capacity.New([]capacity.Cap{{
		Name: "c", Counts: capacity.Runs,
		Max: capacity.Limiter{Steady: true, Of: func(*capacity.Candidate) capacity.Limit {
			asked++
			return capacity.Limit{N: 3}
		}},
	}}, capacity.State{})
	for _, card := range []string{"api-1", "api-2", "api-3", "api-4"} {
		for _, slot := range []string{"worker", "reviewer"} {
			c := start(card, slot)
			l.Admit(&c)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times for 2 classes", asked)
	}
}

// CAP-8, CAP-12: a maximum that the card decides is asked for each card, also where the class was refused before.
func TestAdmit_AsksACardsOwnMaximumForEachCard(t *testing.T) {
	t.Parallel()
	byCard := capacity.Limiter{Of: func(c *capacity.Candidate) capacity.Limit {
		return capacity.Limit{N: map[string]int64{"api-2": 9}[c.Card]}
	}}
	held := start("api-1", "worker")
	l := capacity.New([]capacity.Cap{
		{Name: "by card", Counts: capacity.Runs, Max: byCard},
		{Name: "one", Counts: capacity.Sessions, Max: capacity.Fixed(1)},
	}, capacity.State{Held: []capacity.Entry{held.Entry}})
	for _, ask := range []struct{ card, want string }{{"api-2", "one"}, {"api-3", "by card"}, {"api-2", "one"}} {
		c := start(ask.card, "worker")
		if headline, _ := l.Admit(&c); headline.Cap != ask.want {
			t.Errorf("%s: got %q, want %q", ask.card, headline.Cap, ask.want)
		}
	}
}

// CAP-13: the first executor that passes every cap takes the card; if none passes, the first's reason is named.
func TestAdmitFirst_LetsTheNextExecutorTakeTheCard(t *testing.T) {
	t.Parallel()
	limit := func(model string, n int64) capacity.Cap {
		return capacity.Cap{
			Name: model, Counts: capacity.Runs, Where: capacity.Filter{Model: []string{model + "*"}}, Max: capacity.Fixed(n),
		}
	}
	opus, sonnet := start("api-1", "worker"), start("api-1", "worker")
	opus.Model, sonnet.Model = "opus-4", "sonnet-4"
	l := capacity.New([]capacity.Cap{limit("sonnet", 1), limit("opus", 0)}, capacity.State{})
	alternatives := []capacity.Candidate{opus, sonnet}
	if at, _ := l.AdmitFirst(alternatives); at != 1 {
		t.Errorf("got alternative %d, want sonnet's", at)
	}
	other := sonnet
	other.Card = "api-2"
	l.Take(&other)
	if at, headline := l.AdmitFirst(alternatives); at != -1 || headline.Cap != "opus" {
		t.Errorf("got alternative %d and %q, want none and the first's reason", at, headline.Cap)
	}
}

// CAP-14: a start over a cap is counted like any other, and those that ask are held.
func TestTake_OverACapCounts(t *testing.T) {
	t.Parallel()
	l := capacity.New([]capacity.Cap{{Name: "runs", Counts: capacity.Runs, Max: capacity.Fixed(1)}}, capacity.State{})
	for _, card := range []string{"api-1", "api-2"} {
		c := start(card, "worker")
		l.Take(&c)
	}
	c := start("api-3", "worker")
	if headline, ok := l.Admit(&c); ok || headline.Count != 2 || headline.Max != 1 {
		t.Errorf("admitted %v, %d of %d", ok, headline.Count, headline.Max)
	}
}
