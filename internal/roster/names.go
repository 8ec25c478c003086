package roster

import (
	"slices"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// HarnessInfo is what the roster must know of a harness.
type HarnessInfo struct {
	Name    string
	Program string // what is looked up on PATH; empty: it stands for no program of its own
	APIOnly bool   // it answers questions and has no tools, so it cannot code
}

// harnessExec runs the entry's own command.
const harnessExec = "exec"

// KnownHarnesses lists the harnesses that an entry may name, in the order in which `board init` prefers them.
func KnownHarnesses() []HarnessInfo {
	var list []HarnessInfo
	for _, name := range harness.Names() {
		if h, ok := harness.Lookup(name); ok {
			list = append(list, HarnessInfo{Name: name, Program: h.Facts().Binary})
		}
	}
	for _, name := range []string{"anthropic-api", "openai-api"} {
		list = append(list, HarnessInfo{Name: name, APIOnly: true})
	}
	return list
}

// Efforts lists the levels of reasoning effort, the least first. Each harness maps them to its own.
func Efforts() []string {
	return []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// atLeast reports whether an effort is known and reaches the least that is asked for.
func atLeast(effort, least string) bool {
	levels := Efforts()
	have := slices.Index(levels, effort)
	return have >= 0 && have >= slices.Index(levels, least)
}
