package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/seed-2ddc2152/board/internal/mockmodel"
)

// models is the mock model server of one world. Each executor has a path of its own, and the scenario behind it can change
// while the world goes on, as a plan's limit does.
type models struct {
	mock   *mockmodel.Server
	server http.Server
	base   string

	mu    sync.Mutex
	plays map[string]string // executor -> scenario; text where it has none
}

func serveModels(ctx context.Context, toolFile string) (*models, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &models{mock: mockmodel.New(mockmodel.Options{ToolFile: toolFile}), base: "http://" + listener.Addr().String(), plays: map[string]string{}}
	m.server = http.Server{Handler: m, ReadHeaderTimeout: time.Minute}
	go func() { _ = m.server.Serve(listener) }() // ends with close
	return m, nil
}

func (m *models) close() {
	m.mock.Release()
	_ = m.server.Close()
}

// url is where an executor finds its model.
func (m *models) url(executor string) string { return m.base + "/as/" + executor }

// play says what an executor's model does from here on.
func (m *models) play(executor, scenario string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.plays[executor] = scenario
}

// ServeHTTP puts the scenario of the executor into the path.
func (m *models) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	executor, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/as/"), "/")
	m.mu.Lock()
	scenario := cmp.Or(m.plays[executor], "text")
	m.mu.Unlock()
	if !signedIn(r) {
		scenario = "auth"
	}
	r.URL.Path, r.URL.RawPath = "/s/"+scenario+"/"+rest, ""
	m.mock.ServeHTTP(w, r)
}

// signedIn looks for the key where the CLIs put it.
func signedIn(r *http.Request) bool {
	for _, header := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
		if strings.Contains(r.Header.Get(header), key) {
			return true
		}
	}
	return r.URL.Query().Get("key") == key
}

// calls are the requests for an answer that the model has seen.
func (m *models) calls() []mockmodel.Request {
	var calls []mockmodel.Request
	for _, r := range m.mock.Requests() {
		if r.N > 0 {
			calls = append(calls, r)
		}
	}
	return calls
}

// says reports whether a string somewhere in a request's JSON holds text, byte for byte.
func says(body []byte, text string) bool {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return false
	}
	return holds(v, text)
}

func holds(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, text)
	case []any:
		for _, item := range v {
			if holds(item, text) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if holds(item, text) {
				return true
			}
		}
	}
	return false
}

// reached says whether a prompt came to the model byte for byte, and if not, what is known.
func (m *models) reached(prompt string) error {
	calls := m.calls()
	for _, r := range calls {
		if says(r.Body, prompt) {
			return nil
		}
	}
	trimmed := strings.TrimSpace(prompt)
	for _, r := range calls {
		if says(r.Body, trimmed) {
			return nil // white space at the ends is what every CLI cuts
		}
	}
	return fmt.Errorf("%d calls, none with the prompt %.60q", len(calls), prompt)
}
