package harness

import "slices"

// A Harness drives one CLI. Implementations hold no state and may be used by many goroutines at once.
type Harness interface {
	// Facts are what is true of the CLI whatever the job.
	Facts() Facts
	// Command says how to start job. It fails with ErrPermissions, ErrInteractive or ErrFlag when the CLI cannot run
	// the job as asked.
	Command(job Job) (Command, error)
	// Parser reads the output of one run of job.
	Parser(job Job) Parser
}

// A Parser reads the output of one run, in the order it comes. It is not safe for use by several goroutines.
type Parser interface {
	// Line reads one line of standard output, without its newline. Unknown, cut or undecodable lines give no events
	// and never an error.
	Line(line []byte) []Event
	// Stderr reads one line of standard error, without its newline.
	Stderr(line []byte) []Event
	// Wants lists files, as absolute glob patterns, whose content Finish can use; it is complete once the last line
	// was read. Where a pattern matches several files the latest modified one counts. Their last 4 MiB are enough.
	Wants() []string
	// Finish says how the run ended. It is called once, after the last line.
	Finish(exit Exit) Result
}

// Facts describe a CLI.
type Facts struct {
	Name        string
	Binary      string        // the program looked up on PATH; "" for exec
	ReadOnly    Grade         // how well Read permissions are kept
	Sessions    SessionStyle  // who names the conversation
	Interactive bool          // can be run in a pane for a person to watch and talk to
	Effort      bool          // has a setting for reasoning effort
	Unproven    bool          // written from documentation only; nobody has run it
	Warning     string        // what surprises before a run, for a person; "" for nothing
	Inherit     []string      // variables that pass from board's environment to the CLI (SUP-7)
	Runs        []Permissions // under which the agent can run programs, such as git diff
	Reports     []Permissions // under which the agent can call board's verbs; else its verdict is its last line (RET-4)
	Probe       Probe         // how `board roster check` learns about it; the zero Probe for exec
}

// CanRun reports whether an agent with permissions p can run programs. Where it cannot, its prompt must carry the diff that
// it is to look at.
func (f Facts) CanRun(p Permissions) bool { return slices.Contains(f.Runs, p) }

// CanReport reports whether an agent with permissions p can write its outbox, so that `board approve` works from inside.
// Where it cannot, its prompt must ask for the verdict line (RET-4).
func (f Facts) CanReport(p Permissions) bool { return slices.Contains(f.Reports, p) }

// Grade says how well a CLI keeps read-only permissions (HAR-5).
type Grade string

// The grades, best first.
const (
	GradeEnforced Grade = "enforced" // the CLI offers no tool that writes, or a sandbox refuses
	GradeAdvisory Grade = "advisory" // the CLI asks the model not to write, or this was never proved
	GradeNone     Grade = "none"     // nothing keeps it; a gated workflow refuses such a reviewer
)

// SessionStyle says who names a conversation.
type SessionStyle string

// The styles.
const (
	SessionChosen   SessionStyle = "chosen"   // the caller mints a UUID and passes it as Job.NewSession
	SessionReported SessionStyle = "reported" // the CLI names it in an early event
	SessionNone     SessionStyle = "none"     // it cannot be resumed
)
