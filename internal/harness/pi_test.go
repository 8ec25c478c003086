package harness_test

import (
	"testing"

	"github.com/seed-2ddc2152/board/internal/harness"
)

const piStart = `{"type":"session","id":"p-1","cwd":"/work/tree"}
{"type":"agent_start"}
{"type":"turn_start"}
{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"go"}]}}
`

func piMessage(text, stop, fault string) string {
	return `{"type":"message_end","message":{"role":"assistant","provider":"mock","model":"mock-model","content":[{"type":"text","text":"` + text +
		`"}],"usage":{"input":10,"output":5,"cacheRead":2,"cacheWrite":1,"cost":{"total":0.001}},"stopReason":"` + stop + `","errorMessage":"` + fault + `"}}
`
}

func TestPi_ReadsAWholeRun(t *testing.T) {
	t.Parallel()
	got := play(t, "pi", job(), piStart+piMessage("Working.", "toolUse", "")+`{"type":"tool_execution_start","toolName":"write"}
`+piMessage(`Done.\nBOARD: done`, "stop", "")+`{"type":"agent_end"}
{"type":"agent_settled","aborted":false}
`, "", harness.Exit{})
	r := got.result
	if r.Failure != nil || r.Session != "p-1" || r.Model != "mock-model" || r.Turns != 2 || r.Verdict != harness.VerdictDone {
		t.Fatalf("result %+v", r)
	}
	if want := (harness.Usage{In: 22, Out: 10, Cached: 4, CostMicros: 2000}); r.Usage != want {
		t.Errorf("usage %+v, want %+v", r.Usage, want)
	}
}

// Every failed call ends with exit code 0 (facts, section 0).
// Pins HAR-2.
func TestPi_FailuresWithExitZeroAreFound(t *testing.T) {
	t.Parallel()
	failed := func(fault string) string { return piStart + piMessage("", "error", fault) }
	checkEndings(t, "pi", []ending{
		{name: "limit", class: harness.ClassUsageLimited, stdout: failed("The usage limit has been reached")},
		{name: "429", class: harness.ClassRateLimited, stdout: failed(`429 {\"error\":{\"message\":\"slow\"}}`)},
		{name: "no money", class: harness.ClassQuota, stdout: failed(`429 {\"error\":{\"message\":\"You exceeded your current quota, please check your plan and billing details.\",\"type\":\"insufficient_quota\"}}`)},
		{name: "401", class: harness.ClassUnauthenticated, stdout: failed(`401 {\"error\":{\"message\":\"bad key\",\"type\":\"authentication_error\"}}`)},
		{name: "529", class: harness.ClassOverloaded, stdout: failed(`529 {\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}`)},
		{name: "other", class: harness.ClassFailed, message: "odd", stdout: failed("odd")},
		{name: "recovered", class: "", stdout: failed("529 {}") + piMessage("fine", "stop", "")},
		{name: "no key", exit: harness.Exit{Code: 1}, class: harness.ClassUnauthenticated, stderr: "No API key found for the selected model.\n"},
		{name: "no answer", class: harness.ClassFailed, message: "without an answer", stdout: piStart},
	})
}

func TestPi_TellsOfItsRetries(t *testing.T) {
	t.Parallel()
	const retry = `{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"529 {\"error\":{\"type\":\"overloaded_error\"}}"}
`
	got := play(t, "pi", job(), piStart+retry, "", harness.Exit{Stop: true, Code: 143})
	if len(got.of(harness.EventRetrying)) != 1 || got.class() != harness.ClassOverloaded {
		t.Errorf("events %+v, class %q", got.events, got.class())
	}
	got = play(t, "pi", job(), piStart+retry+`{"type":"auto_retry_end","success":true}`+"\n"+piMessage("ok", "stop", ""), "", harness.Exit{})
	if got.result.Retrying != "" || got.class() != "" {
		t.Errorf("after it got on: retrying %q, class %q", got.result.Retrying, got.class())
	}
}

func TestPi_LaunchLines(t *testing.T) {
	t.Parallel()
	checkLaunch(t, "pi", []launch{
		{
			name: "coder", edit: func(j *harness.Job) { j.Model, j.Effort = "P/M", "max" },
			want: "pi --mode json -p --session-id " + job().NewSession + " --model P/M --thinking max --approve",
		},
		{
			name: "reviewer, resumed", edit: func(j *harness.Job) { j.Permissions, j.Resume = harness.PermissionRead, "p-1" },
			want: "pi --mode json -p --session p-1 --tools read,grep,find,ls",
		},
	})
}
