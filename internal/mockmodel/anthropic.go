package mockmodel

import "fmt"

// id names a part of the answer.
func (a answer) id(kind string) string { return fmt.Sprintf("%s_mock%d", kind, a.number) }

func (a answer) anthropicUsage(out int) object {
	return object{
		"input_tokens": a.in, "output_tokens": out, "cache_read_input_tokens": a.cached, "cache_creation_input_tokens": 0,
	}
}

func (a answer) anthropicStop() string {
	if a.tool != nil {
		return "tool_use"
	}
	return "end_turn"
}

// anthropic is a whole Messages answer.
func (a answer) anthropic() object {
	content := []any{}
	if a.text != "" || a.tool == nil {
		content = append(content, object{"type": "text", "text": a.text})
	}
	if a.tool != nil {
		content = append(content, object{"type": "tool_use", "id": a.id("toolu"), "name": a.tool.name, "input": a.tool.args})
	}
	return object{
		"id": a.id("msg"), "type": "message", "role": "assistant", "model": a.model, "content": content,
		"stop_reason": a.anthropicStop(), "stop_sequence": nil, "usage": a.anthropicUsage(a.out),
	}
}

func (a answer) streamAnthropic(e events, pause func()) {
	start := a.anthropic()
	start["content"], start["stop_reason"], start["usage"] = []any{}, nil, a.anthropicUsage(1)
	e.named("message_start", object{"message": start})
	e.named("ping", object{})
	if a.breaks {
		e.named("error", object{"error": object{"type": "overloaded_error", "message": "Overloaded"}})
		return
	}
	index := 0
	if a.text != "" || a.tool == nil {
		e.named("content_block_start", object{"index": index, "content_block": object{"type": "text", "text": ""}})
		for _, piece := range a.pieces() {
			e.named("content_block_delta", object{"index": index, "delta": object{"type": "text_delta", "text": piece}})
			if a.half {
				return
			}
			pause()
		}
		e.named("content_block_stop", object{"index": index})
		index++
	}
	if a.tool != nil {
		block := object{"type": "tool_use", "id": a.id("toolu"), "name": a.tool.name, "input": object{}}
		e.named("content_block_start", object{"index": index, "content_block": block})
		delta := object{"type": "input_json_delta", "partial_json": jsonText(a.tool.args)}
		e.named("content_block_delta", object{"index": index, "delta": delta})
		e.named("content_block_stop", object{"index": index})
	}
	e.named("message_delta", object{
		"delta": object{"stop_reason": a.anthropicStop(), "stop_sequence": nil}, "usage": a.anthropicUsage(a.out),
	})
	e.named("message_stop", object{})
}
