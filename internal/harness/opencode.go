package harness

import (
	"strconv"
	"strings"
)

// opencode drives opencode.
type opencode struct{}

func (opencode) Facts() Facts {
	return Facts{
		Name: "opencode", Binary: "opencode", ReadOnly: GradeEnforced, Sessions: SessionReported, Interactive: true,
		Effort:  true,
		Warning: "with no sign-in it sends the work to a free cloud model of its own; and it sleeps a limit out in silence",
		Inherit: []string{"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"},
		Runs:    []Permissions{PermissionEdit, PermissionFull, PermissionAsk},
		Reports: []Permissions{PermissionEdit, PermissionFull, PermissionAsk},
		Probe: Probe{
			Version: askVersion(), SignIn: []string{"auth", "list"}, Help: [][]string{{"run", "--help"}},
			Flags:   []string{"--format", "--model", "--session", "--agent", "--auto", "--variant", "--print-logs", "--log-level"},
			Unknown: askKeys,
		},
	}
}

func (h opencode) Command(job Job) (Command, error) {
	if err := admit(job, h.Facts()); err != nil {
		return Command{}, err
	}
	line := program(job, h.Facts())
	if !job.Interactive {
		// Its log is the only place that tells of retries.
		line.add("run", "--format", "json", "--print-logs", "--log-level", "ERROR")
	}
	line.set("-s", job.Resume)
	line.set("-m", job.Model)
	if !job.Interactive {
		line.set("--variant", job.Effort)
	}
	env := map[string]string{}
	switch job.Permissions {
	case PermissionRead:
		line.add("--agent", "plan")
		env["OPENCODE_PERMISSION"] = `{"edit":"deny","bash":"deny","webfetch":"deny"}`
	case PermissionEdit, PermissionFull:
		if !job.Interactive {
			line.add("--auto")
		}
	case PermissionAsk:
		env["OPENCODE_PERMISSION"] = `{"edit":"ask","bash":"ask"}`
	}
	err := line.flags(job, "format", "s", "session", "c", "continue", "m", "model", "agent", "auto", "dir", "prompt")
	if err != nil {
		return Command{}, err
	}
	command := headless(job, line, nil)
	if job.Interactive {
		command = pane(job, line, nil)
	}
	command.Env = env // the permissions are board's, not the executor's
	return command, nil
}

func (opencode) Parser(job Job) Parser { return &opencodeParser{stream: newStream(job)} }

// opencodeParser reads `opencode run --format json`. There is no final record: a run is complete when its last step ended
// with reason "stop".
type opencodeParser struct {
	stream
	errored object // the last error event; nil for none
	reason  string // of the last finished step
	parts   bool   // the text of the present step has begun
}

func (p *opencodeParser) Line(line []byte) []Event {
	o, events, ok := p.decode(line)
	if !ok {
		return events
	}
	events = p.session(o.text("sessionID"))
	part := o.in("part")
	switch o.text("type") {
	case "step_start":
		p.parts = false
		return events // each try of a failing call begins a step: that alone is no progress
	case "text":
		if !p.parts {
			p.parts = true
			return append(events, p.say(part.text("text"))...)
		}
		return append(events, p.add("\n"+part.text("text"))...)
	case "tool_use":
		return append(events, p.use(part)...)
	case "step_finish":
		p.reason = part.text("reason")
		p.result.Turns++
		return append(events, p.spend(opencodeUsage(part))...)
	case "error":
		p.errored, p.retry = o.in("error"), ""
		return append(events, p.fault(opencodeError(p.errored))...)
	}
	return append(events, Event{Kind: EventOther})
}

func (p *opencodeParser) use(part object) []Event {
	said := part.in("state").text("error")
	if strings.Contains(said, "rejected permission") || strings.Contains(said, "prevents you from using") {
		return p.denied(part.text("tool"))
	}
	return p.tool(part.text("tool"))
}

var (
	// reFailedCall matches the log line of a failed model call of the agent itself; small=true are side calls, for titles.
	reFailedCall = lazily(`\blevel=ERROR\b.*\bsmall=false\b.*\berror\.error="(?:\w+: )?(.*)"$`)
	reSideCall   = lazily(`\blevel=ERROR\b.*\bsmall=true\b`)
	reAutoDeny   = lazily(`permission requested: (.*?);? auto-rejecting`)
)

// Stderr reads the log. A failed call there is one that it will try again; if it was the last, an error event follows.
func (p *opencodeParser) Stderr(line []byte) []Event {
	text := clean(line, maxEventText)
	if m := reAutoDeny.FindStringSubmatch(text); m != nil {
		return p.denied(m[1])
	}
	if m := reFailedCall.FindStringSubmatch(text); m != nil {
		return p.retrying(m[1])
	}
	if reSideCall.MatchString(text) {
		return nil
	}
	return p.stream.Stderr(line)
}

func opencodeUsage(part object) Usage {
	tokens := part.in("tokens")
	return Usage{
		In:  tokens.count("input") + tokens.in("cache").count("write"),
		Out: tokens.count("output") + tokens.count("reasoning"), Cached: tokens.in("cache").count("read"),
		CostMicros: micros(part.number("cost")),
	}
}

func opencodeError(o object) string {
	if said := o.in("data").text("message"); said != "" {
		return said
	}
	return o.first("message", "name")
}

func (p *opencodeParser) Finish(exit Exit) Result { return p.finish(exit, p.failure(exit)) }

// failure ends a run whose last step did not stop by itself: after a permission that nobody granted opencode ends 0.
func (p *opencodeParser) failure(exit Exit) *Failure {
	switch {
	case p.errored != nil:
		return known(classOfOpencode(p.errored), opencodeError(p.errored), exit.Now)
	case exit.Code == 0 && p.reason == "stop":
		return nil
	case len(p.result.Denied) > 0:
		return &Failure{
			Class: ClassFailed, Message: "opencode stopped after a refused permission: " + p.result.Denied[len(p.result.Denied)-1],
		}
	case p.retry != "":
		return known("", p.retry, exit.Now)
	}
	return p.blame(exit, endedWithout("a last step that stopped", exit))
}

func classOfOpencode(o object) Class {
	switch o.text("name") {
	case "ContextOverflowError":
		return ClassContextOverflow
	case "ProviderAuthError":
		return ClassUnauthenticated
	case "ProviderModelNotFoundError":
		return ClassModelUnavailable
	}
	status := o.in("data").number("statusCode")
	if text, ok := o.in("data")["statusCode"].(string); ok {
		status, _ = strconv.ParseFloat(text, 64)
	}
	return classOfStatus(int(status))
}
