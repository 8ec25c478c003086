package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// agent is a real coding-agent CLI: where it comes from, and how it is pointed at a mock model.
type agent struct {
	name    string // of the harness, and of the program
	pkg     string // on npm
	version string // exact: another one may behave otherwise
	after   string // the install script within the package, which is run by name; "" for none
	node22  bool   // needs Node 22, which comes from npm too
	model   string
	account string // environment variable that signs it in; "" where a file does
	longest int    // bytes of the longest prompt that it takes for its model; 0 for no bound of its own
	// absolute says that its tool writes no file by a relative path.
	absolute bool
	seat     func(s seat) (env map[string]string, flags map[string]string, err error)
}

// seat is one executor of a world: the CLI, with a home for its configuration, at one model.
type seat struct {
	agent agent
	dir   string // of the executor's own, for configuration
	base  string // URL of its model
	plan  bool   // signed in with a subscription, where that differs from a key
}

func agents() []agent {
	return []agent{
		{
			name: "claude", pkg: "@anthropic-ai/claude-code", version: "2.1.332", after: "install.cjs",
			model: "claude-sonnet-4-5", account: "ANTHROPIC_API_KEY", seat: claudeSeat,
		},
		{name: "codex", pkg: "@openai/codex", version: "0.171.0", model: "gpt-5.1-codex", seat: codexSeat},
		{
			name: "opencode", pkg: "opencode-ai", version: "1.18.33", after: "postinstall.mjs",
			model: "mock/mock-model", seat: opencodeSeat,
		},
		{
			name: "gemini", pkg: "@google/gemini-cli", version: "0.61.0",
			model: "gemini-2.5-pro", account: "GEMINI_API_KEY", seat: geminiSeat,
		},
		{
			name: "pi", pkg: "@earendil-works/pi-coding-agent", version: "1.6.0", node22: true,
			model: "mock/mock-model", seat: piSeat,
		},
		{
			name: "qwen", pkg: "@qwen-code/qwen-code", version: "0.24.4", node22: true,
			model: "mock-model", account: "OPENAI_API_KEY", longest: 400_000, absolute: true, seat: qwenSeat,
		},
		{
			name: "copilot", pkg: "@github/copilot", version: "1.0.102",
			model: "mock-model", account: "COPILOT_PROVIDER_API_KEY", longest: 300_000, seat: copilotSeat,
		},
	}
}

// key is of no account. It is long, because copilot strikes its key's value out of all that it prints. A roster may not have
// it written out: there it is keyRef.
const (
	key    = "sk-ant-mock-0123456789012345678901234567890"
	keyVar = "BOARD_E2E_KEY"
	keyRef = "${" + keyVar + "}"
)

func claudeSeat(s seat) (env, flags map[string]string, err error) {
	env = map[string]string{
		"ANTHROPIC_BASE_URL": s.base, "CLAUDE_CONFIG_DIR": s.dir, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
	}
	if s.plan { // only a plan's sign-in is told of the plan's limit
		env["CLAUDE_CODE_OAUTH_TOKEN"] = keyRef
	} else {
		env["ANTHROPIC_API_KEY"] = keyRef
	}
	return env, nil, nil
}

func codexSeat(s seat) (env, flags map[string]string, err error) {
	config := fmt.Sprintf("model_provider = \"mock\"\n\n[model_providers.mock]\nname = \"mock\"\nbase_url = %q\nenv_key = \"MOCK_KEY\"\n"+
		"wire_api = \"responses\"\n", s.base+"/v1")
	return map[string]string{"CODEX_HOME": s.dir, "MOCK_KEY": keyRef}, nil, writeFile(filepath.Join(s.dir, "config.toml"), config)
}

func opencodeSeat(s seat) (env, flags map[string]string, err error) {
	provider := map[string]any{
		"npm": "@ai-sdk/openai-compatible", "name": "mock", "options": map[string]any{"baseURL": s.base + "/v1", "apiKey": "{env:MOCK_KEY}"},
		"models": map[string]any{"mock-model": map[string]any{"name": "mock"}},
	}
	path := filepath.Join(s.dir, "opencode.json")
	env = map[string]string{
		"MOCK_KEY": keyRef, "OPENCODE_CONFIG": path, "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
		"XDG_DATA_HOME": filepath.Join(s.dir, "data"), "XDG_STATE_HOME": filepath.Join(s.dir, "state"),
	}
	return env, nil, writeJSON(path, map[string]any{"provider": map[string]any{"mock": provider}})
}

func geminiSeat(s seat) (env, flags map[string]string, err error) {
	env = map[string]string{"GEMINI_CLI_HOME": s.dir, "GOOGLE_GEMINI_BASE_URL": s.base, "GEMINI_API_KEY": keyRef}
	auth := map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}}
	settings := map[string]any{"security": auth, "privacy": map[string]any{"usageStatisticsEnabled": false}}
	return env, nil, writeJSON(filepath.Join(s.dir, ".gemini", "settings.json"), settings)
}

func piSeat(s seat) (env, flags map[string]string, err error) {
	model := map[string]any{
		"id": "mock-model", "name": "mock", "reasoning": false, "input": []string{"text"}, "contextWindow": 1_000_000, "maxTokens": 8000,
		"cost": map[string]any{"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0},
	}
	provider := map[string]any{"baseUrl": s.base + "/v1", "api": "openai-completions", "apiKey": "$MOCK_KEY", "models": []any{model}}
	env = map[string]string{"MOCK_KEY": keyRef, "PI_CODING_AGENT_DIR": s.dir, "PI_OFFLINE": "1"}
	return env, nil, writeJSON(filepath.Join(s.dir, "models.json"), map[string]any{"providers": map[string]any{"mock": provider}})
}

func qwenSeat(s seat) (env, flags map[string]string, err error) {
	env = map[string]string{"OPENAI_BASE_URL": s.base + "/v1", "OPENAI_API_KEY": keyRef, "OPENAI_MODEL": s.agent.model}
	return env, map[string]string{"auth-type": "openai"}, nil
}

func copilotSeat(s seat) (env, flags map[string]string, err error) {
	return map[string]string{
		"COPILOT_HOME": s.dir, "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": s.base + "/v1",
		"COPILOT_PROVIDER_API_KEY": keyRef, "COPILOT_MODEL": s.agent.model,
	}, nil, nil
}

func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, string(text)+"\n")
}
