package harness

import (
	"fmt"
	"strings"
)

// claudeParser reads stream-json, which qwen and amp print as well.
type claudeParser struct {
	stream
	final    object // the result line; nil until it came
	enum     string // error of the last synthetic assistant line, as "rate_limit"
	resetsAt int64  // seconds since 1970 of the plan limit that was met; 0 for none
	lastID   string // id of the last assistant message whose usage was counted
	cachedIn bool   // the input tokens include those read from a cache, as qwen counts them
}

func (p *claudeParser) Line(line []byte) []Event {
	o, events, ok := p.decode(line)
	if !ok {
		return events
	}
	switch o.text("type") {
	case "system":
		return p.system(o)
	case "assistant":
		return p.assistant(o)
	case "rate_limit_event":
		return p.limit(o.in("rate_limit_info"))
	case "result":
		return p.end(o)
	}
	return []Event{{Kind: EventOther}}
}

func (p *claudeParser) system(o object) []Event {
	switch o.text("subtype") {
	case "init":
		return append(p.session(o.text("session_id")), p.model(o.text("model"))...)
	case "api_retry":
		p.enum = o.text("error")
		return p.retrying(fmt.Sprintf("API Error: %d %s · Retrying in %dms (attempt %d/%d)", o.count("error_status"),
			o.text("error"), o.count("retry_delay_ms"), o.count("attempt"), o.count("max_retries")))
	case "retry":
		return p.retrying("retrying: " + o.first("error", "message", "reason"))
	case "permission_denied":
		return p.denied(o.first("tool_name", "tool", "message"))
	}
	return []Event{{Kind: EventOther}}
}

func (p *claudeParser) assistant(o object) []Event {
	message := o.in("message")
	text := contentText(message)
	if o.flag("is_api_error_message") || message.flag("is_api_error_message") || message.text("model") == "<synthetic>" {
		p.enum = o.text("error")
		if p.enum == "" {
			p.enum = message.text("error")
		}
		return p.fault(text)
	}
	p.enum = ""
	events := append(p.session(o.text("session_id")), p.model(message.text("model"))...)
	for _, part := range message.objects("content") {
		switch part.text("type") {
		case "text":
			events = append(events, p.say(part.text("text"))...)
		case "tool_use":
			events = append(events, p.tool(part.text("name"))...)
		}
	}
	if id := message.text("id"); id != "" && id != p.lastID {
		p.lastID = id
		events = append(events, p.spend(p.usage(message.in("usage")))...)
	}
	if len(events) == 0 {
		return []Event{{Kind: EventOther}}
	}
	return events
}

func (p *claudeParser) limit(info object) []Event {
	if strings.HasPrefix(info.text("status"), "allowed") { // "allowed_warning" only says that the limit comes near
		return []Event{{Kind: EventOther}}
	}
	text := strings.TrimSpace("plan limit " + info.text("status") + " " + info.text("rateLimitType"))
	event := Event{Kind: EventLimit, Text: text}
	if at := info.count("resetsAt"); at > 0 {
		p.resetsAt = at
		event.Until = seconds(at)
	}
	return []Event{event}
}

func (p *claudeParser) end(o object) []Event {
	p.final, p.retry = o, ""
	events := p.session(o.text("session_id"))
	if text, told := o["result"].(string); told && !o.flag("is_error") {
		p.result.Text = lastText(text)
	}
	for _, d := range o.objects("permission_denials") {
		if name := d.text("tool_name"); name != "" && len(p.result.Denied) < maxDenied {
			p.result.Denied = append(p.result.Denied, name)
		}
	}
	p.result.Turns = int(o.count("num_turns"))
	p.account(o)
	return append(events, Event{Kind: EventFinal, Text: cut(o.text("result"), maxEventText), Usage: p.result.Usage})
}

// account separates this run's share from the totals of a resumed conversation (HAR-4). The line's own difference is best.
// Without it, versions differ in whether they count on over a resume (2.1.197 does not, 2.1.332 does), so what the run's own
// messages add up to decides.
func (p *claudeParser) account(o object) {
	previous, own := p.job.Previous, p.result.Usage
	cost := micros(o.number("total_cost_usd"))
	costOf := func(previous int64) int64 {
		return Share(Usage{CostMicros: previous}, Usage{CostMicros: cost}).CostMicros
	}
	if since := o.in("model_usage_since_last_result"); since != nil {
		share := modelUsage(since)
		if share.CostMicros == 0 {
			share.CostMicros = costOf(previous.CostMicros)
		}
		p.result.Usage, p.result.Total = share, plus(previous, share)
		return
	}
	byModel := o.in("modelUsage")
	reported := p.usage(o.in("usage"))
	if byModel != nil {
		reported = modelUsage(byModel)
	}
	reported.CostMicros = cost
	if countsOn(previous, reported, own) {
		p.result.Usage, p.result.Total = Share(previous, reported), reported
		return
	}
	if byModel == nil { // where only the cost is a total
		reported.CostMicros = costOf(previous.CostMicros)
	}
	p.result.Usage, p.result.Total = reported, plus(previous, reported)
}

func (p *claudeParser) usage(o object) Usage {
	u := claudeUsage(o)
	if p.cachedIn {
		u.In = max(0, u.In-u.Cached)
	}
	return u
}

// countsOn reports whether reported holds previous and the run's own usage, as a total does.
func countsOn(previous, reported, own Usage) bool {
	return reported.In >= previous.In+own.In && reported.Out >= previous.Out+own.Out &&
		reported.Cached >= previous.Cached+own.Cached
}

func (p *claudeParser) Finish(exit Exit) Result {
	return p.finish(exit, p.failure(exit))
}

// failure reads the result line before the exit code: an interrupt ends 0 with is_error, and a failed call ends with
// subtype "success" and is_error.
func (p *claudeParser) failure(exit Exit) *Failure {
	o := p.final
	switch {
	case o == nil:
		return p.limited(p.unfinished(exit), exit)
	case !o.flag("is_error") && strings.HasPrefix(o.text("subtype"), "error_"):
	case !o.flag("is_error"):
		return nil
	}
	text := o.first("result", "api_error")
	if said := o.strings("errors"); text == "" && len(said) > 0 {
		text = said[len(said)-1]
	}
	if said := o.in("error").text("message"); said != "" {
		text = said
	}
	if text == "" && len(p.errors) > 0 {
		text = p.errors[len(p.errors)-1]
	}
	failure := known(p.structured(o), text, exit.Now)
	if failure.Message == "" {
		failure.Message = strings.TrimSpace(o.text("subtype") + " " + o.text("terminal_reason"))
	}
	return p.limited(failure, exit)
}

// unfinished blames a run that ended without its result line.
func (p *claudeParser) unfinished(exit Exit) *Failure {
	if class := classOfEnum(p.enum); class != "" && len(p.errors) > 0 {
		return known(class, p.errors[len(p.errors)-1], exit.Now)
	}
	return p.blame(exit, endedWithout("a result", exit))
}

// structured decides the class from the fields of the result line and of the error line before it.
func (p *claudeParser) structured(o object) Class {
	switch o.text("terminal_reason") {
	case "prompt_too_long":
		return ClassContextOverflow
	case "max_turns", "budget_exhausted", "aborted_streaming", "aborted_tools", "hook_stopped", "stop_hook_prevented":
		return ClassFailed
	}
	for _, enum := range []string{o.text("api_error"), p.enum, o.text("api_error_type")} {
		if class := classOfEnum(enum); class != "" {
			return class
		}
	}
	return classOfStatus(int(o.count("api_error_status")))
}

// limited gives a plan's limit the reset time that the CLI told in a field of its own.
func (p *claudeParser) limited(f *Failure, exit Exit) *Failure {
	if p.resetsAt == 0 || (f.Class != ClassUsageLimited && f.Class != ClassRateLimited) {
		return f
	}
	told := Finding{Class: ClassUsageLimited, OneModel: f.OneModel}.until(seconds(p.resetsAt), exit.Now)
	return told.failure(f.Message)
}

// classOfEnum reads the closed sets of error words in claude's fields.
func classOfEnum(word string) Class {
	switch word {
	case "usage_limit_reached":
		return ClassUsageLimited
	case "authentication_failed", "oauth_org_not_allowed", "account_on_hold", "verification_required",
		"cloud_credential_error", "authentication_error", "permission_error":
		return ClassUnauthenticated
	case "billing_error":
		return ClassQuota
	case "rate_limit", "rate_limit_error":
		return ClassRateLimited
	case "overloaded", "overloaded_error":
		return ClassOverloaded
	case "model_not_found":
		return ClassModelUnavailable
	case "server_error", "connection_failed":
		return ClassOutage
	}
	return ""
}

func claudeUsage(o object) Usage {
	return Usage{
		In:  o.count("input_tokens") + o.count("cache_creation_input_tokens"),
		Out: o.count("output_tokens"), Cached: o.count("cache_read_input_tokens"),
	}
}

// modelUsage adds up usage by model.
func modelUsage(models object) Usage {
	var sum Usage
	for _, name := range models.keys() {
		m := models.in(name)
		sum = plus(sum, Usage{
			In:  m.count("inputTokens") + m.count("cacheCreationInputTokens"),
			Out: m.count("outputTokens"), Cached: m.count("cacheReadInputTokens"), CostMicros: micros(m.number("costUSD")),
		})
	}
	return sum
}
