package harness

import "cmp"

// CredentialFiles lists the files in which the CLI called name keeps its sign-in, as absolute paths, for a job of which only
// Home and Env count. Their size and time are evidence that a sign-in has changed; nobody reads them. A CLI that keeps its
// sign-in elsewhere (a key ring) gives none or old ones: what waits for a change of it then waits for `board roster resume`.
func CredentialFiles(name string, job Job) []string {
	if job.Home == "" {
		return nil
	}
	config := job.folder("XDG_CONFIG_HOME", ".config")
	data := job.folder("XDG_DATA_HOME", ".local/share")
	switch name {
	case "claude":
		return in(job.folder("CLAUDE_CONFIG_DIR", ".claude"), ".credentials.json")
	case "codex":
		return in(job.folder("CODEX_HOME", ".codex"), "auth.json")
	case "opencode":
		return in(data+"/opencode", "auth.json")
	case "gemini":
		// The settings hold which way of signing in was chosen; the CLI writes them when a person chooses only.
		home := cmp.Or(job.Env["GEMINI_CLI_HOME"], job.Home)
		return in(home+"/.gemini", "oauth_creds.json", "settings.json", ".env")
	case "pi":
		return in(job.folder("PI_CODING_AGENT_DIR", ".pi/agent"), "auth.json")
	case "qwen":
		return in(job.folder("QWEN_CODE_HOME", ".qwen"), "oauth_creds.json", "settings.json", ".env")
	case "copilot":
		return in(job.folder("COPILOT_HOME", ".copilot"), "config.json")
	case "amp":
		return in(data+"/amp", "secrets.json")
	case "cursor":
		return in(config+"/cursor", "auth.json")
	case "goose":
		return in(config+"/goose", "secrets.yaml", "config.yaml")
	}
	return nil
}

// KeyVariables lists the variables that sign the CLI called name in, where an entry's `env` gives one of them. They do not
// pass from the program's own environment.
func KeyVariables(name string) []string {
	switch name {
	case "claude":
		return []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"}
	case "codex":
		return []string{"CODEX_API_KEY"}
	case "gemini":
		return []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}
	case "copilot":
		return []string{"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"}
	case "amp":
		return []string{"AMP_API_KEY"}
	case "cursor":
		return []string{"CURSOR_API_KEY"}
	case "qwen":
		return []string{"OPENAI_API_KEY", "DASHSCOPE_API_KEY"}
	}
	return nil
}

func in(folder string, names ...string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = folder + "/" + name
	}
	return paths
}
