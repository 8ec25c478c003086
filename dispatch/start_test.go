package dispatch_test

import (
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
)

func (p *place) start(id string, overCap bool) dispatch.Asked {
	p.tb.Helper()
	a, err := dispatch.StartCard(p.tb.Context(), p.deps(p.store), id, "ada", overCap)
	if err != nil {
		p.tb.Fatal(err)
	}
	return a
}

func (p *place) find(id string) board.Card {
	p.tb.Helper()
	c, err := p.store.Card(p.tb.Context(), id)
	if err != nil {
		p.tb.Fatal(err)
	}
	return c
}

// L5: an explicit start is the same plan and claim as a tick's.
func TestStartCard_DSP9_PastTheRoomIsRememberedAndGoesFirst(t *testing.T) { // I1, I2, I3
	t.Parallel()
	p := newPlace(t, rn1)
	running, urgent, asked := p.card("todo"), p.card("todo", func(c *board.Card) { c.Priority = 99 }), p.card("todo")
	p.tick(func(o *dispatch.TickOptions) { o.Only = running })
	a := p.start(asked, false)
	if a.Started != nil || !strings.Contains(a.Pending, `cap "few runs": 1 of 1`) {
		t.Fatalf("asked %+v, want it pending with the cap's reason", a)
	}
	if c, v := p.find(asked), p.view(); c.StartRequested == 0 || c.Attempts != 0 || len(v.Runs) != 1 || len(v.Leases) != 1 {
		t.Fatalf("card %+v, runs %v: a wish is no run, no session and no start", c, v.Runs)
	}
	r := p.tick()
	if len(r.Pending) != 1 || r.Pending[0].Card != asked {
		t.Fatalf("pending %+v, want %s", r.Pending, asked)
	}
	for _, h := range r.Held {
		if h.Card == asked {
			t.Fatalf("%s is under held too: such cards are under pending only", asked)
		}
	}
	p.exits(1, board.Exit{Code: new(int)})
	p.write("workflows/test.yaml", strings.Replace(withCaps(rn1), "to: review, progress", "to: done, progress", 1))
	r = p.tick()
	if got := startedIn(r); len(got) != 1 || got[0] != asked {
		t.Fatalf("started %v, want %s before %s: it was asked for", got, asked, urgent)
	}
	if c := p.find(asked); c.StartRequested != 0 {
		t.Fatal("the card runs, and the wish is still there")
	}
}

func TestStartCard_DSP9_ACancelledWishIsForgotten(t *testing.T) { // I2
	t.Parallel()
	p := newPlace(t, `{name: none, counts: runs, max: 0}`)
	id := p.card("todo")
	p.start(id, false)
	if err := p.store.RequestStart(t.Context(), p.now(), id, "ada", false); err != nil {
		t.Fatal(err)
	}
	if c := p.find(id); c.StartRequested != 0 {
		t.Fatalf("card %+v still wants to start", c)
	}
	if r := p.tick(); len(r.Pending) != 0 || len(r.Held) != 1 {
		t.Fatalf("report %+v, want an ordinary hold", r)
	}
}

func TestStartCard_DSP9_ACardHeldForAnotherReasonIsToldAndRemembered(t *testing.T) { // I6
	t.Parallel()
	p := newPlace(t)
	id := p.card("todo")
	p.sql(`INSERT INTO pauses (kind, target, actor, reason, created_at_ms) VALUES ('card', '` + id + `', 'eve', 'not yet', 0)`)
	a := p.start(id, false)
	if a.Started != nil || !strings.Contains(a.Pending, "paused by eve: not yet") || p.find(id).StartRequested == 0 {
		t.Fatalf("asked %+v, want the pause named and the wish kept", a)
	}
}

func TestStartCard_CAP14_GoesOverTheCapsOfFilesOnly(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `{name: none, counts: runs, max: 0}`)
	first := p.card("todo")
	if a := p.start(first, true); a.Started == nil {
		t.Fatalf("asked %+v, want it started over the cap", a)
	}
	events, err := p.store.Events(t.Context(), first, 5)
	if err != nil {
		t.Fatal(err)
	}
	var claimed *board.Event
	for i := range events {
		if events[i].Kind == "run.claimed" {
			claimed = &events[i]
		}
	}
	if claimed == nil || !strings.Contains(string(claimed.Payload), `"over_cap":true`) {
		t.Fatalf("events %+v, want the claim to say that it went over a cap", events)
	}
	for range 3 {
		p.start(p.card("todo"), true)
	}
	if a := p.start(p.card("todo"), true); a.Started != nil {
		t.Fatalf("asked %+v: the executors have four slots", a)
	}
}

func TestStartCard_CAP14_AnOverCapStartStillMeetsLimitsBehindTheFilesCap(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `{name: none, counts: runs, max: 0}`)
	p.write("config.yaml", "capacity: [{name: home none, counts: runs, max: 0}]\n")
	p.write("workflows/test.yaml", strings.Replace(withCaps(`{name: none, counts: runs, max: 0}`), "dispatch:\n", "dispatch:\n  story: {concurrency: 1}\n", 1))
	story := p.card("todo")
	first := p.card("todo", func(c *board.Card) { c.Parent = story })
	second := p.card("todo", func(c *board.Card) { c.Parent = story })
	if a := p.start(first, true); a.Started == nil {
		t.Fatalf("asked %+v, want it started", a)
	}
	if a := p.start(second, true); a.Started != nil || !strings.Contains(a.Pending, "story concurrency") {
		t.Fatalf("asked %+v, want it held by the story's own limit (CAP-19)", a)
	}
}
