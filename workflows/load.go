package workflows

import "fmt"

// Options are what a file is loaded with. The zero value loads a file by itself.
type Options struct {
	Params  map[string]any                    // config.yaml's, over the file's, by name
	Prompts func(path string) ([]byte, error) // reads a prompt file by its path under workflows/; nil: only the built-in ones
	Known   *Known                            // names that filters may use; nil: not checked
}

// Known are names from outside the file, for Check. A nil list is not checked.
type Known struct {
	Hosts     []string
	Executors []string
	Harnesses []string
	Models    []string
	Boards    []string
}

// Problem is one thing wrong with a file.
type Problem struct {
	Origin
	Text    string // what was found and what was expected
	Nearest string // the nearest valid name; empty when none is close
}

// String is "file:line:column: text", with the nearest name.
func (p Problem) String() string { return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text) }

// Problems is everything wrong with a file, by line. As an error it is one line each.
type Problems []Problem

// Error is one problem a line.
func (p Problems) Error() string { return "" }

// Load reads a workflow: strict, with all problems at once (the error is then a Problems). Its expressions compile when
// they are first needed; Check compiles all.
func Load(name, file string, src []byte, opts Options) (*Workflow, error) { return nil, nil }

// Check is Load, and everything that takes longer: it compiles every expression and prompt, and tries the caps over
// many sensor values (CAP-17). Errors are Problems; what is odd but loads is in the workflow's Lint.
func Check(name, file string, src []byte, opts Options) (*Workflow, error) { return nil, nil }

// LoadCaps reads the `capacity` list of config.yaml; src is the whole file.
func LoadCaps(file string, src []byte, opts Options) ([]Cap, error) { return nil, nil }
