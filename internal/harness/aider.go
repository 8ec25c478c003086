package harness

import "strings"

// aider drives Aider, from its documentation only. It prints no JSON and knows no sessions.
type aider struct{}

func (aider) Facts() Facts {
	return Facts{
		Name: "aider", Binary: "aider", ReadOnly: GradeNone, Sessions: SessionNone, Unproven: true,
		Warning: "its run of shell commands is not covered by --yes-always, so it gives its verdict by the last line only",
		Probe: Probe{
			Version: askVersion(), Help: [][]string{{"--help"}}, Unknown: askAccount,
			Flags: []string{"--message-file", "--yes-always", "--no-stream", "--no-auto-commits", "--model"},
		},
	}
}

func (h aider) Command(job Job) (Command, error) {
	if err := admit(job, h.Facts()); err != nil {
		return Command{}, err
	}
	line := program(job, h.Facts())
	line.add("--message-file", job.PromptPath, "--yes-always", "--no-stream", "--no-auto-commits")
	line.set("--model", job.Model)
	err := line.flags(job, "message", "m", "message-file", "f", "yes-always", "model", "auto-commits", "no-auto-commits")
	if err != nil {
		return Command{}, err
	}
	command := headless(job, line, nil)
	command.StdinPath = ""
	return command, nil
}

func (aider) Parser(job Job) Parser { return &aiderParser{stream: newStream(job)} }

// aiderParser takes standard output for the answer, but for the lines that only its model library prints.
type aiderParser struct{ stream }

func (p *aiderParser) Line(line []byte) []Event {
	text := clean(line, maxText)
	if strings.HasPrefix(text, "litellm.") {
		return p.fault(text)
	}
	return p.add(text + "\n")
}

// Finish counts an error that the model library printed last as the run's, since aider ends 0 after it.
func (p *aiderParser) Finish(exit Exit) Result {
	if exit.Code == 0 && len(p.errors) == 0 {
		return p.finish(exit, nil)
	}
	return p.finish(exit, p.blame(exit, endedWithout("a good answer", exit)))
}
