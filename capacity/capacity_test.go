package capacity_test

import (
	"slices"
	"strings"
	"testing"
	"time"

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

// CAP-18, TSK-3: an idle session that a claimed run is about to use is not closed, whichever is counted first.
func TestIdleToClose_LeavesASessionThatARunIsAboutToUse(t *testing.T) {
	t.Parallel()
	site := capacity.Site{HomeHost: "base"}
	worker := capacity.Lane{Slot: "worker", Surface: "pane"}
	story := site.Entries(capacity.CardFacts{
		ID: "api-1", Sessions: []capacity.SessionFacts{{ID: 7, Lane: worker, State: capacity.Idle}},
	})
	task := site.Entries(capacity.CardFacts{ID: "api-2", SessionCard: "api-1", Run: &capacity.RunFacts{ID: 8, Lane: worker}})
	c := start("api-3", "worker")
	caps := []capacity.Cap{{Name: "c", Counts: capacity.Sessions, Max: capacity.Fixed(1)}}
	for _, held := range [][]capacity.Entry{slices.Concat(story, task), slices.Concat(task, story)} {
		if e, ok := capacity.New(caps, capacity.State{Held: held}).IdleToClose(&c); ok {
			t.Errorf("closes session %d", e.Session)
		}
	}
	if _, ok := capacity.New(caps, capacity.State{Held: story}).IdleToClose(&c); !ok {
		t.Error("without the task the session may be closed")
	}
}

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

// CAP-18, I8: idle sessions that fill a host are closed one by one, and every review runs.
func TestIdleToClose_LetsEveryReviewRun(t *testing.T) {
	t.Parallel()
	site := capacity.Site{HomeHost: "base"}
	caps := []capacity.Cap{{
		Name: "DS", Counts: capacity.Sessions, Scope: []capacity.Dimension{capacity.Host}, Max: capacity.Fixed(8),
	}}
	idle, running := map[string]bool{}, []capacity.Entry{}
	cards := []string{"api-1", "api-2", "api-3", "api-4", "api-5", "api-6", "api-7", "api-8"}
	for _, card := range cards {
		idle[card] = true
	}
	var closed []string
	for range 40 {
		held := slices.Clone(running)
		for i, card := range cards {
			if idle[card] {
				held = append(held, site.Entries(capacity.CardFacts{ID: card, Sessions: []capacity.SessionFacts{{
					ID: int64(i + 1), Lane: capacity.Lane{Slot: "worker", Surface: "pane"}, State: capacity.Idle,
					IdleSince: now.Add(time.Duration(i%4-9) * time.Minute),
				}}})...)
			}
		}
		l := capacity.New(caps, capacity.State{Now: now, Held: held})
		stops := 0
		for _, card := range cards {
			review := start(card, "reviewer")
			if _, ok := l.Admit(&review); ok {
				l.Take(&review)
				running = append(running, review.Entry)
				continue
			}
			if e, ok := l.IdleToClose(&review); ok {
				l.Closing(e.Session)
				idle[e.Card] = false
				closed = append(closed, e.Card)
				stops++
			}
		}
		if stops > 1 {
			t.Fatalf("a tick closes %d sessions of one group", stops)
		}
		if len(running) > 3 {
			running = running[1:] // reviews end
		}
	}
	if len(closed) < 5 {
		t.Errorf("closed %v: the reviews do not get their places", closed)
	}
	if !slices.Equal(closed[:4], []string{"api-1", "api-5", "api-2", "api-6"}) {
		t.Errorf("closed %v: the longest idle first", closed)
	}
}

// CAP-18: where a maximum was lowered below what idles, more than one has to go, one after the other.
func TestIdleToClose_WorksItsWayDownToALoweredMaximum(t *testing.T) {
	t.Parallel()
	held := []capacity.Entry{}
	for i, card := range []string{"api-1", "api-2", "api-3"} {
		held = append(held, capacity.Entry{
			Card: card, Slot: "worker", Session: int64(i + 1), Dispatch: true, Idle: true, Counts: capacity.CountsSessions,
		})
	}
	caps := []capacity.Cap{{Name: "c", Counts: capacity.Sessions, Max: capacity.Fixed(1)}}
	c := start("api-9", "worker")
	for len(held) > 0 {
		l := capacity.New(caps, capacity.State{Held: held})
		e, ok := l.IdleToClose(&c)
		if !ok {
			t.Fatalf("nothing to close with %d idle under a maximum of 1", len(held))
		}
		l.Closing(e.Session)
		if again, ok := l.IdleToClose(&c); ok {
			t.Fatalf("session %d too, while %d is on its way", again.Session, e.Session)
		}
		held = slices.DeleteFunc(held, func(h capacity.Entry) bool { return h.Session == e.Session })
	}
	if _, ok := capacity.New(caps, capacity.State{Held: held}).Admit(&c); !ok {
		t.Error("still held when all are gone")
	}
}

// CAP-19: limits that stand elsewhere are caps like the others.
func TestProgramCaps_HoldLikeTheOthers(t *testing.T) {
	t.Parallel()
	at := capacity.Source{File: "roster.yaml", Line: 3, Key: "slots"}
	worker, reviewer := start("api-1", "worker"), start("api-2", "reviewer")
	worker.Role, worker.Story, worker.Workspace = "coder", "api-9", "/srv/api"
	borrowed := reviewer
	borrowed.Borrowed, borrowed.Card = true, "api-3"
	other := worker
	other.Card, other.Story, other.Workspace, other.Executor = "api-4", "api-8", "/srv/web", "codex"
	for _, c := range []struct {
		name string
		cap  capacity.Cap
		next capacity.Candidate
		room bool
	}{
		{"--max counts runs of the home", capacity.MaxRuns(1), other, false},
		{"slots count sessions of the executor", capacity.ExecutorSlots("opus", 1, at), reviewer, false},
		{"slots of another executor", capacity.ExecutorSlots("opus", 1, at), other, true},
		{"a borrowed lease takes no slot", capacity.ExecutorSlots("opus", 1, at), borrowed, true},
		{"coder slots leave room for a reviewer", capacity.CoderSlots("opus", 1, at), reviewer, true},
		{"coder slots", capacity.CoderSlots("opus", 0, at), worker, false},
		{"dollars of the executor", capacity.ExecutorDollars("opus", 1_000_000, at), reviewer, false},
		{"dollars of another executor", capacity.ExecutorDollars("opus", 1_000_000, at), other, true},
		{"runs of another story", capacity.StoryConcurrency("s", capacity.Fixed(1), nil, at), other, true},
		{"a card of no story", capacity.StoryConcurrency("s", capacity.Fixed(1), nil, at), reviewer, true},
		{"another workspace", capacity.WorkspaceSessions(), other, true},
		{"no shared workspace", capacity.WorkspaceSessions(), reviewer, true},
	} {
		l := capacity.New([]capacity.Cap{c.cap}, capacity.State{Now: now})
		l.Take(&worker)
		if _, ok := l.Admit(&c.next); ok != c.room {
			t.Errorf("%s: admitted %v", c.name, ok)
		}
	}
	same := other
	same.Story, same.Workspace = worker.Story, worker.Workspace
	l := capacity.New([]capacity.Cap{
		capacity.StoryConcurrency("story", capacity.Fixed(1), nil, at), capacity.WorkspaceSessions(),
	}, capacity.State{Now: now})
	l.Take(&worker)
	if all := l.Explain(&same); len(all) != 2 || all[0].Origin != capacity.FromStory || all[1].Group != "/srv/api" {
		t.Errorf("the same story and workspace: %+v", all)
	}
}

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

// A maximum of a spend cap is written in dollars and counted in micro-dollars.
func TestUSD_IsMicroDollars(t *testing.T) {
	t.Parallel()
	if got := capacity.USD(capacity.Limit{N: 20}).N; got != 20_000_000 {
		t.Errorf("got %d", got)
	}
}
