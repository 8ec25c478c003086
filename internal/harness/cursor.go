package harness

// cursor drives Cursor's agent, from its documentation only. Its prompt is an argument, so that argument names the file
// that holds the prompt (HAR-1).
type cursor struct{}

func (cursor) Facts() Facts {
	return Facts{
		Name: "cursor", Binary: "cursor-agent", ReadOnly: GradeAdvisory, Sessions: SessionReported, Unproven: true,
		Runs:    []Permissions{PermissionEdit, PermissionFull},
		Reports: []Permissions{PermissionEdit, PermissionFull},
		Probe: Probe{
			Version: askVersion(), Help: [][]string{{"--help"}}, Flags: []string{"--output-format", "--model", "--resume", "--force"},
			Unknown: askAccount,
		},
	}
}

func (h cursor) Command(job Job) (Command, error) {
	if err := admit(job, h.Facts()); err != nil {
		return Command{}, err
	}
	line := program(job, h.Facts())
	line.add("-p", PasteLine(job.PromptPath), "--output-format", "stream-json")
	line.set("--model", job.Model)
	line.set("--resume", job.Resume)
	if job.Permissions != PermissionRead {
		line.add("--force")
	}
	if err := line.flags(job, "p", "print", "output-format", "model", "resume", "force", "f"); err != nil {
		return Command{}, err
	}
	command := headless(job, line, nil)
	command.StdinPath = ""
	return command, nil
}

func (cursor) Parser(job Job) Parser { return &claudeParser{stream: newStream(job)} }
