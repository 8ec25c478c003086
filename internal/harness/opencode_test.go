package harness_test

import (
	"slices"
	"testing"

	"github.com/seed-2ddc2152/board/internal/harness"
)

const opencodeStep = `{"type":"step_start","sessionID":"ses_1","part":{"type":"step-start"}}
`

func opencodeFinish(reason string) string {
	return `{"type":"step_finish","sessionID":"ses_1","part":{"reason":"` + reason + `","cost":0.002,"tokens":{"input":10,"output":4,"reasoning":1,"cache":{"read":3,"write":2}}}}
`
}

func TestOpencode_ReadsAWholeRun(t *testing.T) {
	t.Parallel()
	got := play(t, "opencode", job(), opencodeStep+
		`{"type":"text","sessionID":"ses_1","part":{"text":"First."}}
{"type":"tool_use","sessionID":"ses_1","part":{"tool":"write","state":{"status":"completed"}}}
`+opencodeFinish("tool-calls")+opencodeStep+
		`{"type":"text","sessionID":"ses_1","part":{"text":"All done."}}
{"type":"text","sessionID":"ses_1","part":{"text":"BOARD: done"}}
`+opencodeFinish("stop"), "", harness.Exit{})
	r := got.result
	if r.Failure != nil || r.Session != "ses_1" || r.Turns != 2 || r.Text != "All done.\nBOARD: done" || r.Verdict != harness.VerdictDone {
		t.Fatalf("result %+v", r)
	}
	if want := (harness.Usage{In: 24, Out: 10, Cached: 6, CostMicros: 4000}); r.Usage != want {
		t.Errorf("usage %+v, want %+v", r.Usage, want)
	}
}

// Pins HAR-2.
func TestOpencode_EndingsAreToldApart(t *testing.T) {
	t.Parallel()
	failed := func(name, data string) string {
		return opencodeStep + `{"type":"error","sessionID":"ses_1","error":{"name":"` + name + `","data":{` + data + `}}}` + "\n"
	}
	one := harness.Exit{Code: 1}
	checkEndings(t, "opencode", []ending{
		{name: "context", exit: one, class: harness.ClassContextOverflow, stdout: failed("ContextOverflowError", `"message":"too long"`)},
		{name: "auth", exit: one, class: harness.ClassUnauthenticated, stdout: failed("ProviderAuthError", `"message":"no key"`)},
		{name: "401", exit: one, class: harness.ClassUnauthenticated, stdout: failed("APIError", `"statusCode":401,"message":"Unauthorized"`)},
		{name: "429", exit: one, class: harness.ClassRateLimited, stdout: failed("APIError", `"statusCode":429,"isRetryable":true,"message":"slow down"`)},
		{
			name: "429 of an empty purse", exit: one, class: harness.ClassQuota,
			stdout: failed("APIError", `"statusCode":429,"message":"You exceeded your current quota, please check your plan and billing details."`),
		},
		{name: "529", exit: one, class: harness.ClassOverloaded, stdout: failed("APIError", `"statusCode":529,"message":"x"`)},
		{
			name: "unknown", exit: one, class: harness.ClassFailed, message: "Unexpected server error",
			stdout: failed("UnknownError", `"message":"Unexpected server error. Check server logs for details."`),
		},
		{
			name: "refused permission, exit 0", class: harness.ClassFailed, message: "bash (rm x)",
			stdout: opencodeStep + opencodeFinish("tool-calls"), stderr: "! permission requested: bash (rm x); auto-rejecting\n",
		},
		{name: "exit 0 without a last step", class: harness.ClassFailed, message: "without a last step", stdout: opencodeStep},
		{name: "nothing at all", class: harness.ClassFailed},
		{name: "unknown session", exit: one, class: harness.ClassFailed, message: "Session not found", stderr: "Error: Session not found\n"},
	})
}

// Its log is the only place that tells of retries (measured with 1.18.33).
func TestOpencode_LogLinesTellOfRetries(t *testing.T) {
	t.Parallel()
	line := func(small, fault string) string {
		return `timestamp=2026-11-29T23:06:11.194Z level=ERROR run=1e message="stream error" providerID=mock small=` + small +
			` agent=build mode=primary error.error="` + fault + `"` + "\n"
	}
	got := play(t, "opencode", job(), opencodeStep, line("false", "AI_APICallError: Rate limit reached for m on requests. Please try again in 20s.")+
		line("true", "AI_RetryError: Failed after 3 attempts. Last error: Overloaded"), harness.Exit{Code: 143, Signal: "TERM", Stop: true})
	if !slices.Equal(got.of(harness.EventRetrying), []string{"Rate limit reached for m on requests. Please try again in 20s."}) ||
		got.class() != harness.ClassRateLimited {
		t.Errorf("events %+v, class %q", got.events, got.class())
	}
}

func TestOpencode_LaunchLines(t *testing.T) {
	t.Parallel()
	checkLaunch(t, "opencode", []launch{
		{
			name: "coder", edit: func(j *harness.Job) { j.Model, j.Effort = "P/M", "high" },
			want: "opencode run --format json --print-logs --log-level ERROR -m P/M --variant high --auto",
		},
		{
			name: "reviewer, resumed", edit: func(j *harness.Job) { j.Permissions, j.Resume = harness.PermissionRead, "ses_1" },
			want: "opencode run --format json --print-logs --log-level ERROR -s ses_1 --agent plan",
		},
		{name: "pane", edit: func(j *harness.Job) { j.Interactive = true }, want: "opencode"},
	})
}

// Its own answer that quotes a limit is not one (scenario 46).
// Pins HAR-2.
func TestOpencode_TheAgentsWordsNeverClassify(t *testing.T) {
	t.Parallel()
	got := play(t, "opencode", job(), opencodeStep+
		`{"type":"text","sessionID":"ses_1","part":{"text":"You've hit your usage limit."}}
`+opencodeFinish("stop"), "", harness.Exit{Code: 1})
	if got.class() != harness.ClassFailed || !slices.Equal(got.of(harness.EventText), []string{"You've hit your usage limit."}) {
		t.Errorf("class %q, events %+v", got.class(), got.events)
	}
}
