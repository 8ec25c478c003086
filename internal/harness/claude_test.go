package harness_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/harness"
)

const claudeInit = `{"type":"system","subtype":"init","session_id":"s-1","model":"claude-opus-4-5","permissionMode":"acceptEdits","tools":["Bash"]}
`

const claudeWork = claudeInit +
	`{"type":"assistant","message":{"id":"m1","model":"claude-opus-4-5","content":[{"type":"text","text":"Looking."},{"type":"tool_use","name":"Write"}],"usage":{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":3}},"session_id":"s-1"}
{"type":"user","message":{"content":[{"type":"tool_result","content":"Claude AI usage limit reached|1796000000"}]}}
{"type":"assistant","message":{"id":"m2","model":"claude-opus-4-5","content":[{"type":"text","text":"Done.\nBOARD: done"}],"usage":{"input_tokens":20,"output_tokens":4}}}
`

func claudeError(enum, text, fields string) string {
	return claudeInit +
		`{"type":"assistant","error":"` + enum + `","is_api_error_message":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"` + text + `"}]}}
{"subtype":"success","is_error":true,"result":"` + text + `","session_id":"s-1",` + fields + `"type":"result"}
`
}

func TestClaude_ReadsAWholeRun(t *testing.T) {
	t.Parallel()
	got := play(t, "claude", job(), claudeWork+
		`{"subtype":"success","is_error":false,"num_turns":2,"result":"Done.\nBOARD: done","session_id":"s-1","total_cost_usd":0.0123,"usage":{"input_tokens":30,"cache_read_input_tokens":5,"output_tokens":7},"permission_denials":[{"tool_name":"WebFetch"}],"type":"result"}`,
		"", harness.Exit{})
	r := got.result
	if r.Failure != nil || r.Session != "s-1" || r.Model != "claude-opus-4-5" || r.Turns != 2 || r.Verdict != harness.VerdictDone {
		t.Fatalf("result %+v", r)
	}
	want := harness.Usage{In: 30, Out: 7, Cached: 5, CostMicros: 12300}
	if r.Usage != want || r.Total != want {
		t.Errorf("usage %+v, total %+v, want both %+v", r.Usage, r.Total, want)
	}
	if !slices.Equal(r.Denied, []string{"WebFetch"}) || len(got.of(harness.EventFinal)) != 1 ||
		!slices.Equal(got.of(harness.EventTool), []string{"Write"}) {
		t.Errorf("denied %v, events %+v", r.Denied, got.events)
	}
}

// Outcome from events before the exit code; class from fields before text (HAR-2).
func TestClaude_EndingsAreToldApart(t *testing.T) {
	t.Parallel()
	checkEndings(t, "claude", []ending{
		{
			name: "interrupted, exit 0", exit: harness.Exit{Code: 0}, class: harness.ClassFailed, message: "aborted_streaming",
			stdout: claudeInit + `{"type":"result","is_error":true,"subtype":"error_during_execution","terminal_reason":"aborted_streaming"}`,
		},
		{
			name: "turn limit", exit: harness.Exit{Code: 1}, class: harness.ClassFailed, message: "error_max_turns",
			stdout: claudeInit + `{"type":"result","is_error":true,"subtype":"error_max_turns","terminal_reason":"max_turns"}`,
		},
		{
			name: "not signed in", exit: harness.Exit{Code: 1}, class: harness.ClassUnauthenticated, message: "/login",
			stdout: claudeError("authentication_failed", "Not logged in · Please run /login", `"api_error_status":null,`),
		},
		{
			name: "usage limit by field", exit: harness.Exit{Code: 1}, class: harness.ClassUsageLimited,
			stdout: claudeError("rate_limit", "some words", `"api_error":"usage_limit_reached","api_error_status":429,`),
		},
		{
			name: "usage limit by text", exit: harness.Exit{Code: 1}, class: harness.ClassUsageLimited,
			stdout: claudeError("rate_limit", "You've hit your 5-hour limit · resets 6:23pm (UTC)", `"api_error_status":429,`),
		},
		{
			name: "rate limit, not the usage limit", exit: harness.Exit{Code: 1}, class: harness.ClassRateLimited,
			stdout: claudeError("rate_limit", "API Error: Server is temporarily limiting requests (not your usage limit) · x", `"api_error_status":429,`),
		},
		{
			name: "no money", exit: harness.Exit{Code: 1}, class: harness.ClassQuota,
			stdout: claudeError("billing_error", "Credit balance is too low", `"api_error_status":400,`),
		},
		{
			name: "unknown model", exit: harness.Exit{Code: 1}, class: harness.ClassModelUnavailable,
			stdout: claudeError("model_not_found", "There's an issue with the selected model (x).", `"api_error_status":404,`),
		},
		{
			name: "overloaded", exit: harness.Exit{Code: 1}, class: harness.ClassOverloaded,
			stdout: claudeError("overloaded", "API Error: Repeated 529 Overloaded errors. The API is at capacity", `"api_error_status":529,`),
		},
		{
			name: "server error", exit: harness.Exit{Code: 1}, class: harness.ClassOutage,
			stdout: claudeError("server_error", "API Error: 500 oops", `"api_error_status":500,`),
		},
		{
			name: "too long", exit: harness.Exit{Code: 1}, class: harness.ClassContextOverflow,
			stdout: claudeError("invalid_request", "Prompt is too long", `"terminal_reason":"prompt_too_long",`),
		},
		{
			name: "terminated, no result", exit: harness.Exit{Code: 143, Signal: "TERM"}, class: harness.ClassFailed,
			message: "signal TERM", stdout: claudeWork,
		},
		{name: "no event at all", exit: harness.Exit{Code: 0}, class: harness.ClassFailed, message: "without a result"},
		{
			name: "unknown session", exit: harness.Exit{Code: 1}, class: harness.ClassFailed, message: "No conversation found",
			stderr: "No conversation found with session ID: s-9\n",
		},
		{
			name: "plain line of the CLI", exit: harness.Exit{Code: 1}, class: harness.ClassUsageLimited,
			stdout: "Claude AI usage limit reached|1796000000\n",
		},
		{
			name: "cannot be run", exit: harness.Exit{Code: 127}, class: harness.ClassHarnessMissing, message: "node",
			stderr: "/usr/bin/env: 'node': No such file or directory\n",
		},
		{
			name: "the agent's own words", exit: harness.Exit{Code: 1}, class: harness.ClassFailed,
			stdout: claudeInit + `{"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"text","text":"Claude AI usage limit reached|1796000000"}]}}`,
		},
	})
}

// Pins HAR-3.
func TestClaude_TakesTheResetFromItsField(t *testing.T) {
	t.Parallel()
	got := play(t, "claude", job(),
		`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1796000000,"rateLimitType":"five_hour"}}
`+claudeError("rate_limit", "You've hit your 5-hour limit · resets 3am", ""), "", harness.Exit{Code: 1})
	if want := at(t, "2026-11-30T00:53:20Z"); got.class() != harness.ClassUsageLimited || !got.result.Failure.ResetAt.Equal(want) {
		t.Errorf("failure %+v, want a usage limit until %v", got.result.Failure, want)
	}
	if texts := got.of(harness.EventLimit); !slices.Equal(texts, []string{"plan limit rejected five_hour"}) {
		t.Errorf("limit events %q", texts)
	}
}

// Pins HAR-2.
func TestClaude_AWarningOfALimitIsNoLimit(t *testing.T) {
	t.Parallel()
	got := play(t, "claude", job(),
		`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1796000000}}
`+claudeError("rate_limit", "API Error: Request rejected (429) · This request would exceed your organization's rate limit", ""),
		"", harness.Exit{Code: 1})
	if got.class() != harness.ClassRateLimited || len(got.of(harness.EventLimit)) != 0 {
		t.Errorf("failure %+v, events %+v", got.result.Failure, got.events)
	}
}

// HAR-4: what a resumed conversation has counted before is not this run's.
func TestClaude_RecordsTheShareOfAResumedRun(t *testing.T) {
	t.Parallel()
	resumed := job()
	resumed.Resume, resumed.Previous = "s-1", harness.Usage{In: 100, Out: 10, CostMicros: 500_000}
	tests := []struct {
		name, fields string
		share, total harness.Usage
	}{
		{
			"its own difference", `"model_usage_since_last_result":{"m":{"inputTokens":7,"outputTokens":2,"costUSD":0.01}},"total_cost_usd":0.51`,
			harness.Usage{In: 7, Out: 2, CostMicros: 10_000},
			harness.Usage{In: 107, Out: 12, CostMicros: 510_000},
		},
		{
			"totals by model", `"modelUsage":{"a":{"inputTokens":100,"outputTokens":11,"costUSD":0.5},"b":{"inputTokens":5}},"total_cost_usd":0.6`,
			harness.Usage{In: 5, Out: 1, CostMicros: 100_000},
			harness.Usage{In: 105, Out: 11, CostMicros: 600_000},
		},
		{
			"totals without models", `"usage":{"input_tokens":103,"output_tokens":11},"total_cost_usd":0.75`,
			harness.Usage{In: 3, Out: 1, CostMicros: 250_000},
			harness.Usage{In: 103, Out: 11, CostMicros: 750_000},
		},
		{
			"counted anew by model", `"modelUsage":{"a":{"inputTokens":60,"outputTokens":40}},"total_cost_usd":0.6`,
			harness.Usage{In: 60, Out: 40, CostMicros: 600_000},
			harness.Usage{In: 160, Out: 50, CostMicros: 1_100_000},
		},
		{
			"only the cost is a total", `"usage":{"input_tokens":3,"output_tokens":1},"total_cost_usd":0.75`,
			harness.Usage{In: 3, Out: 1, CostMicros: 250_000},
			harness.Usage{In: 103, Out: 11, CostMicros: 750_000},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := play(t, "claude", resumed, `{"type":"result","subtype":"success","result":"ok",`+test.fields+`}`, "", harness.Exit{})
			if got.result.Usage != test.share || got.result.Total != test.total {
				t.Errorf("share %+v, total %+v; want %+v, %+v", got.result.Usage, got.result.Total, test.share, test.total)
			}
		})
	}
}

// Version 2.1.197 counts each run of a resumed conversation by itself, and that may be as much as the run before it.
// HAR-4 holds all the same.
func TestClaude_KnowsCountersThatStartAnew(t *testing.T) {
	t.Parallel()
	resumed := job()
	resumed.Resume, resumed.Previous = "s-1", harness.Usage{In: 120, Out: 7, Cached: 20, CostMicros: 471}
	got := play(t, "claude", resumed,
		`{"type":"assistant","message":{"id":"m1","model":"m","content":[{"type":"text","text":"ok"}],"usage":{"input_tokens":120,"cache_read_input_tokens":20,"output_tokens":1}}}
{"type":"result","subtype":"success","result":"ok","total_cost_usd":0.000471,"usage":{"input_tokens":120,"cache_read_input_tokens":20,"output_tokens":7},"modelUsage":{"m":{"inputTokens":120,"outputTokens":7,"cacheReadInputTokens":20,"costUSD":0.000471}}}`,
		"", harness.Exit{})
	if want := resumed.Previous; got.result.Usage != want {
		t.Errorf("share %+v, want %+v", got.result.Usage, want)
	}
	if want := (harness.Usage{In: 240, Out: 14, Cached: 40, CostMicros: 942}); got.result.Total != want {
		t.Errorf("total %+v, want %+v", got.result.Total, want)
	}
}

func TestClaude_TellsOfItsRetries(t *testing.T) {
	t.Parallel()
	const retry = `{"type":"system","subtype":"api_retry","attempt":4,"max_retries":10,"retry_delay_ms":4000,"error_status":529,"error":"overloaded"}
`
	got := play(t, "claude", job(), claudeInit+retry, "", harness.Exit{Code: 143, Signal: "TERM", Stop: true})
	if texts := got.of(harness.EventRetrying); len(texts) != 1 || !strings.Contains(texts[0], "attempt 4/10") {
		t.Fatalf("retrying events %q", texts)
	}
	if got.result.Retrying == "" || got.class() != harness.ClassOverloaded {
		t.Errorf("stopped amid retries: retrying %q, class %q", got.result.Retrying, got.class())
	}
	went := play(t, "claude", job(), claudeInit+retry+claudeWork, "", harness.Exit{Stop: true, Code: 143})
	if went.result.Retrying != "" || went.result.Failure != nil {
		t.Errorf("stopped at work: retrying %q, failure %+v", went.result.Retrying, went.result.Failure)
	}
}

func TestClaude_LaunchLines(t *testing.T) {
	t.Parallel()
	checkLaunch(t, "claude", []launch{
		{
			name: "coder", edit: func(j *harness.Job) {
				j.Model, j.Effort, j.Flags = "M", "high", map[string]string{"max-turns": "80", "verbose-x": "true", "off": "false"}
			},
			want: "claude -p --output-format stream-json --verbose --session-id " + job().NewSession +
				" --permission-mode acceptEdits --allowedTools Bash --add-dir /sessions/3/outbox --model M --effort high --max-turns 80 --verbose-x",
		},
		{
			name: "reviewer, resumed", edit: func(j *harness.Job) {
				j.Permissions, j.Resume, j.OutboxDir = harness.PermissionRead, "s-1", ""
			},
			want: "claude -p --output-format stream-json --verbose --resume s-1 --tools Read,Grep,Glob --strict-mcp-config",
		},
		{
			name: "pane", edit: func(j *harness.Job) {
				j.Interactive, j.Permissions, j.Bin, j.OutboxDir = true, harness.PermissionAsk, "/opt/claude", ""
			},
			want: "/opt/claude --session-id " + job().NewSession + " --permission-mode default",
		},
	})
}

func TestClaude_RefusesTheBypassAsRoot(t *testing.T) {
	t.Parallel()
	j := job()
	j.Permissions, j.Root = harness.PermissionFull, true
	if _, err := lookup(t, "claude").Command(j); !errors.Is(err, harness.ErrPermissions) {
		t.Errorf("as root: error %v", err)
	}
	j.Env["IS_SANDBOX"] = "1"
	if _, err := lookup(t, "claude").Command(j); err != nil {
		t.Errorf("in a sandbox: error %v", err)
	}
}
