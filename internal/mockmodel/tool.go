package mockmodel

import "slices"

// toolCall is a call of one of the client's tools.
type toolCall struct {
	name string
	args object
}

// pickTool chooses a tool that writes a file, or a shell, among those offered, with the arguments that the tool of that
// name takes in the CLI that offers it. It is nil when no known tool is offered.
func pickTool(offered []string, sc scenario, file string) *toolCall {
	command := sc.command(file)
	order := append(writers(file), shells(command)...)
	if sc.name != "tool" {
		order = append(shells(command), writers(file)...)
	}
	for _, tool := range order {
		if !slices.Contains(offered, tool.name) {
			continue
		}
		if sc.name == "escalate" && tool.name == "exec_command" {
			tool.args["sandbox_permissions"] = "require_escalated"
			tool.args["justification"] = "the mock asks"
		}
		return &tool
	}
	return nil
}

func writers(file string) []toolCall {
	const content = "from-mock\n"
	return []toolCall{
		{"Write", object{"file_path": file, "content": content}},              // claude
		{"write_file", object{"file_path": file, "content": content}},         // gemini, qwen
		{"create", object{"path": file, "file_text": content}},                // copilot
		{"write", object{"filePath": file, "path": file, "content": content}}, // opencode, pi
	}
}

func shells(command string) []toolCall {
	return []toolCall{
		{"Bash", object{"command": command, "description": "mock"}},                                      // claude
		{"run_shell_command", object{"command": command, "description": "mock", "is_background": false}}, // gemini, qwen
		{"bash", object{"command": command, "description": "mock"}},                                      // opencode, pi, copilot
		{"exec_command", object{"cmd": command}},                                                         // codex
		{"shell_command", object{"command": command}},                                                    // codex, older
		{"shell", object{"command": []string{"bash", "-lc", command}}},                                   // codex, oldest
	}
}
