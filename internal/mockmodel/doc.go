// Package mockmodel is a small model API for driving real coding-agent CLIs in tests, on the loopback address only. It
// speaks four protocols, streamed as server-sent events or as plain JSON where the client asks for no stream:
//
//	POST .../v1/messages                             Anthropic Messages
//	POST .../v1/responses                            OpenAI Responses
//	POST .../v1/chat/completions                     OpenAI Chat Completions
//	POST .../v1beta/models/M:streamGenerateContent   Gemini
//
// What it does is chosen for each request by the path, so that one server serves many clients at once:
//
//	base URL = http://127.0.0.1:PORT/s/<scenario>
//
// The scenarios are listed at Scenarios. Every request is kept, with its body, so that a test can say what reached the
// model byte for byte. It decides nothing by chance: the same requests get the same answers.
//
// How each CLI is pointed here (BASE is the base URL):
//
//	claude    ANTHROPIC_BASE_URL=BASE, ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN (a plan's limit needs the latter)
//	codex     -c model_provider="mock" -c model_providers.mock.{name="mock",base_url="BASE/v1",env_key="K",wire_api="responses"}
//	opencode  OPENCODE_CONFIG with a provider of npm @ai-sdk/openai-compatible, baseURL BASE/v1; OPENCODE_DISABLE_MODELS_FETCH=1
//	gemini    GOOGLE_GEMINI_BASE_URL=BASE, GEMINI_API_KEY, ~/.gemini/settings.json security.auth.selectedType gemini-api-key
//	pi        ~/.pi/agent/models.json, api openai-completions, BASE/v1; PI_OFFLINE=1
//	qwen      OPENAI_BASE_URL=BASE/v1, OPENAI_API_KEY, OPENAI_MODEL, --auth-type openai
//	copilot   COPILOT_OFFLINE=true, COPILOT_PROVIDER_BASE_URL=BASE/v1, COPILOT_PROVIDER_API_KEY (long), COPILOT_MODEL
package mockmodel
