package harness

import "strings"

// gemini drives Google's Gemini CLI.
type gemini struct{}

func (gemini) Facts() Facts {
	return Facts{
		Name: "gemini", Binary: "gemini", ReadOnly: GradeEnforced, Sessions: SessionChosen,
		Warning: "permissions edit are its yolo mode: no narrower one lets it run the repository's tools without a person",
		Inherit: []string{"GEMINI_CLI_HOME", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA", "GOOGLE_CLOUD_PROJECT"},
		Runs:    []Permissions{PermissionEdit, PermissionFull},
		Reports: []Permissions{PermissionEdit, PermissionFull},
		Probe: Probe{
			Version: askVersion(), Help: [][]string{{"--help"}}, Node: 20, Unknown: askAccount,
			Flags: []string{
				"--output-format", "--skip-trust", "--approval-mode", "--session-id", "--resume", "--model",
				"--include-directories",
			},
		},
	}
}

func (h gemini) Command(job Job) (Command, error) {
	if err := admit(job, h.Facts()); err != nil {
		return Command{}, err
	}
	line := program(job, h.Facts())
	line.add("-o", "stream-json", "--skip-trust")
	if job.Permissions == PermissionRead {
		line.add("--approval-mode", "plan")
	} else {
		line.add("--approval-mode", "yolo")
	}
	if job.Resume != "" {
		line.add("--resume", job.Resume)
	} else {
		line.set("--session-id", job.NewSession)
	}
	line.set("-m", job.Model)
	line.set("--include-directories", job.OutboxDir)
	err := line.flags(job, "o", "output-format", "approval-mode", "y", "yolo", "resume", "r", "session-id", "m", "model",
		"p", "prompt", "i", "prompt-interactive")
	if err != nil {
		return Command{}, err
	}
	return headless(job, line, nil), nil
}

func (gemini) Parser(job Job) Parser {
	return &geminiParser{stream: newStream(job), tools: map[string]string{}}
}

// geminiParser reads stream-json.
type geminiParser struct {
	stream
	final   object            // the result line; nil until it came
	talking bool              // the last event was a piece of the agent's text
	tools   map[string]string // names of the tools in use, by the id of the use
}

func (p *geminiParser) Line(line []byte) []Event {
	o, events, ok := p.decode(line)
	if !ok {
		return events
	}
	kind := o.text("type")
	if kind != "message" {
		p.talking = false
	}
	switch kind {
	case "init":
		return append(p.session(o.text("session_id")), p.model(o.text("model"))...)
	case "message":
		return p.message(o)
	case "tool_use":
		name := o.first("tool_name", "name")
		p.tools[o.text("tool_id")] = name
		return p.tool(name)
	case "tool_result":
		id := o.text("tool_id")
		name := p.tools[id]
		delete(p.tools, id)
		if o.in("error").text("type") == "policy_violation" {
			return p.denied(name)
		}
	case "error":
		return p.fault(o.first("message", "error"))
	case "result":
		p.final = o
		p.retry = ""
		p.spend(geminiUsage(o.in("stats")))
		p.gather()
		return []Event{{Kind: EventFinal, Text: cut(p.result.Text, maxEventText), Usage: p.result.Usage}}
	}
	return []Event{{Kind: EventOther}}
}

func (p *geminiParser) message(o object) []Event {
	if o.text("role") == "user" {
		return []Event{{Kind: EventOther}}
	}
	if p.talking && o.flag("delta") {
		return p.add(o.text("content"))
	}
	p.talking = true
	return p.say(o.text("content"))
}

func geminiUsage(stats object) Usage {
	cached := stats.count("cached")
	return Usage{In: max(0, stats.count("input_tokens")-cached), Out: stats.count("output_tokens"), Cached: cached}
}

func (p *geminiParser) Finish(exit Exit) Result { return p.finish(exit, p.failure(exit)) }

// failure reads the result line before the exit code, for an error inside the answer ends 0.
func (p *geminiParser) failure(exit Exit) *Failure {
	if p.final != nil && p.final.text("status") == "error" {
		said := p.final.in("error").first("message", "type")
		if said == "" { // the error came on a line of its own
			said = strings.Join(p.errors[max(0, len(p.errors)-1):], "")
		}
		return known(classOfGeminiExit(exit.Code), said, exit.Now)
	}
	if p.final != nil && exit.Code == 0 {
		return nil
	}
	failure := p.blame(exit, endedWithout("a result", exit))
	if class := classOfGeminiExit(exit.Code); class != "" && failure.Class == ClassFailed && exit.Signal == "" {
		failure.Class = class
	}
	return failure
}

// classOfGeminiExit reads the exit code, which is the HTTP status modulo 256 but for a few of its own.
func classOfGeminiExit(code int) Class {
	const noAuth = 41
	if code == noAuth {
		return ClassUnauthenticated
	}
	for _, status := range []int{401, 402, 403, 413, 429, 500, 502, 503, 504} {
		if status&255 == code {
			return classOfStatus(status)
		}
	}
	return ""
}
