package workflows

import (
	"embed"
	"slices"
	"strings"
)

//go:embed builtin
var builtin embed.FS

// Names are the built-in workflows, sorted (WF-5).
func Names() []string { return builtinFiles("builtin", ".yaml", "") }

// Builtin is the text of a built-in workflow; ok is false when there is none of that name.
func Builtin(name string) (src []byte, ok bool) { return builtinFile("builtin/" + name + ".yaml") }

// BuiltinPrompts are the built-in prompt files by their paths under workflows/ ("prompts/reviewer.md"), sorted.
func BuiltinPrompts() []string {
	names := builtinFiles("builtin/prompts", ".md", "prompts/")
	for i := range names {
		names[i] += ".md"
	}
	return names
}

// BuiltinPrompt is the text of a built-in prompt file.
func BuiltinPrompt(path string) (src []byte, ok bool) {
	if !strings.HasPrefix(path, "prompts/") {
		return nil, false
	}
	return builtinFile("builtin/" + path)
}

func builtinFiles(dir, suffix, prefix string) []string {
	entries, err := builtin.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), suffix); ok && !entry.IsDir() {
			names = append(names, prefix+name)
		}
	}
	slices.Sort(names)
	return names
}

func builtinFile(path string) ([]byte, bool) {
	src, err := builtin.ReadFile(path)
	return src, err == nil
}
