package harness

import (
	"bytes"
	"strings"
	"time"
)

// claudeTranscript gathers the lines of a claude conversation.
type claudeTranscript struct {
	record Transcript
	usage  map[string]Usage // by message id: a message is written in several lines, each with its usage so far
}

func parseClaudeTranscript(data []byte, now time.Time) Transcript {
	t := claudeTranscript{record: Transcript{State: StateUnknown}, usage: map[string]Usage{}}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if o, ok := decode(line); ok {
			t.line(o, now)
		}
	}
	for _, u := range t.usage {
		t.record.Usage = plus(t.record.Usage, u)
	}
	return t.record
}

func (t *claudeTranscript) line(o object, now time.Time) {
	if message := o.in("message"); message.text("id") != "" {
		t.usage[message.text("id")] = claudeUsage(message.in("usage"))
	}
	if o.flag("isSidechain") { // a subagent's: it costs, and says nothing of the turn
		return
	}
	if id := o.text("sessionId"); id != "" {
		t.record.Session = id
	}
	switch o.text("type") {
	case "user":
		t.record.State, t.record.Failure = StateBusy, nil
		if strings.HasPrefix(contentText(o.in("message")), "[Request interrupted by user") {
			t.record.State = StateIdle
		}
	case "assistant":
		t.assistant(o, now)
	case "system":
		if o.text("subtype") == "turn_duration" {
			t.record.State = StateIdle
		}
	}
}

func (t *claudeTranscript) assistant(o object, now time.Time) {
	message := o.in("message")
	text := contentText(message)
	if message.text("model") == "<synthetic>" {
		t.record.State = StateIdle
		t.record.Failure = known(classOfEnum(o.text("error")), text, now)
		return
	}
	t.record.Model = message.text("model")
	if text != "" {
		t.record.Text = lastText(text)
	}
	t.record.State = StateBusy
	if reason := message.text("stop_reason"); reason == "end_turn" || reason == "stop_sequence" {
		t.record.State = StateIdle
	}
}
