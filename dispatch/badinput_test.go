package dispatch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/workflows"
)

// Five hundred caps that all refuse: each is named, and the first declared is the headline (C15, DSP-10).
func TestMakePlan_CAP8_FiveHundredCapsAreAllNamed(t *testing.T) {
	t.Parallel()
	caps := make([]string, 500)
	for i := range caps {
		caps[i] = fmt.Sprintf(`{name: cap %d, counts: runs, max: 0}`, i)
	}
	w := newWorld(t, caps...)
	w.snap.Options.Explain = true
	id := w.card("todo")
	if h := heldAs(t, w.plan(), id); h.Cap != "cap 0" || len(h.Caps) != 500 || h.Caps[499].Cap != "cap 499" {
		t.Fatalf("held by %q and %d caps in all", h.Cap, len(h.Caps))
	}
}

// Caps that contradict hold what both apply to, and nothing else.
func TestMakePlan_CAP8_ContradictingCapsHoldWhatTheyShare(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{name: no coders, counts: runs, where: {role: coder}, max: 0}`, `{name: only coders, counts: runs, unless: {role: coder}, max: 0}`)
	work, review := w.card("todo"), w.card("review")
	p := w.plan()
	if a, b := heldAs(t, p, work), heldAs(t, p, review); a.Cap != "no coders" || b.Cap != "only coders" {
		t.Fatalf("held by %q and %q", a.Cap, b.Cap)
	}
}

// C16, CAP-5: a maximum that is negative for this reading of the sensors is a fault of its cap alone.
func TestMakePlan_CAP5_AFaultHoldsWhatItsCapAppliesTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{name: broken, counts: runs, where: {role: coder}, max: host.cpus - 4}`, `{name: fine, counts: runs, max: 5}`)
	work, review := w.card("todo"), w.card("review")
	p := w.plan()
	if got := started(p); !slices.Equal(got, []string{review}) {
		t.Fatalf("started %v, want %s: other caps go on", got, review)
	}
	h := heldAs(t, p, work)
	if h.Code != board.HoldCapacity || h.Cap != "broken" || !strings.Contains(h.Text, "it gave -2") || h.Caps[0].Values["host.cpus"] != 2 {
		t.Fatalf("held %+v, want the value and what it was worked out from", h.Reason)
	}
	if len(p.Faults) != 1 || p.Faults[0].Scope != "cap broken" || !strings.Contains(p.Faults[0].Text, "workflows/test.yaml:26") {
		t.Fatalf("faults %+v, want the cap's with its file and line", p.Faults)
	}
}

// An expression cannot make a list of a million elements to loop over: that is an error where the file is loaded.
func TestWorkflow_AnExpressionCannotLoopOverAMillionElements(t *testing.T) {
	t.Parallel()
	src := strings.Replace(workflowHead, "dispatch:\n", "dispatch:\n  eligible: 'count(1..1000000, # > 0) > 1'\n", 1)
	_, err := workflows.Check("test", "workflows/test.yaml", []byte(src), workflows.Options{})
	if err == nil || !strings.Contains(err.Error(), "workflows/test.yaml:24:") || !strings.Contains(err.Error(), "ranges (..) are not available") {
		t.Fatalf("got %v, want the place named", err)
	}
}
