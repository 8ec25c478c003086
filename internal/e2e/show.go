package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

func shows() []testCase {
	both := []string{"claude", "codex"}
	return []testCase{
		{name: "takeover", about: "claude at its usage limit: codex takes over; claude is back after the reset", needs: both, play: playTakeover},
		{name: "default", about: "the default workflow, claude as coder, codex as reviewer", needs: both, play: playDefault},
	}
}

func playDefault(ctx context.Context, t *trial) error {
	w := t.world
	codex, _ := t.find("codex")
	if err := errors.Join(w.seat(t.agent, "claude", false, "coder"), w.seat(codex, "codex", false, "reviewer")); err != nil {
		return err
	}
	w.models.play("claude", "tool+done")
	w.models.play("codex", "verb+approve") // from inside its sandbox: its answer has no verdict line
	if err := w.found(ctx, setting{poke: true}); err != nil {
		return err
	}
	if err := w.one(ctx); err != nil {
		return err
	}
	if err := w.reaches(ctx, "w-1", "done"); err != nil {
		return err
	}
	rows, err := w.ended(ctx, 2, soon)
	if err != nil {
		return err
	}
	if err := errors.Join(t.tellRun(rows[0]), t.worked(ctx, rows[0])); err != nil {
		return err
	}
	log, err := w.run(ctx, w.repo(), "git", "log", "--format=%s", rows[0].Branch)
	if err != nil {
		return err
	}
	review := rows[1]
	var costs []string
	for _, r := range rows {
		if r.Cost != nil {
			costs = append(costs, fmt.Sprintf("%s %s $%.4f", r.Model, tokens(r), *r.Cost))
		} else {
			costs = append(costs, fmt.Sprintf("%s %s no price", r.Model, tokens(r)))
		}
	}
	t.line.note = strings.Join(costs, ", ")
	return errors.Join(
		want(strings.HasPrefix(log, "board: w-1 run 1\n"), "the branch's log is %q", log),
		want(review.Executor == "codex" && review.Verdict == "approve", "the review: %s", brief(rows)),
		want(review.Model == codex.model && review.TokensIn != nil, "the review has model %q, tokens %s", review.Model, tokens(review)),
		want(rows[0].Cost != nil && *rows[0].Cost > 0, "claude's run has no cost"),
		want(review.Cost != nil && *review.Cost > 0, "codex's run has no estimate of its cost"),
	)
}

// playTakeover waits the limit out for real: its reset is a little over the two minutes below which it would be a rate limit.
func playTakeover(ctx context.Context, t *trial) error {
	w := t.world
	codex, _ := t.find("codex")
	if err := errors.Join(w.seat(t.agent, "claude", true, "coder"), w.seat(codex, "codex", false, "coder")); err != nil {
		return err
	}
	w.models.play("claude", "usage-130")
	w.models.play("codex", "tool+done")
	if err := w.found(ctx, setting{poke: true}); err != nil {
		return err
	}
	if err := w.one(ctx); err != nil {
		return err
	}
	rows, err := w.ended(ctx, 2, soon)
	if err != nil {
		return err
	}
	if err := t.tellRun(rows[0]); err != nil {
		return err
	}
	prompt, err := w.prompt(rows[1].Run)
	if err := errors.Join(err,
		want(rows[0].Executor == "claude" && rows[0].Outcome == "usage_limited", "first: %s", brief(rows)),
		want(t.line.reset == "told", "no reset time was told"),
		want(rows[1].Executor == "codex" && rows[1].Verdict == "done", "then: %s", brief(rows)),
		want(strings.Contains(prompt, "take") && strings.Contains(prompt, "claude"), "no note of the takeover in:\n%s", prompt),
	); err != nil {
		return err
	}
	w.models.play("claude", "tool+done")
	if _, err := w.do(ctx, "add", "Another", "--body", "Write it.", "--pause"); err != nil {
		return err
	}
	out, err := w.do(ctx, "roster")
	if err != nil {
		return err
	}
	if err := want(strings.Contains(out, "usage"), "the roster does not say that claude is out:\n%s", out); err != nil {
		return err
	}
	return w.back(ctx, t)
}

// back waits until claude serves again, and says so by a run of it.
func (w *world) back(ctx context.Context, t *trial) error {
	err := w.until(ctx, late, "claude to be back", func() (bool, error) {
		out, err := w.do(ctx, "roster")
		return err == nil && !strings.Contains(out, "usage limit"), err
	})
	if err != nil {
		return err
	}
	if _, err := w.do(ctx, "resume", "w-2"); err != nil {
		return err
	}
	if _, err := w.do(ctx, "dispatch"); err != nil {
		return err
	}
	rows, err := w.ended(ctx, 3, soon)
	if err != nil {
		return err
	}
	last := rows[len(rows)-1]
	t.line.note = "codex took over; " + last.Executor + " again after the reset: " + last.Outcome
	return want(last.Executor == "claude" && last.Outcome == "completed", "after the reset: %s", brief(rows))
}
