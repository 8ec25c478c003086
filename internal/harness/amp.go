package harness

// amp drives Sourcegraph's Amp. It needs an account, so only its sign-in failures were ever seen; the rest is from its
// documentation.
type amp struct{}

func (amp) Facts() Facts {
	return Facts{
		Name: "amp", Binary: "amp", ReadOnly: GradeNone, Sessions: SessionReported, Effort: true, Unproven: true,
		Warning: "without AMP_API_KEY or a stored sign-in it waits for ever for a pasted code; and it chooses its own model",
		Inherit: []string{"AMP_SETTINGS_FILE", "AMP_URL"},
		Runs:    []Permissions{PermissionRead, PermissionEdit, PermissionFull},
		Reports: []Permissions{PermissionRead, PermissionEdit, PermissionFull},
		Probe: Probe{
			Version: askVersion(), Help: [][]string{{"--help"}}, Flags: []string{"--stream-json"}, Unknown: askAccount,
		},
	}
}

func (h amp) Command(job Job) (Command, error) {
	if err := admit(job, h.Facts()); err != nil {
		return Command{}, err
	}
	line := program(job, h.Facts())
	if job.Resume != "" {
		line.add("threads", "continue", job.Resume)
	}
	line.add("-x", "--stream-json")
	line.set("-m", job.Effort)
	if err := line.flags(job, "x", "execute", "stream-json", "m", "mode"); err != nil {
		return Command{}, err
	}
	return headless(job, line, nil), nil
}

func (amp) Parser(job Job) Parser { return &claudeParser{stream: newStream(job)} }
