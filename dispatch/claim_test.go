package dispatch_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
)

const rn1 = `{name: few runs, counts: runs, max: 1}`

// elsewhereOf is what a report says of a card that was planned and not claimed.
func elsewhereOf(tb testing.TB, r dispatch.Report, card string) string {
	tb.Helper()
	for _, e := range r.Elsewhere {
		if e.Card == card {
			return e.Text
		}
	}
	tb.Fatalf("%s is not elsewhere; the report is %+v", card, r)
	return ""
}

func TestTick_DSP7_ACardThatAnotherTickStartedIsElsewhere(t *testing.T) { // H1
	t.Parallel()
	p := newPlace(t)
	id := p.card("todo")
	other := p.open()
	p.meanwhile(func() { p.tickOn(other) })
	r := p.tick()
	if text := elsewhereOf(t, r, id); !strings.Contains(text, "runs already") || len(r.Faults) != 0 {
		t.Fatalf("elsewhere %q, faults %v", text, r.Faults)
	}
	if runs := p.view().Runs; len(runs) != 1 || runs[0].Attempt != 1 {
		t.Fatalf("runs %+v, want one", runs)
	}
}

func TestTick_DSP7_ACardThatMovedIsElsewhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sql  string
		text string
	}{
		"moved":    {`UPDATE cards SET status = 'review' WHERE id = 'api-1'`, "is in review by now"},
		"archived": {`UPDATE cards SET archived_at_ms = 1 WHERE id = 'api-1'`, "archived"},
		"ended":    {`UPDATE cards SET status = 'done', ended_at_ms = 1 WHERE id = 'api-1'`, "is in done by now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			id := p.card("todo")
			p.meanwhile(func() { p.sql(c.sql) })
			r := p.tick()
			if text := elsewhereOf(t, r, id); !strings.Contains(text, c.text) || len(p.view().Runs) != 0 {
				t.Fatalf("elsewhere %q, runs %v", text, p.view().Runs)
			}
		})
	}
}

func TestTick_DSP7_ThePlaceThatAnotherTickFilledRefusesInsideTheTransaction(t *testing.T) { // H3, H8
	t.Parallel()
	p := newPlace(t, rn1)
	first, second := p.card("todo"), p.card("todo", func(c *board.Card) { c.Priority = 9 })
	other := p.open()
	p.meanwhile(func() {
		p.tickOn(other, func(o *dispatch.TickOptions) { o.Only = first })
	})
	r := p.tick()
	if text := elsewhereOf(t, r, second); !strings.Contains(text, `cap "few runs": 1 of 1`) {
		t.Fatalf("elsewhere %q, want the cap's reason", text)
	}
	v := p.view()
	if len(v.Runs) != 1 || v.Runs[0].Card != first || len(v.Leases) != 1 {
		t.Fatalf("runs %+v leases %+v, want those of %s alone", v.Runs, v.Leases, first)
	}
	events, err := p.store.Events(t.Context(), second, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if strings.HasPrefix(e.Kind, "run.") {
			t.Fatalf("event %+v of a claim that was rolled back", e)
		}
	}
	card, err := p.store.Card(t.Context(), second)
	if err != nil || card.Attempts != 0 || card.Status != "todo" || card.Failures != 0 {
		t.Fatalf("card %+v, %v: nothing of it was to change", card, err)
	}
}

func TestTick_CAP2_AnotherTicksHeadlessRunFillsTheHomeHost(t *testing.T) { // H4
	t.Parallel()
	p := newPlace(t, ds1)
	abroad, here := p.card("todo", func(c *board.Card) { c.Host = "far" }), p.card("todo", func(c *board.Card) { c.Priority = 9 })
	other := p.open()
	p.meanwhile(func() {
		p.tickOn(other, func(o *dispatch.TickOptions) { o.Only = abroad })
	})
	if text := elsewhereOf(t, p.tick(), here); !strings.Contains(text, "1 of 1 on base") {
		t.Fatalf("elsewhere %q, want base to be full", text)
	}
}

func TestTick_LIV3_AnEndedRunsSessionThatLivesKeepsItsPlace(t *testing.T) { // H5
	t.Parallel()
	p := newPlace(t, `{name: sessions, counts: sessions, max: 1}`)
	first := p.card("todo")
	run := p.tick().Started[0].Run
	p.begins(run, func(x *board.Session) { x.Interactive = true })
	second := p.card("todo")
	// Between the tick's look and its claims the run ends; its session stays, so its place is not free.
	p.exits(run, board.Exit{Code: new(int), Kept: true})
	p.meanwhile(func() { p.tickOn(p.open(), func(o *dispatch.TickOptions) { o.Only = first }) })
	r := p.tick()
	if slices.Contains(startedIn(r), second) {
		t.Fatalf("%s was started beside a session that is not proved gone: %+v", second, r)
	}
	if v := p.view(); len(v.Sessions) != 1 {
		t.Fatalf("sessions %+v, want the kept one", v.Sessions)
	}
}

// raceCase is a board and its caps, for ticks that run at once.
type raceCase struct {
	runs, reviews, starts int
	cards                 []string // their statuses
}

func raceCases() *rapid.Generator[raceCase] {
	return rapid.Custom(func(rt *rapid.T) raceCase {
		return raceCase{
			runs: rapid.IntRange(0, 5).Draw(rt, "runs"), reviews: rapid.IntRange(0, 3).Draw(rt, "reviews"), starts: rapid.IntRange(1, 5).Draw(rt, "starts"),
			cards: rapid.SliceOfN(rapid.SampledFrom([]string{"todo", "review"}), 1, 8).Draw(rt, "cards"),
		}
	})
}

// No interleaving of eight processes' ticks exceeds a cap or an executor's slots, and no card runs twice (DSP-6, DSP-7; H7). Each
// case is eight ticks on a database of its own, so there are fewer than rapid.Check would make.
func TestTick_DSP7_NoInterleavingExceedsACapOrTheSlots(t *testing.T) {
	t.Parallel()
	for seed := range 25 {
		c := raceCases().Example(seed)
		p := newPlace(t, fmt.Sprintf(`{name: r, counts: runs, max: %d, reserve: {for: {status: review}, slots: 1}}`, c.runs),
			fmt.Sprintf(`{name: s, counts: sessions, scope: host, where: {role: reviewer}, max: %d}`, c.reviews),
			fmt.Sprintf(`{name: w, counts: starts, window: 1h, max: %d}`, c.starts))
		for _, status := range c.cards {
			p.card(status)
		}
		p.race(8)
		v := p.view()
		reviewing, perExecutor, cards := 0, map[string]int{}, map[string]int{}
		for _, r := range v.Runs {
			if r.Role == "reviewer" {
				reviewing++
			}
			perExecutor[r.Executor]++
			cards[r.Card]++
			if perExecutor[r.Executor] > 2 || cards[r.Card] > 1 {
				t.Fatalf("%+v: runs %+v: more than an executor's slots or one run a card", c, v.Runs)
			}
		}
		if len(v.Runs) > c.runs || reviewing > c.reviews || len(v.Runs) > c.starts {
			t.Fatalf("%+v: %d runs, %d of them reviews", c, len(v.Runs), reviewing)
		}
		if len(v.Leases) != len(v.Runs) {
			t.Fatalf("%+v: %d leases of %d runs", c, len(v.Leases), len(v.Runs))
		}
	}
}

// race lets so many processes tick at once, without the lock that keeps ticks apart.
func (p *place) race(ticks int) {
	p.tb.Helper()
	var wait sync.WaitGroup
	for range ticks {
		store := p.open()
		d := p.deps(store)
		wait.Go(func() {
			if _, err := dispatch.Tick(context.Background(), d, dispatch.TickOptions{NoLock: true}); err != nil {
				p.tb.Error(err)
			}
		})
	}
	wait.Wait()
}

// A cap that is edited while eight ticks run holds from the next tick on, and ends nothing.
func TestTick_AnEditedCapHoldsFromTheNextTickAndEndsNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `{name: few runs, counts: runs, max: 3}`)
	for range 6 {
		p.card("todo")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range 20 {
			p.write("workflows/test.yaml", withCaps(fmt.Sprintf(`{name: few runs, counts: runs, max: %d}`, 1+n%3)))
		}
		p.write("workflows/test.yaml", withCaps(`{name: few runs, counts: runs, max: 1}`))
	}()
	p.race(8)
	<-done
	before := p.view().Runs
	if len(before) > 3 {
		t.Fatalf("%d runs, and the highest value ever written was 3", len(before))
	}
	r := p.tick()
	if len(r.Started)+len(r.Stopping)+len(r.Ended) != 0 || len(r.Faults) != 0 {
		t.Fatalf("with max 1 the tick did %+v, want nothing", r)
	}
	if after := p.view().Runs; len(after) != len(before) {
		t.Fatalf("%d runs, want the %d from before: lowering a cap ends nothing", len(after), len(before))
	}
	p.write("workflows/test.yaml", withCaps(`{name: few runs, counts: runs, max: 4}`))
	if r := p.tick(); len(before)+len(r.Started) != 4 {
		t.Fatalf("%d were running and %d started, want 4 in all", len(before), len(r.Started))
	}
}

func TestTick_DSP8_AClaimWhoseLaunchFailedWaitsForTheNextTick(t *testing.T) { // L3, L4
	t.Parallel()
	p := newPlace(t)
	p.program = "/no/such/program"
	first, second := p.card("todo"), p.card("todo")
	r := p.tick()
	if len(r.Faults) != 2 || len(r.Started) != 0 || len(p.view().Runs) != 2 {
		t.Fatalf("report %+v, want two claims that could not be launched: one does not stop the next", r)
	}
	p.program = "/bin/true"
	if r := p.tick(); len(r.Started) != 0 || p.run(1).LaunchAttempt != 1 {
		t.Fatalf("launched again before the grace was over: %+v", r)
	}
	p.clock.Advance(dispatch.SpawnGrace)
	p.tick()
	for i, id := range []string{first, second} {
		if run := p.run(int64(i) + 1); run.Card != id || run.LaunchAttempt != 2 || run.State != board.RunClaimed {
			t.Fatalf("run %+v, want the claim of %s launched a second time", run, id)
		}
	}
}

// A relaunch is counted once, however many ticks find the claim at the same time: the attempt they saw must still stand.
func TestTick_DSP8_OneOfManyTicksRelaunches(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.card("todo")
	p.tick()
	p.clock.Advance(dispatch.SpawnGrace)
	other := p.open()
	p.meanwhile(func() { p.tickOn(other) })
	p.tick()
	if run := p.run(1); run.LaunchAttempt != 2 {
		t.Fatalf("launch attempt %d, want 2: two ticks saw the same claim", run.LaunchAttempt)
	}
}

// G12: a hold is rewritten when the reason changes, and gone when the card starts.
func TestTick_HoldsFollowTheReason(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `{name: few runs, counts: runs, max: 0}`)
	id := p.card("todo")
	p.tick()
	first := p.view().Holds[id]
	if first.Code != board.HoldCapacity || first.Cap != "few runs" {
		t.Fatalf("hold %+v, want the cap's", first)
	}
	p.clock.Advance(60e9)
	p.tick()
	if again := p.view().Holds[id]; again.Since != first.Since {
		t.Fatalf("held since %v, want %v: the reason is the same", again.Since, first.Since)
	}
	p.write("workflows/test.yaml", withCaps(`{name: no runs, counts: runs, max: 0}`))
	p.tick()
	if changed := p.view().Holds[id]; changed.Cap != "no runs" || changed.Since != p.now() {
		t.Fatalf("hold %+v, want the other cap's, from now", changed)
	}
	p.write("workflows/test.yaml", withCaps())
	p.tick()
	if _, held := p.view().Holds[id]; held {
		t.Fatal("the card runs, and its hold is still there")
	}
}
