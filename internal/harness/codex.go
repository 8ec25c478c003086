package harness

import (
	"strconv"
)

// codex drives OpenAI's Codex CLI.
type codex struct{}

func (codex) Facts() Facts {
	return Facts{
		Name: "codex", Binary: "codex", ReadOnly: GradeEnforced, Sessions: SessionReported, Interactive: true, Effort: true,
		Warning: "without a network it tries again for ever: the run's quiet limit ends it",
		Inherit: []string{"CODEX_HOME"},
		Runs:    []Permissions{PermissionRead, PermissionEdit, PermissionFull, PermissionAsk},
		Reports: []Permissions{PermissionRead, PermissionEdit, PermissionFull, PermissionAsk},
		Probe: Probe{
			Version: askVersion(), SignIn: []string{"login", "status"}, Help: [][]string{{"exec", "--help"}},
			Flags:   []string{"--json", "--sandbox", "--cd", "--model", "--config", "--add-dir", "--skip-git-repo-check"},
			Unknown: askPlan,
		},
	}
}

func (h codex) Command(job Job) (Command, error) {
	if err := admit(job, h.Facts()); err != nil {
		return Command{}, err
	}
	line := program(job, h.Facts())
	if !job.Interactive {
		line.add("exec", "--json", "--skip-git-repo-check")
	}
	// `exec resume` takes neither -s nor -C: they stand before it.
	line.add("-C", job.Workspace)
	line.set("-m", job.Model)
	if job.Effort != "" {
		line.add("-c", "model_reasoning_effort="+strconv.Quote(job.Effort))
	}
	// Offline, sending analytics holds a run for five seconds (facts, section 1). A login shell reads /etc/profile, which on
	// Debian sets PATH anew: board's verbs were not found (measured with 0.171.0).
	line.add("-c", "analytics.enabled=false", "-c", "allow_login_shell=false")
	err := line.flags(job, "json", "s", "sandbox", "C", "cd", "m", "model", "a", "ask-for-approval", "full-auto",
		"dangerously-bypass-approvals-and-sandbox", "add-dir", "o", "output-last-message")
	if err != nil {
		return Command{}, err
	}
	h.permit(&line, job) // after the executor's own flags: of a setting that is given twice the last one counts
	if job.Resume != "" {
		line.add("resume", job.Resume)
	}
	if job.Interactive {
		command := pane(job, line, nil)
		command.Seeds = []Seed{h.seed(job)}
		return command, nil
	}
	line.add("-")
	return headless(job, line, nil), nil
}

// permit chooses the sandbox. For reading it is a permission profile, in which the outbox alone can be written, so that a
// reviewer can call board's verbs; -s would overrule it. A version that knows no profiles keeps sandbox_mode (measured with
// 0.171.0: also against a config.toml that allows everything).
func (codex) permit(line *argv, job Job) {
	switch job.Permissions {
	case PermissionRead:
		line.add("-c", `sandbox_mode="read-only"`)
		if job.OutboxDir != "" {
			line.add("-c", `default_permissions="board"`)
			line.add("-c", `permissions.board={filesystem={":root"="read",`+strconv.Quote(job.OutboxDir)+`="write"}}`)
		}
	case PermissionAsk:
		line.add("-s", "read-only")
	case PermissionEdit:
		line.add("-s", "workspace-write")
		if job.OutboxDir != "" {
			line.add("--add-dir", job.OutboxDir)
		}
	case PermissionFull:
		line.add("--dangerously-bypass-approvals-and-sandbox")
	}
}

func (codex) seed(job Job) Seed {
	return Seed{
		Path: job.folder("CODEX_HOME", ".codex") + "/config.toml", Format: SeedTOML,
		Table: "[projects." + strconv.Quote(job.Workspace) + "]",
		Keys:  map[string]string{"trust_level": `"trusted"`},
	}
}

func (codex) Parser(job Job) Parser { return &codexParser{stream: newStream(job)} }

// codexParser reads the lines of `codex exec --json`. They hold neither the model nor a code of the error: those are in the
// rollout file, which Finish reads beside them.
type codexParser struct {
	stream
	completed bool
	failed    string // error of turn.failed; "" for none
}

func (p *codexParser) Line(line []byte) []Event {
	o, events, ok := p.decode(line)
	if !ok {
		return events
	}
	switch o.text("type") {
	case "thread.started":
		return p.session(o.text("thread_id"))
	case "item.started", "item.updated":
		return []Event{{Kind: EventTool, Text: o.in("item").text("type")}}
	case "item.completed":
		return p.item(o.in("item"))
	case "error":
		if text := o.text("message"); stillTrying(text) {
			return p.retrying(text)
		}
		return p.fault(o.text("message"))
	case "turn.completed":
		return p.turn(o.in("usage"))
	case "turn.failed":
		p.retry = ""
		p.failed = o.in("error").first("message", "type")
		if p.failed == "" {
			p.failed = "turn failed"
		}
		return []Event{{Kind: EventFinal, Text: cut(p.failed, maxEventText)}}
	}
	return []Event{{Kind: EventOther}}
}

func (p *codexParser) item(item object) []Event {
	switch item.text("type") {
	case "agent_message":
		return p.say(item.text("text"))
	case "error": // a warning, as about unknown model metadata
		p.note("codex: " + item.text("message"))
		return []Event{{Kind: EventOther}}
	case "command_execution":
		return p.tool(item.text("command"))
	}
	return p.tool(item.text("type"))
}

// turn reads totals that go on counting over a resumed thread (HAR-4).
func (p *codexParser) turn(usage object) []Event {
	p.completed, p.retry = true, ""
	p.result.Turns++
	p.result.Total = codexUsage(usage)
	p.result.Usage = Share(p.job.Previous, p.result.Total)
	return []Event{{Kind: EventFinal, Text: cut(p.result.Text, maxEventText), Usage: p.result.Usage}}
}

// codexUsage takes the cached tokens out of the input tokens, which include them.
func codexUsage(o object) Usage {
	cached := o.count("cached_input_tokens")
	return Usage{In: max(0, o.count("input_tokens")-cached), Out: o.count("output_tokens"), Cached: cached}
}

func (p *codexParser) Wants() []string {
	if pattern := (codex{}).rollout(p.job, p.result.Session); pattern != "" {
		return []string{pattern}
	}
	return nil
}

func (codex) rollout(job Job, session string) string {
	if session == "" {
		return ""
	}
	return job.folder("CODEX_HOME", ".codex") + "/sessions/*/*/*/rollout-*-" + session + ".jsonl"
}

func (p *codexParser) Finish(exit Exit) Result {
	record := Transcript{}
	for _, pattern := range p.Wants() {
		record = ParseRollout(exit.Files[pattern], exit.Now)
	}
	if record.Model != "" {
		p.result.Model = record.Model
	}
	if p.result.Text == "" {
		p.result.Text = record.Text
	}
	return p.finish(exit, p.failure(exit, record))
}

func (p *codexParser) failure(exit Exit, record Transcript) *Failure {
	switch {
	case p.failed != "":
		if record.Failure != nil && record.Failure.Class != ClassFailed {
			f := *record.Failure
			f.Message = p.failed
			return &f
		}
		return known("", p.failed, exit.Now)
	case p.completed:
		return nil
	case record.Failure != nil:
		return record.Failure
	}
	return p.blame(exit, endedWithout("a completed turn", exit))
}
