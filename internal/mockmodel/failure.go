package mockmodel

import (
	"strconv"
	"time"
)

// usualReset is how long a used-up plan stays so: long enough to tell from a rate limit, short enough for a day's log.
const usualReset = 2*time.Hour + 5*time.Minute

// reset is how long the scenario's plan stays used up.
func (sc scenario) reset() time.Duration {
	if sc.number < 0 {
		return usualReset
	}
	return time.Duration(sc.number) * time.Second
}

// refusal is an answer with an error status, as the real provider words it.
type refusal struct {
	status int
	header map[string]string
	body   object
}

func failure(sc scenario, c call, now time.Time) refusal {
	var e refusal
	name := sc.name
	if name == "retryafter" {
		name = "ratelimit"
	}
	switch c.protocol {
	case Anthropic:
		e = anthropicFailure(name, c.model, now, sc.reset())
	case Gemini:
		e = geminiFailure(name, c.model)
	case Responses, Chat:
		e = openaiFailure(name, c.model, now, sc.reset())
	}
	if e.header == nil {
		e.header = map[string]string{}
	}
	if sc.name == "retryafter" {
		e.header["Retry-After"] = strconv.Itoa(max(sc.number, 0))
	}
	return e
}

func epoch(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

func anthropicFailure(name, model string, now time.Time, reset time.Duration) refusal {
	say := func(status int, kind, message string) refusal {
		return refusal{status: status, body: object{
			"type": "error", "request_id": "req_mock", "error": object{"type": kind, "message": message},
		}}
	}
	switch name {
	case "ratelimit":
		return say(429, "rate_limit_error", "This request would exceed your organization's rate limit of 50 requests per minute.")
	case "usage":
		e := say(429, "rate_limit_error", "This request would exceed your account's rate limit. Please try again later.")
		e.header = anthropicPlan(now, reset)
		return e
	case "quota":
		return say(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. "+
			"Please go to Plans & Billing to upgrade or purchase credits.")
	case "auth":
		return say(401, "authentication_error", "invalid x-api-key")
	case "forbidden":
		return say(403, "permission_error", "Your API key does not have permission to use the specified resource.")
	case "nomodel":
		return say(404, "not_found_error", "model: "+model)
	case "toolong":
		return say(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum")
	case "overload":
		return say(529, "overloaded_error", "Overloaded")
	}
	return say(500, "api_error", "Internal server error")
}

// anthropicPlan is what a subscription's sign-in gets beside the error: the headers carry the reset time.
func anthropicPlan(now time.Time, reset time.Duration) map[string]string {
	const unified = "Anthropic-Ratelimit-Unified-"
	at := epoch(now.Add(reset))
	return map[string]string{
		unified + "Status": "rejected", unified + "Reset": at, unified + "Representative-Claim": "five_hour",
		unified + "5h-Status": "rejected", unified + "5h-Reset": at, unified + "5h-Utilization": "1",
		unified + "7d-Status": "allowed", unified + "7d-Reset": epoch(now.Add(72 * time.Hour)),
		unified + "7d-Utilization": "0.4", unified + "Fallback": "unavailable", unified + "Overage-Status": "rejected",
		unified + "Overage-Disabled-Reason": "org_level_disabled",
		"Retry-After":                       strconv.Itoa(int(reset / time.Second)), "X-Should-Retry": "false",
	}
}

func openaiFailure(name, model string, now time.Time, reset time.Duration) refusal {
	say := func(status int, kind, code, message string) refusal {
		return refusal{status: status, body: object{
			"error": object{"type": kind, "code": code, "message": message, "param": nil},
		}}
	}
	switch name {
	case "ratelimit":
		return say(429, "requests", "rate_limit_exceeded", "Rate limit reached for "+model+
			" in organization org-mock on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.")
	case "usage":
		return openaiPlan(now, reset)
	case "quota":
		return say(429, "insufficient_quota", "insufficient_quota",
			"You exceeded your current quota, please check your plan and billing details.")
	case "auth":
		return say(401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: mock.")
	case "forbidden":
		return say(403, "invalid_request_error", "forbidden", "You are not allowed to sample from this model")
	case "nomodel":
		return say(404, "invalid_request_error", "model_not_found",
			"The model `"+model+"` does not exist or you do not have access to it.")
	case "toolong":
		return say(400, "invalid_request_error", "context_length_exceeded",
			"Your input exceeds the context window of this model. Please adjust your input and try again.")
	case "overload":
		return say(503, "server_error", "server_is_overloaded", overloaded)
	}
	return say(500, "server_error", "server_error", "The server had an error while processing your request. Sorry about that!")
}

// openaiPlan is what a ChatGPT plan gets from the back end of Codex.
func openaiPlan(now time.Time, reset time.Duration) refusal {
	at := now.Add(reset)
	return refusal{
		status: 429,
		header: map[string]string{
			"X-Codex-Primary-Used-Percent": "100", "X-Codex-Primary-Window-Minutes": "300", "X-Codex-Primary-Reset-At": epoch(at),
			"X-Codex-Secondary-Used-Percent": "40", "X-Codex-Secondary-Window-Minutes": "10080",
		},
		body: object{"error": object{
			"type": "usage_limit_reached", "message": "The usage limit has been reached", "plan_type": "plus",
			"resets_at": at.Unix(), "resets_in_seconds": int(reset / time.Second),
		}},
	}
}

func geminiFailure(name, model string) refusal {
	say := func(status int, word, message string, details ...any) refusal {
		e := object{"code": status, "message": message, "status": word}
		if len(details) > 0 {
			e["details"] = details
		}
		return refusal{status: status, body: object{"error": e}}
	}
	const overQuota = "You exceeded your current quota, please check your plan and billing details."
	switch name {
	case "ratelimit":
		return say(429, "RESOURCE_EXHAUSTED", overQuota+" Please retry in 2s.",
			geminiQuota(model, "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "2s")...)
	case "usage", "quota":
		return say(429, "RESOURCE_EXHAUSTED", overQuota,
			geminiQuota(model, "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "7500s")...)
	case "auth":
		return say(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", object{
			"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com",
		})
	case "forbidden":
		return say(403, "PERMISSION_DENIED", "The caller does not have permission")
	case "nomodel":
		return say(404, "NOT_FOUND", "models/"+model+
			" is not found for API version v1beta, or is not supported for generateContent.")
	case "toolong":
		return say(400, "INVALID_ARGUMENT",
			"The input token count (1250000) exceeds the maximum number of tokens allowed (1048576).")
	case "overload":
		return say(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")
	}
	return say(500, "INTERNAL", "An internal error has occurred.")
}

func geminiQuota(model, id, delay string) []any {
	violation := object{
		"quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests", "quotaId": id,
		"quotaDimensions": object{"location": "global", "model": model}, "quotaValue": "10",
	}
	return []any{
		object{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []any{violation}},
		object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
	}
}
