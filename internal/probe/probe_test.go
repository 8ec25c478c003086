package probe_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/probe"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// HAR-7.
func TestCheck_TellsPathVersionAndSignIn(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.program("claude", claude(true))
	r := m.check(m.prober(), roster.Executor{ID: "opus", Harness: "claude", Model: "opus"})
	if !r.OK || len(r.Problems) > 0 {
		t.Errorf("problems %+v, want none", r.Problems)
	}
	if r.Path != filepath.Join(m.bin, "claude") || r.Kind != harness.ProgramScript || r.Version != "2.1.332" {
		t.Errorf("path %q, kind %q, version %q", r.Path, r.Kind, r.Version)
	}
	if r.SignIn != harness.SignedIn || r.SignInText != "claude.ai" {
		t.Errorf("sign-in %q (%s), want signed in (claude.ai)", r.SignIn, r.SignInText)
	}
	if r.Unknown == "" {
		t.Error("it does not say what only a run can tell")
	}
}

// HAR-7, HAR-8, issue 5's bad input: each trouble is told apart.
func TestCheck_TellsTroublesApart(t *testing.T) {
	t.Parallel()
	signedIn := claude(true)
	for _, c := range []struct {
		name     string
		programs map[string]string
		executor roster.Executor
		want     []probe.Code
		text     string // in the first problem
	}{
		{"missing", nil, roster.Executor{Harness: "claude"}, []probe.Code{probe.CodeMissing}, "claude is nowhere on PATH"},
		{"missing bin", nil, roster.Executor{Harness: "claude", Bin: "/nowhere/claude"}, []probe.Code{probe.CodeMissing}, "/nowhere/claude"},
		{
			"broken",
			map[string]string{"claude": "echo 'cannot find module' >&2; exit 3\n"},
			roster.Executor{Harness: "claude"},
			[]probe.Code{probe.CodeBroken},
			"exit 3: cannot find module",
		},
		{
			"older version",
			map[string]string{"claude": strings.ReplaceAll(signedIn, "--tools ", "")},
			roster.Executor{Harness: "claude"},
			[]probe.Code{probe.CodeOld},
			"does not know --tools",
		},
		{"signed out", map[string]string{"claude": claude(false)}, roster.Executor{Harness: "claude"}, []probe.Code{probe.CodeSignedOut}, "not signed in"},
		{
			"amp waits for a code",
			map[string]string{"amp": "echo 0.0.17 --stream-json\n"},
			roster.Executor{Harness: "amp"},
			[]probe.Code{probe.CodeSignedOut},
			"wait for ever for a pasted code",
		},
		{
			"opencode chooses a cloud",
			map[string]string{"opencode": openCode},
			roster.Executor{Harness: "opencode"},
			[]probe.Code{probe.CodeSignedOut},
			"a free cloud model of its own choice",
		},
		{
			"unset variable",
			map[string]string{"claude": signedIn},
			roster.Executor{Harness: "claude", Unset: []string{"WORK_KEY"}},
			[]probe.Code{probe.CodeEnv},
			"${WORK_KEY}",
		},
		{
			"refused flag",
			map[string]string{"claude": signedIn},
			roster.Executor{Harness: "claude", Flags: map[string]string{"resume": "x"}},
			[]probe.Code{probe.CodeEntry},
			`flag "resume"`,
		},
		{"no driver", nil, roster.Executor{Harness: "openai-api"}, []probe.Code{probe.CodeNoDriver}, "openai-api"},
		{
			"health",
			map[string]string{"claude": signedIn},
			roster.Executor{Harness: "claude", Health: "http://x/health"},
			[]probe.Code{probe.CodeHealth},
			"503 Service Unavailable",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			for name, script := range c.programs {
				m.program(name, script)
			}
			c.executor.ID = "x"
			r := m.check(m.prober(), c.executor)
			if got := codes(r); !slices.Equal(got, c.want) {
				t.Fatalf("problems %+v, want %v", r.Problems, c.want)
			}
			if !strings.Contains(r.Problems[0].Text, c.text) || r.OK {
				t.Errorf("ok %v, problem %q, want %q in it", r.OK, r.Problems[0].Text, c.text)
			}
		})
	}
}

const openCode = `case "$*" in
--version) echo 1.18.33;;
"auth list") echo "0 credentials";;
*) echo "--format --model --session --agent --auto --variant --print-logs --log-level";;
esac
`

func TestCheck_NotExecutableIsNotMissing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.file(filepath.Join(m.bin, "codex"), "#!/bin/sh\n", 0o644)
	r := m.check(m.prober(), roster.Executor{ID: "codex", Harness: "codex"})
	if got := codes(r); !slices.Equal(got, []probe.Code{probe.CodeNotExecutable}) || !strings.Contains(r.Problems[0].Fix, "chmod +x") {
		t.Errorf("problems %+v, want not_executable with chmod +x", r.Problems)
	}
}

func TestCheck_NodeWrapperWithoutNode(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.file(filepath.Join(m.bin, "gemini"), "#!/usr/bin/env node\n", 0o755)
	p := m.prober()
	p.Environ = []string{"PATH=" + m.bin, "HOME=" + m.home}
	r := m.check(p, roster.Executor{ID: "gemini", Harness: "gemini"})
	if got := codes(r); len(got) == 0 || got[0] != probe.CodeNode || r.Kind != harness.ProgramNode {
		t.Errorf("kind %q, problems %+v, want node first", r.Kind, r.Problems)
	}
}

// A key in the entry serves without a sign-in.
func TestCheck_KeyOfTheEntryServes(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.program("claude", claude(false))
	r := m.check(m.prober(), roster.Executor{ID: "x", Harness: "claude", Env: map[string]string{"ANTHROPIC_API_KEY": "secret-word"}})
	if !r.OK || len(r.Notes) == 0 {
		t.Errorf("problems %+v, notes %q", r.Problems, r.Notes)
	}
	if strings.Contains(strings.Join(r.Notes, " "), "secret-word") {
		t.Errorf("the key stands in the notes: %q", r.Notes)
	}
}

// SUP-7: a program is asked in the environment that a run gets.
func TestCheck_CleanEnvironment(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.env = []string{"CLAUDECODE=1", "ANTHROPIC_API_KEY=person", "GIT_DIR=/x", "BOARD_TOKEN=t", "LC_ALL=C", "CLAUDE_CONFIG_DIR=" + m.home}
	m.program("claude", `env > "$HOME/env"; pwd >> "$HOME/env"; echo 1.0`)
	m.check(m.prober(), roster.Executor{ID: "x", Harness: "claude", Env: map[string]string{"MINE": "yes"}})
	text, err := os.ReadFile(filepath.Join(m.home, "env"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"CLAUDECODE=", "ANTHROPIC_API_KEY=", "GIT_DIR=", "BOARD_TOKEN="} {
		if strings.Contains("\n"+string(text), "\n"+name) {
			t.Errorf("%s reached the program", name)
		}
	}
	for _, pair := range []string{"LC_ALL=C", "CLAUDE_CONFIG_DIR=" + m.home, "MINE=yes"} {
		if !strings.Contains(string(text), pair) {
			t.Errorf("%s did not reach the program", pair)
		}
	}
}

// ROS-12: without --live nothing is asked that costs.
func TestCheck_SpendsNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.program("claude", claude(true))
	executors := []roster.Executor{{ID: "a", Harness: "claude"}, {ID: "b", Harness: "claude", Model: "opus"}}
	reports, err := m.prober().Check(t.Context(), executors)
	if err != nil {
		t.Fatal(err)
	}
	if reports[0].Executor != "a" || reports[1].Executor != "b" || !reports[1].OK {
		t.Errorf("reports %+v", reports)
	}
	log, err := os.ReadFile(filepath.Join(m.home, "log"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(log), "--version\n--help\nauth status\n"; got != want {
		t.Errorf("asked %q, want each question once: %q", got, want)
	}
}

// What does not answer is ended with all that it started, also what left its process group.
func TestCheck_EndsWhatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.program("amp", `setsid sleep 300 & echo $! > "$HOME/pid"; sleep 300`)
	p := m.prober()
	p.Limit = 2 * time.Second
	r := m.check(p, roster.Executor{ID: "amp", Harness: "amp"})
	if got := codes(r); !slices.Equal(got, []probe.Code{probe.CodeNoAnswer}) {
		t.Errorf("problems %+v, want no_answer", r.Problems)
	}
	text, err := os.ReadFile(filepath.Join(m.home, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("process %d lives on (%v)", pid, syscall.Kill(pid, 0))
	}
}

func TestCheck_KeepsTheHeadOfALongAnswer(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.program("amp", "echo 'amp 3.4.5 --stream-json'; head -c 8000000 /dev/zero\n")
	r := m.check(m.prober(), roster.Executor{ID: "amp", Harness: "amp", Env: map[string]string{"AMP_API_KEY": "k"}})
	if !r.OK || r.Version != "3.4.5" {
		t.Errorf("version %q, problems %+v", r.Version, r.Problems)
	}
}

// A file of a sign-in proves nothing, and is told.
func TestCheck_StoredSignInStaysUnknown(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.program("gemini", "echo 0.61.0 --output-format --skip-trust --approval-mode --session-id --resume --model --include-directories\n")
	m.file(filepath.Join(m.home, ".gemini", "oauth_creds.json"), "{}", 0o600)
	r := m.check(m.prober(), roster.Executor{ID: "gemini", Harness: "gemini"})
	if !r.OK || r.SignIn != harness.SignInUnknown || !strings.Contains(r.SignInText, "~/.gemini/oauth_creds.json") {
		t.Errorf("sign-in %q (%s), problems %+v", r.SignIn, r.SignInText, r.Problems)
	}
}

// However many programs hang, and however often each is asked, all of it ends with the bound of the whole.
func TestCheck_EndsWithTheBoundOfTheWhole(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	var hang []roster.Executor
	for _, name := range []string{"amp", "claude", "codex"} {
		m.program(name, "sleep 300")
		hang = append(hang, roster.Executor{ID: name, Harness: name})
	}
	p := m.prober()
	p.Whole = time.Second
	reports, err := p.Check(t.Context(), hang)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		if r.OK || len(r.Problems) == 0 || r.Problems[0].Code != probe.CodeNoAnswer || !strings.Contains(r.Problems[0].Text, "within 1s") {
			t.Errorf("%s: problems %+v, want no answer within 1s", r.Executor, r.Problems)
		}
	}
}
