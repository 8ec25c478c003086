package roster

import "time"

// Mode says what an unset ${VAR} means.
type Mode int

// The modes of Load.
const (
	Check Mode = iota // a problem
	Tick              // that executor alone is out, kind config
)

// Document is one roster file.
type Document struct {
	Path string // as problems name it
	Data []byte
}

// Sources is what a roster is made of.
type Sources struct {
	User   *Document // nil: no such file
	Repo   *Document // over User; nil: no such file, or not accepted
	Only   *Document // BOARD_ROSTER is a path: that file alone
	None   bool      // BOARD_ROSTER=none: as without any file
	Narrow []string  // keep these ids; empty: all
	Mode   Mode

	Lookup   func(name string) (string, bool)     // the value of ${NAME}
	LookPath func(program string) (string, error) // finds a program on PATH
	Duration func(text string) (time.Duration, error)
}

// Roster is who may serve runs.
type Roster struct {
	Executors []Executor // in the order of the files, numbered by Position
	Disabled  []Executor // entries with `disabled: true`: only ID, File and Line are set
	Files     []string   // what was read; empty: made up from PATH
}

// Load merges the documents, narrows the result and checks what is left. The error is a Problems with every problem.
func Load(s Sources) (*Roster, error) { return &Roster{}, nil }

// Problem is one thing that is wrong with a roster file.
type Problem struct {
	File string // empty: about no file
	Line int    // 0: about the whole file
	Text string
}

// Problems is every problem of a roster, in the order of the files and lines.
type Problems []Problem

// Error lists the problems, one a line.
func (p Problems) Error() string { return "" }
