package mockmodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-2ddc2152/board/internal/clock"
)

// maxBody is the largest request that is read, in bytes: prompts of a megabyte come with their history.
const maxBody = 64 << 20

// Options set up a Server. The zero value is ready.
type Options struct {
	Scenario string      // for paths without /s/<scenario>; "" is "text"
	Text     string      // the final answer; "" is "MOCK-OK"
	ToolFile string      // file that the tool scenarios write; "" is "mock.txt"
	Log      io.Writer   // one JSON line a request; nil for none
	Clock    clock.Clock // nil is the machine's
}

// Request is what the server saw of one request.
type Request struct {
	N        int      `json:"n"` // count of model calls within the scenario, from 1; 0 for other requests
	Scenario string   `json:"scenario"`
	Method   string   `json:"method"`
	Path     string   `json:"path"` // without /s/<scenario>
	Protocol Protocol `json:"protocol,omitempty"`
	Model    string   `json:"model,omitempty"`
	Effort   string   `json:"effort,omitempty"`
	Tools    []string `json:"tools,omitempty"` // sorted
	Status   int      `json:"status"`          // 0 when nothing was answered
	Body     []byte   `json:"-"`
}

// Server is an http.Handler, safe for many requests at once.
type Server struct {
	options  Options
	released chan struct{}
	release  func()

	mu       sync.Mutex
	counts   map[string]int // model calls by scenario
	requests []Request
}

// New makes a server.
func New(options Options) *Server {
	if options.Scenario == "" {
		options.Scenario = "text"
	}
	if options.Text == "" {
		options.Text = "MOCK-OK"
	}
	if options.ToolFile == "" {
		options.ToolFile = "mock.txt"
	}
	if options.Clock == nil {
		options.Clock = clock.Real{}
	}
	released := make(chan struct{})
	return &Server{
		options: options, released: released, counts: map[string]int{},
		release: sync.OnceFunc(func() { close(released) }),
	}
}

// Release ends every request that hangs.
func (s *Server) Release() { s.release() }

// Requests lists what was seen, in the order in which it ended.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP answers one request as its scenario says.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, path := s.route(r.URL.Path)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	c := parseCall(path, body)
	seen := Request{
		Scenario: name, Method: r.Method, Path: path, Protocol: c.protocol, Model: c.model, Effort: c.effort,
		Tools: c.tools, Body: body,
	}
	isCall := c.protocol != "" && r.Method == http.MethodPost
	if isCall {
		seen.N = s.count(name)
	}
	out := &recorder{ResponseWriter: w}
	defer func() {
		seen.Status = out.status
		s.keep(seen)
	}()
	switch {
	case strings.HasSuffix(path, "/count_tokens"):
		writeJSON(out, http.StatusOK, object{"input_tokens": len(body) / 4})
	case strings.HasSuffix(path, ":countTokens"):
		writeJSON(out, http.StatusOK, object{"totalTokens": len(body) / 4})
	case isCall:
		s.play(out, r, parseScenario(name), seen.N, c)
	case strings.HasSuffix(path, "/models"):
		model := object{"id": "mock-model", "object": "model", "owned_by": "mock"}
		writeJSON(out, http.StatusOK, object{"object": "list", "data": []any{model}})
	default:
		problem := object{"type": "not_found", "message": "mock: no such route " + path}
		writeJSON(out, http.StatusNotFound, object{"error": problem})
	}
}

// route splits a path into its scenario and what the CLI asked for.
func (s *Server) route(path string) (scenario, rest string) {
	tail, ok := strings.CutPrefix(path, "/s/")
	if !ok {
		return s.options.Scenario, path
	}
	scenario, rest, _ = strings.Cut(tail, "/")
	return scenario, "/" + rest
}

func (s *Server) count(scenario string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[scenario]++
	return s.counts[scenario]
}

func (s *Server) keep(seen Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, seen)
	if s.options.Log == nil {
		return
	}
	if line, err := json.Marshal(seen); err == nil {
		fmt.Fprintf(s.options.Log, "%s\n", line)
	}
}

// pause waits for d, or until the client is gone.
func (s *Server) pause(r *http.Request, d time.Duration) {
	if d > 0 {
		_ = s.options.Clock.Sleep(r.Context(), d) // a client that is gone shows at the next write
	}
}

// hang waits until the client is gone or Release is called.
func (s *Server) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.released:
	}
}

// recorder remembers the status of a response.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers the status.
func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Flush sends what was written.
func (r *recorder) Flush() {
	if f, ok := r.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}
