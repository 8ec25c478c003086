package capacity_test

import (
	"testing"

	"github.com/seed-2ddc2152/board/capacity"
)

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

// A maximum of a spend cap is written in dollars and counted in micro-dollars.
func TestUSD_IsMicroDollars(t *testing.T) {
	t.Parallel()
	if got := capacity.USD(capacity.Limit{N: 20}).N; got != 20_000_000 {
		t.Errorf("got %d", got)
	}
}
