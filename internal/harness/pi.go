package harness

// pi drives the pi coding agent.
type pi struct{}

func (pi) Facts() Facts {
	return Facts{
		Name: "pi", Binary: "pi", ReadOnly: GradeEnforced, Sessions: SessionChosen, Effort: true,
		Warning: "it has no permission system: permissions edit let it do anything",
		Inherit: []string{"PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR", "PI_OFFLINE"},
		Runs:    []Permissions{PermissionEdit, PermissionFull},
		Reports: []Permissions{PermissionEdit, PermissionFull},
		Probe: Probe{
			Version: askVersion(), SignIn: []string{"auth", "check", "--json"}, Help: [][]string{{"--help"}}, Node: 22,
			Flags:   []string{"--mode", "--session-id", "--session", "--model", "--thinking", "--tools", "--approve"},
			Unknown: askKeys,
		},
	}
}

func (h pi) Command(job Job) (Command, error) {
	if err := admit(job, h.Facts()); err != nil {
		return Command{}, err
	}
	line := program(job, h.Facts())
	line.add("--mode", "json", "-p")
	if job.Resume != "" {
		line.add("--session", job.Resume)
	} else {
		line.set("--session-id", job.NewSession)
	}
	line.set("--model", job.Model)
	line.set("--thinking", job.Effort)
	if job.Permissions == PermissionRead {
		line.add("--tools", "read,grep,find,ls")
	} else {
		line.add("--approve")
	}
	err := line.flags(job, "mode", "p", "print", "session", "session-id", "c", "continue", "model", "tools", "approve")
	if err != nil {
		return Command{}, err
	}
	return headless(job, line, nil), nil
}

func (pi) Parser(job Job) Parser { return &piParser{stream: newStream(job)} }

// piParser reads `--mode json`, in which every failed call ends with exit code 0.
type piParser struct {
	stream
	last  object // the last message of the assistant; nil before it
	final string // error that its retries ended with; "" for none
}

func (p *piParser) Line(line []byte) []Event {
	o, events, ok := p.decode(line)
	if !ok {
		return events
	}
	switch o.text("type") {
	case "session":
		return p.session(o.text("id"))
	case "message_end":
		return p.message(o.in("message"))
	case "tool_execution_start":
		return p.tool(o.first("toolName", "tool", "name"))
	case "auto_retry_start":
		return p.retrying(o.text("errorMessage"))
	case "auto_retry_end":
		p.retry = ""
		if !o.flag("success") {
			p.final = o.text("finalError")
		}
	case "agent_settled":
		return []Event{{Kind: EventFinal, Text: cut(p.result.Text, maxEventText), Usage: p.result.Usage}}
	}
	return []Event{{Kind: EventOther}}
}

func (p *piParser) message(m object) []Event {
	if m.text("role") != "assistant" {
		return []Event{{Kind: EventOther}}
	}
	p.last = m
	events := p.model(m.text("model"))
	if m.text("stopReason") == "error" {
		return append(events, p.fault(m.text("errorMessage"))...)
	}
	p.final = ""
	p.result.Turns++
	events = append(events, p.say(contentText(m))...)
	return append(events, p.spend(piUsage(m.in("usage")))...)
}

func piUsage(u object) Usage {
	return Usage{
		In: u.count("input") + u.count("cacheWrite"), Out: u.count("output"), Cached: u.count("cacheRead"),
		CostMicros: micros(u.in("cost").number("total")),
	}
}

func (p *piParser) Finish(exit Exit) Result { return p.finish(exit, p.failure(exit)) }

func (p *piParser) failure(exit Exit) *Failure {
	switch p.last.text("stopReason") {
	case "error":
		text := p.last.text("errorMessage")
		if text == "" {
			text = p.final
		}
		return known("", text, exit.Now)
	case "aborted":
		return &Failure{Class: ClassFailed, Message: "pi was aborted"}
	}
	if p.last != nil && exit.Code == 0 {
		return nil
	}
	return p.blame(exit, endedWithout("an answer", exit))
}
