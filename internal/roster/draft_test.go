package roster_test

import (
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/roster"
)

func TestDraft_IsARosterWithTheRestDisabledAndWhy(t *testing.T) {
	t.Parallel()
	text := string(roster.Draft([]roster.Drafted{{Harness: "claude"}, {Harness: "codex", Off: "not signed in:\nit would ask"}}))
	r := load(t, sources(text))
	if got := idsOf(r.Executors); got != "claude" {
		t.Errorf("got on %q, want claude", got)
	}
	if got := idsOf(r.Disabled); got != "codex script" {
		t.Errorf("got off %q, want codex and the example", got)
	}
	if !strings.Contains(text, "disabled: true # not signed in: it would ask\n") {
		t.Errorf("the file does not say why codex is off:\n%s", text)
	}
	on := strings.Replace(text, "disabled: true # an example", "# an example", 1)
	if got := idsOf(load(t, sources(on)).Executors); got != "claude script" {
		t.Errorf("with the example on: got %q", got)
	}
	wantProblem(t, sources(string(roster.Draft(nil))), "no executor left to run with")
}
