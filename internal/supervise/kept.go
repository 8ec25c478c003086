package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/worker"
)

// rest is a session between two runs: its agent idles in its pane, with place and lease (PAN-1).
type rest struct {
	*turn            // the run that has ended
	since  time.Time // it idles
	looked time.Time
	read   time.Time // the session's row was last read
	beaten time.Time
}

// rowEvery is how often an idle session reads its row, to see whether it is asked to close. A tick signals as well.
const rowEvery = 2 * time.Second

// next waits for the session's next run. Without one the session has ended for the reason that it gives.
func (t *turn) next(ctx context.Context) (next board.Run, why string) {
	now := t.Clock.Now()
	r := &rest{turn: t, since: now, beaten: now}
	t.told, t.question = board.SessionIdle, ""
	for {
		if run, ok := r.take(ctx); ok {
			return run, ""
		}
		if why := r.over(ctx); why != "" {
			return next, why
		}
		select {
		case exit := <-t.ended:
			t.ended <- exit
			if t.hungUp() {
				return next, r.reason(ctx, t.signalled(syscall.SIGHUP).Reason)
			}
			return next, "its agent has ended"
		case sig := <-t.Signals:
			return next, r.reason(ctx, t.signalled(sig).Reason)
		case <-t.Clock.After(pollEvery):
		}
	}
}

// over says why the session ends; empty while it goes on.
func (r *rest) over(ctx context.Context) string {
	now := r.Clock.Now()
	r.note("serve the outbox", r.serveOutbox(ctx))
	if now.Sub(r.beaten) >= beatEvery {
		r.beaten = now
		r.note("beat", r.beat(now))
		r.reaper.Reap()
		r.remember()
		r.turnLog(ctx)
	}
	if now.Sub(r.looked) >= rowEvery {
		r.looked = now
		if err := r.observe(ctx); err == nil {
			r.person(ctx, now)
		}
	}
	if now.Sub(r.read) >= rowEvery {
		r.read = now
		if why := r.reason(ctx, ""); why != "" {
			return why
		}
	}
	if limit := r.limits.IdleTimeout; limit > 0 && now.Sub(r.since) >= limit {
		why := "idle for " + expr.FormatDuration(limit)
		r.tryWrite(ctx, "store the stop", func() error {
			return r.store.RequestStop(ctx, board.At(now), board.StopRequest{Session: r.id, Reason: why, Actor: "supervisor"})
		})
		return why
	}
	return ""
}

// person sees whether somebody works with the idle agent: it is then in a turn that no run has.
func (r *rest) person(ctx context.Context, now time.Time) {
	state := sessionState(r.agent.look.State)
	if state == board.SessionUnknown {
		state = board.SessionIdle // it does not tell, and has nothing to do
	}
	if state != board.SessionIdle {
		r.since = now
	}
	if state == r.told {
		return
	}
	r.told = state
	r.tryWrite(ctx, "store the session's state", func() error {
		return r.store.UpdateSession(ctx, board.At(now), r.id, board.SessionUpdate{State: state, WaitingFor: r.agent.look.Question})
	})
}

// reason is why the session was asked to end, as stored (END-0); otherwise if it was not.
func (r *rest) reason(ctx context.Context, otherwise string) string {
	x, err := r.store.Session(ctx, r.id)
	switch {
	case err != nil:
		r.note("read the session", err)
	case x.State == board.SessionEnded:
		return "it was ended"
	case x.StopAt != 0 && x.StopReason != "":
		return x.StopReason
	case x.StopAt != 0:
		return "it was asked to end"
	}
	return otherwise
}

// take takes the next run from the inbox, by the same lock and compare-and-set as a new supervisor would (DSP-8). A run that
// another one has, or that is no longer claimed, is left.
func (r *rest) take(ctx context.Context) (board.Run, bool) {
	inbox := r.Home.Inbox(r.id)
	entries, err := os.ReadDir(inbox)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			r.note("read the inbox", err)
		}
		return board.Run{}, false
	}
	for _, id := range numbers(entries) {
		run, err := r.win(ctx, id)
		r.note("clear the inbox", os.Remove(filepath.Join(inbox, strconv.FormatInt(id, 10))))
		if err == nil {
			return run, true
		}
		r.say("take run %d: %v", id, err)
	}
	return board.Run{}, false
}

// numbers are the runs that files are named after, ascending. A file that is being written has another name.
func numbers(entries []os.DirEntry) []int64 {
	var ids []int64
	for _, e := range entries {
		if id, err := strconv.ParseInt(e.Name(), 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// win locks the run and begins it in this session.
func (r *rest) win(ctx context.Context, id int64) (board.Run, error) {
	if err := r.writable(ctx); err != nil {
		return board.Run{}, err
	}
	run, err := r.store.Run(ctx, id)
	if err != nil {
		return run, err
	}
	if run.Mode != board.ModeKept || run.Resumes != r.id {
		return run, fmt.Errorf("it is not this session's: %w", board.ErrElsewhere)
	}
	if err := r.lock(id); err != nil {
		return run, err
	}
	run, err = r.store.Begin(ctx, board.At(r.Clock.Now()), id, board.Session{ID: r.id})
	if err != nil {
		return run, errors.Join(err, r.unlock(id))
	}
	return run, nil
}

// end ends an idle session: everything that it started is proved gone before its place and lease are given back (LIV-3).
func (t *turn) end(ctx context.Context, why string) {
	killed := t.endTree(t.profile.Keep, func(left []process.Entry) { t.stuck(ctx, left) })
	if len(killed) > 0 {
		t.say("session %d ended, %s; killed: %v", t.id, why, killed)
	}
	t.tryWrite(ctx, "end the session", func() error { return t.store.EndSession(ctx, board.At(t.Clock.Now()), t.id, why) })
	t.note("close the outbox", worker.Close(t.outbox, fmt.Sprintf("session %d has ended (%s): nothing was changed", t.id, why)))
	t.note("serve the outbox", t.serveOutbox(ctx)) // what came too late is refused, and its secret removed
	t.poke()
}
