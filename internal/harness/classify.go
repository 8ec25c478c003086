package harness

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// shortLimit is the longest wait that counts as a rate limit; a longer one is a plan's limit (HAR-3).
const shortLimit = 2 * time.Minute

// Finding is what a line of a CLI's error channel means.
type Finding struct {
	Class      Class         // "" means the line says nothing of a failure
	Retrying   bool          // the CLI is still trying: nothing has ended
	Warning    bool          // worth showing, ends nothing
	ResetAt    time.Time     // zero when not told
	RetryAfter time.Duration // 0 when not told
	OneModel   bool          // the limit of one model, not of the account
}

// The patterns hold at the start of a message, after prefixes that only a CLI writes are taken off: a sentence that
// merely mentions a limit does not begin with the message itself. Numbers in the comments are lines of section 4 of the
// facts.
var (
	// 32, 67.
	reWarning = lazily(`(?i)^approaching (?:(?:\d+-hour|opus|sonnet|haiku|session|weekly|usage|rate) ){1,2}limits?\b|` +
		`^you have exceeded your premium request allowance\. we have automatically switched you`)

	// 28, 29, 30, 41, 59, 64, 73, 74. A long wait turns 64 into a plan's limit.
	reRate = lazily(`(?i)^server is temporarily limiting requests|` +
		`^(?:request rejected \(429\) · )?this request would exceed your (?:organization|account)'s rate limit|` +
		`^exceeded retry limit, last status: 429|` +
		`^resource has been exhausted \(e\.g\. check quota\)|` +
		`^sorry, you've hit a rate limit|` +
		`^rate limit (?:exceeded|reached)(?:$|[.:,;]| for )|` +
		`^(?:too many requests|rate_limit_error|rate_limit_exceeded|resource_exhausted)(?:$|[.:,;])|` +
		`^litellm\.ratelimiterror:`)

	// 1-4, 6-8, 10-13, 15, 33-37, 53, 54, 60, 71.
	reLimit = lazily(`(?i)^(?:claude (?:ai )?)?usage limit reached(?:$| ?[|·.])|` +
		`^(?:opus |sonnet |haiku )?(?:\d+-hour|session|daily|weekly|monthly) limit reached(?:$| ?[|·.])|` +
		`^you've hit your (?:[\w-]+ ){0,2}limit(?:$| ?[|·.]| get cursor)|` +
		`^you(?:'re| are) out of extra usage(?:$| ?[·.])|` +
		`^continuing automatically at \d|` +
		`^the usage limit has been reached|` +
		`^you have exhausted your (?:daily quota|capacity) on this model|` +
		`^free usage exceeded\b|` +
		`^usage_limit_(?:reached|exceeded)(?:$|[.:,;])`)

	// 16, 38, 40, 65, 70, 72.
	reQuota = lazily(`(?i)^(?:your )?credit balance is too low|` +
		`^your workspace is out of credits|` +
		`^(?:you exceeded your current quota, please|quota exceeded\.) check your plan and billing|` +
		`^you have no quota(?:$|[.:,;])|` +
		`^the free quota has been exhausted|` +
		`^out of credits(?:$|[.:,;])|` +
		`^(?:insufficient_quota|quota_exceeded|billing_error|insufficient credits|insufficient balance)(?:$|[.:,;])`)

	// A quota without a word about money passes by itself.
	rePlainQuota = lazily(`(?i)^(?:your |the |daily |monthly |api )*quota (?:has been |was |is )?` +
		`(?:exceeded|exhausted|reached)(?:$|[.:,;])`)

	// 18, 20-22, 43, 63, 68, and section 1, "Unauthenticated headless run".
	reAuth = lazily(`(?i)^not logged in(?:$| ?[·.])|` +
		`^(?:invalid api key|incorrect api key|api key not valid|invalid authentication)(?:$| ?[·.:])|` +
		`^incorrect api key provided|` +
		`^oauth token has expired|` +
		`^failed to authenticate\.|` +
		`^your access token could not be refreshed|` +
		`^authentication failed with provider\b|` +
		`^no authentication information found|` +
		`^no api key found(?:$|\.| for )|` +
		`^no auth type is selected|` +
		`^missing api key for \S+ auth\.|` +
		"^missing environment variable: `|" +
		`^please set an auth method\b|` +
		`^\[permission_error\] api access paused|` +
		`^api request for getuserinfo failed: 40[13]|` +
		`^(?:authentication_error|permission_error|invalid_api_key|api_key_invalid|unauthenticated)(?:$|[.:,;])`)

	// 23, 45, 46. The first of them counts anywhere in an error: it is a sentence of one CLI alone.
	reModel = lazily(`(?i)\bissue with the selected model\b|` +
		"^the '[^']+' model is not supported when using codex|" +
		"^the model [`'\"][^`'\"]+[`'\"] does not exist|" +
		`^models/\S+ is not found|` +
		`^model '[^']+' not found on provider|` +
		`^(?:requested entity was not found|model not found|model_not_found|providermodelnotfounderror)(?:$|[.:,;])`)

	// 24, 26, 27, 47, 48, 58.
	reOverload = lazily(`(?i)^overloaded(?:$|\.|_error)|` +
		`^repeated 529 overloaded errors|` +
		`^selected model is at capacity|` +
		`^(?:our servers are|the server is|the engine is) currently overloaded\b|` +
		`^we're currently experiencing high demand|` +
		`^no capacity available for model\b|` +
		`^the model is overloaded|` +
		`^(?:server_overloaded|service unavailable)(?:$|[.:,;])`)

	// 49, 51.
	reNet = lazily(`(?i)^stream disconnected before completion|` +
		`^model stream ended without a finish reason|` +
		`^reconnecting\.\.\.|` +
		`^(?:unable to connect|connection error|connection refused|connection reset|fetch failed|connection_failed)(?:$|[ .:,;])|` +
		`^error sending request for url|` +
		`^cannot connect to api: |` +
		`^terminated(?:$|\]|: other side closed| \(cause: und_err_)|` +
		`^failed native model http request: error|` +
		`^(?:connect econnrefused|getaddrinfo (?:enotfound|eai_again)|read econnreset|connect etimedout|socket hang up)\b|` +
		`^(?:internal server error|internal_server_error|bad gateway|gateway timeout)(?:$|[.:,;])`)

	// 31, 52.
	reContext = lazily(`(?i)^prompt is too long(?:$| ?[·:.])|` +
		`^the provider rejected the prompt as too long|` +
		`^request exceeds the model's prompt budget|` +
		`^context is too large to send|` +
		`^codex ran out of room in the model's context window|` +
		`^(?:context_length_exceeded|contextoverflowerror|input_too_large|context_window_exceeded|prompt_too_long)(?:$|[.:,;])|` +
		`\bmaximum context length is \d|` +
		`\binput token count \(?\d+\)? exceeds the maximum|` +
		`\bcontext window (?:was |is )?exceeded\b|` +
		`\binput exceeds the context window\b`)

	// 25, 30, 51, 55, 60, 61.
	reTrying = lazily(`(?i)\bretrying (?:in|after) \d|^\W*reconnecting\.\.\.|^\W*continuing automatically at \d|` +
		`\battempt \d+ failed(?: with status \d+)?[:.].*\bretrying\b`)

	// A bare note of a retry says how long the provider wants to be left alone, and no more.
	reBareRetry = lazily(`(?i)^retrying in \d`)

	reOneModel = lazily(`(?i)^(?:opus|sonnet|haiku) \S+ limit|^you've hit your (?:opus|sonnet|haiku)\b|on this model\b`)

	// rePrefix takes off what CLIs write before a message: marks, "Error:", "API Error: 529", "[API Error:", "Attempt 1 failed:".
	rePrefix = lazily(`(?i)^(?:[\s⚠✻✽✢✶✳●■✗✘×⎿·]+|(?:fatal )?error: ?|\[?api error:? ?\(?|ran into this error: |` +
		`attempt \d+ failed(?:[:.] ?| with status )|failed to get response from the ai model; retried .*? last error: |error from provider \([^)]*\): |upstream request failed: |` +
		`failed to authenticate\. (?:api error: )|(?:http |unexpected status )?([45]\d\d)\b[ :)]*)`)

	reErrorField = lazily(`"(type|code|message)"\s*:\s*"((?:[^"\\]|\\.)*)"`)
)

// Classify reads text from the error channel of a CLI: an error field, its own error line, or its stderr; never the agent's
// words (HAR-2). Times without a zone are read in now's location. An unknown text gives the zero Finding.
func Classify(text string, now time.Time) Finding {
	whole := normalise(text)
	core, status := unwrap(whole)
	if reWarning.MatchString(core) {
		return Finding{Warning: true}
	}
	found := Finding{Retrying: reTrying.MatchString(whole), Class: classOf(core)}
	if found.Class == "" {
		found.Class = classOfBody(core)
	}
	if found.Class == "" && status != 0 && saysStatus(whole, core) {
		found.Class = classOfStatus(status)
	}
	if found.Class == "" && !reBareRetry.MatchString(core) {
		return found
	}
	found.OneModel = found.Class == ClassUsageLimited && reOneModel.MatchString(core)
	return found.timed(whole, now)
}

// timed adds the reset time and lets its distance decide between a rate limit and a plan's limit. A quota that passes by
// itself is one of them too, whatever it says about billing.
func (f Finding) timed(text string, now time.Time) Finding {
	passes := []Class{"", ClassRateLimited, ClassUsageLimited, ClassQuota}
	if reset, ok := ResetTime(text, now); ok && slices.Contains(passes, f.Class) {
		return f.until(reset, now)
	}
	return f
}

// until sets the reset time. One that lies behind now is kept as the CLI said it: the caller's cooldown takes its place.
func (f Finding) until(reset, now time.Time) Finding {
	f.ResetAt = reset
	wait := reset.Sub(now)
	switch {
	case wait > shortLimit:
		f.Class = ClassUsageLimited
	case wait > 0 && f.Class != "":
		f.Class, f.OneModel, f.RetryAfter = ClassRateLimited, false, wait
	}
	return f
}

// classOf looks at the start of one message. The order is that of ROS-7, with what would be mistaken for another first:
// an overflow inside a provider's error is no outage, and "not your usage limit" is none.
func classOf(core string) Class {
	switch {
	case reModel.MatchString(core):
		return ClassModelUnavailable
	case reContext.MatchString(core):
		return ClassContextOverflow
	case reQuota.MatchString(core):
		return ClassQuota
	case reRate.MatchString(core):
		return ClassRateLimited
	case reLimit.MatchString(core), rePlainQuota.MatchString(core):
		return ClassUsageLimited
	case reAuth.MatchString(core):
		return ClassUnauthenticated
	case reOverload.MatchString(core):
		return ClassOverloaded
	case reNet.MatchString(core):
		return ClassOutage
	}
	return ""
}

// classOfBody looks into the JSON of a provider's error that a CLI prints whole, cut or not. Its message says more than
// its type: a limit and an empty purse share types with other things.
func classOfBody(core string) Class {
	if !strings.HasPrefix(core, "{") {
		return ""
	}
	var typed Class
	for _, m := range reErrorField.FindAllStringSubmatch(core, -1) {
		class := classOf(m[2])
		if class != "" && m[1] == "message" {
			return class
		}
		if typed == "" {
			typed = class
		}
	}
	return typed
}

// unwrap takes the prefixes off and gives the HTTP status that one of them named; 0 for none.
func unwrap(text string) (core string, status int) {
	core = text
	for range 8 {
		if reAuth.MatchString(core) || reRate.MatchString(core) {
			return core, status
		}
		m := rePrefix.FindStringSubmatchIndex(core)
		if m == nil || m[1] == 0 {
			break
		}
		if m[2] >= 0 {
			status, _ = strconv.Atoi(core[m[2]:m[3]])
		}
		core = core[m[1]:]
	}
	return core, status
}

// saysStatus reports whether a number at the start is an HTTP status: a CLI says so, or prints the error's JSON after it.
func saysStatus(whole, core string) bool {
	said := strings.ToLower(whole[:len(whole)-len(core)])
	return strings.HasPrefix(core, "{") || strings.Contains(said, "api error") || strings.Contains(said, "with status") ||
		strings.Contains(said, "unexpected status")
}

// classOfStatus is what an HTTP status alone tells. 400, 404 and 422 are the request's own trouble: their text decides.
func classOfStatus(status int) Class {
	switch {
	case status == 401, status == 403:
		return ClassUnauthenticated
	case status == 402:
		return ClassQuota
	case status == 413:
		return ClassContextOverflow
	case status == 429:
		return ClassRateLimited
	case status == 503, status == 529:
		return ClassOverloaded
	case status == 408, status >= 500 && status < 600:
		return ClassOutage
	}
	return ""
}

// stillTrying reports whether a CLI says that it tries again by itself.
func stillTrying(text string) bool { return reTrying.MatchString(normalise(text)) }
