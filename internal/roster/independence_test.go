package roster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/roster"
)

// idle makes the lease of a card's worker in a pane between two runs.
func idle(id int64, executor, card string) roster.Lease {
	return roster.Lease{ID: id, Executor: executor, Role: roster.RoleCoder, Clone: 1, Card: card, Slot: "worker", Idle: true}
}

func outUntil(executor string, until time.Time) roster.Exclusion {
	return roster.Exclusion{Executor: executor, Kind: roster.KindUntil, Until: until, Reason: "usage limited"}
}

func wantOffer(t *testing.T, s roster.State, w roster.Want, label string, because roster.Because, beside int64) {
	t.Helper()
	offers, u := s.Offers(w)
	if u != nil {
		t.Fatalf("got %s, want %s", u.Text, label)
	}
	o := offers[0]
	if got := o.Executor.Label(o.Clone); got != label || o.Because != because || o.Beside != beside {
		t.Errorf("got %s because %q beside %d, want %s because %q beside %d", got, o.Because, o.Beside, label, because, beside)
	}
	if (o.Clone == 0) != (beside != 0) {
		t.Errorf("got clone %d beside %d: a borrowed lease has no clone", o.Clone, o.Beside)
	}
}

// ROS-13; scenario 48.
func TestOffers_ReviewGoesToAnotherExecutor(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a", slots(3, 3)), executor("b", priority(9)))
	wantOffer(t, s, reviewer("C-1", "a"), "b", "", 0)
	// A coder goes where the work was made before; that is its own affair.
	wantOffer(t, s, coder("C-1"), "a#1", "", 0)
}

// ROS-14 nobody; scenario 59.
func TestOffers_OneExecutorReviewsItselfOrBorrows(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a"))
	wantOffer(t, s, reviewer("C-1", "a"), "a", roster.BecauseNobody, 0)
	s.Leases = []roster.Lease{idle(7, "a", "C-1")}
	wantOffer(t, s, reviewer("C-1", "a"), "a", roster.BecauseNobody, 7)
	borrowed := s.With(roster.Lease{Executor: "a", Role: roster.RoleReviewer, Card: "C-1", Slot: "reviewer", Because: roster.BecauseNobody})
	if use := borrowed.UseOf(borrowed.Executors[0]); use.Used != 1 {
		t.Errorf("got %d slots used, want 1: a borrowed lease takes none", use.Used)
	}
	// At most one borrower per worker lease.
	second := reviewer("C-1", "a")
	second.Role, second.Slot = roster.RoleJudge, "judge"
	if u := unserved(t, borrowed, second); u.Exhausted {
		t.Errorf("got exhausted, want waiting: %s", u.Text)
	}
	// Another card's worker lends nothing.
	if u := unserved(t, s, reviewer("C-2", "a")); u.Exhausted || !strings.Contains(u.Text, "a made the work, and busy") {
		t.Errorf("got %q, want waiting for the slot", u.Text)
	}
	// A worker that is at work lends nothing.
	s.Leases[0].Idle = false
	unserved(t, s, reviewer("C-1", "a"))
}

// ROS-14: a task at home is worked on in its story's session.
func TestOffers_BorrowsBesideTheStorysSessionOnce(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a"))
	s.Leases = []roster.Lease{idle(7, "a", "S-1")}
	task := reviewer("S-2", "a")
	task.Story = "S-1"
	wantOffer(t, s, task, "a", roster.BecauseNobody, 7)
	s = s.With(roster.Lease{Executor: "a", Role: roster.RoleReviewer, Card: "S-2", Story: "S-1", Slot: "reviewer"})
	other := reviewer("S-3", "a")
	other.Story = "S-1"
	unserved(t, s, other)
}

// ROS-14 held; scenario 60.
func TestOffers_TwoIdleWorkersDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a"), executor("b"))
	s.Leases = []roster.Lease{idle(1, "a", "C-1"), idle(2, "b", "C-2")}
	wantOffer(t, s, reviewer("C-1", "a"), "a", roster.BecauseHeld, 1)
	s, _ = lease(t, s, reviewer("C-1", "a"))
	wantOffer(t, s, reviewer("C-2", "b"), "b", roster.BecauseHeld, 2)
}

// ROS-14: a reasoning run waits for a reasoning run, never for a coder.
func TestOffers_WaitsForAnotherReviewButNotForACoder(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a", slots(2, 2)), executor("b", slots(2, 1)))
	s.Leases = []roster.Lease{
		{ID: 1, Executor: "b", Role: roster.RoleCoder, Clone: 1, Card: "C-7", Slot: "worker"},
		{ID: 2, Executor: "b", Role: roster.RoleReviewer, Clone: 2, Card: "C-8", Slot: "reviewer"},
	}
	u := unserved(t, s, reviewer("C-1", "a"))
	want := "no free reviewer: b busy, 2 of 2 slots: C-7 worker (b#1), C-8 reviewer (b#2)"
	if u.Exhausted || u.Text != want {
		t.Errorf("got %q, want %q", u.Text, want)
	}
	s.Executors[1] = executor("b", slots(2, 2))
	s.Leases[1].Role = roster.RoleCoder
	wantOffer(t, s, reviewer("C-1", "a"), "a#1", roster.BecauseHeld, 0)
}

// ROS-14 out; scenarios 62, 63 and 65.
func TestOffers_FallsBackWhileTheOthersAreOut(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("own"), executor("other"))
	s.Exclusions = []roster.Exclusion{outUntil("other", noon().Add(time.Hour))}
	wantOffer(t, s, reviewer("C-1", "own"), "own", roster.BecauseOut, 0)
	s.Leases = []roster.Lease{idle(3, "own", "C-1")}
	wantOffer(t, s, reviewer("C-1", "own"), "own", roster.BecauseOut, 3)
	s.Now = noon().Add(time.Hour)
	wantOffer(t, s, reviewer("C-1", "own"), "other", "", 0)

	s = stateOf(executor("codex", slots(2, 2)), executor("claude"))
	s.Leases = []roster.Lease{{ID: 1, Executor: "codex", Role: roster.RoleCoder, Clone: 1, Card: "C-2", Slot: "worker"}}
	s.Exclusions = []roster.Exclusion{outUntil("claude", noon().Add(time.Hour))}
	wantOffer(t, s, reviewer("C-1", "codex"), "codex#2", roster.BecauseOut, 0)
}

// ROS-14: the worker's executor out, or without the role.
func TestOffers_WaitsOrIsExhaustedWithoutAnExecutorOfItsOwn(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("own"), executor("other", roles(roster.RoleCoder)))
	s.Exclusions = []roster.Exclusion{outUntil("own", noon().Add(time.Hour))}
	u := unserved(t, s, reviewer("C-1", "own"))
	if want := "no free reviewer: own made the work, and out until 13:00 UTC: usage limited"; u.Exhausted || u.Text != want {
		t.Errorf("own is out: got %q, want %q", u.Text, want)
	}
	s = stateOf(executor("own", roles(roster.RoleCoder)), executor("other", roles(roster.RoleCoder)))
	u = unserved(t, s, reviewer("C-1", "own"))
	want := "roster exhausted: nobody can ever serve as reviewer: own lacks the role reviewer; other lacks the role reviewer"
	if !u.Exhausted || u.Text != want {
		t.Errorf("nobody has the role: got %q, want %q", u.Text, want)
	}
}

// ROS-15.
func TestNote_SaysWhyAReviewIsNotIndependent(t *testing.T) {
	t.Parallel()
	for because, want := range map[roster.Because]string{
		"": "", roster.BecauseNobody: "no other executor can take it", roster.BecauseHeld: "coders hold every slot",
		roster.BecauseOut: "no other executor is in the round",
	} {
		got := because.Note()
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: got %q", because, got)
		}
	}
}

// Scenario 70, as far as the roster decides it: the preferred claude has a worse priority, and a judge is no coder.
func TestOffers_ServesAPlanFromSeveralExecutors(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("pi-local"), executor("codex", priority(2)), executor("claude", priority(3), slots(2, 2)))
	s, a := lease(t, s, coder("A"))
	w := coder("B")
	w.Prefer = "claude"
	s, b := lease(t, s, w)
	judge := roster.Want{Role: roster.RoleJudge, Card: "B", Slot: "judge", Avoid: []string{"codex"}}
	_, c := lease(t, s, judge)
	if a != "pi-local" || b != "codex" || c != "claude#1" {
		t.Errorf("got %s %s %s, want pi-local codex claude#1", a, b, c)
	}
}
