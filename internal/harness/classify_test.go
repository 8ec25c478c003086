package harness_test

import (
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// noon is when every message of the tables arrives: Sunday 29 November 2026, 12:00 in New York, the local zone.
func noon(t *testing.T) time.Time {
	t.Helper()
	return time.Date(2026, 11, 29, 12, 0, 0, 0, zone(t, "America/New_York"))
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// at reads a reset time of a table; "" is the zero time.
func at(t *testing.T, text string) time.Time {
	t.Helper()
	if text == "" {
		return time.Time{}
	}
	got, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Every line of section 4 of the facts, by its number there.
// Pins HAR-2.
func TestClassify_ReadsEveryKnownMessage(t *testing.T) {
	t.Parallel()
	const (
		limit, rate, quota = harness.ClassUsageLimited, harness.ClassRateLimited, harness.ClassQuota
		auth, model        = harness.ClassUnauthenticated, harness.ClassModelUnavailable
		overload, net      = harness.ClassOverloaded, harness.ClassOutage
		context            = harness.ClassContextOverflow
	)
	tests := []struct {
		number   string
		text     string
		class    harness.Class
		reset    string // RFC 3339
		retrying bool
		oneModel bool
	}{
		{"1", "Claude AI usage limit reached|1749924000", limit, "2025-06-14T18:00:00Z", false, false},
		{"2", "Claude AI usage limit reached|1760004000", limit, "2025-10-09T10:00:00Z", false, false},
		{"3", "Claude usage limit reached. Your limit will reset at 9am (America/Chicago).", limit, "2026-11-30T09:00:00-06:00", false, false},
		{"4", "5-hour limit reached ∙ resets 5am", limit, "2026-11-30T05:00:00-05:00", false, false},
		{"6", "Session limit reached ∙ resets 8pm", limit, "2026-11-29T20:00:00-05:00", false, false},
		{"7", "Weekly limit reached · resets Dec 2, 7pm (Europe/Moscow) ·", limit, "2026-12-02T19:00:00+03:00", false, false},
		{"8", "Opus weekly limit reached ∙ resets Oct 31, 9am", limit, "2027-10-31T09:00:00-04:00", false, true},
		{"10", "You've hit your session limit · resets 12:50am (America/Los_Angeles)", limit, "2026-11-30T00:50:00-08:00", false, false},
		{"11", "You've hit your weekly limit · resets Jul 31, 2am (UTC)", limit, "2027-07-31T02:00:00Z", false, false},
		{"12", "You've hit your 5-hour limit · resets 6:23pm (UTC)", limit, "2026-11-29T18:23:00Z", false, false},
		{"13", "You're out of extra usage · resets Feb 4, 8pm (Europe/Budapest)", limit, "2027-02-04T20:00:00+01:00", false, false},
		{"15 first line", "⚠ Usage limit reached · limit resets 6:57pm", limit, "2026-11-29T18:57:00-05:00", false, false},
		{"15 second line", "Continuing automatically at 6:57pm · Esc to cancel", limit, "2026-11-29T18:57:00-05:00", true, false},
		{"16", "Credit balance is too low", quota, "", false, false},
		{"18", `API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"OAuth token has expired. Please obtain a new token or refresh your existing token."},"request_id":"r"} · Please run /login`, auth, "", false, false},
		{"20", "Invalid API key · Fix external API key", auth, "", false, false},
		{"21", "Not logged in · Please run /login", auth, "", false, false},
		{"22", "Failed to authenticate. API Error: 403 Your API key does not have permission to use this", auth, "", false, false},
		{"23", "There's an issue with the selected model (claude-haiku-4-5-20251001). It may not exist or you may not have access to it. Run /model to pick a different model.", model, "", false, false},
		{"23 headless", "There's an issue with the selected model (m). It may not exist or you may not have access to it. Run --model to pick a different model.", model, "", false, false},
		{"24", `API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded`, overload, "", false, false},
		{"25", `API Error (529 {"type":"error","error":{"type":"overloaded_error"}}) · Retrying in 4 seconds… (attempt 4/10)`, overload, "", true, false},
		{"26", "API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment. If it persists, check", overload, "", false, false},
		{"27", "API Error: Repeated 529 Overloaded errors. The API is at capacity — this is usually temporary.", overload, "", false, false},
		{"28", "API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited", rate, "", false, false},
		{"29", "API Error: Request rejected (429) · This request would exceed your organization's rate limit of 50 requests per minute", rate, "", false, false},
		{"30", "✻ 429 This request would exceed your organization's rate limit of 50 requests · retrying in 1s · attempt 3/10", rate, "2026-11-29T12:00:01-05:00", true, false},
		{"31", "Prompt is too long · the request is ~250000 tokens (limit 200000)", context, "", false, false},
		{"33", "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 2 days 17 hours 14 minutes.", limit, "2026-12-02T05:14:00-05:00", false, false},
		{"34", "You've hit your usage limit. To get more access now, send a request to your admin or try again at 12:16 PM.", limit, "2026-11-29T12:16:00-05:00", false, false},
		{"36", "You’ve hit your usage limit. Upgrade to Pro (https://x), visit https://y or try again at 6:30 PM.", limit, "2026-11-29T18:30:00-05:00", false, false},
		{"37", `{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_at":1796000000,"resets_in_seconds":13872}`, limit, "2026-11-30T00:53:20Z", false, false},
		{"38", "Your workspace is out of credits. Ask your workspace owner to refill in order to continue.", quota, "", false, false},
		{"40", "Quota exceeded. Check your plan and billing details.", quota, "", false, false},
		{"41", "exceeded retry limit, last status: 429 Too Many Requests, request id: c4fc59ca", rate, "", false, false},
		{"43", "Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.", auth, "", false, false},
		{"45", "The 'gpt-5.3-codex' model is not supported when using Codex with a ChatGPT account.", model, "", false, false},
		{"46", "The model `mock-model` does not exist or you do not have access to it.", model, "", false, false},
		{"47", "Selected model is at capacity. Please try a different model.", overload, "", false, false},
		{"48", "We’re currently experiencing high demand, which may cause temporary errors.", overload, "", false, false},
		{"49", "stream disconnected before completion: An error occurred while processing your request. You can retry", net, "", false, false},
		{"51", "Reconnecting... 2/5 (stream disconnected before completion: error sending request)", net, "", true, false},
		{"51 no network", "Reconnecting... waiting for network (error sending request for url)", net, "", true, false},
		{"52", "Codex ran out of room in the model's context window. Start a new thread or clear earlier history", context, "", false, false},
		{"53", "[API Error: You have exhausted your daily quota on this model.]", limit, "", false, true},
		{"54", "You have exhausted your capacity on this model. Your quota will reset after 8h44m7s.", limit, "2026-11-29T20:44:07-05:00", false, true},
		{"55", "Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 5s.. Retrying after 6173ms...", rate, "2026-11-29T12:00:05-05:00", true, false},
		{"58", "No capacity available for model gemini-3-flash-preview on the server", overload, "", false, false},
		{"59", "Resource has been exhausted (e.g. check quota). RESOURCE_EXHAUSTED", rate, "", false, false},
		{"60", "Free usage exceeded, subscribe to Go [retrying in 9h …]", limit, "2026-11-29T21:00:00-05:00", true, false},
		{"61", "retrying in 6h16m - attempt #1", limit, "2026-11-29T18:16:00-05:00", true, false},
		{"63", "Error from provider (Console): Upstream request failed: [permission_error] API access paused for this organization.", auth, "", false, false},
		{"64", "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 2 hours. Please review our Terms", limit, "2026-11-29T14:00:00-05:00", false, false},
		{"65", `402 {"error":{"message":"You have no quota","code":"quota_exceeded"}}`, quota, "", false, false},
		{"68", "Authentication failed with provider at http://127.0.0.1:1 (HTTP 401).", auth, "", false, false},
		{"68 second", "Error: No authentication information found.", auth, "", false, false},
		{"70", "The free quota has been exhausted. To continue accessing the model on a paid basis, complete", quota, "", false, false},
		{"71", "Error: You've hit your usage limit\nGet Cursor Pro for more Agent usage, unlimited Tab, and more.\nYour usage limits will reset when your monthly cycle ends on 12/17/2026.", limit, "2026-12-17T00:00:00-05:00", false, false},
		{"72", "Out of Credits", quota, "", false, false},
		{"73", "Ran into this error: Rate limit exceeded: This request would exceed your organization's rate limit of 30,000 input tokens per minute", rate, "", false, false},
		{"74", "litellm.RateLimitError: VertexAIException - {\"error\": {\"code\": 429, \"status\": \"RESOURCE_EXHAUSTED\"}}", rate, "", false, false},

		// Section 1, "Unauthenticated headless run".
		{"gemini", "Please set an Auth method in your /h/.gemini/settings.json or specify one of the following environment variables before running: GEMINI_API_KEY", auth, "", false, false},
		{"pi", "No API key found for the selected model.", auth, "", false, false},
		{"qwen", "No auth type is selected. Please configure an auth type (e.g. via settings or `--auth-type`) before running in non-interactive mode.", auth, "", false, false},
		{"codex, no key", "Missing environment variable: `OPENAI_API_KEY`.", auth, "", false, false},
		{"opencode, overloaded", "Our servers are currently overloaded. Please try again later.", overload, "", false, false},
		{"opencode, cut short", "Cannot connect to API: The socket connection was closed unexpectedly.", net, "", false, false},
		{"opencode, cut", "Connection reset by server", net, "", false, false},
		{"qwen, no key", "Missing API key for OpenAI-compatible auth. Set settings.security.auth.apiKey, or set the 'OPENAI_API_KEY' environment variable.", auth, "", false, false},
		{"gemini, silent retries", "Attempt 3 failed with status 503. Retrying with backoff... _ApiError: {\"error\":{\"code\":503,\"message\":\"The model is overloaded.\"}}", overload, "", true, false},
		{"gemini, cut", "[API Error: terminated]", net, "", false, false},
		{"qwen, cut", "[API Error: terminated (cause: UND_ERR_SOCKET: other side closed)]", net, "", false, false},
		{"copilot, retried", "Failed to get response from the AI model; retried 5 times (total retry wait time: 52.32 seconds) Last error: 429 The usage limit has been reached", limit, "", false, false},
		{"copilot, no money", "Failed to get response from the AI model; retried 5 times (total retry wait time: 5 seconds) Last error: 429 You exceeded your current quota, please check your plan and billing details.", quota, "", false, false},
		{"copilot, cut", "Failed to get response from the AI model; retried 5 times (total retry wait time: 5.00 seconds) Last error: Failed native model HTTP request: error decoding response body: unexpected EOF", net, "", false, false},
		{"copilot, too long", "The provider rejected the prompt as too long, but automatic recovery could not reduce it. Reduce context before retrying.", context, "", false, false},
		{"copilot, its own budget", "Request exceeds the model's prompt budget after reserving output (379081 tokens; limit 128000). Reduce context or compact before continuing.", context, "", false, false},
		{"qwen, its own budget", "[API Error: Context is too large to send safely after automatic compression. Estimated prompt tokens: 263499; hard limit: 177000; compression status: NOOP.]", context, "", false, false},
		{"copilot, retrying", "API error: 429 · retrying", rate, "", false, false},
		{"qwen status", "[API Error: 401 Incorrect API key provided]", auth, "", false, false},
		{"codex", "unexpected status 401 Unauthorized: Missing bearer or basic authentication in header, url: http://x/responses", auth, "", false, false},
		{"codex 403", "unexpected status 403 Forbidden: You are not allowed to sample from this model", auth, "", false, false},
		{"gemini's minute", "You exceeded your current quota, please check your plan and billing details. Please retry in 2s.", rate, "2026-11-29T12:00:02-05:00", false, false},
		{"pi, cut", "terminated: other side closed (UND_ERR_SOCKET)", net, "", false, false},
		{"node, refused", "connect ECONNREFUSED 127.0.0.1:8199", net, "", false, false},
		{"copilot", "Model 'mock-model' not found on provider at http://127.0.0.1:1/v1 (HTTP 404).", model, "", false, false},
		{"amp", "No API key found. Starting login flow...", auth, "", false, false},

		// A quota with no word about money and no time is a limit without a reset.
		{"plain quota", "Your daily quota exceeded", limit, "", false, false},
		{"overflow inside a provider's error", `API Error: 500 {"error":{"type":"server_error","message":"This model's maximum context length is 128000 tokens"}}`, context, "", false, false},
		{"coloured", "\x1b[31mNot logged in\x1b[0m · Please run /login", auth, "", false, false},
		{"wrapped", "You've hit your usage\n  limit. Upgrade or try again at\n  6:30 PM.", limit, "2026-11-29T18:30:00-05:00", false, false},
	}
	for _, test := range tests {
		t.Run(test.number, func(t *testing.T) {
			t.Parallel()
			got := harness.Classify(test.text, noon(t))
			if got.Class != test.class || got.Retrying != test.retrying || got.OneModel != test.oneModel {
				t.Errorf("Classify(%q) = class %q, retrying %v, one model %v; want %q, %v, %v", test.text, got.Class, got.Retrying,
					got.OneModel, test.class, test.retrying, test.oneModel)
			}
			if want := at(t, test.reset); !got.ResetAt.Equal(want) {
				t.Errorf("Classify(%q) resets at %v, want %v", test.text, got.ResetAt, want)
			}
			if got.Warning {
				t.Errorf("Classify(%q) is a warning", test.text)
			}
		})
	}
}

// Messages that only warn end nothing (facts, 32 and 67).
func TestClassify_KeepsWarningsApart(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Approaching 5-hour limit",
		"Approaching rate limits",
		"Approaching usage limit · resets at 7pm",
		"Approaching Opus weekly limit",
		"You have exceeded your premium request allowance. We have automatically switched you to GPT-4.1 which is included",
	} {
		if got := harness.Classify(text, noon(t)); got.Class != "" || !got.Warning {
			t.Errorf("Classify(%q) = %+v, want a warning without a class", text, got)
		}
	}
}

// Prose, code and tool output that quote the messages are not the messages (HAR-2).
func TestClassify_LeavesLookAlikesAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"",
		"   \n\t",
		"I added a test for the text \"Claude AI usage limit reached|1749924000\".",
		"The function returns an error when the usage limit is reached.",
		"Usage limit reached errors are handled by the retry loop.",
		"usage limits will reset every month, says the README",
		"+\treturn errors.New(\"You've hit your usage limit.\")",
		"-\tcase \"5-hour limit reached\":",
		"+ You've hit your session limit · resets 12:50am",
		"> Weekly limit reached · resets Dec 2, 7pm",
		"    classify_test.go:41: Classify(\"Credit balance is too low\") = quota",
		"--- FAIL: TestQuota (0.00s): Quota exceeded. Check your plan and billing details.",
		"ok  \tgithub.com/x/ratelimit\t0.412s",
		"PASS: rate limit exceeded is reported",
		"# Rate limit exceeded",
		"// Overloaded is returned when the server answers 529",
		"`Overloaded`",
		"- Not logged in: redirect to /login",
		"if not logged in, the page redirects",
		"HTTP 401 is returned by the handler when the API key is wrong",
		"401 tests passed, 0 failed",
		"429 files changed, 12 insertions(+)",
		"500 lines of output were left out",
		"503",
		"Line 529: overloaded operator",
		"The overloaded operator + is defined twice",
		"overloaded_test.go: undefined: Overload",
		"The prompt is too long to read in one go, so I split it.",
		"Prompt is too long for one screen",
		"The context window of the terminal is 80 columns",
		"model not found in the registry of cars",
		"The model does not exist in the database migration",
		"I could not find the model `User` does not exist message",
		"Authentication failed tests were added",
		"The stream disconnected before completion in my test, so I fixed the reader.",
		"Reconnecting the wires of the module",
		"retry in 5 minutes is what the docs say",
		"It resets 3pm every day",
		"The quota test now passes",
		"quota exceeded_at column added",
		"You have no quota table in this schema",
		"Your credit balance is shown on the page",
		"out of credits screen redesigned",
		"Tool output: Error: You've hit your usage limit",
		"grep: src/limits.go: You've hit your usage limit",
		"src/errors.ts:12:  'API Error: 529 Overloaded'",
		"He wrote: \"API Error: 401\"",
		"{\"text\":\"You've hit your usage limit\"}",
		"{\"ok\":true,\"note\":\"rate limit exceeded\"}",
		"Continuing automatically with the next step",
		"Session limits are documented in docs/limits.md",
		"Your session limit reached page needs a title",
		"Selected model is displayed at the top",
		"We're currently experiencing a bug in the parser",
		"Invalid API keys are rejected with 401",
		"No API key is needed for this test",
		"capacity available for model X: 3",
		"Approaching the limit of what regexes can do",
		"This request would exceed the budget",
		"exceeded retry limit in the loop of worker.go",
		"npm ERR! 404 Not Found",
		"Permission denied (publickey).",
		"You’re out of luck",
	} {
		if got := harness.Classify(text, noon(t)); got.Class != "" || got.Retrying || got.Warning {
			t.Errorf("Classify(%q) = %+v, want nothing", text, got)
		}
	}
}
