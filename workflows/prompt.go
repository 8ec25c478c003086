package workflows

import (
	"fmt"
	"path"
	"strings"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/strict"
)

// Prompt is the prompt of a status: the text of the file under workflows/ when `prompt` names one, else `prompt` itself.
// It is nil where the status has none. A built-in file serves where the home has none of that name.
func (w *Workflow) Prompt(status string) (*expr.Template, error) {
	s := w.Status(status)
	if s == nil || s.Run == nil || s.Run.Prompt == "" {
		return nil, nil
	}
	if !isPromptFile(s.Run.Prompt) {
		return w.scope.Template(s.Run.Prompt), nil
	}
	text, err := w.promptFile(s.Run.Prompt)
	if err != nil {
		return nil, &Fault{Key: s.Run.PromptOrigin, Text: err.Error()}
	}
	return w.scope.Template(string(text)), nil
}

// isPromptFile says whether `prompt` names a file: one word that ends like one.
func isPromptFile(prompt string) bool {
	return !strings.ContainsAny(prompt, "\n {") && (strings.HasSuffix(prompt, ".md") || strings.HasSuffix(prompt, ".txt"))
}

// promptFile reads a file under workflows/, of the home or built in.
func (w *Workflow) promptFile(name string) ([]byte, error) {
	if path.IsAbs(name) || path.Clean(name) != name || strings.HasPrefix(name, "..") {
		return nil, fmt.Errorf("prompt %q: a prompt file is named by its path under workflows/, such as prompts/implementer.md", name)
	}
	var err error
	if w.prompts != nil {
		var text []byte
		if text, err = w.prompts(name); err == nil {
			return text, nil
		}
	}
	if text, ok := BuiltinPrompt(name); ok {
		return text, nil
	}
	if err == nil {
		err = fmt.Errorf("no such file; built in are %s", strings.Join(BuiltinPrompts(), ", "))
	}
	return nil, fmt.Errorf("prompt %s: %w", name, err)
}

// checkPrompts reads and compiles every prompt.
func (w *Workflow) checkPrompts() Problems {
	var problems Problems
	for i := range w.Statuses {
		r := w.Statuses[i].Run
		if r == nil {
			continue
		}
		prompt, err := w.Prompt(w.Statuses[i].Name)
		if err != nil {
			text := strings.TrimPrefix(err.Error(), r.PromptOrigin.String()+": ")
			problems = append(problems, Problem{Origin: r.PromptOrigin, Text: text, Nearest: expr.Nearest(r.Prompt, BuiltinPrompts())})
			continue
		}
		if err = prompt.Check(); err == nil {
			continue
		}
		if !isPromptFile(r.Prompt) {
			problems = append(problems, strict.ExprProblems(r.PromptOrigin, err)...)
			continue
		}
		file := Origin{File: path.Join(path.Dir(w.File), r.Prompt), Line: 1, Column: 1}
		problems = append(problems, strict.ExprProblems(file, err)...)
	}
	return problems
}
