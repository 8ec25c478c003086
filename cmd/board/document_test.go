package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
)

// A document reads as encoding/json would have written it in one piece.
func TestDocument_IsWhatTheEncoderWouldWrite(t *testing.T) {
	t.Parallel()
	report := dispatch.Report{
		At: board.Time(1), Home: "<home> & \"more\"", Started: []dispatch.Started{}, Faults: []dispatch.Fault{{Scope: "a", Text: "b\n"}},
		Held: []dispatch.Held{{Card: "api-1", Values: map[string]any{"host.load": 0.5}, Caps: []dispatch.HeldCap{{Cap: "x", Holders: []int64{1, 2}}}}, {Card: "api-2"}},
	}
	for name, v := range map[string]any{
		"report": report, "pointer": &report, "list": []dispatch.Started{{Card: "a"}, {Card: "b"}}, "empty list": []string{}, "no list": []string(nil),
		"nothing": nil, "map": map[string]int{"a": 1}, "options": struct {
			A string `json:"a,omitempty"`
		}{}, "bytes": []byte("x"), "runs": board.Run{ID: 3},
	} {
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		p := &printer{w: bufio.NewWriter(&got)}
		if err := p.document(v); err != nil {
			t.Fatal(err)
		}
		if err := p.w.Flush(); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got.String(), want.String())
		}
	}
}
