package supervise

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/worker"
)

// How often a supervisor looks at what it cannot wait for. Chosen: a worker's verb is answered before anybody notices, and an
// idle supervisor costs a thousandth of a core.
const (
	pollEvery     = 100 * time.Millisecond // the outbox, the limits
	beatEvery     = 5 * time.Second        // the heartbeat, orphans, the tree
	progressEvery = 30 * time.Second       // progress stored in the database
	troubleEvery  = 2 * time.Second        // the outbox, while the database cannot be written
	drainWait     = 2 * time.Second        // for the end of the output once nothing lives but what `keep` names
)

// watcher is what a turn remembers between two looks.
type watcher struct {
	beat     time.Time // of the last heartbeat
	stored   time.Time // when progress was last stored
	told     seen      // what the database has been told
	outbox   time.Time // not before
	progress time.Time // the progress that was last stored
}

// watch follows the harness until it has ended, or must: then endTree ends it.
func (t *turn) watch(ctx context.Context) {
	now := t.Clock.Now()
	w := &watcher{beat: now, stored: now}
	for {
		select {
		case exit := <-t.ended:
			t.ended <- exit
			if t.hungUp() { // the agent went with its window, whatever it made of that
				t.stop(ctx, t.signalled(syscall.SIGHUP))
			}
			return
		case sig := <-t.Signals:
			t.stop(ctx, t.signalled(sig))
			return
		case <-t.Clock.After(pollEvery):
		}
		if t.look(ctx, w) {
			return
		}
	}
}

// look does what is due, and says whether the run is to end.
func (t *turn) look(ctx context.Context, w *watcher) bool {
	now := t.Clock.Now()
	if !now.Before(w.outbox) {
		if err := t.serveOutbox(ctx); err != nil {
			t.note("serve the outbox", err)
			w.outbox = now.Add(troubleEvery)
		}
	}
	t.readResult(ctx)
	s := t.seen(ctx, now)
	t.life.progress = later(t.life.progress, s.Progress)
	if s.Final && t.life.finished.IsZero() {
		t.life.finished = now
	}
	t.tell(ctx, w, s, now)
	if now.Sub(w.beat) >= beatEvery {
		w.beat = now
		t.note("beat", t.beat(now))
		t.reaper.Reap()
		t.remember()
		if t.talk != nil {
			t.turnLog(ctx)
		}
	}
	if t.talk != nil && t.talk.over {
		return true
	}
	d := t.life.judge(now, t.limits)
	if !d.End {
		return false
	}
	if d.Outcome == board.Quiet && harness.Classify(s.Retrying, now).Class != "" {
		t.say("quiet, amid retries: %s", s.Retrying)
		return true // what it was retrying is what happened, and not the silence: Finish says so
	}
	t.stop(ctx, d)
	return true
}

// seen is what the run has told so far.
func (t *turn) seen(ctx context.Context, now time.Time) seen {
	if t.talk != nil {
		return t.lookAtAgent(ctx, now)
	}
	return t.out.Seen()
}

// tell stores what was learnt of the conversation at once, and progress now and then.
func (t *turn) tell(ctx context.Context, w *watcher, s seen, now time.Time) {
	learnt := s.Session != w.told.Session || s.Model != w.told.Model
	moved := now.Sub(w.stored) >= progressEvery && t.life.progress.After(w.progress)
	if !learnt && !moved {
		return
	}
	if learnt {
		w.told = s
		t.tryWrite(ctx, "store the conversation", func() error {
			return t.store.UpdateSession(ctx, board.At(now), t.id, board.SessionUpdate{HarnessSession: s.Session, Model: s.Model})
		})
	}
	if moved {
		w.stored, w.progress = now, t.life.progress
		t.tryWrite(ctx, "store progress", func() error {
			return t.store.UpdateRun(ctx, t.run.ID, board.Progress{At: board.At(t.life.progress), CostMicros: s.Usage.CostMicros})
		})
	}
}

// serveOutbox applies what the worker asks for (WRK-1). An older program leaves a newer database alone, and the requests to a
// tick (SUP-2).
func (t *turn) serveOutbox(ctx context.Context) error {
	if waiting, err := worker.Waiting(t.outbox); err != nil || !waiting {
		return err
	}
	if err := t.writable(ctx); err != nil {
		return err
	}
	served, err := t.server(ctx).Drain(ctx, board.At(t.Clock.Now()))
	if served.Verdict != nil {
		t.concluded(served.Verdict.Summary)
	}
	return err
}

func (t *turn) server(ctx context.Context) worker.Server {
	return worker.Server{
		Outbox: t.outbox, Store: t.store, Rules: func() board.Rules { return t.rules(ctx) }, Beat: t.heard, Card: t.document, Redact: t.redact,
	}
}

// concluded notes that a verdict was taken: the run ends 60 s after it at the latest (END-1).
func (t *turn) concluded(summary string) {
	t.life.finished = t.Clock.Now()
	if summary != "" {
		t.summary = summary
	}
}

// heard is a beat of the worker: it works, though it prints nothing.
func (t *turn) heard(r worker.Request) {
	now := t.Clock.Now()
	t.life.progress = now
	if r.Until.After(now) {
		t.life.mutedTo = now.Add(r.Until.Sub(now))
	}
}

// document is the card as it is at present.
func (t *turn) document(ctx context.Context, run board.Run) ([]byte, error) {
	brief, err := t.store.Brief(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	return cardText(brief, t.place, t.verbs)
}

// readResult takes a verdict from $BOARD_RESULT as a request of its own (WRK-1). A file that is half written is read again.
func (t *turn) readResult(ctx context.Context) {
	info, err := os.Stat(t.job.ResultPath)
	if err != nil || info.ModTime().Equal(t.result) {
		return
	}
	t.result = info.ModTime()
	data, err := readBounded(t.job.ResultPath, harness.MaxResultFile+1)
	if err != nil {
		return
	}
	told, _ := harness.ParseResultFile(t.redact.Bytes(data), t.Clock.Now())
	if told.Verdict == "" {
		return
	}
	if err := t.writable(ctx); err != nil {
		return
	}
	_, err = t.store.SetVerdict(ctx, board.At(t.Clock.Now()), t.rules(ctx), board.VerdictRequest{
		Secret: t.secret, Verdict: board.Verdict(told.Verdict), Reason: told.Reason, Summary: told.Text,
	})
	if err != nil {
		t.exit.Notes = append(t.exit.Notes, "the verdict in the result file was refused: "+err.Error())
		return
	}
	t.concluded(told.Text)
}

// readBounded reads the last limit bytes of a plain file; what an agent put in its place is no file.
func readBounded(path string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a plain file")
	}
	if _, err := file.Seek(max(0, info.Size()-limit), io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(file, limit))
}

// wantedBytes is how much of each file the parser is given (harness.Parser.Wants).
const wantedBytes = 4 << 20

// wants reads the files that the parser names, the latest of each pattern.
func wants(patterns []string, redact worker.Redactor) map[string][]byte {
	files := map[string][]byte{}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			continue
		}
		latest := slices.MaxFunc(paths, func(a, b string) int { return modified(a).Compare(modified(b)) })
		if data, err := readBounded(latest, wantedBytes); err == nil {
			files[pattern] = redact.Bytes(data)
		}
	}
	return files
}

func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// waitExit gives how the harness ended. It is called when nothing of it lives.
func (t *turn) waitExit() process.Exit {
	exit := <-t.ended
	t.ended <- exit
	return exit
}
