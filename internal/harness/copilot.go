package harness

import "fmt"

// copilot drives GitHub Copilot CLI.
type copilot struct{}

func (copilot) Facts() Facts {
	return Facts{
		Name: "copilot", Binary: "copilot", ReadOnly: GradeEnforced, Sessions: SessionChosen, Effort: true,
		Warning: "it strikes the value of its key out of all its output: with a short key its output cannot be read",
		Inherit: []string{"COPILOT_HOME"},
		Runs:    []Permissions{PermissionEdit, PermissionFull},
		Reports: []Permissions{PermissionEdit, PermissionFull},
		Probe: Probe{
			Version: askVersion(), Help: [][]string{{"--help"}}, Unknown: askAccount,
			Flags: []string{
				"--output-format", "--no-ask-user", "--plan", "--allow-all-tools", "--session-id", "--resume", "--model",
				"--reasoning-effort", "--usage-output-file", "--add-dir",
			},
		},
	}
}

func (h copilot) Command(job Job) (Command, error) {
	if err := admit(job, h.Facts()); err != nil {
		return Command{}, err
	}
	line := program(job, h.Facts())
	line.add("--output-format", "json", "--no-ask-user")
	switch job.Permissions {
	case PermissionRead, PermissionAsk:
		// Without a permission granted here, and nobody to ask, whatever writes or runs is denied (measured with 1.0.102).
		line.add("--plan")
	case PermissionEdit:
		line.add("--allow-all-tools")
		line.set("--add-dir", job.OutboxDir)
	case PermissionFull:
		line.add("--allow-all")
	}
	if job.Resume != "" {
		line.add("--resume=" + job.Resume)
	} else {
		line.set("--session-id", job.NewSession)
	}
	line.set("--model", job.Model)
	line.set("--reasoning-effort", job.Effort)
	line.set("--usage-output-file", h.usageFile(job))
	err := line.flags(job, "output-format", "plan", "allow-all-tools", "allow-all", "yolo", "allow-tool", "resume", "continue",
		"session-id", "model", "p", "prompt", "usage-output-file")
	if err != nil {
		return Command{}, err
	}
	return headless(job, line, nil), nil
}

func (copilot) usageFile(job Job) string {
	if job.RunDir == "" {
		return ""
	}
	return job.RunDir + "/copilot-usage.json"
}

func (copilot) Parser(job Job) Parser {
	p := &copilotParser{stream: newStream(job)}
	// The CLI names its session in its last line only, which a killed run never prints.
	if job.Resume == "" {
		p.result.Session = job.NewSession
	}
	return p
}

// copilotParser reads `--output-format json`.
type copilotParser struct {
	stream
	errored object // the last session.error; nil for none
	ended   bool   // the result line came
	code    int64  // its exitCode
}

func (p *copilotParser) Line(line []byte) []Event {
	o, events, ok := p.decode(line)
	if !ok {
		return events
	}
	data := o.in("data")
	if data == nil {
		data = o
	}
	switch o.text("type") {
	case "assistant.message":
		p.errored = nil
		return append(p.model(data.text("model")), p.say(contentText(data))...)
	case "assistant.turn_start":
		p.result.Turns++
	case "tool.execution_start":
		return p.tool(data.first("toolName", "tool", "name"))
	case "tool.execution_complete":
		if data.in("error").text("code") == "denied" || data.in("result", "error").text("code") == "denied" {
			return p.denied(data.first("toolName", "tool", "name"))
		}
	case "model.call_failure":
		return p.retrying(fmt.Sprintf("API error: %d · retrying", data.count("statusCode")))
	case "model.call_start", "model.call_finished", "assistant.turn_retry": // what follows a failed call, and is no progress
		return nil
	case "session.error":
		p.errored, p.retry = data, ""
		return p.fault(data.text("message"))
	case "result":
		return p.end(o, data)
	}
	return []Event{{Kind: EventOther}}
}

func (p *copilotParser) end(o, data object) []Event {
	p.ended, p.code = true, data.count("exitCode") // also when it is ended amid its retries
	events := p.session(data.text("sessionId"))
	if premium := o.in("usage").number("premiumRequests"); premium > 0 {
		p.result.Metadata = map[string]any{"premium_requests": premium}
	}
	return append(events, Event{Kind: EventFinal, Text: cut(p.result.Text, maxEventText)})
}

func (p *copilotParser) Wants() []string {
	if path := (copilot{}).usageFile(p.job); path != "" {
		return []string{path}
	}
	return nil
}

func (p *copilotParser) Finish(exit Exit) Result {
	for _, path := range p.Wants() {
		if usage, ok := decode(exit.Files[path]); ok {
			// The file counts on over a resumed session (measured with 1.0.102).
			p.result.Total = copilotUsage(usage)
			p.result.Usage = Share(p.job.Previous, p.result.Total)
		}
	}
	return p.finish(exit, p.failure(exit))
}

// copilotUsage looks for token counts at the top of the usage file, else adds them up over its models.
func copilotUsage(o object) Usage {
	if nested := o.in("usage"); nested != nil {
		o = nested
	}
	if sum := camelUsage(o); sum != (Usage{}) {
		return sum
	}
	for _, key := range []string{"modelMetrics", "models"} {
		var sum Usage
		models := o.in(key)
		for _, name := range models.keys() {
			m := models.in(name)
			if nested := m.in("usage"); nested != nil {
				m = nested
			}
			sum = plus(sum, camelUsage(m))
		}
		if sum != (Usage{}) {
			return sum
		}
	}
	return Usage{}
}

func camelUsage(o object) Usage {
	cached := o.count("cacheReadTokens")
	return Usage{In: max(0, o.count("inputTokens")-cached), Out: o.count("outputTokens"), Cached: cached}
}

// failure does not trust the result line's exit code alone: a run that was killed writes 0 there.
func (p *copilotParser) failure(exit Exit) *Failure {
	switch {
	case p.errored != nil:
		return known(classOfCopilot(p.errored), p.errored.text("message"), exit.Now)
	case p.ended && p.code == 0 && exit.Code == 0 && exit.Signal == "":
		return nil
	}
	return p.blame(exit, endedWithout("a good result", exit))
}

func classOfCopilot(o object) Class {
	switch o.text("errorType") {
	case "authentication":
		return ClassUnauthenticated
	case "rate_limit":
		return ClassRateLimited
	}
	return classOfStatus(int(o.count("statusCode")))
}
