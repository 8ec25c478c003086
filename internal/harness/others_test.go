package harness_test

import (
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/harness"
)

const qwenInit = `{"type":"system","subtype":"init","session_id":"q-1","model":"mock-model"}
`

// Pins HAR-2.
func TestQwen_EndingsAreToldApart(t *testing.T) {
	t.Parallel()
	failed := func(message string) string {
		return qwenInit + `{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"` + message + `"},"session_id":"q-1"}` + "\n"
	}
	one := harness.Exit{Code: 1}
	checkEndings(t, "qwen", []ending{
		{name: "good", class: "", stdout: qwenInit + `{"type":"result","subtype":"success","is_error":false,"result":"ok","usage":{"input_tokens":3}}`},
		{name: "401", exit: one, class: harness.ClassUnauthenticated, stdout: failed("[API Error: 401 Incorrect API key provided]")},
		{name: "429", exit: one, class: harness.ClassRateLimited, stdout: failed("[API Error: 429 slow down]")},
		{name: "503", exit: one, class: harness.ClassOverloaded, stdout: failed("[API Error: 503 busy]")},
		{name: "model", exit: one, class: harness.ClassModelUnavailable, stdout: failed("[API Error: 404 The model `x` does not exist]")},
		{
			name: "no auth type", exit: one, class: harness.ClassUnauthenticated,
			stdout: failed("No auth type is selected. Please configure an auth type before running in non-interactive mode."),
		},
		{
			name: "turn limit", exit: harness.Exit{Code: 53}, class: harness.ClassFailed, message: "max session turns",
			stdout: qwenInit, stderr: "Reached max session turns for this session.\n",
		},
		{name: "wall time", exit: harness.Exit{Code: 55}, class: harness.ClassFailed, message: "wall", stderr: "max wall time exceeded\n"},
		{name: "harmless warning of its rg", class: "", stderr: "spawn rg EACCES\n", stdout: qwenInit + `{"type":"result","subtype":"success","result":"ok"}`},
	})
}

func TestQwen_CountsTheCachedTokensOnce(t *testing.T) {
	t.Parallel()
	got := play(t, "qwen", job(), qwenInit+`{"type":"assistant","message":{"id":"1","model":"m","content":[{"type":"text","text":"ok"}],"usage":{"input_tokens":120,"cache_read_input_tokens":20,"output_tokens":7}}}
{"type":"result","subtype":"success","result":"ok","usage":{"input_tokens":240,"cache_read_input_tokens":40,"output_tokens":14}}`, "", harness.Exit{})
	if want := (harness.Usage{In: 200, Out: 14, Cached: 40}); got.result.Usage != want {
		t.Errorf("usage %+v, want %+v", got.result.Usage, want)
	}
}

func TestQwen_LaunchLines(t *testing.T) {
	t.Parallel()
	checkLaunch(t, "qwen", []launch{
		{
			name: "coder", edit: func(j *harness.Job) { j.Model, j.Runtime = "M", 30*time.Minute },
			want: "qwen -o stream-json --approval-mode yolo --session-id " + job().NewSession +
				" -m M --add-dir /sessions/3/outbox --max-wall-time 1800s",
		},
		{
			name: "reviewer, resumed", edit: func(j *harness.Job) {
				j.Permissions, j.Resume, j.OutboxDir = harness.PermissionRead, "q-1", ""
			},
			want: "qwen -o stream-json --approval-mode plan --resume q-1",
		},
	})
}

const copilotStart = `{"type":"user.message","data":{"content":"go"}}
{"type":"assistant.turn_start","data":{}}
`

func TestCopilot_ReadsAWholeRun(t *testing.T) {
	t.Parallel()
	const usage = "/runs/7/copilot-usage.json"
	got := play(t, "copilot", job(), copilotStart+
		`{"type":"tool.execution_complete","data":{"toolName":"bash","error":{"code":"denied"}}}
{"type":"assistant.message","data":{"content":"Done.\nBOARD: done","model":"gpt-5"}}
{"type":"result","sessionId":"11111111-2222-4333-8444-555555555555","exitCode":0,"usage":{"premiumRequests":1}}
`, "", harness.Exit{Files: map[string][]byte{usage: []byte(`{"models":{"gpt-5":{"inputTokens":50,"cacheReadTokens":10,"outputTokens":7}}}`)}})
	r := got.result
	if r.Failure != nil || r.Session != job().NewSession || r.Model != "gpt-5" || r.Verdict != harness.VerdictDone || len(r.Denied) != 1 {
		t.Fatalf("result %+v", r)
	}
	if want := (harness.Usage{In: 40, Out: 7, Cached: 10}); r.Usage != want {
		t.Errorf("usage %+v, want %+v", r.Usage, want)
	}
}

// Pins HAR-2.
// HAR-4: copilot's usage file and qwen's result line count on over a resumed session.
func TestCopilotAndQwen_RecordTheShareOfAResumedRun(t *testing.T) {
	t.Parallel()
	resumed := job()
	resumed.Resume, resumed.Previous = "s", harness.Usage{In: 200, Out: 14, Cached: 40}
	want := harness.Usage{In: 100, Out: 7, Cached: 20}
	copilot := play(t, "copilot", resumed, copilotStart, "", harness.Exit{Files: map[string][]byte{
		"/runs/7/copilot-usage.json": []byte(`{"models":{"m":{"inputTokens":360,"cacheReadTokens":60,"outputTokens":21}}}`),
	}}).result
	qwen := play(t, "qwen", resumed, qwenInit+
		`{"type":"assistant","message":{"id":"1","model":"m","content":[{"type":"text","text":"ok"}],"usage":{"input_tokens":120,"cache_read_input_tokens":20,"output_tokens":7}}}
{"type":"result","subtype":"success","result":"ok","usage":{"input_tokens":360,"cache_read_input_tokens":60,"output_tokens":21}}`, "", harness.Exit{}).result
	for _, r := range []harness.Result{copilot, qwen} {
		if total := (harness.Usage{In: 300, Out: 21, Cached: 60}); r.Usage != want || r.Total != total {
			t.Errorf("share %+v, total %+v; want %+v, %+v", r.Usage, r.Total, want, total)
		}
	}
}

func TestCopilot_EndingsAreToldApart(t *testing.T) {
	t.Parallel()
	failed := func(kind, status, message string) string {
		return copilotStart + `{"type":"session.error","data":{"errorType":"` + kind + `","statusCode":` + status + `,"message":"` + message + `"}}
{"type":"result","sessionId":"c","exitCode":1}
`
	}
	one := harness.Exit{Code: 1}
	checkEndings(t, "copilot", []ending{
		{name: "auth", exit: one, class: harness.ClassUnauthenticated, stdout: failed("authentication", "401", "Authentication failed with provider at http://x (HTTP 401).")},
		{name: "rate", exit: one, class: harness.ClassRateLimited, stdout: failed("rate_limit", "429", "slow down")},
		{
			name: "plan", exit: one, class: harness.ClassUsageLimited,
			stdout: failed("rate_limit", "429", "Sorry, you've hit a rate limit that restricts the number of requests. Please try again in 2 hours."),
		},
		{name: "no quota", exit: one, class: harness.ClassQuota, stdout: failed("query", "402", "402 You have no quota")},
		{name: "overload", exit: one, class: harness.ClassOverloaded, stdout: failed("query", "503", "busy")},
		{
			name: "killed, says 0", exit: harness.Exit{Code: 143, Signal: "TERM"}, class: harness.ClassFailed, message: "TERM",
			stdout: copilotStart + `{"type":"result","sessionId":"c","exitCode":0}`,
		},
		{name: "not signed in", exit: one, class: harness.ClassUnauthenticated, stderr: "Error: No authentication information found.\n"},
	})
}

func TestCopilot_LaunchLines(t *testing.T) {
	t.Parallel()
	checkLaunch(t, "copilot", []launch{
		{
			name: "coder", edit: func(j *harness.Job) { j.Model, j.Effort = "M", "high" },
			want: "copilot --output-format json --no-ask-user --allow-all-tools --add-dir /sessions/3/outbox --session-id " +
				job().NewSession + " --model M --reasoning-effort high --usage-output-file /runs/7/copilot-usage.json",
		},
		{
			name: "reviewer, resumed", edit: func(j *harness.Job) {
				j.Permissions, j.Resume, j.RunDir = harness.PermissionRead, "c-1", ""
			},
			want: "copilot --output-format json --no-ask-user --plan --resume=c-1",
		},
	})
}

func TestUnproven_LaunchLines(t *testing.T) {
	t.Parallel()
	plain := func(j *harness.Job) { j.Model = "M" }
	resumed := func(j *harness.Job) { j.Resume = "r-1" }
	checkLaunch(t, "amp", []launch{
		{"amp", func(j *harness.Job) { j.Effort = "high" }, "amp -x --stream-json -m high"},
		{"amp resumed", resumed, "amp threads continue r-1 -x --stream-json"},
	})
	checkLaunch(t, "cursor", []launch{
		{"cursor", plain, "cursor-agent -p Read the file /runs/7/prompt.md and do exactly what it says. --output-format stream-json --model M --force"},
	})
	checkLaunch(t, "goose", []launch{
		{"goose", plain, "goose run -i - --output-format json -n " + job().NewSession},
		{"goose resumed", resumed, "goose run -i - --output-format json -n r-1 --resume"},
	})
	checkLaunch(t, "aider", []launch{
		{"aider", plain, "aider --message-file /runs/7/prompt.md --yes-always --no-stream --no-auto-commits --model M"},
	})
}

// Pins HAR-2.
func TestUnproven_EndingsAreToldApart(t *testing.T) {
	t.Parallel()
	one := harness.Exit{Code: 1}
	checkEndings(t, "amp", []ending{
		{name: "amp, not signed in", exit: harness.Exit{Code: 143, Signal: "TERM", Stop: true}, class: harness.ClassUnauthenticated, stdout: "No API key found. Starting login flow...\n"},
		{name: "amp, out of credits", exit: one, class: harness.ClassQuota, stderr: "Error: Out of Credits\n"},
	})
	checkEndings(t, "cursor", []ending{
		{
			name: "cursor, month's limit", exit: one, class: harness.ClassUsageLimited,
			stderr: "Error: You've hit your usage limit\nGet Cursor Pro for more Agent usage\nYour usage limits will reset when your monthly cycle ends on 12/17/2026.\n",
		},
	})
	checkEndings(t, "goose", []ending{
		{name: "goose, empty answer", class: harness.ClassFailed, message: "without an answer", stdout: `{"messages":[]}` + "\n"},
		{name: "goose, answer", class: "", stdout: "starting\n{\n\"messages\": [\n{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}\n]\n}\n"},
		{
			name: "goose, rate", exit: one, class: harness.ClassRateLimited,
			stdout: "Ran into this error: Rate limit exceeded: This request would exceed your organization's rate limit of 30,000 input tokens per minute\n",
		},
	})
	checkEndings(t, "aider", []ending{
		{name: "aider, answer", class: "", stdout: "Applied edit to a.go\n"},
		{name: "aider, rate with exit 0", class: harness.ClassRateLimited, stdout: "litellm.RateLimitError: VertexAIException - RESOURCE_EXHAUSTED\n"},
		{name: "aider, the agent's words", exit: one, class: harness.ClassFailed, stdout: "You've hit your usage limit.\n"},
	})
}
