package capacity_test

import (
	"slices"
	"testing"

	"github.com/seed-2ddc2152/board/capacity"
)

// CAP-1, CAP-4: a start is matched as what it would be once started.
func TestCandidate_IsWhatItWouldBe(t *testing.T) {
	t.Parallel()
	site := capacity.Site{HomeHost: "base", Models: map[string]string{"opus": "claude-opus-4-5"}}
	e := site.Candidate(capacity.CardFacts{ID: "api-1", Status: "todo", Host: "far"},
		capacity.Lane{Slot: "worker", Executor: "opus", Surface: "headless"}, "doing")
	if e.Status != "doing" || !e.Dispatch || e.Host != "base" || e.Model != "claude-opus-4-5" ||
		e.Counts != capacity.CountsStart {
		t.Errorf("got %+v", e)
	}
}

// CAP-2: names of one machine are one name.
func TestSite_HostIsOneNamePerMachine(t *testing.T) {
	t.Parallel()
	site := capacity.Site{
		HomeHost: "Base.example.org",
		Aliases:  map[string]string{"far.lan": "far", "laptop": "far", "10.0.0.7": "far"},
	}
	for name, want := range map[string]string{
		"": "base", "localhost": "base", "LOCALHOST": "base", "localhost.localdomain": "base", "127.0.0.1": "base",
		"::1": "base", "base": "base", "BASE.other.net": "base",
		"far": "far", "far.lan": "far", "Far.LAN.": "far", "laptop.home": "far", "10.0.0.7": "far",
		"10.0.0.8": "10.0.0.8", "fe80::1": "fe80::1", " near ": "near",
	} {
		if got := site.Host(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// CAP-3, TSK-3: the session of a story's task that runs at home is counted once, with the story's card.
func TestEntries_OfATaskAtHomeHoldTheStorysSession(t *testing.T) {
	t.Parallel()
	site := capacity.Site{HomeHost: "base"}
	worker := capacity.Lane{Slot: "worker", Profile: "coder", Surface: "headless"}
	held := slices.Concat(
		site.Entries(capacity.CardFacts{
			ID: "api-1", Board: "api", Story: "api-1", Sessions: []capacity.SessionFacts{{ID: 7, Lane: worker, State: "busy"}},
		}),
		site.Entries(capacity.CardFacts{
			ID: "api-2", Board: "api", Story: "api-1", SessionCard: "api-1", Run: &capacity.RunFacts{ID: 8, Lane: worker},
		}),
	)
	l := capacity.New([]capacity.Cap{
		{Name: "sessions", Counts: capacity.Sessions, Max: capacity.Fixed(9)},
		{Name: "runs", Counts: capacity.Runs, Max: capacity.Fixed(9)},
		{Name: "cards", Counts: capacity.Cards, Max: capacity.Fixed(9)},
	}, capacity.State{Held: held})
	got, want := used(l), map[string]int64{"sessions": 1, "runs": 1, "cards": 2}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s: got %d, want %d", name, got[name], n)
		}
	}
}
