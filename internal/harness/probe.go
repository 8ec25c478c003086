package harness

// Probe says how `board roster check` learns about an installed CLI without spending tokens (HAR-7, HAR-8).
type Probe struct {
	Version []string   // arguments that print the version; nil when there is no such thing
	SignIn  []string   // arguments that say whether it is signed in; nil when there is no cheap way
	Help    [][]string // arguments of each help text that together list every flag that Command uses
	Flags   []string   // the flags that Command uses, with their dashes
	Node    int        // least major version of Node where the program is npm's node wrapper; 0 for none
	Unknown string     // what cannot be known without a run; "" for nothing
}

// SignIn is what a CLI says of its sign-in.
type SignIn string

// The answers.
const (
	SignedIn      SignIn = "signed in"
	SignedOut     SignIn = "not signed in"
	SignInUnknown SignIn = "unknown"
)

// ProbeOf gives the probe of the harness called name; the zero Probe for exec and unknown names.
func ProbeOf(name string) Probe { return Probe{} }

// ReadVersion finds the version number in what a CLI printed for Probe.Version; "" when there is none.
func ReadVersion(output string) string { return "" }

// ReadSignIn reads what the harness called name answered to Probe.SignIn, and the words for a person.
func ReadSignIn(name string, exitCode int, output string) (SignIn, string) { return SignInUnknown, "" }

// MissingFlags lists those of flags that help does not name, sorted.
func MissingFlags(help string, flags []string) []string { return nil }

// ProgramKind tells how a program is installed, from its first bytes.
type ProgramKind string

// The kinds.
const (
	ProgramNative  ProgramKind = "native"
	ProgramNode    ProgramKind = "node wrapper"
	ProgramScript  ProgramKind = "script"
	ProgramUnknown ProgramKind = "unknown"
)

// ProgramKindOf reads the first 256 bytes of a program file.
func ProgramKindOf(head []byte) ProgramKind { return ProgramUnknown }

// NestingVariables lists the environment variables that make an agent think it is nested in another; they never pass
// (SUP-7).
func NestingVariables() []string { return nil }
