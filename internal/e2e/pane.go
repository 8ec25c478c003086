package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// panes are the cases of interactive sessions in tmux.
func panes() []testCase {
	return []testCase{{
		name: "pane", about: "an interactive session serves two runs of its card, in one process",
		not: []string{"gemini", "pi", "qwen", "copilot"}, play: playPane,
	}}
}

// paired makes a world whose coder works in a pane, is not closed when its card moves on, and may call the verbs unasked.
func (t *trial) paired(ctx context.Context, reviewer string, s setting) error {
	if err := t.pair(ctx, "verb+done", reviewer, s); err != nil {
		return err
	}
	path := filepath.Join(t.world.boardHome(), "workflows", "default.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return writeFile(path, strings.NewReplacer(", do: [{close_session: worker}]", "", "permissions: ask", "permissions: edit").Replace(string(text)))
}

func (w *world) addPane(ctx context.Context, title string) error {
	_, err := w.do(ctx, "add", title, "--assignee", "pair", "--host", "localhost")
	return err
}

func playPane(ctx context.Context, t *trial) error {
	if err := errors.Join(t.paired(ctx, "text+changes", setting{}), t.world.addPane(ctx, "Write mock.txt")); err != nil {
		return err
	}
	var rows []row
	for n := 1; n <= 3; n++ { // work, review, work again
		if _, err := t.world.do(ctx, "dispatch"); err != nil {
			return err
		}
		var err error
		if rows, err = t.world.ended(ctx, n, soon); err != nil {
			return err
		}
	}
	if err := t.tellRun(rows[2]); err != nil {
		return err
	}
	if _, err := t.world.do(ctx, "cancel", "w-1"); err != nil {
		return err
	}
	return errors.Join(
		want(rows[0].Outcome == "completed" && rows[0].Verdict == "done", "a verdict from the pane, got %s", brief(rows[:1])),
		want(rows[2].Outcome == "completed" && rows[2].Mode == "kept", "a kept run that completes, got %s (%s)", brief(rows[2:]), rows[2].Mode),
		t.world.until(ctx, soon, "the idle session to be gone", func() (bool, error) {
			_, err := t.world.do(ctx, "dispatch")
			return len(t.world.running("supervise")) == 0, err
		}))
}
