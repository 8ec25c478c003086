package mockmodel

// overloaded is what OpenAI's protocols say inside a stream that breaks.
const overloaded = "Our servers are currently overloaded. Please try again later."

// responseItems is what a Responses answer consists of.
func (a answer) responseItems() []any {
	if a.tool != nil {
		return []any{object{
			"id": "fc_mock", "type": "function_call", "status": "completed", "call_id": "call_mock1", "name": a.tool.name,
			"arguments": jsonText(a.tool.args),
		}}
	}
	return []any{object{
		"id": "msg_mock", "type": "message", "role": "assistant", "status": "completed",
		"content": []any{object{"type": "output_text", "text": a.text, "annotations": []any{}}},
	}}
}

// response is a whole Responses answer; created is in seconds since 1970.
func (a answer) response(status string, items []any, created int64) object {
	r := object{
		"id": "resp_mock", "object": "response", "created_at": created, "status": status, "model": a.model, "output": items,
		"usage": nil, "error": nil, "incomplete_details": nil, "parallel_tool_calls": true, "tools": []any{},
		"metadata": object{},
	}
	if status == "completed" {
		r["usage"] = object{
			"input_tokens": a.in, "input_tokens_details": object{"cached_tokens": a.cached}, "output_tokens": a.out,
			"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": a.in + a.out,
		}
	}
	return r
}

func (a answer) streamResponses(e events, pause func(), created int64) {
	sequence := 0
	send := func(name string, data object) {
		data["sequence_number"] = sequence
		sequence++
		e.named(name, data)
	}
	send("response.created", object{"response": a.response("in_progress", []any{}, created)})
	send("response.in_progress", object{"response": a.response("in_progress", []any{}, created)})
	if a.breaks {
		failed := a.response("failed", []any{}, created)
		failed["error"] = object{"code": "server_is_overloaded", "message": overloaded}
		send("response.failed", object{"response": failed})
		return
	}
	items := a.responseItems()
	if a.tool != nil {
		a.streamFunctionCall(send, items[0])
	} else if !a.streamMessage(send, pause, items[0]) {
		return
	}
	send("response.completed", object{"response": a.response("completed", items, created)})
}

func (a answer) streamFunctionCall(send func(string, object), item any) {
	arguments := jsonText(a.tool.args)
	begun := object{
		"id": "fc_mock", "type": "function_call", "status": "in_progress", "call_id": "call_mock1", "name": a.tool.name,
		"arguments": "",
	}
	send("response.output_item.added", object{"output_index": 0, "item": begun})
	send("response.function_call_arguments.delta", object{"item_id": "fc_mock", "output_index": 0, "delta": arguments})
	send("response.function_call_arguments.done", object{"item_id": "fc_mock", "output_index": 0, "arguments": arguments})
	send("response.output_item.done", object{"output_index": 0, "item": item})
}

// streamMessage reports whether it came to its end.
func (a answer) streamMessage(send func(string, object), pause func(), item any) bool {
	at := func(more object) object {
		more["item_id"], more["output_index"], more["content_index"] = "msg_mock", 0, 0
		return more
	}
	begun := object{"id": "msg_mock", "type": "message", "role": "assistant", "status": "in_progress", "content": []any{}}
	send("response.output_item.added", object{"output_index": 0, "item": begun})
	send("response.content_part.added", at(object{"part": object{"type": "output_text", "text": "", "annotations": []any{}}}))
	for _, piece := range a.pieces() {
		send("response.output_text.delta", at(object{"delta": piece}))
		if a.half {
			return false
		}
		pause()
	}
	send("response.output_text.done", at(object{"text": a.text}))
	whole := object{"type": "output_text", "text": a.text, "annotations": []any{}}
	send("response.content_part.done", at(object{"part": whole}))
	send("response.output_item.done", object{"output_index": 0, "item": item})
	return true
}
