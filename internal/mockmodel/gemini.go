package mockmodel

// decision answers gemini's side calls, which choose a model or the next speaker.
const decision = `{"reasoning":"mock","next_speaker":"user","model_choice":"flash","complexity_reasoning":"mock","complexity_score":10}`

func (a answer) geminiFrame(part object, last bool) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": []any{part}}}
	frame := object{"candidates": []any{candidate}, "modelVersion": a.model, "responseId": "mock"}
	if last {
		candidate["finishReason"] = "STOP"
		frame["usageMetadata"] = object{
			"promptTokenCount": a.in, "candidatesTokenCount": a.out, "totalTokenCount": a.in + a.out,
			"cachedContentTokenCount": a.cached,
		}
	}
	return frame
}

// geminiPart is a whole generateContent answer in one part.
func (a answer) geminiPart() object {
	switch {
	case a.tool != nil:
		return object{"functionCall": object{"name": a.tool.name, "args": a.tool.args}}
	case a.wantsJSON:
		return object{"text": decision}
	}
	return object{"text": a.text}
}

func (a answer) gemini() object { return a.geminiFrame(a.geminiPart(), true) }

func (a answer) streamGemini(e events, pause func()) {
	if a.breaks {
		e.data(object{"error": object{
			"code": 503, "message": "The model is overloaded. Please try again later.", "status": "UNAVAILABLE",
		}})
		return
	}
	if a.tool != nil || a.wantsJSON {
		e.data(a.gemini())
		return
	}
	pieces := a.pieces()
	for i, piece := range pieces {
		e.data(a.geminiFrame(object{"text": piece}, i == len(pieces)-1))
		if a.half {
			return
		}
		pause()
	}
}
