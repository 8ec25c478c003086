package probe_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/roster"
)

func TestLive_AsksOneQuestion(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.program("claude", claude(true))
	p := m.prober()
	p.Live = true
	r := m.check(p, roster.Executor{ID: "x", Harness: "claude"})
	if r.Live == nil || !r.Live.OK || r.Live.Text != "ready" || r.Live.Model != "opus" || r.Live.CostUSD != 0.01 || r.Unknown != "" {
		t.Fatalf("live %+v, unknown %q", r.Live, r.Unknown)
	}
	if prompt, err := os.ReadFile(filepath.Join(m.home, "prompt")); err != nil || !strings.Contains(string(prompt), "ready") {
		t.Errorf("the prompt on standard input is %q (%v)", prompt, err)
	}
}

func TestLive_TellsTheClassOfAFailure(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.program("claude", strings.Replace(claude(true), `-p*)`, `-p*) echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Invalid API key"}'; exit 1;;
-q*)`, 1))
	p := m.prober()
	p.Live = true
	r := m.check(p, roster.Executor{ID: "x", Harness: "claude"})
	if r.OK || r.Live == nil || r.Live.Class != harness.ClassUnauthenticated {
		t.Errorf("live %+v, problems %+v", r.Live, r.Problems)
	}
}

func TestLive_RunsACommand(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	p := m.prober()
	p.Live = true
	r := m.check(p, roster.Executor{ID: "x", Harness: "exec", Command: []string{"sh", "-c", "cat > /dev/null; echo fine"}})
	if !r.OK || r.Live == nil || r.Live.Text != "fine" {
		t.Errorf("live %+v, problems %+v", r.Live, r.Problems)
	}
}

// 04, The file: those that can be told to be signed in are on, all others off with a line saying why.
func TestFindings_OnlySignedInAgentsAreOn(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.program("claude", claude(true))
	m.program("opencode", openCode)
	m.program("aider", "echo 0.86 --message-file --yes-always --no-stream --no-auto-commits --model\n")
	found, err := m.prober().Findings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	off := map[string]string{}
	var names []string
	for _, f := range found {
		off[f.Harness] = f.Off
		names = append(names, f.Harness)
	}
	if got := strings.Join(names, " "); got != "claude opencode aider" {
		t.Errorf("found %q", got)
	}
	if off["claude"] != "" || !strings.Contains(off["opencode"], "free cloud model") || !strings.Contains(off["aider"], "cannot be told") {
		t.Errorf("off because %q", off)
	}
	var drafted []roster.Drafted
	for _, f := range found {
		drafted = append(drafted, f.Drafted)
	}
	r, err := roster.Load(roster.Sources{User: &roster.Document{Path: "roster.yaml", Data: roster.Draft(drafted)}})
	if err != nil || len(r.Executors) != 1 || r.Executors[0].ID != "claude" {
		t.Errorf("the roster made of it is %+v (%v)", r, err)
	}
}

// A key that only the CLI's own configuration reads serves too; its own answer about its sign-in stays.
func TestLive_AnswersWithAKeyOfItsOwnConfiguration(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.program("claude", claude(false))
	p := m.prober()
	p.Live = true
	r := m.check(p, roster.Executor{ID: "x", Harness: "claude", Env: map[string]string{"PROXY_KEY": "k"}})
	if !r.OK || r.Live == nil || !r.Live.OK || r.SignIn != harness.SignedOut || len(r.Notes) == 0 {
		t.Errorf("live %+v, sign-in %q, problems %+v, notes %q", r.Live, r.SignIn, r.Problems, r.Notes)
	}
}
