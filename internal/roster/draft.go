package roster

import (
	"fmt"
	"strings"
)

// Drafted is one harness in the roster that `board init` writes.
type Drafted struct {
	Harness string
	Off     string // why it is written as disabled; empty: it is on
}

// Draft writes a roster file: one executor with one slot and all roles for each harness, and a disabled example of a
// command. A harness is off unless the caller can tell that it is signed in: one that is not may send code to a cloud
// that nobody chose.
func Draft(list []Drafted) []byte {
	var b strings.Builder
	b.WriteString("# Who does the work. An executor is an agent CLI and a model, with as many slots as runs it may serve at once.\n")
	b.WriteString("# Secrets stand in env as ${NAME} only. `board roster check` proves that each one runs.\n")
	b.WriteString("executors:\n")
	for _, d := range list {
		fmt.Fprintf(&b, "  - id: %s\n    harness: %s\n    roles: [%s]\n    slots: 1\n", d.Harness, d.Harness, strings.Join(roleNames(), ", "))
		if d.Off != "" {
			fmt.Fprintf(&b, "    disabled: true # %s\n", oneLine(d.Off))
		}
	}
	b.WriteString("  - id: script\n    harness: exec\n")
	b.WriteString("    command: [\"sh\", \"-c\", \"make agent CARD=$BOARD_CARD\"] # the prompt is on its standard input\n")
	b.WriteString("    roles: [coder]\n    disabled: true # an example: any command can be an executor\n")
	return []byte(b.String())
}
