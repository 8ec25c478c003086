package workflows

// Names are the built-in workflows, sorted.
func Names() []string { return nil }

// Builtin is the text of a built-in workflow; ok is false when there is none of that name.
func Builtin(name string) (src []byte, ok bool) { return nil, false }

// BuiltinPrompts are the built-in prompt files by their paths under workflows/ ("prompts/reviewer.md"), sorted.
func BuiltinPrompts() []string { return nil }

// BuiltinPrompt is the text of a built-in prompt file.
func BuiltinPrompt(path string) (src []byte, ok bool) { return nil, false }

// Schema is the JSON Schema of workflow files (WF-6).
func Schema() []byte { return nil }

// Mermaid is the workflow as a Mermaid state diagram.
func Mermaid(w *Workflow) string { return "" }
