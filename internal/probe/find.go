package probe

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/process"
)

// find looks the program up as a run would, and tells what is missing from what may not be run.
func (s subject) find(r *Report) bool {
	name := s.program()
	path, err := process.LookPath(name, "", pairs(s.env))
	if err != nil {
		if there := s.unrunnable(name); there != "" {
			r.problem(CodeNotExecutable, there+" is there, and is not executable", "chmod +x "+there)
			return false
		}
		r.problem(CodeMissing, s.missingText(name), "install it, or name it in bin: of its entry")
		return false
	}
	r.Path, r.Kind = path, kindOf(path)
	return true
}

func (s subject) missingText(name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return "not installed: there is no program " + name
	}
	return fmt.Sprintf("not installed: %s is nowhere on PATH", name)
}

// unrunnable is a file of that name which is there and cannot be run; "" for none.
func (s subject) unrunnable(name string) string {
	paths := []string{name}
	if !strings.ContainsRune(name, filepath.Separator) {
		paths = nil
		for _, dir := range filepath.SplitList(s.env["PATH"]) {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	return ""
}

// headBytes is how much of a program tells its kind (harness.ProgramKindOf).
const headBytes = 256

func kindOf(path string) harness.ProgramKind {
	f, err := os.Open(path)
	if err != nil {
		return harness.ProgramUnknown // it may be run and not be read
	}
	defer func() { _ = f.Close() }() // only read
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && n == 0 {
		return harness.ProgramUnknown
	}
	return harness.ProgramKindOf(head[:n])
}

// askNode looks at the Node that a node wrapper would run on. One that is older than board's harness was written for may do
// for an older version of the program, which npm then has installed; whether it does, the version's answer tells.
func (s subject) askNode(ctx context.Context, a *asker, r *Report) {
	if r.Kind != harness.ProgramNode {
		return
	}
	node, err := process.LookPath("node", "", pairs(s.env))
	if err != nil {
		r.problem(CodeNode, "it needs Node, and node is nowhere on PATH", "install Node"+orLater(s.facts.Probe.Node))
		return
	}
	answer := a.ask(ctx, s.env, []string{node, "--version"})
	r.Node = harness.ReadVersion(answer.stdout)
	major, _, _ := strings.Cut(r.Node, ".")
	if have, err := strconv.Atoi(major); err == nil && have < s.facts.Probe.Node {
		r.note(fmt.Sprintf("it runs on Node %s, and its present version needs%s: npm installs an old version then", r.Node, orLater(s.facts.Probe.Node)))
	}
}

func orLater(major int) string {
	if major == 0 {
		return ""
	}
	return fmt.Sprintf(" %d or later", major)
}
