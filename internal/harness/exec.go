package harness

import (
	"errors"
	"strings"
)

// execHarness runs any command (07, "exec"). It knows nothing of the command but its exit code, its output and the result
// file that it may write.
type execHarness struct{}

func (execHarness) Facts() Facts {
	return Facts{
		Name: "exec", ReadOnly: GradeNone, Sessions: SessionReported, Interactive: true,
		Runs:    []Permissions{PermissionRead, PermissionEdit, PermissionFull, PermissionAsk},
		Reports: []Permissions{PermissionRead, PermissionEdit, PermissionFull, PermissionAsk},
	}
}

func (h execHarness) Command(job Job) (Command, error) {
	if len(job.Argv) == 0 {
		return Command{}, errors.New("an exec executor needs a command")
	}
	if err := admit(job, h.Facts()); err != nil {
		return Command{}, err
	}
	if job.Interactive {
		return pane(job, job.Argv, map[string]string{"BOARD_SESSION": job.Resume}), nil
	}
	return Command{
		Argv: job.Argv, StdinPath: job.PromptPath, Dir: job.Workspace,
		Env: map[string]string{"BOARD_SESSION": job.Resume},
	}, nil
}

func (execHarness) Parser(job Job) Parser { return &execParser{stream: newStream(job)} }

// execParser takes standard output for the answer, whatever it looks like.
type execParser struct{ stream }

func (p *execParser) Line(line []byte) []Event {
	return p.add(strings.ToValidUTF8(cut(string(line), maxText), "\uFFFD") + "\n")
}

func (p *execParser) Wants() []string {
	if p.job.ResultPath == "" {
		return nil
	}
	return []string{p.job.ResultPath}
}

func (p *execParser) Finish(exit Exit) Result {
	var failure *Failure
	if exit.Code != 0 {
		failure = p.blameCommand(exit)
	}
	result := p.finish(exit, failure)
	data, written := exit.Files[p.job.ResultPath]
	if !written {
		return result
	}
	told, note := ParseResultFile(data, exit.Now)
	if note != "" {
		result.Notes = append(result.Notes, note)
	}
	return result.told(told)
}

// blameCommand looks at standard error only: standard output is the agent's words (HAR-2).
func (p *execParser) blameCommand(exit Exit) *Failure {
	if f := classifyLines(p.stderr, exit.Now); f != nil {
		return f
	}
	failure := &Failure{Class: ClassFailed}
	if len(p.stderr) > 0 {
		failure.Message = p.stderr[len(p.stderr)-1]
	}
	return failure
}

// told lays what a command wrote about itself over what its output showed.
func (r Result) told(t Result) Result {
	if t.Text != "" {
		r.Text = t.Text
	}
	if t.Verdict != "" {
		r.Verdict, r.Reason = t.Verdict, t.Reason
	}
	if t.Session != "" {
		r.Session = t.Session
	}
	if t.Failure != nil {
		r.Failure = t.Failure
	}
	r.Model, r.Usage, r.Turns, r.Metadata = t.Model, t.Usage, t.Turns, t.Metadata
	r.Total = plus(r.Total, t.Usage)
	return r
}
