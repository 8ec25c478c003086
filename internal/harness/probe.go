package harness

import (
	"bytes"
	"slices"
	"strings"
)

// Probe says how `board roster check` learns about an installed CLI without spending tokens (HAR-7, HAR-8).
type Probe struct {
	Version []string   // arguments that print the version; nil when there is no such thing
	SignIn  []string   // arguments that say whether it is signed in; nil when there is no cheap way
	Help    [][]string // arguments of each help text that together list every flag that Command uses
	Flags   []string   // the flags that Command uses and the help lists, with their dashes
	Node    int        // least major version of Node where the program is npm's node wrapper; 0 for none
	Unknown string     // what cannot be known without a run; "" for nothing
}

// What most probes ask.
const (
	askAccount = "whether it is signed in"
	askPlan    = "whether the model is there for this account, and how much of the plan is left"
	askKeys    = "whether its stored sign-ins are accepted"
)

func askVersion() []string { return []string{"--version"} }

// SignIn is what a CLI says of its sign-in.
type SignIn string

// The answers.
const (
	SignedIn      SignIn = "signed in"
	SignedOut     SignIn = "not signed in"
	SignInUnknown SignIn = "unknown"
)

// ForModel narrows the sign-in question to the provider of model, where the CLI asks for one (pi's "provider/model").
func (p Probe) ForModel(model string) Probe {
	provider, _, ok := strings.Cut(model, "/")
	if ok && len(p.SignIn) > 1 && p.SignIn[1] == "check" {
		p.SignIn = append(slices.Clone(p.SignIn), "--provider", provider)
	}
	return p
}

var reVersion = lazily(`\bv?(\d+\.\d+(?:\.\d+)?(?:[-+][0-9A-Za-z.+-]+)?)\b`)

// ReadVersion finds the version number in what a CLI printed for Probe.Version; "" when there is none.
func ReadVersion(output string) string {
	if m := reVersion.FindStringSubmatch(normalise(output)); m != nil {
		return m[1]
	}
	return ""
}

var reCredentials = lazily(`(\d+) credentials?\b`)

// ReadSignIn reads what the harness called name answered to Probe.SignIn on standard output and standard error (codex answers
// there), and gives words for a person. An answer in no known form, as of a version that has no such command, is unknown.
func ReadSignIn(name string, exitCode int, output string) (SignIn, string) {
	switch name {
	case "claude":
		return readClaudeSignIn(output)
	case "codex":
		return readWords(exitCode, output, "not logged in")
	case "pi":
		return readWords(exitCode, output, "not_ready")
	case "opencode":
		m := reCredentials.FindStringSubmatch(normalise(output))
		switch {
		case m == nil:
			return SignInUnknown, lastLine(output)
		case m[1] == "0":
			return SignedOut, m[0]
		}
		return SignedIn, m[0]
	}
	return SignInUnknown, ""
}

func readClaudeSignIn(output string) (SignIn, string) {
	start := strings.IndexByte(output, '{')
	if start < 0 {
		return SignInUnknown, lastLine(output)
	}
	o, ok := decode([]byte(output[start:]))
	signed, told := o["loggedIn"].(bool)
	switch {
	case !ok || !told:
		return SignInUnknown, lastLine(output)
	case !signed:
		return SignedOut, ""
	}
	return SignedIn, o.first("authMethod", "apiKeySource")
}

func readWords(exitCode int, output, out string) (SignIn, string) {
	words := lastLine(output) // warnings come before the answer
	switch {
	case exitCode == 0:
		return SignedIn, words
	case strings.Contains(strings.ToLower(output), out):
		return SignedOut, words
	}
	return SignInUnknown, words
}

// lastLine is the last line of text with something in it.
func lastLine(text string) string {
	last := ""
	for line := range strings.Lines(text) {
		if line = clean([]byte(line), 200); line != "" {
			last = line
		}
	}
	return last
}

var reFlag = lazily(`(?:^|[^\w-])(--?[A-Za-z][\w-]*)`)

// MissingFlags lists those of flags that help does not name, sorted.
func MissingFlags(help string, flags []string) []string {
	named := map[string]bool{}
	for _, m := range reFlag.FindAllStringSubmatch(reANSI.ReplaceAllString(help, ""), -1) {
		named[m[1]] = true
	}
	var missing []string
	for _, flag := range flags {
		if !named[flag] {
			missing = append(missing, flag)
		}
	}
	slices.Sort(missing)
	return missing
}

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
func ProgramKindOf(head []byte) ProgramKind {
	for _, magic := range []string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return ProgramNative
		}
	}
	if !bytes.HasPrefix(head, []byte("#!")) {
		return ProgramUnknown
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.Contains(line, []byte("node")) {
		return ProgramNode
	}
	return ProgramScript
}
