package mockmodel

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Scenarios lists what a path may ask for, with its meaning. A number after "-" is the scenario's own; a verdict after "+"
// (done, approve, changes, blocked) makes the answer end with its verdict line.
func Scenarios() [][2]string {
	return [][2]string{
		{"text", "a short answer"},
		{"tool", "one tool call that writes the tool file, then the answer"},
		{"shell", "one shell call that writes the tool file, then the answer"},
		{"escalate", "one shell call that asks to leave the sandbox (codex), then the answer"},
		{"sleep-S", "one shell call that takes S seconds, then the answer"},
		{"verb+V", "one shell call of board's verb V, then the answer, which has no verdict line"},
		{"slow", "the answer, a word a second for 20 seconds"},
		{"ratelimit", "429 without a retry-after; ratelimit-N only for the first N calls"},
		{"retryafter-S", "429 with retry-after S"},
		{"usage", "the provider's error for a plan that is used up; usage-S for S more seconds"},
		{"quota", "the provider's error for an empty purse"},
		{"auth", "401"},
		{"forbidden", "403"},
		{"nomodel", "404, the model does not exist"},
		{"toolong", "400, the prompt is too long"},
		{"overload", "529 or 503; overload-N only for the first N calls"},
		{"error500", "500"},
		{"sseerror", "200, then an error inside the stream"},
		{"drop", "200, half an answer, then the connection is cut"},
		{"hang", "accepted and never answered"},
		{"hangmid", "200, half an answer, then silence"},
		{"empty", "200 and an empty answer"},
	}
}

// scenario is a parsed name.
type scenario struct {
	name    string
	number  int // -1 for none
	verdict string
}

func parseScenario(text string) scenario {
	sc := scenario{number: -1}
	sc.name, sc.verdict, _ = strings.Cut(text, "+")
	if i := strings.LastIndexByte(sc.name, '-'); i > 0 {
		if n, err := strconv.Atoi(sc.name[i+1:]); err == nil {
			sc.name, sc.number = sc.name[:i], n
		}
	}
	return sc
}

// fails reports whether call n of the scenario gets an error status.
func (sc scenario) fails(n int) bool {
	switch sc.name {
	case "ratelimit", "overload":
		return sc.number < 0 || n <= sc.number
	case "retryafter", "usage", "quota", "auth", "forbidden", "nomodel", "toolong", "error500":
		return true
	}
	return false
}

// text is the final answer.
func (sc scenario) text(plain string) string {
	if sc.verdict == "" || sc.name == "verb" {
		return plain
	}
	return plain + "\nBOARD: " + sc.verdict + sc.reason(": ")
}

// reason is what the verdicts that need one are given, after a separator.
func (sc scenario) reason(separator string) string {
	if sc.verdict == "changes" || sc.verdict == "blocked" {
		return separator + "the mock wants it"
	}
	return ""
}

// command is the shell line of the scenarios that run one.
func (sc scenario) command(file string) string {
	switch sc.name {
	case "sleep":
		// Some CLIs refuse a plain sleep.
		return "timeout " + strconv.Itoa(max(sc.number, 1)) + " tail -f /dev/null"
	case "verb":
		if reason := sc.reason(""); reason != "" {
			return "board " + sc.verdict + " '" + reason + "'"
		}
		return "board " + sc.verdict
	}
	return "echo from-mock > " + file
}

// answer is what to send back.
type answer struct {
	number    int // of the call within its scenario: clients tell messages apart by their ids
	text      string
	model     string
	tool      *toolCall     // nil for none
	pause     time.Duration // between the pieces of the text
	half      bool          // stop after the first piece, without an end
	breaks    bool          // an error inside the stream
	wantsJSON bool
	// Token counts that every protocol reports.
	in, out, cached int
}

func (s *Server) play(w http.ResponseWriter, r *http.Request, sc scenario, n int, c call) {
	if sc.name == "hang" {
		s.hang(r)
		return
	}
	if sc.fails(n) {
		e := failure(sc, c, s.options.Clock.Now())
		for name, value := range e.header {
			w.Header().Set(name, value)
		}
		writeJSON(w, e.status, e.body)
		return
	}
	s.send(w, r, c, s.answer(sc, n, c))
	switch sc.name {
	case "drop":
		panic(http.ErrAbortHandler) // cuts the connection; net/http catches it
	case "hangmid":
		s.hang(r)
	}
}

func (s *Server) answer(sc scenario, n int, c call) answer {
	a := answer{number: n, text: sc.text(s.options.Text), model: c.model, wantsJSON: c.wantsJSON, in: 120, out: 7, cached: 20}
	switch sc.name {
	case "tool", "shell", "escalate", "sleep", "verb":
		// Side calls, for titles and summaries, come without tools.
		if !c.toolResult && len(c.tools) > 0 {
			a.tool = pickTool(c.tools, sc, s.options.ToolFile)
		}
	case "slow":
		const words = 20
		a.pause = time.Second
		a.text = strings.Repeat("word ", words) + a.text
	case "empty":
		a.text = ""
	case "drop", "hangmid":
		a.half = true
	case "sseerror":
		a.breaks = true
	}
	return a
}

// pieces cuts the text as a model streams it.
func (a answer) pieces() []string {
	const first = 4 // bytes; enough to tell a half answer from a whole one
	if a.pause > 0 {
		return strings.SplitAfter(a.text, " ")
	}
	if len(a.text) > first {
		return []string{a.text[:first], a.text[first:]}
	}
	return []string{a.text}
}
