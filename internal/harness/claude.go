package harness

import "fmt"

// claude drives Claude Code.
type claude struct{}

func (claude) Facts() Facts {
	return Facts{
		Name: "claude", Binary: "claude", ReadOnly: GradeEnforced, Sessions: SessionChosen, Interactive: true, Effort: true,
		Inherit: []string{"CLAUDE_CONFIG_DIR", "IS_SANDBOX", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"},
		Runs:    []Permissions{PermissionEdit, PermissionFull, PermissionAsk},
		Reports: []Permissions{PermissionEdit, PermissionFull, PermissionAsk},
		Probe: Probe{
			Version: askVersion(), SignIn: []string{"auth", "status"}, Help: [][]string{{"--help"}},
			Flags: []string{
				"--output-format", "--verbose", "--session-id", "--resume", "--permission-mode", "--allowedTools", "--tools",
				"--model", "--effort", "--add-dir", "--strict-mcp-config",
			},
			Unknown: askPlan,
		},
	}
}

func (h claude) Command(job Job) (Command, error) {
	if err := admit(job, h.Facts()); err != nil {
		return Command{}, err
	}
	line := program(job, h.Facts())
	if !job.Interactive {
		line.add("-p", "--output-format", "stream-json", "--verbose")
	}
	if job.Resume != "" {
		line.add("--resume", job.Resume)
	} else {
		line.set("--session-id", job.NewSession)
	}
	if err := h.permit(&line, job); err != nil {
		return Command{}, err
	}
	line.set("--model", job.Model)
	line.set("--effort", job.Effort)
	err := line.flags(job, "print", "p", "output-format", "input-format", "resume", "continue", "session-id",
		"permission-mode", "dangerously-skip-permissions", "allow-dangerously-skip-permissions", "tools", "model", "bg")
	if err != nil {
		return Command{}, err
	}
	// Without these, ten retries take three minutes and a silent server holds the run for ten (facts, section 3).
	env := map[string]string{"CLAUDE_CODE_MAX_RETRIES": "3", "API_TIMEOUT_MS": "600000"}
	if !job.Interactive {
		return headless(job, line, env), nil
	}
	command := pane(job, line, env)
	command.Seeds = []Seed{h.seed(job)}
	return command, nil
}

// permit adds the permission flags. Reading is kept by offering no tool that writes; plan mode would only ask the model
// not to.
func (claude) permit(line *argv, job Job) error {
	switch job.Permissions {
	case PermissionRead:
		line.add("--tools", "Read,Grep,Glob", "--strict-mcp-config")
	case PermissionEdit:
		line.add("--permission-mode", "acceptEdits", "--allowedTools", "Bash")
	case PermissionFull:
		if job.Root && job.Env["IS_SANDBOX"] != "1" {
			return fmt.Errorf("claude refuses permissions full as root unless IS_SANDBOX=1: %w", ErrPermissions)
		}
		line.add("--permission-mode", "bypassPermissions")
	case PermissionAsk:
		line.add("--permission-mode", "default")
	}
	if job.OutboxDir != "" {
		line.add("--add-dir", job.OutboxDir)
	}
	return nil
}

// seed answers what an interactive claude asks in a fresh home: onboarding, trust in the folder, and the use of a key from
// the environment, which it remembers by its last 20 characters.
func (claude) seed(job Job) Seed {
	content := map[string]any{
		"hasCompletedOnboarding": true,
		"projects":               map[string]any{job.Workspace: map[string]any{"hasTrustDialogAccepted": true}},
	}
	if job.OutboxDir != "" { // a folder that --add-dir names is asked about as well
		content["projects"] = map[string]any{
			job.Workspace: map[string]any{"hasTrustDialogAccepted": true}, job.OutboxDir: map[string]any{"hasTrustDialogAccepted": true},
		}
	}
	if key := job.Env["ANTHROPIC_API_KEY"]; key != "" {
		const tail = 20
		content["customApiKeyResponses"] = map[string]any{"approved": []any{key[max(0, len(key)-tail):]}}
	}
	path := job.Home + "/.claude.json"
	if dir := job.Env["CLAUDE_CONFIG_DIR"]; dir != "" {
		path = dir + "/.claude.json"
	}
	return Seed{Path: path, Format: SeedJSON, JSON: content}
}

func (claude) Parser(job Job) Parser {
	return &claudeParser{stream: newStream(job)}
}
