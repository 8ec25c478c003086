package roster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/roster"
)

func backOf(r roster.Refreshed) string {
	var ids []string
	for _, b := range r.Back {
		ids = append(ids, b.Executor)
	}
	return strings.Join(ids, " ")
}

// ROS-9; scenarios 25, 38 and 46.
func TestRefresh_DropsWhatHasPassedWithOneEvent(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a"))
	s.Exclusions = []roster.Exclusion{outUntil("a", noon().Add(10*time.Minute)), outUntil("a", noon().Add(2*time.Minute))}
	s.Now = noon().Add(5 * time.Minute)
	r := s.Refresh(roster.Seen{})
	if len(r.Dropped) != 1 || len(r.State.Exclusions) != 1 || len(r.Back) != 0 {
		t.Errorf("after 5 minutes: got dropped %v, back %v; want the shorter dropped and nobody back", r.Dropped, r.Back)
	}
	s.Now = noon().Add(10 * time.Minute)
	r = s.Refresh(roster.Seen{})
	if len(r.Dropped) != 2 || len(r.State.Exclusions) != 0 || backOf(r) != "a" {
		t.Errorf("after 10 minutes: got dropped %v, back %v; want both dropped and a back once", r.Dropped, r.Back)
	}
	if want := "a is back in the round; it was out: usage limited"; r.Back[0].Text != want {
		t.Errorf("got %q, want %q", r.Back[0].Text, want)
	}
	if again := r.State.Refresh(roster.Seen{}); len(again.Dropped)+len(again.Back)+len(again.Added)+len(again.Resumed) != 0 {
		t.Errorf("a second refresh: got %+v, want nothing", again)
	}
}

// ROS-10 and ROS-9; scenarios 41, 67 and 68.
func TestRefresh_APauseByHandOutlastsAnExclusion(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a"))
	s.Pauses = []roster.Pause{{ID: 1, Executor: "a", Until: noon().Add(2 * time.Hour)}}
	s.Exclusions = []roster.Exclusion{outUntil("a", noon().Add(time.Hour))}
	out, _ := s.OutOf(s.Executors[0])
	if out.Code != roster.RefusedPaused || !out.Until.Equal(noon().Add(2*time.Hour)) {
		t.Errorf("got %+v, want paused for two hours", out)
	}
	pauses, exclusions := s.Resume(s.Executors[0])
	if len(pauses) != 1 || len(exclusions) != 1 {
		t.Errorf("resume: got %v and %v, want both rows", pauses, exclusions)
	}
	s.Now = noon().Add(time.Hour)
	r := s.Refresh(roster.Seen{})
	if len(r.Dropped) != 1 || len(r.Resumed) != 0 || len(r.Back) != 0 {
		t.Errorf("after an hour: got %+v, want the exclusion dropped and a still paused", r)
	}
	s = r.State
	s.Now = noon().Add(2 * time.Hour)
	if r = s.Refresh(roster.Seen{}); len(r.Resumed) != 1 || backOf(r) != "a" {
		t.Errorf("after two hours: got %+v, want the pause over and a back", r)
	}
	forever := stateOf(executor("a"))
	forever.Pauses = []roster.Pause{{Executor: "a"}}
	forever.Now = noon().AddDate(10, 0, 0)
	if r = forever.Refresh(roster.Seen{}); len(r.Resumed) != 0 {
		t.Error("a pause without an end passed by itself")
	}
}

// ROS-11: every executor of the account is back at once.
func TestRefresh_BringsAWholeAccountBack(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a", account("max")), executor("b", account("max")), executor("c"))
	s.Exclusions = []roster.Exclusion{{Account: "max", Kind: roster.KindUntil, Until: noon()}}
	if got := backOf(s.Refresh(roster.Seen{})); got != "a b" {
		t.Errorf("got %q back, want a b", got)
	}
}

// Kind config; ROS-21: harness_missing ends when the binary is found again.
func TestRefresh_ConfigEndsWithTheFingerprint(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a"))
	s.Exclusions = []roster.Exclusion{{Executor: "a", Kind: roster.KindConfig, Fingerprint: "f1", Reason: "harness missing"}}
	for name, c := range map[string]struct {
		seen roster.Seen
		back string
	}{
		"not looked at": {roster.Seen{}, ""},
		"the same":      {roster.Seen{Fingerprints: map[string]string{"a": "f1"}}, ""},
		"changed":       {roster.Seen{Fingerprints: map[string]string{"a": "f2"}}, "a"},
	} {
		if got := backOf(s.Refresh(c.seen)); got != c.back {
			t.Errorf("%s: got %q back, want %q", name, got, c.back)
		}
	}
	s.Executors[0].ID = "b"
	if r := s.Refresh(roster.Seen{Fingerprints: map[string]string{"b": "f2"}}); len(r.Dropped) != 0 {
		t.Error("the exclusion of an executor that this roster leaves out was dropped")
	}
}

// Kind health; scenarios 22 and 42.
func TestRefresh_HealthFollowsTheProbes(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a", health), executor("b", health), executor("c"))
	if got := idsOf(s.Probes()); got != "a b" {
		t.Errorf("got probes %q, want a b", got)
	}
	down := roster.Seen{Health: map[string]roster.Probe{"a": {Text: "503\n"}, "b": {OK: true}}}
	r := s.Refresh(down)
	if len(r.Added) != 1 || r.Added[0].Executor != "a" || !strings.HasSuffix(r.Added[0].Reason, "does not answer: 503") {
		t.Fatalf("got %+v added, want a's", r.Added)
	}
	if got := offered(r.State, coder("C-1")); got != "b c" {
		t.Errorf("got %q offered, want b c", got)
	}
	if again := r.State.Refresh(down); len(again.Added) != 0 {
		t.Errorf("a second failed probe: got %+v added, want nothing", again.Added)
	}
	if got := idsOf(r.State.Probes()); got != "a b" {
		t.Errorf("got probes %q while a is down, want a b", got)
	}
	up := r.State.Refresh(roster.Seen{Health: map[string]roster.Probe{"a": {OK: true}}})
	if backOf(up) != "a" || len(up.Dropped) != 1 {
		t.Errorf("got %+v, want a back", up)
	}
	r.State.Executors[0].Health = ""
	if gone := r.State.Refresh(roster.Seen{}); backOf(gone) != "a" {
		t.Errorf("without a URL nothing can answer: got %+v, want a back", gone)
	}
	r.State.Pauses = []roster.Pause{{Executor: "b"}}
	if got := idsOf(r.State.Probes()); got != "" {
		t.Errorf("got probes %q, want none of what is paused or has no URL", got)
	}
}

// ROS-12; scenario 69.
func TestReport_ShowsEachExecutor(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a", slots(2, 1)), executor("b"))
	s.Leases = []roster.Lease{idle(1, "a", "C-1"), {ID: 2, Executor: "a", Role: roster.RoleReviewer, Card: "C-1"}}
	s.Exclusions = []roster.Exclusion{outUntil("b", noon().Add(time.Hour))}
	report := s.Report()
	if a := report[0]; a.Out != nil || a.Use.Used != 1 || a.Use.CoderUsed != 1 || len(a.Leases) != 2 {
		t.Errorf("a: got %+v", a)
	}
	if b := report[1]; b.Out == nil || b.Out.Text != "out until 13:00 UTC: usage limited" {
		t.Errorf("b: got %+v", b)
	}
}
