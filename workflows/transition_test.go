package workflows_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/workflows"
)

func defaultWorkflow(t *testing.T, params map[string]any) *workflows.Workflow {
	t.Helper()
	src, _ := workflows.Builtin("default")
	w, err := workflows.Load("default", "workflows/default.yaml", src, workflows.Options{Params: params})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func fire(w *workflows.Workflow, event, from, by, reason string) (workflows.Move, *workflows.Refusal) {
	return w.Fire(workflows.FireRequest{Event: event, From: from, By: by, Env: &expr.Env{Event: expr.Event{Name: event, Reason: reason}}})
}

func TestFire_TakesTheFirstTransitionThatHolds(t *testing.T) {
	t.Parallel()
	reviewed, unreviewed := defaultWorkflow(t, nil), defaultWorkflow(t, map[string]any{"review": false})
	for _, c := range []struct {
		w                       *workflows.Workflow
		event, from, by, reason string
		to                      string
		progress                bool
	}{
		{reviewed, "start", "todo", "board", "", "doing", false},
		{reviewed, "start", "doing", "board", "", "doing", false}, // no `to`: the same status
		{reviewed, "start", "review", "board", "", "review", false},
		{reviewed, "done", "doing", "worker", "", "review", true},
		{reviewed, "done", "doing", "board", "", "review", true},
		{unreviewed, "done", "doing", "worker", "", "done", true}, // `when` false: the next one (WF-1)
		{reviewed, "approve", "review", "reviewer", "", "done", true},
		{reviewed, "approve", "review", "person", "", "done", true},
		{reviewed, "changes", "review", "reviewer", "tests are missing", "doing", true},
		{reviewed, "cancel", "todo", "worker", "", "cancelled", false}, // `from` and `by` empty (WF-2, WF-3)
		{reviewed, "cancel", "review", "person", "", "cancelled", false},
		{reviewed, "reopen", "cancelled", "person", "", "todo", false},
	} {
		move, refusal := fire(c.w, c.event, c.from, c.by, c.reason)
		if refusal != nil || move.To != c.to || move.From != c.from || move.Progress != c.progress {
			t.Errorf("%s from %s by %s: got %+v, %v; want to %s, progress %v", c.event, c.from, c.by, move, refusal, c.to, c.progress)
		}
	}
	move, _ := fire(reviewed, "done", "doing", "worker", "")
	if len(move.Actions) != 1 || move.Actions[0].Kind != workflows.ActionCloseSession || move.Actions[0].Value != "worker" {
		t.Errorf("actions of done: got %+v; want close_session worker", move.Actions)
	}
}

// WF-1, WF-2, WF-3: every way to be refused is told apart.
func TestFire_SaysWhyNot(t *testing.T) {
	t.Parallel()
	w := load(t, base+`
  maybe: [{from: doing, when: card.priority > 5, to: done}]
  broken: [{from: doing, when: 'card.owns[0] == "a"', to: done}]
  lost: [{from: doing, to: '{{ card.title }}'}]
  send: [{from: doing, require: [{expr: card.priority > 5, message: 'priority is {{ card.priority }}'}], to: done}]
`)
	standard := defaultWorkflow(t, nil)
	for _, c := range []struct {
		w               *workflows.Workflow
		event, from, by string
		kind            workflows.RefusalKind
		text            string
	}{
		{standard, "aprove", "review", "reviewer", workflows.RefusedNoEvent, `workflow default has no event "aprove" (did you mean approve?)`},
		{standard, "approve", "doing", "reviewer", workflows.RefusedNoTransition, "event approve leads nowhere from status doing"},
		{standard, "cancel", "done", "person", workflows.RefusedNoTransition, "event cancel leads nowhere from status done"}, // WF-3
		{standard, "approve", "review", "worker", workflows.RefusedSender, "worker may not send approve in status review; reviewer, person may"},
		{standard, "reopen", "done", "board", workflows.RefusedSender, "board may not send reopen in status done; person may"},
		{standard, "changes", "review", "reviewer", workflows.RefusedRequire, "say what must change"},
		{w, "maybe", "doing", "person", workflows.RefusedWhen, "maybe is not possible now: `when` is false: card.priority > 5"},
		{w, "send", "doing", "person", workflows.RefusedRequire, "priority is 0"},
		{w, "broken", "doing", "person", workflows.RefusedFault, "workflows/w.yaml:18 events.broken[0].when: index out of range"},
		{w, "lost", "doing", "person", workflows.RefusedFault, `events.lost[0].to: no status "" in workflow w`},
	} {
		_, refusal := fire(c.w, c.event, c.from, c.by, "")
		if refusal == nil || refusal.Kind != c.kind || !strings.Contains(refusal.Text, c.text) || refusal.Origin.Line == 0 {
			t.Errorf("%s from %s by %s: got %+v; want %s with %q", c.event, c.from, c.by, refusal, c.kind, c.text)
		}
	}
	_, refusal := fire(w, "maybe", "doing", "person", "")
	if refusal.Expr != "card.priority > 5" || refusal.Values["card.priority"] != 0 {
		t.Errorf("got %q reading %v; want the expression and what it read", refusal.Expr, refusal.Values)
	}
}

// WF-2: slots may be globs, and a glob never lets in a person or the board.
func TestFire_KnowsSendersByGlob(t *testing.T) {
	t.Parallel()
	w := load(t, base+"  note: [{by: ['*'], to: done}]\n")
	for by, want := range map[string]bool{"reviewer-1": true, "reviewer-": true, "reviewer": false, "worker": false, "person": false, "board": false} {
		if _, refusal := fire(w, "approve", "review", by, ""); (refusal == nil) != want {
			t.Errorf("approve by %s: got %v, want allowed %v", by, refusal, want)
		}
	}
	if _, refusal := fire(w, "note", "doing", "person", ""); refusal == nil {
		t.Error("the glob * let a person in")
	}
}

func TestFire_FillsActions(t *testing.T) {
	t.Parallel()
	w := load(t, base+`
  hand: [{from: doing, do: [
    {end_run: stopped}, {close_session: worker}, {forget_session: 'reviewer-{{ card.attempt }}'},
    {assign: {assignee: critic, priority: 3, host: null, model: '{{ card.title }}', effort: '{{ card.priority }}'}},
    {count: rounds}, {reset: [rounds, others]}, {record: handed}, {notify: 'see {{ card.id }}'}, {merge: true}]}]
`)
	move, refusal := w.Fire(workflows.FireRequest{Event: "hand", From: "doing", By: "person", Env: &expr.Env{Card: expr.Card{ID: "api-1", Title: "T", Attempt: 2, Priority: 7}}})
	if refusal != nil {
		t.Fatal(refusal)
	}
	var got []string
	for _, a := range move.Actions {
		got = append(got, fmt.Sprintf("%s %s%v%v", a.Kind, a.Value, a.Fields, a.Counters))
	}
	want := []string{
		"end_run stopped[][]", "close_session worker[][]", "forget_session reviewer-2[][]",
		"assign [{assignee critic} {priority 3} {host <nil>} {model T} {effort 7}][]",
		"count rounds[][]", "reset [][rounds others]", "record handed[][]", "notify see api-1[][]", "merge [][]",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if p, ok := move.Actions[3].Fields[1].Value.(int); !ok || p != 3 {
		t.Errorf("priority: got %T; want an int", move.Actions[3].Fields[1].Value)
	}
}

// WF-4: only a status with a run can be started.
func TestStartable_FollowsTheStartEvent(t *testing.T) {
	t.Parallel()
	w := load(t, strings.Replace(base, "{from: todo, to: doing}", "{from: todo, to: doing}, {from: [doing], by: [board]}, {from: [review], by: [person]}", 1))
	if got := fmt.Sprint(w.StartableStatuses()); got != "[todo doing]" {
		t.Errorf("got %s, want [todo doing]: the board may not start review", got)
	}
	if w.Startable("done") || w.Startable("nosuch") {
		t.Error("a terminal or unknown status can be started")
	}
}

// Scenarios B11, B12; WF-7.
func TestLane_IsWorkedOutForTheCard(t *testing.T) {
	t.Parallel()
	src := strings.NewReplacer("{profile: coder}", "{session: ' w{{ card.attempt }} '}", "{profile: critic,", "{profile: '{{ params.none }}',").Replace(base)
	w := load(t, src)
	coder, nobody := "coder", "codr"
	for _, c := range []struct {
		status        string
		assignee      *string
		profile, slot string
		fault         string
	}{
		{"doing", &coder, "coder", "w2", ""},
		{"review", &coder, "coder", "reviewer-2", ""},
		{"review", nil, "", "", "workflows/w.yaml:10 statuses.review.run.profile: profile gives nothing and the card has no assignee; known are coder, critic"},
		{"doing", nil, "", "", "workflows/w.yaml:9 statuses.doing.run: profile gives nothing"},
		{"doing", &nobody, "", "", `no profile "codr" in workflow w (did you mean coder?)`},
		{"todo", &coder, "", "", "status todo has no run"},
		{"nosuch", &coder, "", "", `no status "nosuch"`},
	} {
		lane, err := w.Lane(c.status, &expr.Env{Card: expr.Card{Assignee: c.assignee, Attempt: 2}})
		var fault *workflows.Fault
		if c.fault != "" {
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: got %v; want a fault with %q", c.status, err, c.fault)
			}
			continue
		}
		if err != nil || lane.Profile.Name != c.profile || lane.Slot != c.slot {
			t.Errorf("%s: got %+v, %v; want %s in %s", c.status, lane, err, c.profile, c.slot)
		}
	}
	bad := load(t, strings.Replace(base, "{profile: coder}", "{profile: coder, session: '{{ card.title }}'}", 1))
	if _, err := bad.Lane("doing", &expr.Env{Card: expr.Card{Title: "a/../b"}}); err == nil || !strings.Contains(err.Error(), `session gives "a/../b"`) {
		t.Errorf("a slot with slashes: got %v; want a fault", err)
	}
	standard := defaultWorkflow(t, nil)
	if lane, err := standard.Lane("doing", &expr.Env{}); err != nil || lane.Profile.Name != "coder" || lane.Slot != "worker" {
		t.Errorf("default: got %+v, %v; want coder in worker", lane, err)
	}
}

func TestOutcomeEvent(t *testing.T) {
	t.Parallel()
	w := load(t, strings.Replace(base, "{profile: coder}", "{profile: coder, outcomes: {crashed: done, approve: done}}", 1))
	for outcome, want := range map[string]string{
		"completed": "done", "crashed": "done", "approve": "done", "changes": "changes", "failed": "", "blocked": "", "done": "done",
	} {
		if got := w.OutcomeEvent("doing", outcome); got != want {
			t.Errorf("%s: got %q, want %q", outcome, got, want)
		}
	}
	if got := w.OutcomeEvent("review", "crashed"); got != "" {
		t.Errorf("crashed in review: got %q, want none", got)
	}
}
