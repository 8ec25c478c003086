package supervise

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/harness"
)

// transcriptBytes bounds how much of a conversation's record is read. Chosen: days of work; beyond it, totals are of the end.
const transcriptBytes = 64 << 20

// keeps says whether the session outlives the run, idle, with its lease (PAN-1): its turn has ended by itself and well, and
// the folder that the agent works in stays.
func (t *turn) keeps(r harness.Result) bool {
	return t.agent != nil && t.talk.over && len(t.ended) == 0 && r.Failure == nil && !t.place.Detached &&
		t.exit.Stop == "" && t.exit.Ask == "" && t.exit.SpawnError == ""
}

// agentResult is what an interactive run came to, from the conversation's own record where it has one. Where it has none,
// the worker's verbs have told all there is.
func (t *turn) agentResult() harness.Result {
	r := harness.Result{Session: t.agent.session, Model: t.agent.model}
	t.fromTranscript(&r, t.transcript(t.Clock.Now()))
	if t.talk.limit != nil {
		r.Failure = t.talk.limit
	}
	return r
}

// transcript is what the conversation's own record says; zero where it has none.
func (t *turn) transcript(now time.Time) harness.Transcript {
	path := latest(harness.TranscriptPath(t.agent.name, t.agent.job, t.agent.session))
	if path == "" {
		return harness.Transcript{}
	}
	data, err := readBounded(path, transcriptBytes)
	if err != nil {
		return harness.Transcript{}
	}
	return harness.ParseTranscript(t.agent.name, t.redact.Bytes(data), now)
}

func (t *turn) fromTranscript(r *harness.Result, told harness.Transcript) {
	r.Text, r.Failure = told.Text, told.Failure
	if told.Model != "" {
		r.Model = told.Model
	}
	if verdict, reason, ok := harness.VerdictLine(told.Text); ok {
		r.Verdict, r.Reason = verdict, reason
	}
	r.Total, r.Usage = told.Usage, since(told.Usage, t.agent.spent)
	t.agent.spent = told.Usage
	t.agent.model = r.Model
}

// since is a run's own share of what its conversation has consumed (HAR-4).
func since(total, before harness.Usage) harness.Usage {
	return harness.Usage{
		In: max(total.In-before.In, 0), Out: max(total.Out-before.Out, 0), Cached: max(total.Cached-before.Cached, 0),
		CostMicros: max(total.CostMicros-before.CostMicros, 0), Estimated: total.Estimated,
	}
}

// collectAgent turns an interactive run's result into the exit. Where the session is kept there is no exit of a process: the
// turn's end is what exit 0 is elsewhere.
func (t *turn) collectAgent(ctx context.Context, r harness.Result) {
	t.readResult(ctx)
	t.hideSecrets(ctx)
	code := 0
	if !t.exit.Kept {
		exit := t.waitExit()
		if code = exit.Code; exit.Signal != 0 && !t.talk.over {
			t.exit.Signal = signalName(exit.Signal)
		}
		if t.talk.over {
			code = 0 // its turn had ended, and the board ended the process
		}
	}
	if t.exit.Signal == "" {
		t.exit.Code = &code
	}
	t.exit.Output = !t.talk.spoke.IsZero()
	t.exit.LastLines = t.lastLines()
	t.exit.Result = t.reported(r)
	t.exit.Notes = append(t.exit.Notes, t.resultNotes(r)...)
	t.tryWrite(ctx, "store the totals", func() error {
		return t.store.SaveTotals(ctx, t.id, board.Totals{
			TokensIn: r.Total.In, TokensOut: r.Total.Out, TokensCached: r.Total.Cached, CostMicros: r.Total.CostMicros,
		})
	})
}

// latest is the newest file of a glob; empty when there is none.
func latest(pattern string) string {
	if pattern == "" {
		return ""
	}
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		return ""
	}
	return slices.MaxFunc(paths, func(a, b string) int { return modified(a).Compare(modified(b)) })
}

// freshResult removes what an earlier run of a kept session left where the next result is expected.
func freshResult(path string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}
