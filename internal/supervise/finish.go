package supervise

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
)

// finish ends what lives of the session, and turns what is known into the exit. Afterwards nothing is left that could write.
func (t *turn) finish(ctx context.Context) {
	ours := t.exit.Stop != "" || (t.ended != nil && len(t.ended) == 0) // the harness did not end by itself
	// A CLI that had said that it was done ended well (RET-8); one that says so when it is told to end has not.
	said := ours && t.exit.Stop == "" && t.out != nil && t.out.Seen().Final
	t.Fail.Hit(failpoint.SuperviseEnded)
	var told harness.Result
	if t.agent != nil {
		told = t.agentResult()
		t.exit.Kept = t.keeps(told)
	}
	if !t.exit.Kept {
		t.exit.Killed = t.endTree(t.profile.Keep, func(left []process.Entry) { t.stuck(ctx, left) })
	}
	switch {
	case t.agent != nil:
		t.collectAgent(ctx, told)
	case t.out != nil:
		t.collect(ctx, ours && !said, said)
	}
	if err := t.serveOutbox(ctx); err != nil {
		t.note("serve the outbox", err) // whoever settles drains it
	}
	head, notes := t.commitWork(ctx, t.place)
	t.exit.HeadCommit = cmp.Or(head, t.exit.HeadCommit)
	t.exit.Notes = append(t.exit.Notes, notes...)
	if t.place.Detached {
		t.note("throw the review's worktree away", t.git.Discard(ctx, t.Home.Worktrees(), t.brief.Board.Repo, t.place.Path))
	}
	if t.log != nil {
		t.note("close the log", t.log.Close())
	}
	t.exit.EndedAt = board.At(t.Clock.Now())
}

// stuck reports what survives KILL: its place is kept, and nothing is settled, until it is gone (LIV-3).
func (t *turn) stuck(ctx context.Context, left []process.Entry) {
	text := "still there after KILL: " + strings.Join(named(nil, left), ", ")
	t.say("%s", text)
	t.tryWrite(ctx, "report it", func() error {
		return t.store.UpdateSession(ctx, board.At(t.Clock.Now()), t.id, board.SessionUpdate{State: board.SessionWaiting, WaitingFor: text})
	})
}

// collect asks the harness's parser what the run came to: it was stopped, or said that it was done and stayed, or ended by itself.
func (t *turn) collect(ctx context.Context, stopped, said bool) {
	select {
	case <-t.out.drained():
	case <-t.Clock.After(drainWait):
		t.out.abandon() // what `keep` names holds the streams open
	}
	t.readResult(ctx)
	exit, seen := t.waitExit(), t.out.Seen()
	told := harness.Exit{Code: exit.Code, Stop: stopped, Files: wants(t.out.parser.Wants(), t.redact), Now: t.Clock.Now()}
	if exit.Signal != 0 {
		told.Code, told.Signal = 128+int(exit.Signal), signalName(exit.Signal)
	}
	if said {
		told.Code, told.Signal = 0, ""
	}
	result := t.out.Finish(told)
	t.exit.Signal = told.Signal
	if told.Signal == "" {
		t.exit.Code = &told.Code
	}
	t.exit.Output = !seen.Progress.IsZero()
	t.exit.LastLines = t.out.LastLines()
	t.exit.Result = t.reported(result)
	t.exit.Notes = append(t.exit.Notes, t.resultNotes(result)...)
	t.tryWrite(ctx, "store the totals", func() error {
		return t.store.SaveTotals(ctx, t.id, board.Totals{
			TokensIn: result.Total.In, TokensOut: result.Total.Out, TokensCached: result.Total.Cached, CostMicros: result.Total.CostMicros,
		})
	})
}

// maxSummary is how much of a final text is kept in the database. Chosen: two screens.
const maxSummary = 8 << 10

// reported is the harness's result in the board's words. What it did not tell stays unknown, which is not zero.
func (t *turn) reported(r harness.Result) board.Result {
	out := board.Result{
		Text: cmp.Or(t.summary, lastBytes(r.Text, maxSummary)), Verdict: board.Verdict(r.Verdict), Reason: r.Reason,
		Session: r.Session, Model: r.Model, Lost: r.SessionLost, Metadata: metadata(r),
	}
	if out.Session == "" && r.Failure == nil {
		out.Session = t.job.NewSession // it took the name that it was given, or it would have failed
	}
	usage, _ := t.loaded.Prices.Estimate(r.Usage, cmp.Or(r.Model, t.run.Model))
	if usage.In != 0 || usage.Out != 0 || usage.Cached != 0 {
		out.TokensIn, out.TokensOut, out.Cached = &usage.In, &usage.Out, &usage.Cached
	}
	if usage.CostMicros != 0 || usage.Estimated {
		out.CostMicros, out.Estimated = &usage.CostMicros, usage.Estimated
	}
	if turns := int64(r.Turns); turns != 0 {
		out.Turns = &turns
	}
	if f := r.Failure; f != nil {
		out.Class, out.Message, out.ResetAt, out.RetryAfter, out.OneModel = string(f.Class), f.Message, board.At(f.ResetAt), f.RetryAfter, f.OneModel
	}
	return out
}

func (t *turn) resultNotes(r harness.Result) []string {
	notes := r.Notes
	if board.OtherModel(t.run.Model, r.Model) {
		notes = append(notes, fmt.Sprintf("asked for the model %s, answered by %s", t.run.Model, r.Model))
	}
	if t.out == nil {
		return notes
	}
	if err := t.out.logErr; err != nil {
		notes = append(notes, "the log is cut: "+err.Error())
	}
	return notes
}

// metadata is what only people read of a result.
func metadata(r harness.Result) board.JSON {
	all := map[string]any{}
	maps.Copy(all, r.Metadata)
	if len(r.Denied) > 0 {
		all["denied"] = r.Denied
	}
	if r.Retrying != "" {
		all["retrying"] = r.Retrying
	}
	if len(all) == 0 {
		return ""
	}
	text, err := json.Marshal(all)
	if err != nil {
		return ""
	}
	return board.JSON(text)
}

func lastBytes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return "... " + strings.ToValidUTF8(text[len(text)-limit:], "")
}

// signalName is a signal's name as people write it: TERM, KILL.
func signalName(sig syscall.Signal) string {
	return strings.TrimPrefix(cmp.Or(unix.SignalName(sig), sig.String()), "SIG")
}

// writeExit makes the end durable: any later process learns it from the file (SUP-1). A full disk is waited for, since nothing
// may be settled before the file is there; a folder that was taken away is made again.
func (t *turn) writeExit() error {
	text, err := json.MarshalIndent(t.exit, "", "  ")
	if err != nil {
		return fmt.Errorf("write the exit of run %d: %w", t.run.ID, err)
	}
	path := filepath.Join(t.dir, "exit.json")
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		err := home.MkdirAll(t.dir)
		if err == nil {
			err = home.WriteFile(path, append(text, '\n'))
		}
		if err == nil {
			return nil
		}
		t.say("write %s: %v", path, err)
		<-t.Clock.After(wait)
	}
}

// settleTries bounds how often the supervisor tries to settle; then a tick does, from exit.json (SUP-2).
const settleTries = 5

// settle ends the run in the database. What it cannot do is left to a tick, and is no failure of the run.
func (t *turn) settle(ctx context.Context) error {
	var err error
	for try := range settleTries {
		if try > 0 {
			<-t.Clock.After(time.Second << try)
		}
		if err = t.writable(ctx); err == nil {
			_, err = t.server(ctx).Settle(ctx, board.At(t.Clock.Now()), t.exit)
		}
		if err == nil {
			return nil
		}
		if errors.Is(err, board.ErrNewer) {
			break
		}
	}
	return fmt.Errorf("settle run %d (a tick does, from exit.json): %w", t.run.ID, err)
}
