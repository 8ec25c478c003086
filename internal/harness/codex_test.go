package harness_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/harness"
)

const (
	codexStart = `{"type":"thread.started","thread_id":"t-1"}
{"type":"turn.started"}
`
	codexWork = codexStart + `{"type":"item.completed","item":{"id":"i0","type":"error","message":"Model metadata for ` + "`m`" + ` not found."}}
{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"ls"}}
{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"ls","aggregated_output":"You've hit your usage limit."}}
{"type":"item.completed","item":{"id":"i2","type":"agent_message","text":"Reviewed.\nBOARD: changes: no test for zero"}}
{"type":"turn.completed","usage":{"input_tokens":120,"cached_input_tokens":20,"output_tokens":9}}
`
	rolloutName = "/home/ann/.codex/sessions/*/*/*/rollout-*-t-1.jsonl"
)

func codexFailed(message string) string {
	return codexStart + `{"type":"error","message":"` + message + `"}
{"type":"turn.failed","error":{"message":"` + message + `"}}
`
}

func rollout(lines string) map[string][]byte {
	return map[string][]byte{rolloutName: []byte(lines)}
}

func taskComplete(info, message string) map[string][]byte {
	return rollout(`{"type":"event_msg","payload":{"type":"task_complete","error":{"message":"` + message + `","codex_error_info":` + info + `}}}`)
}

// HAR-6: the model is in the rollout file only.
func TestCodex_ReadsAWholeRun(t *testing.T) {
	t.Parallel()
	parser := lookup(t, "codex").Parser(job())
	for line := range strings.Lines(codexWork) {
		parser.Line([]byte(line))
	}
	if wants := parser.Wants(); !slices.Equal(wants, []string{rolloutName}) {
		t.Fatalf("wants %q", wants)
	}
	r := parser.Finish(harness.Exit{Now: noon(t), Files: rollout(
		`cut line"}
{"type":"session_meta","payload":{"id":"t-1"}}
{"type":"turn_context","payload":{"model":"gpt-5.1-codex"}}
{"type":"event_msg","payload":{"type":"task_started"}}
{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":"Reviewed."}}`)})
	if r.Failure != nil || r.Session != "t-1" || r.Model != "gpt-5.1-codex" || r.Turns != 1 ||
		r.Verdict != harness.VerdictChanges || r.Reason != "no test for zero" {
		t.Fatalf("result %+v", r)
	}
	if want := (harness.Usage{In: 100, Out: 9, Cached: 20}); r.Usage != want {
		t.Errorf("usage %+v, want %+v", r.Usage, want)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "metadata") {
		t.Errorf("notes %q", r.Notes)
	}
}

// Pins HAR-4.
func TestCodex_RecordsTheShareOfAResumedRun(t *testing.T) {
	t.Parallel()
	j := job()
	j.Resume, j.Previous = "t-1", harness.Usage{In: 60, Out: 5, Cached: 20}
	got := play(t, "codex", j, codexWork, "", harness.Exit{})
	if want := (harness.Usage{In: 40, Out: 4}); got.result.Usage != want {
		t.Errorf("share %+v, want %+v", got.result.Usage, want)
	}
	if want := (harness.Usage{In: 100, Out: 9, Cached: 20}); got.result.Total != want {
		t.Errorf("total %+v, want %+v", got.result.Total, want)
	}
}

// Pins HAR-2.
func TestCodex_EndingsAreToldApart(t *testing.T) {
	t.Parallel()
	one := harness.Exit{Code: 1}
	with := func(files map[string][]byte) harness.Exit { return harness.Exit{Code: 1, Files: files} }
	checkEndings(t, "codex", []ending{
		{name: "usage limit by text", exit: one, class: harness.ClassUsageLimited, stdout: codexFailed("You've hit your usage limit. Try again at 6:30 PM.")},
		{name: "usage limit by code", exit: with(taskComplete(`"usage_limit_exceeded"`, "odd words")), class: harness.ClassUsageLimited, stdout: codexFailed("odd words")},
		{
			name: "quota under the limit's code", exit: with(taskComplete(`"usage_limit_exceeded"`, "Quota exceeded. Check your plan and billing details.")),
			class: harness.ClassQuota, stdout: codexFailed("Quota exceeded. Check your plan and billing details."),
		},
		{
			name: "429", exit: with(taskComplete(`{"response_too_many_failed_attempts":{"http_status_code":429}}`, "x")), class: harness.ClassRateLimited,
			stdout: codexFailed("exceeded retry limit, last status: 429 Too Many Requests, request id: c"),
		},
		{name: "401", exit: with(taskComplete(`{"http_connection_failed":{"http_status_code":401}}`, "x")), class: harness.ClassUnauthenticated, stdout: codexFailed("unexpected status 401")},
		{name: "model", exit: with(taskComplete(`"model_not_found"`, "x")), class: harness.ClassModelUnavailable, stdout: codexFailed("x")},
		{name: "overloaded", exit: with(taskComplete(`"server_overloaded"`, "x")), class: harness.ClassOverloaded, stdout: codexFailed("x")},
		{name: "server error", exit: with(taskComplete(`"internal_server_error"`, "x")), class: harness.ClassOutage, stdout: codexFailed("x")},
		{name: "context", exit: with(taskComplete(`"context_window_exceeded"`, "x")), class: harness.ClassContextOverflow, stdout: codexFailed("x")},
		{name: "other", exit: with(taskComplete(`"other"`, "x")), class: harness.ClassFailed, message: "boom", stdout: codexFailed("boom")},
		{name: "cut stream", exit: one, class: harness.ClassOutage, stdout: codexFailed("stream disconnected before completion: eof")},
		{name: "too large", exit: one, class: harness.ClassContextOverflow, stderr: "Error: input_too_large\n"},
		{name: "unknown session", exit: one, class: harness.ClassFailed, message: "no rollout found", stderr: "Error: no rollout found for thread id t-9\n"},
		{name: "killed", exit: harness.Exit{Code: 137, Signal: "KILL"}, class: harness.ClassFailed, message: "signal KILL", stdout: codexStart},
		{
			name: "interrupted", exit: with(rollout(`{"type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}`)),
			class: harness.ClassFailed, message: "interrupted", stdout: codexStart,
		},
		{name: "bad flag", exit: harness.Exit{Code: 2}, class: harness.ClassFailed, message: "unexpected argument", stderr: "error: unexpected argument '--bad'\n"},
		{name: "a command printed the words", class: "", stdout: codexWork},
	})
}

// Pins HAR-3.
func TestCodex_TakesTheResetFromTheRollout(t *testing.T) {
	t.Parallel()
	files := rollout(`{"type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{"primary":{"used_percent":40,"resets_at":1796000000},"secondary":{"used_percent":100.0,"resets_at":1796100000}}}}
{"type":"event_msg","payload":{"type":"task_complete","error":{"message":"You've hit your usage limit.","codex_error_info":"usage_limit_exceeded"}}}`)
	got := play(t, "codex", job(), codexFailed("You've hit your usage limit."), "", harness.Exit{Code: 1, Files: files})
	if want := at(t, "2026-12-01T04:40:00Z"); got.class() != harness.ClassUsageLimited || !got.result.Failure.ResetAt.Equal(want) {
		t.Errorf("failure %+v, want a usage limit until %v: the window that is used up", got.result.Failure, want)
	}
}

// Offline it reconnects for ever: nothing ends by itself, and when board ends it the network is to blame, not the work.
func TestCodex_WaitingForTheNetworkIsARetry(t *testing.T) {
	t.Parallel()
	got := play(t, "codex", job(), codexStart+`{"type":"error","message":"Reconnecting... 2/5 (stream disconnected before completion: x)"}
{"type":"error","message":"Reconnecting... waiting for network (x)"}
`, "", harness.Exit{Code: 143, Signal: "TERM", Stop: true})
	if len(got.of(harness.EventRetrying)) != 2 || len(got.of(harness.EventError)) != 0 {
		t.Fatalf("events %+v", got.events)
	}
	for _, e := range got.events {
		if e.Kind == harness.EventRetrying && e.Progress() {
			t.Error("a retry counts as progress")
		}
	}
	if got.class() != harness.ClassOutage || got.result.Retrying == "" {
		t.Errorf("class %q, retrying %q", got.class(), got.result.Retrying)
	}
}

func TestCodex_LaunchLines(t *testing.T) {
	t.Parallel()
	checkLaunch(t, "codex", []launch{
		{
			name: "coder", edit: func(j *harness.Job) { j.Model, j.Effort = "M", "high" },
			want: `codex exec --json --skip-git-repo-check -C /work/tree -m M -c model_reasoning_effort="high" -c analytics.enabled=false -c allow_login_shell=false -s workspace-write --add-dir /sessions/3/outbox -`,
		},
		{
			name: "reviewer, resumed", edit: func(j *harness.Job) { j.Permissions, j.Resume = harness.PermissionRead, "t-1" },
			want: `codex exec --json --skip-git-repo-check -C /work/tree -c analytics.enabled=false -c allow_login_shell=false -c sandbox_mode="read-only" -c default_permissions="board" -c permissions.board={filesystem={":root"="read","/sessions/3/outbox"="write"}} resume t-1 -`,
		},
		{
			name: "full", edit: func(j *harness.Job) { j.Permissions, j.Flags = harness.PermissionFull, map[string]string{"c": "a=1"} },
			want: `codex exec --json --skip-git-repo-check -C /work/tree -c analytics.enabled=false -c allow_login_shell=false -c a=1 --dangerously-bypass-approvals-and-sandbox -`,
		},
		{
			name: "pane", edit: func(j *harness.Job) { j.Interactive, j.Resume = true, "t-1" },
			want: `codex -C /work/tree -c analytics.enabled=false -c allow_login_shell=false -s workspace-write --add-dir /sessions/3/outbox resume t-1`,
		},
	})
}
