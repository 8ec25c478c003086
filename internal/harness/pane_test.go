package harness_test

import (
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/harness"
)

func TestWatch_ReadsWhatAnAgentIsDoing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, cli string
		pane      harness.Pane
		state     harness.State
	}{
		{"claude says busy", "claude", harness.Pane{StateFile: []byte(`{"status":"busy","sessionId":"s"}`)}, harness.StateBusy},
		{"claude says idle", "claude", harness.Pane{StateFile: []byte(`{"status":"idle"}`), Text: "esc to interrupt"}, harness.StateIdle},
		{"claude says waiting", "claude", harness.Pane{StateFile: []byte(`{"status":"waiting","waitingFor":"permission prompt"}`)}, harness.StateWaiting},
		{"claude's footer, busy", "claude", harness.Pane{Text: "✽ Inferring… (2s · ↓ 4 tokens)\n\n> \n  esc to interrupt\n"}, harness.StateBusy},
		{"claude's footer, idle", "claude", harness.Pane{Text: "✻ Crunched for 1m 21s · done 4:50 PM\n> \n"}, harness.StateIdle},
		{"claude asks", "claude", harness.Pane{Text: "Do you want to create a.txt?\n❯ 1. Yes\n  2. No\n Esc to cancel\n"}, harness.StateWaiting},
		{"claude, unreadable file", "claude", harness.Pane{StateFile: []byte(`{"sta`)}, harness.StateUnknown},
		{"claude, far above", "claude", harness.Pane{Text: "esc to interrupt\n" + strings.Repeat("line\n", 20)}, harness.StateUnknown},
		{"codex's title, busy", "codex", harness.Pane{Title: "⠇ task | dir"}, harness.StateBusy},
		{"codex's title, idle", "codex", harness.Pane{Title: "task | dir"}, harness.StateIdle},
		{"codex's title, waiting", "codex", harness.Pane{Title: "[ ! ] Action Required | dir"}, harness.StateWaiting},
		{"codex's title, waiting, other half", "codex", harness.Pane{Title: "[ . ] Action Required | dir"}, harness.StateWaiting},
		{"codex's pane, busy", "codex", harness.Pane{Text: "◦ Working (4s • esc to interrupt)"}, harness.StateBusy},
		{"codex's pane, idle", "codex", harness.Pane{Text: "Worked for 21s • 16:53"}, harness.StateIdle},
		{"opencode, busy", "opencode", harness.Pane{Text: "■■⬝⬝ esc interrupt"}, harness.StateBusy},
		{"opencode, idle", "opencode", harness.Pane{Text: "/work/tree   127 (0%) · $0.00"}, harness.StateIdle},
		{"opencode, waiting", "opencode", harness.Pane{Text: "△ Permission required\n  bash rm x\n Allow once  Allow always  Reject"}, harness.StateWaiting},
		{"claude's footer, started", "claude", harness.Pane{Text: "❯ \n  ⏵⏵ accept edits on (shift+tab to cycle) · ← for agents\n"}, harness.StateIdle},
		{"claude's footer, busy, edits accepted", "claude", harness.Pane{Text: "✢ Cogitating… (3s · ↓ 5 tokens)\n❯ \n  ⏵⏵ accept edits on (shift+tab to cycle) · esc to interrupt · ← for agents\n"}, harness.StateBusy},
		{"codex, started", "codex", harness.Pane{Title: "dir", Text: "› Ask Codex to do anything\n  m default · /dir\n  ← for agents · ? for shortcuts\n"}, harness.StateIdle},
		{"codex, text streaming", "codex", harness.Pane{Title: "⠸ Read the file | dir", Text: "• word\n› Ask Codex to do anything\n  ? for shortcuts\n"}, harness.StateBusy},
		{"opencode, started", "opencode", harness.Pane{Text: "┃  Ask anything…\n   tab agents  ctrl+p commands\n"}, harness.StateIdle},
		{"opencode, busy, newer footer", "opencode", harness.Pane{Text: "■■⬝⬝⬝⬝⬝⬝  esc interrupt      tab agents  ctrl+p commands\n"}, harness.StateBusy},
		{"not interactive", "pi", harness.Pane{Text: "esc to interrupt"}, harness.StateUnknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := harness.Watch(test.cli, test.pane)
			if got.State != test.state || got.Needs != "" {
				t.Errorf("got %+v, want %q", got, test.state)
			}
			if asks := got.Question != ""; asks != (got.State == harness.StateWaiting) && test.pane.Text != "" {
				t.Errorf("question %q in state %q", got.Question, got.State)
			}
		})
	}
}

// Pins PAN-3.
func TestWatch_RecognisesScreensThatNeedAPerson(t *testing.T) {
	t.Parallel()
	tests := []struct {
		cli, text string
		needs     bool
	}{
		{"claude", "Do you trust the files in this folder?\n/work/tree\n  1. Yes, proceed\n❯ 2. No, exit\n", true},
		{"claude", "Detected a custom API key in your environment\nDo you want to use this API key?\n  1. Yes\n❯ 2. No\n", true},
		{"claude", "Unable to connect to Anthropic services\nFailed to connect to api.anthropic.com: ERR\n", true},
		{"codex", "Do you trust the contents of this directory?\n› 1. Trust and continue\n  2. Quit\n", true},
		{"codex", "Sign in with ChatGPT\nProvide your own API key\n", true},
		{"claude", "● I trust this code. No, exit codes are wrong?\n", false},
		{"codex", "You can sign in with ChatGPT, says the README\n", false},
	}
	for _, test := range tests {
		got := harness.Watch(test.cli, harness.Pane{Text: test.text})
		firstLine, _, _ := strings.Cut(test.text, "\n")
		if (got.Needs != "") != test.needs || (test.needs && !strings.Contains(got.Needs, firstLine)) {
			t.Errorf("Watch(%s, %q) = %+v, want needs %v", test.cli, test.text, got, test.needs)
		}
	}
}

func TestWatch_ShowsLimitsThatTheCLIWaitsOut(t *testing.T) {
	t.Parallel()
	claude := harness.Watch("claude", harness.Pane{Text: "⚠ Usage limit reached · limit resets 6:57pm\n  Continuing automatically at 6:57pm · Esc to cancel\n"})
	opencode := harness.Watch("opencode", harness.Pane{Text: "Free usage exceeded, subscribe to Go [retrying in 9h #1]   esc interrupt\n"})
	for _, look := range []harness.Look{claude, opencode} {
		if f := harness.Classify(look.Limit, noon(t)); f.Class != harness.ClassUsageLimited {
			t.Errorf("limit %q is of class %q", look.Limit, f.Class)
		}
	}
	codex := harness.Watch("codex", harness.Pane{Text: "Approaching rate limits\nSwitch to gpt-6-luna for lower usage?\n› 1. Switch\n", Title: "task | dir"})
	if codex.Dismiss != "Escape" || codex.State != harness.StateIdle {
		t.Errorf("codex: %+v", codex)
	}
}

func TestStateFile_LiesInTheConfigurationFolder(t *testing.T) {
	t.Parallel()
	j := job()
	if got := harness.StateFile("claude", j, 42); got != "/home/ann/.claude/sessions/42.json" {
		t.Errorf("default: %q", got)
	}
	j.Env["CLAUDE_CONFIG_DIR"] = "/cfg"
	if got := harness.StateFile("claude", j, 42); got != "/cfg/sessions/42.json" {
		t.Errorf("own folder: %q", got)
	}
	if got := harness.StateFile("codex", j, 42); got != "" {
		t.Errorf("codex: %q", got)
	}
	if got := harness.TranscriptPath("claude", j, "s-1"); got != "/cfg/projects/*/s-1.jsonl" {
		t.Errorf("transcript: %q", got)
	}
}

func TestParseTranscript_ReadsTheLastTurn(t *testing.T) {
	t.Parallel()
	const asked = `{"type":"user","sessionId":"s-1","message":{"role":"user","content":"go"}}
`
	const answer = `{"type":"assistant","message":{"id":"m1","model":"claude-opus-4-5","stop_reason":null,"content":[{"type":"text","text":"Hm."}],"usage":{"input_tokens":5,"output_tokens":1}}}
{"type":"assistant","message":{"id":"m1","model":"claude-opus-4-5","stop_reason":"end_turn","content":[{"type":"text","text":"Done."}],"usage":{"input_tokens":5,"output_tokens":9}}}
`
	tests := []struct {
		name, cli, data string
		state           harness.State
		class           harness.Class
	}{
		{"claude, asked", "claude", asked, harness.StateBusy, ""},
		{"claude, at a tool", "claude", asked + `{"type":"assistant","message":{"id":"m","stop_reason":"tool_use"}}`, harness.StateBusy, ""},
		{"claude, ended", "claude", asked + answer + `{"type":"system","subtype":"turn_duration"}`, harness.StateIdle, ""},
		{"claude, interrupted", "claude", asked + `{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}`, harness.StateIdle, ""},
		{"claude, limit", "claude", asked + `{"type":"assistant","error":"rate_limit","message":{"model":"<synthetic>","content":[{"type":"text","text":"You've hit your weekly limit · resets 2pm"}]}}`, harness.StateIdle, harness.ClassUsageLimited},
		{"codex, started", "codex", `{"type":"event_msg","payload":{"type":"task_started"}}`, harness.StateBusy, ""},
		{"codex, ended", "codex", `{"type":"event_msg","payload":{"type":"task_complete"}}`, harness.StateIdle, ""},
		{"codex, aborted", "codex", `{"type":"event_msg","payload":{"type":"turn_aborted","reason":"x"}}`, harness.StateIdle, harness.ClassFailed},
		{"nothing", "claude", "", harness.StateUnknown, ""},
		{"no such record", "pi", asked, harness.StateUnknown, ""},
	}
	for _, test := range tests {
		got := harness.ParseTranscript(test.cli, []byte(test.data), noon(t))
		var class harness.Class
		if got.Failure != nil {
			class = got.Failure.Class
		}
		if got.State != test.state || class != test.class {
			t.Errorf("%s: %+v, want %q, class %q", test.name, got, test.state, test.class)
		}
	}
	ended := harness.ParseTranscript("claude", []byte(asked+answer), noon(t))
	if ended.Text != "Done." || ended.Session != "s-1" || ended.Model != "claude-opus-4-5" || ended.Usage != (harness.Usage{In: 5, Out: 9}) {
		t.Errorf("ended: %+v", ended)
	}
}
