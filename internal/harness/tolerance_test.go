package harness_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// Whatever a CLI prints, a parser neither panics nor grows without bound, and what it gives is valid text.
func TestParsers_TakeAnyOutput(t *testing.T) {
	t.Parallel()
	words := []string{
		`{"type":"result"`, `{"type":"assistant","message":`, `"content":[{"type":"text","text":`, `null`, `{}`, `[]`, `1e999`, `"x"`, `}`,
		`{"type":"message_end","message":{"role":"assistant","usage":"no"}}`, `{"type":"turn.failed","error":7}`,
		`{"type":"error","error":"no"}`, `{"type":"result","status":"error"}`, "\xff\xfe", "\x00", "\x1b[31m", `{"type":"system","subtype":"api_retry"}`,
		`{"type":"item.completed"}`, `{"type":"tool_use","part":[]}`, `{"type":"session.error","data":{"statusCode":"x"}}`,
	}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(harness.Names()).Draw(rt, "name")
		lines := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(words), 1, 4), 0, 12).Draw(rt, "lines")
		h, _ := harness.Lookup(name)
		parser := h.Parser(job())
		for i, parts := range lines {
			line := []byte(strings.Join(parts, ""))
			events := parser.Line(line)
			if i%3 == 0 {
				events = append(events, parser.Stderr(line)...)
			}
			for _, e := range events {
				if !utf8.ValidString(e.Text) {
					rt.Fatalf("event text %q", e.Text)
				}
			}
		}
		code := rapid.IntRange(0, 255).Draw(rt, "code")
		r := parser.Finish(harness.Exit{Code: code, Now: noon(t)})
		if !utf8.ValidString(r.Text) || (r.Failure != nil && (r.Failure.Class == "" || !utf8.ValidString(r.Failure.Message))) {
			rt.Fatalf("result %+v", r)
		}
		if code != 0 && r.Failure == nil && len(lines) == 0 {
			rt.Fatalf("exit code %d without a word is no success", code)
		}
	})
}

func TestParsers_KeepABoundedPartOfHugeOutput(t *testing.T) {
	t.Parallel()
	huge := bytes.Repeat([]byte("é"), 4<<20)
	for _, name := range harness.Names() {
		parser := lookup(t, name).Parser(job())
		for range 3 {
			parser.Stderr(huge)
			for _, e := range parser.Line(huge) {
				if len(e.Text) > 8<<10 {
					t.Fatalf("%s: event of %d bytes", name, len(e.Text))
				}
			}
		}
		r := parser.Finish(harness.Exit{Code: 1, Now: noon(t)})
		if len(r.Text) > 256<<10 || (r.Failure != nil && len(r.Failure.Message) > 4<<10) {
			t.Errorf("%s: text of %d bytes, failure %d", name, len(r.Text), len(r.Failure.Message))
		}
	}
}

// Ending without any event is a failure of every agent but a plain command, and says so.
func TestParsers_SilenceIsAFailure(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude", "codex", "opencode", "gemini", "pi", "qwen", "copilot", "amp", "cursor", "goose"} {
		got := play(t, name, job(), "", "", harness.Exit{})
		if got.class() != harness.ClassFailed || !strings.Contains(got.result.Failure.Message, "without a") {
			t.Errorf("%s: %s", name, fmt.Sprint(got.result.Failure))
		}
	}
}

// A conversation that the CLI has lost is not asked for again.
func TestParsers_TellALostConversation(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, words string }{
		{"claude", "No conversation found with session ID: x"},
		{"codex", "Error: no rollout found for thread id x"},
		{"opencode", "Error: Session not found"},
		{"pi", "No session found matching 'x'"},
		{"qwen", "No saved session found with ID x"},
		{"gemini", "Error resuming session: Invalid session identifier \"x\"."},
	}
	for _, test := range tests {
		resumed := job()
		resumed.Resume = "x"
		if got := play(t, test.name, resumed, "", test.words+"\n", harness.Exit{Code: 1}); !got.result.SessionLost {
			t.Errorf("%s: %q is not told from other failures", test.name, test.words)
		}
		if got := play(t, test.name, resumed, "", "boom\n", harness.Exit{Code: 1}); got.result.SessionLost {
			t.Errorf("%s: any failure loses the conversation", test.name)
		}
	}
}
