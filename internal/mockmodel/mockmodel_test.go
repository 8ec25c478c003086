package mockmodel_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/mockmodel"
)

// protocol is one way to ask for an answer.
type protocol struct {
	name mockmodel.Protocol
	path string
	body string // streamed
	end  string // what a whole stream holds at its end
}

func protocols() []protocol {
	return []protocol{
		{mockmodel.Anthropic, "/v1/messages", `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`, `"type":"message_stop"`},
		{mockmodel.Responses, "/v1/responses", `{"model":"m","stream":true,"reasoning":{"effort":"high"},"input":[]}`, "event: response.completed"},
		{mockmodel.Chat, "/v1/chat/completions", `{"model":"m","stream":true,"messages":[]}`, "data: [DONE]"},
		{mockmodel.Gemini, "/v1beta/models/m:streamGenerateContent", `{"contents":[]}`, `"finishReason":"STOP"`},
	}
}

func serve(t *testing.T, options mockmodel.Options) (*mockmodel.Server, string) {
	t.Helper()
	server := mockmodel.New(options)
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	t.Cleanup(server.Release)
	return server, listening.URL
}

// reply is what the server answered.
type reply struct {
	status int
	header http.Header
	body   string // as far as it came
}

func post(t *testing.T, url, body string) reply {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(response.Body) // a cut stream is one of the answers
	_ = response.Body.Close()
	return reply{response.StatusCode, response.Header, string(text)}
}

func TestServer_AnswersInEveryProtocol(t *testing.T) {
	t.Parallel()
	server, url := serve(t, mockmodel.Options{})
	for _, p := range protocols() {
		got := post(t, url+"/s/text+approve"+p.path, p.body)
		if got.status != http.StatusOK || !strings.Contains(got.body, p.end) || !strings.Contains(got.body, `BOARD: approve`) {
			t.Errorf("%s: %+v", p.name, got)
		}
		plain := strings.Replace(p.body, `"stream":true`, `"stream":false`, 1)
		path := strings.Replace(p.path, "streamGenerateContent", "generateContent", 1)
		if got = post(t, url+"/s/text"+path, plain); !json.Valid([]byte(got.body)) || !strings.Contains(got.body, "MOCK-OK") {
			t.Errorf("%s, not streamed: %+v", p.name, got)
		}
	}
	seen := server.Requests()
	if len(seen) != 8 || seen[6].N != 4 || seen[6].Model != "m" || seen[2].Effort != "high" || string(seen[0].Body) != protocols()[0].body {
		t.Errorf("requests %+v", seen)
	}
}

func TestServer_RefusesAsTheProvidersDo(t *testing.T) {
	t.Parallel()
	_, url := serve(t, mockmodel.Options{Clock: clock.NewFake(time.Unix(1000, 0))})
	tests := []struct {
		scenario string
		statuses [4]int // in the order of protocols
	}{
		{"ratelimit", [4]int{429, 429, 429, 429}},
		{"usage", [4]int{429, 429, 429, 429}},
		{"quota", [4]int{400, 429, 429, 429}},
		{"auth", [4]int{401, 401, 401, 400}},
		{"forbidden", [4]int{403, 403, 403, 403}},
		{"nomodel", [4]int{404, 404, 404, 404}},
		{"toolong", [4]int{400, 400, 400, 400}},
		{"overload", [4]int{529, 503, 503, 503}},
		{"error500", [4]int{500, 500, 500, 500}},
	}
	for _, test := range tests {
		for i, p := range protocols() {
			got := post(t, url+"/s/"+test.scenario+p.path, p.body)
			if got.status != test.statuses[i] || !json.Valid([]byte(got.body)) || !strings.Contains(got.body, `"error":`) {
				t.Errorf("%s, %s: %+v", test.scenario, p.name, got)
			}
		}
	}
	used := post(t, url+"/s/usage/v1/messages", protocols()[0].body)
	if got := used.header.Get("Anthropic-Ratelimit-Unified-Reset"); got != "8500" {
		t.Errorf("reset %q", got)
	}
	slow := post(t, url+"/s/retryafter-3/v1/responses", protocols()[1].body)
	if got := slow.header.Get("Retry-After"); got != "3" {
		t.Errorf("retry-after %q", got)
	}
}

func TestServer_FailsAsOftenAsAsked(t *testing.T) {
	t.Parallel()
	_, url := serve(t, mockmodel.Options{})
	for i, want := range []int{429, 429, 200} {
		if got := post(t, url+"/s/ratelimit-2/v1/messages", protocols()[0].body); got.status != want {
			t.Errorf("call %d: %d, want %d", i+1, got.status, want)
		}
	}
}

func TestServer_CallsAToolOnceATurn(t *testing.T) {
	t.Parallel()
	_, url := serve(t, mockmodel.Options{})
	const head = `{"model":"m","stream":true,"tools":[{"name":"Bash"},{"name":"Write"}],"messages":[{"role":"user","content":"hi"}`
	const used = head + `,{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"Write"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"ok"}]}`
	tests := []struct {
		scenario, body, holds string
	}{
		{"tool", head + `]}`, `"name":"Write"`},
		{"shell", head + `]}`, `"name":"Bash"`},
		{"verb+changes", head + `]}`, `board changes 'the mock wants it'`},
		{"tool", used + `]}`, "end_turn"},
		{"tool", used + `,{"role":"assistant","content":[{"type":"text","text":"done"}]},{"role":"user","content":"again"}]}`, `"name":"Write"`},
		{"tool", strings.Replace(head, `"tools":[{"name":"Bash"},{"name":"Write"}],`, "", 1) + `]}`, "end_turn"},
	}
	for _, test := range tests {
		if got := post(t, url+"/s/"+test.scenario+"/v1/messages", test.body); !strings.Contains(got.body, test.holds) {
			t.Errorf("%s %s: no %q in %s", test.scenario, test.body, test.holds, got.body)
		}
	}
}

func TestServer_BreaksOff(t *testing.T) {
	t.Parallel()
	_, url := serve(t, mockmodel.Options{})
	for _, p := range protocols() {
		if got := post(t, url+"/s/drop"+p.path, p.body); !strings.Contains(got.body, "MOCK") || strings.Contains(got.body, p.end) {
			t.Errorf("drop, %s: %q", p.name, got.body)
		}
		if got := post(t, url+"/s/sseerror"+p.path, p.body); !strings.Contains(strings.ToLower(got.body), "overloaded") {
			t.Errorf("sseerror, %s: %q", p.name, got.body)
		}
	}
}

func TestServer_HangsUntilReleased(t *testing.T) {
	t.Parallel()
	server, url := serve(t, mockmodel.Options{})
	answered := make(chan string, 1)
	go func() {
		response, err := http.Post(url+"/s/hangmid/v1/messages", "application/json", strings.NewReader(protocols()[0].body))
		if err != nil {
			answered <- err.Error()
			return
		}
		defer func() { _ = response.Body.Close() }()
		half := make([]byte, 5)
		_, _ = io.ReadFull(response.Body, half)
		answered <- string(half)
		rest, _ := io.ReadAll(response.Body)
		answered <- string(rest)
	}()
	if half := <-answered; half != "event" {
		t.Fatalf("before the silence: %q", half)
	}
	select {
	case rest := <-answered:
		t.Fatalf("did not hang: %q", rest)
	default:
	}
	server.Release()
	if rest := <-answered; strings.Contains(rest, "message_stop") {
		t.Errorf("ended whole: %q", rest)
	}
}
