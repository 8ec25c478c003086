package mockmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone needs no answer
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // every value is built here, from strings and numbers
	}
	return string(text)
}

// events writes server-sent events.
type events struct{ w http.ResponseWriter }

func startEvents(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	e := events{w}
	e.flush()
	return e
}

// named writes an event with its name, which its data repeats as its type.
func (e events) named(name string, data object) {
	data["type"] = name
	fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", name, jsonText(data))
	e.flush()
}

// data writes an event without a name.
func (e events) data(data any) {
	fmt.Fprintf(e.w, "data: %s\n\n", jsonText(data))
	e.flush()
}

func (e events) flush() {
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
}

// send answers in the protocol of the call.
func (s *Server) send(w http.ResponseWriter, r *http.Request, c call, a answer) {
	pause := func() { s.pause(r, a.pause) }
	switch {
	case c.protocol == Anthropic && c.stream:
		a.streamAnthropic(startEvents(w), pause)
	case c.protocol == Anthropic:
		writeJSON(w, http.StatusOK, a.anthropic())
	case c.protocol == Responses && c.stream:
		a.streamResponses(startEvents(w), pause, s.options.Clock.Now().Unix())
	case c.protocol == Responses:
		writeJSON(w, http.StatusOK, a.response("completed", a.responseItems(), s.options.Clock.Now().Unix()))
	case c.protocol == Chat && c.stream:
		a.streamChat(startEvents(w), pause, s.options.Clock.Now().Unix())
	case c.protocol == Chat:
		writeJSON(w, http.StatusOK, a.chat(s.options.Clock.Now().Unix()))
	case c.protocol == Gemini && c.stream:
		a.streamGemini(startEvents(w), pause)
	case c.protocol == Gemini:
		writeJSON(w, http.StatusOK, a.gemini())
	}
}
