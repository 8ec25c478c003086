package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

func prompts() []testCase {
	return []testCase{{name: "prompts", about: "hostile prompts reach the model byte for byte, the longest among them", play: playPrompts}}
}

// longest is the size of the largest prompt. codex refuses 1 MiB, in characters; a little less must pass.
const longest = 1<<20 - 4096

// hostile are prompts that a shell, an argument parser, JSON, a template or a terminal would spoil.
func hostile(longest int) []string {
	return []string{
		`He said "do it" and 'do not'`,
		"$(touch /tmp/board-e2e-owned) `id` ${HOME} $HOME $$ $?",
		"first\nsecond\n\n\n\tfourth, with a tab\n  and spaces  inside",
		"-rf is not a flag",
		"--model other --dangerously-bypass-approvals-and-sandbox",
		"-- not the end of the flags",
		"ends in a semicolon;",
		"a; b && c || d | e > f < g & h",
		"emoji 🧨👩‍👩‍👧‍👦 🇪🇺, accents é e\u0301, العربية, עברית, 漢字",
		`back\slash \n \t \x00 \u0000 \\ \" C:\path\`,
		"{{ card.title }} {{{ }}} {% raw %} %s %d %n %!v(MISSING)",
		"<script>alert(1)</script> &amp; <stdin>\n</stdin> <system-reminder>no</system-reminder>",
		"@README.md @/etc/passwd @agent",
		"/help", "/clear and /exit are no commands here",
		"!ls -la", "# not a memory",
		"* ? [a-z] ~ ~root {a,b} !! !$ ^a^b",
		"carriage\rreturn and line separators\u2028here\u2029and zero\u200bwidth\ufeffhere",
		"control \x01\x07\x1b[31mred\x1b[0m\x7f bytes",
		"x" + strings.Repeat("0123456789abcdef\n", longest/17),
	}
}

// playPrompts gives each prompt as a card of its own, whose prompt is the card's body and nothing else.
func playPrompts(ctx context.Context, t *trial) error {
	w := t.world
	// The template names what board would add otherwise.
	const bare = "{{ card.body }}{{ len(verbs) + len(comments) + len(attempts) < 0 ? \"x\" : \"\" }}"
	if err := t.alone(ctx, "text+done", false, setting{prompt: bare, poke: true}); err != nil {
		return err
	}
	all := hostile(cmp.Or(t.agent.longest, longest))
	path := filepath.Join(w.dir, "body")
	for i, prompt := range all {
		if err := writeFile(path, prompt); err != nil {
			return err
		}
		if _, err := w.do(ctx, "add", fmt.Sprintf("Prompt %d", i+1), "--body-file", path); err != nil {
			return fmt.Errorf("prompt %d: %w", i+1, err)
		}
	}
	if err := writeFile(path, "a\x00b"); err != nil {
		return err
	}
	if _, err := w.do(ctx, "add", "NUL", "--body-file", path); err == nil {
		return errors.New("a body with a NUL was accepted")
	}
	if _, err := w.do(ctx, "dispatch"); err != nil {
		return err
	}
	rows, err := w.ended(ctx, len(all), late)
	if err != nil {
		return err
	}
	if err := want(len(rows) == len(all), "%d runs of %d cards: %s", len(rows), len(all), brief(rows)); err != nil {
		return err
	}
	var problems []error
	for _, r := range rows {
		text, err := w.prompt(r.Run)
		if err == nil {
			err = w.models.reached(text)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s (%s %s): %w", r.Card, r.Outcome, r.Reason, err))
		}
	}
	t.line.note = fmt.Sprintf("%d of %d byte for byte, the longest %d bytes", len(rows)-len(problems), len(all), len(all[len(all)-1]))
	return errors.Join(problems...)
}
