package mockmodel

import (
	"encoding/json"
	"slices"
	"strings"
)

// Protocol is the dialect of a model call.
type Protocol string

// The protocols.
const (
	Anthropic Protocol = "anthropic" // Messages
	Responses Protocol = "responses" // OpenAI Responses
	Chat      Protocol = "chat"      // OpenAI Chat Completions
	Gemini    Protocol = "gemini"    // generateContent
)

type object = map[string]any

// call is a model request, read as far as any protocol needs.
type call struct {
	protocol   Protocol // "" for a request that is no model call
	model      string
	effort     string
	stream     bool
	wantsJSON  bool     // a side call of gemini's that wants a decision as JSON
	tools      []string // names, sorted
	toolResult bool     // the conversation holds the result of a tool call
}

func parseCall(path string, body []byte) call {
	var raw object
	_ = json.Unmarshal(body, &raw) // an empty body is read as no fields
	c := call{tools: toolNames(raw), toolResult: hasToolResult(raw), effort: effort(raw)}
	c.model, _ = raw["model"].(string)
	c.stream, _ = raw["stream"].(bool)
	switch {
	case strings.HasSuffix(path, "/messages"):
		c.protocol = Anthropic
	case strings.HasSuffix(path, "/responses"):
		c.protocol = Responses
	case strings.HasSuffix(path, "/chat/completions"):
		c.protocol = Chat
	case strings.Contains(path, ":streamGenerateContent"), strings.Contains(path, ":generateContent"):
		c.protocol = Gemini
		c.stream = strings.Contains(path, ":stream")
		c.model, _, _ = strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":")
		config, _ := raw["generationConfig"].(object)
		c.wantsJSON = config["responseMimeType"] == "application/json"
	}
	return c
}

// effort reads the reasoning effort, which each protocol puts elsewhere.
func effort(raw object) string {
	for _, key := range []string{"reasoning", "output_config"} {
		if settings, ok := raw[key].(object); ok {
			if said, ok := settings["effort"].(string); ok {
				return said
			}
		}
	}
	said, _ := raw["reasoning_effort"].(string)
	return said
}

// toolNames lists the tools offered.
func toolNames(raw object) []string {
	var names []string
	var walk func(tool any)
	walk = func(tool any) {
		t, _ := tool.(object)
		if function, ok := t["function"].(object); ok {
			t = function
		}
		if declared, ok := t["functionDeclarations"].([]any); ok {
			for _, inner := range declared {
				walk(inner)
			}
			return
		}
		if name, ok := t["name"].(string); ok {
			names = append(names, name)
		} else if kind, ok := t["type"].(string); ok {
			names = append(names, kind)
		}
	}
	tools, _ := raw["tools"].([]any)
	for _, tool := range tools {
		walk(tool)
	}
	slices.Sort(names)
	return names
}

// hasToolResult reports whether the last turn brings the result of a tool call: what comes after the last words of the
// assistant, so that a resumed conversation may call its tool again.
func hasToolResult(raw object) bool {
	found := false
	for _, key := range []string{"messages", "input", "contents"} {
		turns, _ := raw[key].([]any)
		for _, turn := range turns {
			t, _ := turn.(object)
			switch {
			case isToolResult(t):
				found = true
			case saysText(t):
				found = false
			}
		}
	}
	return found
}

func isToolResult(turn object) bool {
	kind, _ := turn["type"].(string)
	if turn["role"] == "tool" || kind == "function_call_output" || kind == "custom_tool_call_output" {
		return true
	}
	for _, part := range parts(turn) {
		if part["type"] == "tool_result" || part["functionResponse"] != nil {
			return true
		}
	}
	return false
}

// saysText reports whether the assistant ended a turn with words: a message of its own that calls no tool.
func saysText(turn object) bool {
	if turn["role"] != "assistant" && turn["role"] != "model" {
		return false
	}
	if calls, ok := turn["tool_calls"].([]any); ok && len(calls) > 0 {
		return false
	}
	for _, part := range parts(turn) {
		if part["type"] == "tool_use" || part["functionCall"] != nil {
			return false
		}
	}
	return true
}

// parts lists the pieces of a turn in the protocols that have them.
func parts(turn object) []object {
	list, ok := turn["content"].([]any)
	if !ok {
		list, _ = turn["parts"].([]any)
	}
	pieces := make([]object, 0, len(list))
	for _, item := range list {
		if piece, ok := item.(object); ok {
			pieces = append(pieces, piece)
		}
	}
	return pieces
}
