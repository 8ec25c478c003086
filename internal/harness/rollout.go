package harness

import (
	"bytes"
	"time"
)

// rollout gathers the last turn of a codex rollout file.
type rollout struct {
	record Transcript
	resets time.Time // of the fullest window of the plan
}

// ParseRollout reads codex's own record of a conversation: the model, the code of an error and the reset time of a plan
// limit are only there. A cut first line, as of a file read from its middle, is skipped.
func ParseRollout(data []byte, now time.Time) Transcript {
	r := rollout{record: Transcript{State: StateUnknown}}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if o, ok := decode(line); ok {
			r.line(o, now)
		}
	}
	return r.record
}

func (r *rollout) line(o object, now time.Time) {
	payload := o.in("payload")
	switch o.text("type") {
	case "session_meta":
		if id := payload.first("id", "thread_id"); id != "" {
			r.record.Session = id
		}
	case "turn_context":
		if model := payload.text("model"); model != "" {
			r.record.Model = model
		}
	case "event_msg":
		r.event(payload, now)
	}
}

func (r *rollout) event(payload object, now time.Time) {
	switch payload.text("type") {
	case "task_started":
		r.record.State, r.record.Failure, r.record.Text = StateBusy, nil, ""
	case "agent_message":
		r.record.Text = lastText(payload.text("message"))
	case "token_count":
		if total := payload.in("info", "total_token_usage"); total != nil {
			r.record.Usage = codexUsage(total)
		}
		r.limits(payload.in("rate_limits"))
	case "turn_aborted":
		r.record.State = StateIdle
		r.record.Failure = &Failure{Class: ClassFailed, Message: "turn aborted: " + payload.text("reason")}
	case "task_complete":
		r.record.State = StateIdle
		if text := payload.text("last_agent_message"); text != "" {
			r.record.Text = lastText(text)
		}
		r.record.Failure = r.failure(payload, now)
	}
}

// limits keeps the reset time of a window that is used up, else that of the primary window.
func (r *rollout) limits(limits object) {
	if limits == nil {
		return
	}
	r.resets = time.Time{}
	for _, name := range []string{"primary", "secondary"} {
		window := limits.in(name)
		at := window.count("resets_at")
		if at != 0 && (r.resets.IsZero() || window.number("used_percent") >= 100) {
			r.resets = seconds(at)
		}
	}
}

func (r *rollout) failure(payload object, now time.Time) *Failure {
	told := payload.in("error")
	if told == nil {
		return nil
	}
	class := classOfCodex(told["codex_error_info"])
	f := known(class, told.text("message"), now)
	if f.Class == ClassUsageLimited && !r.resets.IsZero() {
		return Finding{Class: ClassUsageLimited, OneModel: f.OneModel}.until(r.resets, now).failure(f.Message)
	}
	return f
}

// classOfCodex reads codex_error_info: a word, or an object of one word that holds an HTTP status. Its
// usage_limit_exceeded stands for a plan's limit and for an empty purse, so there the text must tell.
func classOfCodex(info any) Class {
	if m, ok := info.(map[string]any); ok {
		o := object(m)
		for _, name := range o.keys() {
			if class := classOfStatus(int(o.in(name).count("http_status_code"))); class != "" {
				return class
			}
		}
		return ClassOutage
	}
	switch info {
	case "usage_limit_exceeded":
		return ClassUsageLimited
	case "model_not_found":
		return ClassModelUnavailable
	case "server_overloaded":
		return ClassOverloaded
	case "internal_server_error":
		return ClassOutage
	case "context_window_exceeded":
		return ClassContextOverflow
	}
	return ""
}
