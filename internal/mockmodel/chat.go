package mockmodel

import "fmt"

func (a answer) chatUsage() object {
	return object{
		"prompt_tokens": a.in, "completion_tokens": a.out, "total_tokens": a.in + a.out,
		"prompt_tokens_details": object{"cached_tokens": a.cached},
	}
}

func (a answer) chatFrame(kind string, created int64, choices ...any) object {
	if choices == nil {
		choices = []any{}
	}
	return object{"id": "chatcmpl-mock", "object": kind, "created": created, "model": a.model, "choices": choices}
}

// chatCalls lists the tool calls of a Chat Completions answer; nil for none.
func (a answer) chatCalls() []any {
	if a.tool == nil {
		return nil
	}
	function := object{"name": a.tool.name, "arguments": jsonText(a.tool.args)}
	return []any{object{"index": 0, "id": "call_mock1", "type": "function", "function": function}}
}

// chat is a whole Chat Completions answer; created is in seconds since 1970.
func (a answer) chat(created int64) object {
	message, finish := object{"role": "assistant", "content": a.text}, "stop"
	if calls := a.chatCalls(); calls != nil {
		message, finish = object{"role": "assistant", "content": nil, "tool_calls": calls}, "tool_calls"
	}
	whole := a.chatFrame("chat.completion", created, object{"index": 0, "message": message, "finish_reason": finish})
	whole["usage"] = a.chatUsage()
	return whole
}

func (a answer) streamChat(e events, pause func(), created int64) {
	const kind = "chat.completion.chunk"
	send := func(delta object, finish any) {
		e.data(a.chatFrame(kind, created, object{"index": 0, "delta": delta, "finish_reason": finish}))
	}
	send(object{"role": "assistant", "content": ""}, nil)
	if a.breaks {
		e.data(object{"error": object{"type": "server_error", "code": "server_is_overloaded", "message": overloaded}})
		return
	}
	finish := "stop"
	if calls := a.chatCalls(); calls != nil {
		finish = "tool_calls"
		send(object{"tool_calls": calls}, nil)
	} else {
		for _, piece := range a.pieces() {
			send(object{"content": piece}, nil)
			if a.half {
				return
			}
			pause()
		}
	}
	send(object{}, finish)
	last := a.chatFrame(kind, created)
	last["usage"] = a.chatUsage()
	e.data(last)
	fmt.Fprint(e.w, "data: [DONE]\n\n")
	e.flush()
}
