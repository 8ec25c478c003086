package harness

import (
	"strings"
)

// goose drives Block's goose, from its documentation only.
type goose struct{}

func (goose) Facts() Facts {
	return Facts{
		Name: "goose", Binary: "goose", ReadOnly: GradeAdvisory, Sessions: SessionChosen, Unproven: true,
		Warning: "at the end of some limits it gives an empty answer and no error, which counts as a failure",
		Inherit: []string{"GOOSE_PROVIDER"},
		Runs:    []Permissions{PermissionEdit, PermissionFull},
		Reports: []Permissions{PermissionEdit, PermissionFull},
		Probe: Probe{
			Version: askVersion(), Help: [][]string{{"run", "--help"}}, Flags: []string{"--output-format", "--resume"},
			Unknown: askAccount,
		},
	}
}

func (h goose) Command(job Job) (Command, error) {
	if err := admit(job, h.Facts()); err != nil {
		return Command{}, err
	}
	line := program(job, h.Facts())
	line.add("run", "-i", "-", "--output-format", "json")
	if job.Resume != "" {
		line.add("-n", job.Resume, "--resume")
	} else {
		line.set("-n", job.NewSession)
	}
	if err := line.flags(job, "i", "t", "n", "name", "resume", "r", "output-format", "no-session"); err != nil {
		return Command{}, err
	}
	command := headless(job, line, nil)
	command.Env["GOOSE_MODE"] = "auto"
	if job.Permissions == PermissionRead {
		command.Env["GOOSE_MODE"] = "chat" // offers no tool at all
	}
	if job.Model != "" {
		command.Env["GOOSE_MODEL"] = job.Model
	}
	return command, nil
}

func (goose) Parser(job Job) Parser {
	p := &gooseParser{stream: newStream(job)}
	if job.Resume == "" {
		p.result.Session = job.NewSession
	}
	return p
}

// gooseParser keeps all of standard output, for the JSON document at its end may span lines.
type gooseParser struct {
	stream
	output strings.Builder
}

func (p *gooseParser) Line(line []byte) []Event {
	const most = 4 << 20 // bytes
	if p.output.Len()+len(line) < most {
		p.output.Write(line)
		p.output.WriteByte('\n')
	}
	if text := clean(line, maxEventText); text != "" {
		p.plain = keepLast(p.plain, text)
	}
	return []Event{{Kind: EventOther}}
}

func (p *gooseParser) Finish(exit Exit) Result {
	text := p.output.String()
	if start := strings.Index(text, "{\n"); start > 0 && !strings.HasPrefix(text, "{") {
		text = text[start:]
	}
	doc, ok := decode([]byte(text))
	for _, message := range doc.objects("messages") {
		if message.text("role") == "assistant" {
			p.say(contentText(message))
		}
	}
	p.sawJSON = ok
	if ok && exit.Code == 0 && strings.TrimSpace(p.result.Text) != "" {
		return p.finish(exit, nil)
	}
	if ok {
		p.plain = nil // the document quotes the agent
	}
	return p.finish(exit, p.blame(exit, endedWithout("an answer", exit)))
}
