package capacity_test

import (
	"slices"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/capacity"
)

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
