package harness

import (
	"strconv"
	"strings"
	"time"
)

// qwen drives Qwen Code, whose output has the shape of claude's.
type qwen struct{}

func (qwen) Facts() Facts {
	return Facts{
		Name: "qwen", Binary: "qwen", ReadOnly: GradeEnforced, Sessions: SessionChosen,
		Warning: "permissions edit are its yolo mode; and it retries most errors in silence",
		Inherit: []string{"QWEN_CODE_HOME"},
		Runs:    []Permissions{PermissionEdit, PermissionFull},
		Reports: []Permissions{PermissionEdit, PermissionFull},
		Probe: Probe{
			Version: askVersion(), Help: [][]string{{"--help"}}, Node: 22, Unknown: askAccount,
			Flags: []string{
				"--output-format", "--approval-mode", "--session-id", "--resume", "--model", "--add-dir", "--max-wall-time",
			},
		},
	}
}

func (h qwen) Command(job Job) (Command, error) {
	if err := admit(job, h.Facts()); err != nil {
		return Command{}, err
	}
	line := program(job, h.Facts())
	line.add("-o", "stream-json")
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
	line.set("--add-dir", job.OutboxDir)
	if _, own := job.Flags["max-wall-time"]; !own && job.Runtime > 0 {
		line.add("--max-wall-time", strconv.Itoa(int(job.Runtime/time.Second))+"s")
	}
	err := line.flags(job, "o", "output-format", "approval-mode", "y", "yolo", "resume", "c", "continue", "session-id", "m",
		"model", "p", "prompt")
	if err != nil {
		return Command{}, err
	}
	return headless(job, line, nil), nil
}

func (qwen) Parser(job Job) Parser {
	return &qwenParser{claudeParser{stream: newStream(job), cachedIn: true}}
}

// qwenParser differs from claude's in its endings: limits of its own end with an exit code and no result line.
type qwenParser struct{ claudeParser }

func (p *qwenParser) Finish(exit Exit) Result {
	const turns, wallOrTools = 53, 55 // facts, section 1, "budget"
	if p.final == nil && (exit.Code == turns || exit.Code == wallOrTools) {
		words := strings.TrimPrefix(p.lastWords(""), ": ")
		return p.finish(exit, &Failure{Class: ClassFailed, Message: words})
	}
	failure := p.failure(exit)
	// Version 0.15.10 gives an API's error as a good result, exit code 0, for which no token was used.
	if text := p.result.Text; failure == nil && strings.HasPrefix(text, "[API Error: ") && p.result.Usage == (Usage{}) {
		failure = known("", text, exit.Now)
	}
	if failure != nil && failure.Message == p.result.Text {
		p.result.Text = "" // it is the CLI's, not the agent's
	}
	return p.finish(exit, failure)
}
