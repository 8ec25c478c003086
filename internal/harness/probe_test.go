package harness_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// Pins HAR-7.
func TestReadVersion_FindsTheNumber(t *testing.T) {
	t.Parallel()
	tests := []struct{ output, want string }{
		{"2.1.332 (Claude Code)\n", "2.1.332"},
		{"codex-cli 0.171.0", "0.171.0"},
		{"v1.6.0", "1.6.0"},
		{"0.0.1790142911-g4b2e (released)", "0.0.1790142911-g4b2e"},
		{"\x1b[1m1.18.33\x1b[0m", "1.18.33"},
		{"command not found", ""},
	}
	for _, test := range tests {
		if got := harness.ReadVersion(test.output); got != test.want {
			t.Errorf("ReadVersion(%q) = %q, want %q", test.output, got, test.want)
		}
	}
}

// Pins HAR-7.
func TestReadSignIn_ReadsEachCLIsAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		code   int
		output string
		want   harness.SignIn
		words  string
	}{
		{"claude", 1, "{\n  \"loggedIn\": false\n}\n", harness.SignedOut, ""},
		{"claude", 0, "{\"loggedIn\": true, \"authMethod\": \"api_key\"}", harness.SignedIn, "api_key"},
		{"claude", 1, "error: unknown command 'auth'", harness.SignInUnknown, "error: unknown command 'auth'"},
		{"codex", 1, "WARNING: proceeding, even though\nNot logged in\n", harness.SignedOut, "Not logged in"},
		{"codex", 0, "API key configured - sk-…\n", harness.SignedIn, "API key configured - sk-…"},
		{"codex", 2, "error: unrecognized subcommand", harness.SignInUnknown, "error: unrecognized subcommand"},
		{"pi", 1, `{"status":"not_ready"}`, harness.SignedOut, `{"status":"not_ready"}`},
		{"pi", 0, `{"status":"ready"}`, harness.SignedIn, `{"status":"ready"}`},
		{"opencode", 0, "┌  Credentials\n└  0 credentials\n", harness.SignedOut, "0 credentials"},
		{"opencode", 0, "└  2 credentials\n", harness.SignedIn, "2 credentials"},
		{"gemini", 0, "", harness.SignInUnknown, ""},
	}
	for _, test := range tests {
		got, words := harness.ReadSignIn(test.name, test.code, test.output)
		if got != test.want || words != test.words {
			t.Errorf("ReadSignIn(%s, %d, %q) = %q, %q; want %q, %q", test.name, test.code, test.output, got, words, test.want, test.words)
		}
	}
}

// Pins HAR-8.
func TestMissingFlags_AreFoundInTheHelp(t *testing.T) {
	t.Parallel()
	const help = "Options:\n  -p, --print   Print\n  --output-format <f>  text|json\n  --model=NAME\n  \x1b[1m--effort\x1b[0m <level>\n"
	got := harness.MissingFlags(help, []string{"--print", "--session-id", "--model", "--effort", "--output", "-p"})
	if want := []string{"--output", "--session-id"}; !slices.Equal(got, want) {
		t.Errorf("missing %v, want %v", got, want)
	}
}

// What check looks for in the help is what Command writes: a long flag that is used but not looked for would fail a run.
// Pins HAR-8.
func TestProbe_LooksForTheFlagsThatCommandUses(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude", "opencode", "gemini", "pi", "qwen", "copilot"} {
		probe := lookup(t, name).Facts().Probe
		for _, permissions := range []harness.Permissions{harness.PermissionRead, harness.PermissionEdit} {
			j := job()
			j.Permissions, j.Model, j.Effort = permissions, "P/M", "high"
			command, err := lookup(t, name).Command(j)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range command.Argv {
				if strings.HasPrefix(word, "--") && !slices.Contains(probe.Flags, word) {
					t.Errorf("%s: %s is used and not looked for", name, word)
				}
			}
		}
	}
}

// Pins HAR-7.
func TestProbe_AsksPiAboutTheProviderOfTheModel(t *testing.T) {
	t.Parallel()
	got := lookup(t, "pi").Facts().Probe.ForModel("openai/gpt-5").SignIn
	if want := []string{"auth", "check", "--json", "--provider", "openai"}; !slices.Equal(got, want) {
		t.Errorf("sign-in %v, want %v", got, want)
	}
	if got := lookup(t, "codex").Facts().Probe.ForModel("a/b").SignIn; !slices.Equal(got, []string{"login", "status"}) {
		t.Errorf("codex: %v", got)
	}
}

// Pins HAR-7.
func TestProgramKindOf_ReadsTheFirstBytes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		head string
		want harness.ProgramKind
	}{
		{"\x7fELF\x02\x01", harness.ProgramNative},
		{"\xcf\xfa\xed\xfe", harness.ProgramNative},
		{"#!/usr/bin/env node\nimport x", harness.ProgramNode},
		{"#!/bin/sh\nexec node x", harness.ProgramScript},
		{"", harness.ProgramUnknown},
		{"hello", harness.ProgramUnknown},
	}
	for _, test := range tests {
		if got := harness.ProgramKindOf([]byte(test.head)); got != test.want {
			t.Errorf("ProgramKindOf(%q) = %q, want %q", test.head, got, test.want)
		}
	}
}

// Pins SUP-7.
func TestNestingVariables_NeverMeetTheInherited(t *testing.T) {
	t.Parallel()
	nesting := harness.NestingVariables()
	if !slices.Contains(nesting, "CLAUDECODE") {
		t.Errorf("nesting variables %v", nesting)
	}
	for _, name := range harness.Names() {
		for _, variable := range lookup(t, name).Facts().Inherit {
			if slices.Contains(nesting, variable) {
				t.Errorf("%s inherits %s, which says that it is nested", name, variable)
			}
		}
	}
}
