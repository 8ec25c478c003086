package supervise_test

import (
	"testing"

	"github.com/seed-2ddc2152/board/board"
)

func TestRun_CompletesWithVerdict(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `cat > prompt.seen; board done "built it"; echo some words`)
	run := f.finish(f.claim(f.card("a thing").ID, "a", nil).ID)
	if run.Outcome != board.Completed || run.Verdict != board.VerdictDone || run.Summary != "built it" {
		t.Errorf("run: outcome %s (%s), verdict %q, summary %q; log:\n%s%s", run.Outcome, run.Reason, run.Verdict, run.Summary,
			f.read(run.ID, "supervise.log"), f.read(run.ID, "output.log"))
	}
	card, err := f.store.Card(t.Context(), run.Card)
	must(t, err)
	if card.Status != "review" {
		t.Errorf("card is in %s, want review", card.Status)
	}
}
