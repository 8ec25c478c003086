package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

func stops() []testCase {
	return []testCase{
		{name: "stop", about: "board stop in the middle of a tool call leaves no process", play: playStop},
		{name: "killed", about: "SIGKILL of the CLI itself in the middle of a tool call leaves no process", play: playKilled},
	}
}

// working brings a card to the middle of a tool call that takes long.
func (t *trial) working(ctx context.Context) error {
	if err := t.alone(ctx, "sleep-600", false, setting{}); err != nil {
		return err
	}
	if err := t.world.one(ctx); err != nil {
		return err
	}
	return t.world.until(ctx, soon, "the tool call", func() (bool, error) {
		rows, err := t.world.rows(ctx)
		if err != nil {
			return false, err
		}
		if len(rows) > 0 && rows[0].State == "ended" {
			return false, fmt.Errorf("it ended before: %s", brief(rows))
		}
		return len(t.world.running("tail -f /dev/null")) > 0, nil
	})
}

// gone waits until nothing of the world lives.
func (w *world) gone(ctx context.Context) error {
	const limit = 15 * time.Second
	err := w.until(ctx, limit, "all to be gone", func() (bool, error) { return len(w.processes()) == 0, nil })
	if errors.Is(err, errLate) {
		return fmt.Errorf("left alive: %s", named(w.processes()))
	}
	return err
}

func playStop(ctx context.Context, t *trial) error {
	if err := t.working(ctx); err != nil {
		return err
	}
	t.line.note = fmt.Sprintf("%d processes before", len(t.world.processes()))
	if _, err := t.world.do(ctx, "stop", "w-1"); err != nil {
		return err
	}
	if err := t.world.gone(ctx); err != nil {
		return err
	}
	rows, err := t.world.ended(ctx, 1, soon)
	if err != nil {
		return err
	}
	if err := t.tellRun(rows[0]); err != nil {
		return err
	}
	return want(rows[0].Outcome == "stopped", "the outcome is %s: %s", rows[0].Outcome, rows[0].Reason)
}

func playKilled(ctx context.Context, t *trial) error {
	if err := t.working(ctx); err != nil {
		return err
	}
	pid, err := t.world.harness()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill %d: %w", pid, err)
	}
	if err := t.world.gone(ctx); err != nil {
		return err
	}
	rows, err := t.world.ended(ctx, 1, soon)
	if err != nil {
		return err
	}
	if err := t.tellRun(rows[0]); err != nil {
		return err
	}
	e, err := t.world.exit(rows[0].Run)
	if err != nil {
		return err
	}
	t.line.note = fmt.Sprintf("%d named as left alive", len(e.Killed))
	return errors.Join(
		want(rows[0].Outcome == "failed" || rows[0].Outcome == "crashed", "the outcome is %s: %s", rows[0].Outcome, rows[0].Reason),
		want(len(e.Killed) > 0, "what it had left alive is not named in the run"),
	)
}

// harness is the process of the first session's agent, which is the child of its supervisor.
func (w *world) harness() (int, error) {
	for _, supervisor := range w.running("supervise 1") {
		for _, pid := range w.processes() {
			if parent(pid) == supervisor {
				return pid, nil
			}
		}
	}
	return 0, fmt.Errorf("no harness among: %s", named(w.processes()))
}
