package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"gopkg.in/yaml.v3"

	"github.com/seed-2ddc2152/board/workflows"
)

var updateDocument = flag.Bool("update-document", false, "write the answers of the commands into docs/capacity.md")

const capacityDocument = "../../docs/capacity.md"

// TestCapacityDocument types the commands of every example of docs/capacity.md into a home that is as the example says, and
// compares the answers with those that the document shows. With -update-document it writes them.
//
//nolint:tparallel // the examples must have ended before their answers are compared
func TestCapacityDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(capacityDocument)
	if err != nil {
		t.Fatal(err)
	}
	head, examples := splitDocument(string(text))
	roster := blockOf(t, head, "yaml")
	scripts := t.TempDir()
	for i := range examples {
		script := fmt.Sprintf("exec board init --slug api\ncp workflow.yaml $WORK/home/workflows/default.yaml\n"+
			"cp config.yaml $WORK/home/config.yaml\nexample %d\n", i) +
			"-- roster.yaml --\n" + roster + exampleFiles(t, blockOf(t, examples[i], "yaml"))
		if err := os.WriteFile(filepath.Join(scripts, fmt.Sprintf("example%02d.txtar", i+1)), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answers := make([]string, len(examples))
	example := func(ts *testscript.TestScript, _ bool, args []string) {
		var i int
		_, err := fmt.Sscan(args[0], &i)
		ts.Check(err)
		answers[i] = typed(ts, blockOf(t, examples[i], "console"))
	}
	t.Run("examples", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Dir: scripts, RequireExplicitExec: true, Setup: documentHome,
			Cmds: map[string]func(*testscript.TestScript, bool, []string){"example": example},
		})
	})
	if *updateDocument {
		for i := range examples {
			head += withAnswer(examples[i], answers[i])
		}
		if err := os.WriteFile(capacityDocument, []byte(head), 0o644); err != nil { //nolint:gosec // a document that everybody reads
			t.Fatal(err)
		}
		return
	}
	for i := range examples {
		if want := blockOf(t, examples[i], "console"); answers[i] != want {
			title, _, _ := strings.Cut(examples[i], "\n")
			t.Errorf("%s: the document says\n%s\nthe program says\n%s", title, want, answers[i])
		}
	}
}

// documentHome is where the commands are typed: a home that is not there yet, and a roster of its own.
func documentHome(env *testscript.Env) error {
	for _, v := range [][2]string{
		{"HOME", env.WorkDir},
		{"BOARD_HOME", filepath.Join(env.WorkDir, "home")},
		{"BOARD_ROSTER", filepath.Join(env.WorkDir, "roster.yaml")},
		{"USER", "ada"},
		{"TZ", "UTC"},
		{"LANG", "C.UTF-8"},
	} {
		env.Setenv(v[0], v[1])
	}
	return nil
}

// splitDocument gives what stands before the first numbered section, and those sections; the last one has the rest as well.
func splitDocument(text string) (head string, examples []string) {
	starts := regexp.MustCompile(`(?m)^## \d`).FindAllStringIndex(text, -1)
	head = text[:starts[0][0]]
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		examples = append(examples, text[at[0]:end])
	}
	return head, examples
}

// blockOf is the first fenced block of a language in a section.
func blockOf(t *testing.T, section, language string) string {
	t.Helper()
	_, rest, ok := strings.Cut(section, "```"+language+"\n")
	block, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatalf("no block of %s in %q", language, section)
	}
	return block
}

func withAnswer(section, answer string) string {
	before, rest, _ := strings.Cut(section, "```console\n")
	_, after, _ := strings.Cut(rest, "```")
	return before + "```console\n" + answer + "```" + after
}

// exampleFiles are the workflow and the configuration of an example: its keys laid over the built-in workflow.
func exampleFiles(t *testing.T, block string) string {
	t.Helper()
	config := "host: base\n"
	over := "dispatch: {capacity: []}\n"
	if strings.HasPrefix(block, "# config.yaml\n") {
		config = block
	} else {
		over = block
	}
	builtin, _ := workflows.Builtin("default")
	// What the machine of the test is short of is not what the examples are about.
	workflow := laidOver(t, laidOver(t, string(builtin), "dispatch: {eligible: 'true'}\n"), over)
	return "-- config.yaml --\n" + config + "-- workflow.yaml --\n" + workflow
}

// laidOver puts the keys of one YAML text over another's; maps are joined, all else is replaced.
func laidOver(t *testing.T, text, over string) string {
	t.Helper()
	var base, top yaml.Node
	if err := yaml.Unmarshal([]byte(text), &base); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(over), &top); err != nil {
		t.Fatal(err)
	}
	join(base.Content[0], top.Content[0])
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&base); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func join(base, over *yaml.Node) {
	for i := 0; i < len(over.Content); i += 2 {
		key, value := over.Content[i], over.Content[i+1]
		found := false
		for k := 0; k < len(base.Content); k += 2 {
			if base.Content[k].Value != key.Value {
				continue
			}
			if found = true; base.Content[k+1].Kind == yaml.MappingNode && value.Kind == yaml.MappingNode {
				join(base.Content[k+1], value)
			} else {
				base.Content[k+1] = value
			}
		}
		if !found {
			base.Content = append(base.Content, key, value)
		}
	}
}

// typed is the console after its commands have been typed: each with what it printed, remarks left out, times made one.
func typed(ts *testscript.TestScript, console string) string {
	var out strings.Builder
	for line := range strings.Lines(console) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		out.WriteString(line)
		ts.Check(ts.Exec("sh", "-c", command))
		if strings.Contains(command, "dry-run") { // what the others print is not the point
			out.WriteString(regexp.MustCompile(`\(\d+ ms\)`).ReplaceAllString(ts.ReadFile("stdout"), "(9 ms)"))
		}
	}
	return out.String()
}
