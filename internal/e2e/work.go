package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func works() []testCase {
	return []testCase{
		{name: "work", about: "a card through coding and review; the agent's file is on the card's branch", play: playWork},
		{name: "resume", about: "a review asks for changes, and the coder's conversation goes on", play: playResume},
		{name: "verb", about: "board done, called from inside the coder's sandbox", play: playVerb},
		{name: "lost", about: "the conversation to go on with is gone: the try after is a fresh one", play: playLost},
		{name: "check", about: "board roster check: version, sign-in, flags", play: playCheck},
	}
}

// pair makes a world in which the CLI codes and reviews.
func (t *trial) pair(ctx context.Context, coder, reviewer string, s setting) error {
	if err := errors.Join(t.world.seat(t.agent, "coder", false, "coder"), t.world.seat(t.agent, "reviewer", false, "reviewer")); err != nil {
		return err
	}
	t.world.models.play("coder", coder)
	t.world.models.play("reviewer", reviewer)
	return t.world.found(ctx, s)
}

func playWork(ctx context.Context, t *trial) error {
	if err := t.pair(ctx, "tool+done", "text+approve", setting{poke: true}); err != nil {
		return err
	}
	if err := t.world.one(ctx); err != nil {
		return err
	}
	if err := t.world.reaches(ctx, "w-1", "done"); err != nil {
		return err
	}
	rows, err := t.world.ended(ctx, 2, soon)
	if err != nil {
		return err
	}
	if err := t.tellRun(rows[0]); err != nil {
		return err
	}
	if err := want(len(rows) == 2, "two runs, got %s", brief(rows)); err != nil {
		return err
	}
	return errors.Join(t.worked(ctx, rows[0]), t.reviewed(rows[1]))
}

// reaches waits until a card has a status.
func (w *world) reaches(ctx context.Context, card, status string) error {
	return w.until(ctx, soon, card+" to be "+status, func() (bool, error) {
		at, err := w.status(ctx, card)
		return at == status, err
	})
}

// worked looks at what a coder's run came to: the file on the branch, the verdict, what it consumed.
func (t *trial) worked(ctx context.Context, r row) error {
	file, err := t.world.run(ctx, t.world.repo(), "git", "show", r.Branch+":mock.txt")
	if err != nil {
		return err
	}
	asked := t.agent.model[strings.LastIndexByte(t.agent.model, '/')+1:]
	return errors.Join(
		want(file == "from-mock\n", "the branch's mock.txt is %q", file),
		want(r.Outcome == "completed" && r.Verdict == "done", "the coder's run is %s, verdict %q", r.Outcome, r.Verdict),
		want(strings.HasPrefix(r.Model, asked) || strings.HasSuffix(r.Model, asked), "the model is %q", r.Model),
		want(r.TokensIn != nil && r.TokensOut != nil && *r.TokensIn > 0 && *r.TokensOut > 0, "the coder's run has no tokens"),
	)
}

// reviewed looks at a reviewer's run: a read-only agent judged, and had the change in its prompt unless it can look itself.
func (t *trial) reviewed(r row) error {
	prompt, err := t.world.prompt(r.Run)
	return errors.Join(err,
		want(r.Role == "reviewer" && r.Verdict == "approve", "the review is %s by %s, verdict %q", r.Outcome, r.Role, r.Verdict),
		want(t.agent.name == "codex" || strings.Contains(prompt, "+from-mock"), "the review's prompt has no diff"),
	)
}

func playResume(ctx context.Context, t *trial) error {
	w := t.world
	if err := t.pair(ctx, "tool+done", "text+changes", setting{}); err != nil {
		return err
	}
	if err := w.one(ctx); err != nil {
		return err
	}
	for n := range 3 { // the review, the coder again, the review again
		if _, err := w.ended(ctx, n+1, soon); err != nil {
			return err
		}
		if n == 2 {
			w.models.play("reviewer", "text+approve")
		}
		if _, err := w.do(ctx, "dispatch"); err != nil {
			return err
		}
	}
	if err := w.reaches(ctx, "w-1", "done"); err != nil {
		return err
	}
	rows, err := w.ended(ctx, 4, soon)
	if err != nil {
		return err
	}
	first, again := rows[0], rows[2]
	if err := t.tellRun(again); err != nil {
		return err
	}
	a, errA := w.exit(first.Run)
	b, errB := w.exit(again.Run)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	reached := false
	for _, call := range w.models.calls() { // the second turn's request holds what was said in the first
		reached = reached || says(call.Body, "the mock wants it") && says(call.Body, "MOCK-OK")
	}
	return errors.Join(
		want(again.Mode == "resume", "the coder's second run is %q", again.Mode),
		want(a.Result.Session != "" && a.Result.Session == b.Result.Session, "conversations %q and %q", a.Result.Session, b.Result.Session),
		want(reached, "the model never saw the first turn and the review together"),
		want(share(first, again), "tokens %s, then %s: not this run's share", tokens(first), tokens(again)),
	)
}

// share says whether the second run's tokens are its own: about those of the first, which did the same, and not twice that.
func share(first, again row) bool {
	if first.TokensIn == nil || again.TokensIn == nil {
		return false
	}
	return *again.TokensIn > 0 && *again.TokensIn < *first.TokensIn*3/2
}

func tokens(r row) string {
	if r.TokensIn == nil || r.TokensOut == nil {
		return "none"
	}
	return fmt.Sprintf("%d/%d", *r.TokensIn, *r.TokensOut)
}

func playVerb(ctx context.Context, t *trial) error {
	if err := t.alone(ctx, "verb+done", false, setting{}); err != nil {
		return err
	}
	if err := t.world.one(ctx); err != nil {
		return err
	}
	rows, err := t.world.ended(ctx, 1, soon)
	if err != nil {
		return err
	}
	if err := t.tellRun(rows[0]); err != nil {
		return err
	}
	return want(rows[0].Verdict == "done", "verdict %q: %s", rows[0].Verdict, rows[0].Reason)
}

func playCheck(ctx context.Context, t *trial) error {
	if err := t.alone(ctx, "text", false, setting{}); err != nil {
		return err
	}
	out, err := t.world.do(ctx, "roster", "check")
	if err != nil {
		return err
	}
	t.line.note = strings.Join(strings.Fields(strings.SplitN(out, "\n", 3)[1]), " ")
	return want(strings.Contains(out, t.agent.version), "the version %s is not in:\n%s", t.agent.version, out)
}

// want is nil where ok holds.
func want(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// playLost takes the conversation away between two runs: the run that finds out fails, and the one after begins afresh.
func playLost(ctx context.Context, t *trial) error {
	w := t.world
	if err := t.pair(ctx, "tool+done", "text+changes", setting{}); err != nil {
		return err
	}
	if err := w.one(ctx); err != nil {
		return err
	}
	if _, err := w.ended(ctx, 1, soon); err != nil {
		return err
	}
	if _, err := w.do(ctx, "dispatch"); err != nil {
		return err
	}
	if _, err := w.ended(ctx, 2, soon); err != nil {
		return err
	}
	if err := w.forget(t.agent); err != nil {
		return err
	}
	var rows []row
	for n := range 2 { // the one that finds out, and the one after
		if n == 1 {
			if _, err := w.do(ctx, "retry", "w-1"); err != nil {
				return err
			}
		}
		if _, err := w.do(ctx, "dispatch"); err != nil {
			return err
		}
		var err error
		if rows, err = w.ended(ctx, 3+n, soon); err != nil {
			return err
		}
	}
	lost, fresh := rows[2], rows[3]
	if err := t.tellRun(lost); err != nil {
		return err
	}
	t.line.note = fmt.Sprintf("then %s, %s; %.60q", fresh.Mode, fresh.Outcome, lost.Reason)
	return errors.Join(
		want(lost.Mode == "resume" && lost.Outcome == "failed", "with the conversation gone: %s", brief(rows)),
		want(fresh.Mode == "fresh" && fresh.Verdict == "done", "then: %s (%s)", brief(rows), fresh.Mode),
	)
}

// forget takes the coder's conversations away, and leaves it configured.
func (w *world) forget(a agent) error {
	dir := filepath.Join(w.dir, "seats", "coder")
	if err := errors.Join(os.RemoveAll(dir), os.RemoveAll(filepath.Join(w.home, ".qwen")), os.MkdirAll(dir, 0o700)); err != nil {
		return err
	}
	_, _, err := a.seat(seat{agent: a, dir: dir, base: w.models.url("coder")})
	return err
}
