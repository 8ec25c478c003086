package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// panes are the cases of interactive sessions in tmux.
func panes() []testCase {
	headless := []string{"gemini", "pi", "qwen", "copilot"}
	return []testCase{
		{name: "pane", about: "an interactive session serves two runs of its card, in one process", not: headless, play: playPane},
		{name: "panes", about: "eight cards in panes on a host for four", not: append(headless, "codex", "opencode"), play: playPanes},
	}
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
	return writeFile(path, strings.NewReplacer(", do: [{close_session: worker}]", "", "permissions: ask", "permissions: edit",
		"max_sessions: null", "max_sessions: 4", "slots: 1, when: always", "slots: 1").Replace(string(text)))
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

func playPanes(ctx context.Context, t *trial) error {
	const cards, most = 8, 4
	if err := t.paired(ctx, "text+approve", setting{poke: true}); err != nil {
		return err
	}
	for n := range cards {
		if err := t.world.addPane(ctx, fmt.Sprintf("Card %d", n+1)); err != nil {
			return err
		}
	}
	if _, err := t.world.do(ctx, "dispatch"); err != nil {
		return err
	}
	seen := 0
	err := t.world.until(ctx, late, "every card to be done", func() (bool, error) {
		seen = max(seen, t.world.sessions())
		out, err := t.world.do(ctx, "sql", "SELECT count(*) FROM cards WHERE status = 'done'")
		return strings.TrimSpace(out) == fmt.Sprint(cards), err
	})
	return errors.Join(err, want(seen <= most, "at most %d sessions at once, counted %d", most, seen))
}

// sessions counts from outside: the launch keys in the environments of living processes.
func (w *world) sessions() int {
	keys := map[string]bool{}
	for _, pid := range w.processes() {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil {
			continue
		}
		for pair := range strings.SplitSeq(string(env), "\x00") {
			if key, ok := strings.CutPrefix(pair, "BOARD_LAUNCH_KEY="); ok {
				keys[key] = true
			}
		}
	}
	return len(keys)
}
