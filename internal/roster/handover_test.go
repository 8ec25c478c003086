package roster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// ROS-16, ROS-17 and ROS-18; scenarios 49, 50, 51 and 54.
func TestNextAfter_MovesACardForItsExecutorsTroubleOnly(t *testing.T) {
	t.Parallel()
	excluded := roster.Effect{Exclude: &roster.Exclusion{}}
	for _, c := range []struct {
		name   string
		role   roster.Role
		effect roster.Effect
		moves  int
		want   roster.Step
	}{
		{"coder, first", roster.RoleCoder, excluded, 0, roster.StepHandover},
		{"coder, second", roster.RoleCoder, excluded, 1, roster.StepHandover},
		{"coder, third", roster.RoleCoder, excluded, 2, roster.StepFailure},
		{"reviewer, first", roster.RoleReviewer, excluded, 0, roster.StepElsewhere},
		{"reviewer, second", roster.RoleReviewer, excluded, 1, roster.StepFailure},
		{"quality", roster.RoleJudge, roster.Effect{}, 0, roster.StepOutcome},
		{"rate limit", roster.RoleCoder, roster.Effect{CountRateLimit: true, NotBefore: noon()}, 0, roster.StepLater},
		{"the card's model", roster.RoleCoder, roster.Effect{AskPerson: "which model?"}, 0, roster.StepPerson},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := roster.NextAfter(c.role, c.effect, c.moves); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// ROS-16: the next tick's pick is another executor, and the same one once it is back and nobody else is there (ROS-20).
func TestOffers_HandsOverToTheNextExecutor(t *testing.T) {
	t.Parallel()
	s := stateOf(executor("a"), executor("b", priority(2)))
	s.Exclusions = []roster.Exclusion{*roster.Assess(ending(harness.Failure{Class: harness.ClassUsageLimited})).Exclude}
	w := coder("C-1")
	w.Prefer = "a"
	if got := offered(s, w); got != "b" {
		t.Errorf("got %q, want b", got)
	}
	s.Executors = s.Executors[:1]
	s.Now = noon().Add(31 * time.Minute)
	if got := offered(s, w); got != "a" {
		t.Errorf("got %q, want a again", got)
	}
}

// ROS-16.
func TestTakeoverNote_SaysWhoStoppedAndToLookFirst(t *testing.T) {
	t.Parallel()
	note := roster.TakeoverNote(roster.Stopped{
		Executor: "opus#2", Outcome: "usage_limited", Reason: "resets\n3pm", Ref: roster.HandoverRef("api-1", 1),
	})
	for _, want := range []string{
		"from opus#2, which had to stop (usage limited: resets 3pm)", "in the working tree", "git status, git diff", "carry on",
		"refs/board/api-1/handover-1",
	} {
		if !strings.Contains(note, want) {
			t.Errorf("got %q, want %q in it", note, want)
		}
	}
}

// ROS-16.
func TestReturnNote_SaysWhatOthersDidMeanwhile(t *testing.T) {
	t.Parallel()
	own := roster.Stopped{Executor: "a", Outcome: "outage"}
	note := roster.ReturnNote(own, []roster.Interim{{"codex", "usage_limited", "Parser\nrewritten"}, {"pi", "crashed", ""}})
	for _, want := range []string{"had to stop (outage)", "- codex, usage limited: Parser rewritten\n", "- pi, crashed\n", "git status"} {
		if !strings.Contains(note, want) {
			t.Errorf("got %q, want %q in it", note, want)
		}
	}
	if note := roster.ReturnNote(own, nil); !strings.Contains(note, "Nobody else worked on it") {
		t.Errorf("got %q", note)
	}
}

// ROS-21.
func TestRowOfFailures_NeedsThreeShortSilentFailuresOfDifferentCards(t *testing.T) {
	t.Parallel()
	run := func(card string, with ...func(*roster.EndedRun)) roster.EndedRun {
		r := roster.EndedRun{Card: card, Took: time.Second, Failed: true}
		for _, change := range with {
			change(&r)
		}
		return r
	}
	for _, c := range []struct {
		name string
		runs []roster.EndedRun
		want bool
	}{
		{"three", []roster.EndedRun{run("A"), run("B"), run("C")}, true},
		{"two", []roster.EndedRun{run("A"), run("B")}, false},
		{"one card twice", []roster.EndedRun{run("A"), run("B"), run("A")}, false},
		{"an older success", []roster.EndedRun{run("A"), run("B"), run("C"), {Card: "D", Output: true}}, true},
		{"a success between", []roster.EndedRun{run("A"), {Card: "B"}, run("C"), run("D")}, false},
		{"one had output", []roster.EndedRun{run("A"), run("B"), run("C", func(r *roster.EndedRun) { r.Output = true })}, false},
		{"one took longer", []roster.EndedRun{run("A"), run("B"), run("C", func(r *roster.EndedRun) { r.Took = 2 * time.Minute })}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := roster.RowOfFailures(c.runs); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	x := roster.SilentOutage(noon(), executor("a", health)).Exclude
	if x.Kind != roster.KindUntil || !x.Until.Equal(noon().Add(5*time.Minute)) || !strings.Contains(x.Reason, "without any output") {
		t.Errorf("got %+v, want out for the cooldown", x)
	}
}
