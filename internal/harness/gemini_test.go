package harness_test

import (
	"slices"
	"testing"

	"github.com/seed-2ddc2152/board/internal/harness"
)

const geminiInit = `{"type":"init","session_id":"g-1","model":"gemini-2.5-pro"}
{"type":"message","role":"user","content":"Attempt the work"}
`

func TestGemini_ReadsAWholeRun(t *testing.T) {
	t.Parallel()
	got := play(t, "gemini", job(), geminiInit+
		`{"type":"message","role":"assistant","content":"I will write.","delta":true}
{"type":"tool_use","tool_name":"write_file","tool_id":"write_file_1"}
{"type":"tool_result","status":"error","tool_id":"write_file_1","error":{"type":"policy_violation"}}
{"type":"message","role":"assistant","content":"All done.\nBOARD","delta":true}
{"type":"message","role":"assistant","content":": done","delta":true}
{"type":"result","status":"success","stats":{"total_tokens":60,"input_tokens":50,"output_tokens":10,"cached":20}}
`, "", harness.Exit{})
	r := got.result
	if r.Failure != nil || r.Session != "g-1" || r.Model != "gemini-2.5-pro" || r.Text != "All done.\nBOARD: done" ||
		r.Verdict != harness.VerdictDone || !slices.Equal(r.Denied, []string{"write_file"}) {
		t.Fatalf("result %+v", r)
	}
	if want := (harness.Usage{In: 30, Out: 10, Cached: 20}); r.Usage != want {
		t.Errorf("usage %+v, want %+v", r.Usage, want)
	}
}

// The exit code is the HTTP status modulo 256; an error inside the answer ends 0.
// Pins HAR-2.
func TestGemini_EndingsAreToldApart(t *testing.T) {
	t.Parallel()
	exit := func(code int) harness.Exit { return harness.Exit{Code: code} }
	failed := func(message string) string {
		return geminiInit + `{"type":"result","status":"error","error":{"message":"` + message + `"}}` + "\n"
	}
	checkEndings(t, "gemini", []ending{
		{name: "error in the answer, exit 0", class: harness.ClassFailed, message: "empty", stdout: failed("Model stream ended with empty response text.")},
		{
			name: "empty answer, error apart", class: harness.ClassFailed, message: "empty response",
			stdout: geminiInit + `{"type":"error","severity":"error","message":"The model returned an empty response with no text or thoughts."}
{"type":"result","status":"error","stats":{}}`,
		},
		{
			name: "broken stream", class: harness.ClassOutage,
			stdout: geminiInit + `{"type":"error","severity":"error","message":"Model stream ended without a finish reason."}
{"type":"result","status":"error","stats":{}}`,
		},
		{name: "429", exit: exit(173), class: harness.ClassRateLimited, stdout: geminiInit},
		{name: "429 of a daily quota", exit: exit(173), class: harness.ClassUsageLimited, stdout: failed("[API Error: You have exhausted your daily quota on this model.]")},
		{
			name: "429, words on stderr", exit: exit(173), class: harness.ClassUsageLimited, stdout: geminiInit,
			stderr: "You have exhausted your capacity on this model. Your quota will reset after 8h44m7s.\n",
		},
		{name: "403", exit: exit(147), class: harness.ClassUnauthenticated, stdout: geminiInit},
		{name: "503", exit: exit(247), class: harness.ClassOverloaded, stdout: geminiInit},
		{name: "500", exit: exit(244), class: harness.ClassOutage, stdout: geminiInit},
		{name: "400 of a key", exit: exit(144), class: harness.ClassUnauthenticated, stderr: "[API Error: API key not valid. Please pass a valid API key.]\n"},
		{name: "404", exit: exit(1), class: harness.ClassModelUnavailable, stdout: failed("[API Error: models/nope is not found for API version v1beta]")},
		{
			name: "not signed in", exit: exit(41), class: harness.ClassUnauthenticated, message: "settings.json",
			stderr: "Please set an Auth method in your /h/.gemini/settings.json or specify one of the following environment variables\n",
		},
		{name: "bad session", exit: exit(42), class: harness.ClassFailed, message: "Invalid session", stderr: "Error resuming session: Invalid session identifier\n"},
		{name: "ended by a signal", exit: harness.Exit{Code: 143, Signal: "TERM"}, class: harness.ClassFailed, message: "TERM", stdout: geminiInit},
	})
}

func TestGemini_AttemptsOnStderrAreRetries(t *testing.T) {
	t.Parallel()
	got := play(t, "gemini", job(), geminiInit,
		"Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 5s.. Retrying after 6173ms...\n",
		harness.Exit{Code: 143, Signal: "TERM", Stop: true})
	if len(got.of(harness.EventRetrying)) != 1 || got.class() != harness.ClassRateLimited {
		t.Errorf("events %+v, class %q", got.events, got.class())
	}
}

// Its report of a try takes two lines, and the second says nothing of the cause (0.61.0).
func TestGemini_AttemptsInTwoLinesAreRetries(t *testing.T) {
	t.Parallel()
	got := play(t, "gemini", job(), geminiInit, `YOLO mode is enabled. All tool calls will be automatically approved.
Attempt 3 failed: You exceeded your current quota, please check your plan and billing details. Please retry in 2s.
Suggested retry after 2s.. Retrying after 21150ms...
`, harness.Exit{Code: 143, Signal: "TERM", Stop: true})
	if len(got.of(harness.EventRetrying)) != 1 || got.class() != harness.ClassRateLimited {
		t.Errorf("events %+v, class %q", got.events, got.class())
	}
}

func TestGemini_LaunchLines(t *testing.T) {
	t.Parallel()
	checkLaunch(t, "gemini", []launch{
		{
			name: "coder", edit: func(j *harness.Job) { j.Model = "M" },
			want: "gemini -o stream-json --skip-trust --approval-mode yolo --session-id " + job().NewSession +
				" -m M --include-directories /sessions/3/outbox",
		},
		{
			name: "reviewer, resumed", edit: func(j *harness.Job) {
				j.Permissions, j.Resume, j.OutboxDir = harness.PermissionRead, "g-1", ""
			},
			want: "gemini -o stream-json --skip-trust --approval-mode plan --resume g-1",
		},
	})
}
