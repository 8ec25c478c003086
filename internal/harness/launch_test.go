package harness_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// launch is one row of a table of command lines.
type launch struct {
	name string
	edit func(*harness.Job)
	want string // the words, joined by blanks
}

func checkLaunch(t *testing.T, name string, launches []launch) {
	t.Helper()
	for _, l := range launches {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			j := job()
			l.edit(&j)
			command, err := lookup(t, name).Command(j)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(command.Argv, " "); got != l.want {
				t.Errorf("argv\n got %s\nwant %s", got, l.want)
			}
		})
	}
}

func headlessNames() []string {
	return slices.DeleteFunc(harness.Names(), func(name string) bool { return name == "exec" })
}

// The prompt itself is never handed to Command, so no argument can hold it; what must hold is that each CLI is told where
// it is: on standard input, or by a file's name.
// Pins HAR-1.
func TestCommand_GivesThePromptByInputOrFile(t *testing.T) {
	t.Parallel()
	for _, name := range headlessNames() {
		command, err := lookup(t, name).Command(job())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		byFile := strings.Contains(strings.Join(command.Argv, " "), "/runs/7/prompt.md")
		if byInput := command.StdinPath == "/runs/7/prompt.md"; byInput == byFile {
			t.Errorf("%s: by standard input %v, by file %v", name, byInput, byFile)
		}
		if command.Terminal || command.Paste != "" || command.Dir != "/work/tree" {
			t.Errorf("%s: %+v", name, command)
		}
	}
}

// Pins PAN-2.
func TestCommand_PastesOneLineIntoAPane(t *testing.T) {
	t.Parallel()
	for _, name := range harness.Names() {
		h, j := lookup(t, name), job()
		j.Interactive, j.Argv = true, []string{"sh"}
		command, err := h.Command(j)
		if !h.Facts().Interactive {
			if !errors.Is(err, harness.ErrInteractive) {
				t.Errorf("%s: error %v, want ErrInteractive", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !command.Terminal || command.StdinPath != "" || !strings.Contains(command.Paste, j.PromptPath) ||
			strings.Contains(command.Paste, "\n") {
			t.Errorf("%s: %+v", name, command)
		}
	}
}

func TestCommand_RefusesAskWhereNobodyAnswers(t *testing.T) {
	t.Parallel()
	for _, name := range headlessNames() {
		j := job()
		j.Permissions = harness.PermissionAsk
		if _, err := lookup(t, name).Command(j); !errors.Is(err, harness.ErrPermissions) {
			t.Errorf("%s: error %v, want ErrPermissions", name, err)
		}
	}
}

// An executor's flags must not undo what a reviewer may not do.
// Pins HAR-5.
func TestCommand_RefusesFlagsThatBoardOwns(t *testing.T) {
	t.Parallel()
	owned := map[string]string{
		"claude": "dangerously-skip-permissions", "codex": "sandbox", "opencode": "auto", "gemini": "yolo", "pi": "tools",
		"qwen": "approval-mode", "copilot": "allow-all", "amp": "stream-json", "cursor": "force", "goose": "resume",
		"aider": "auto-commits",
	}
	for _, name := range headlessNames() {
		j := job()
		j.Permissions, j.Flags = harness.PermissionRead, map[string]string{owned[name]: "true"}
		if _, err := lookup(t, name).Command(j); !errors.Is(err, harness.ErrFlag) {
			t.Errorf("%s --%s: error %v, want ErrFlag", name, owned[name], err)
		}
	}
}

// The grade says how well read-only is kept, and a CLI that offers no tool to write must be told so (HAR-5).
func TestFacts_GradeReadOnly(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		grade harness.Grade
		means string // words of the command line or of its environment that keep it
	}{
		{"claude", harness.GradeEnforced, "--tools Read,Grep,Glob"},
		{"codex", harness.GradeEnforced, `sandbox_mode="read-only"`},
		{"opencode", harness.GradeEnforced, `"edit":"deny","bash":"deny"`},
		{"gemini", harness.GradeEnforced, "--approval-mode plan"},
		{"pi", harness.GradeEnforced, "--tools read,grep,find,ls"},
		{"qwen", harness.GradeEnforced, "--approval-mode plan"},
		{"copilot", harness.GradeEnforced, "--no-ask-user --plan"},
		{"amp", harness.GradeNone, ""},
		{"cursor", harness.GradeAdvisory, ""},
		{"goose", harness.GradeAdvisory, "chat"},
		{"aider", harness.GradeNone, ""},
		{"exec", harness.GradeNone, ""},
	}
	for _, test := range tests {
		h, j := lookup(t, test.name), job()
		j.Permissions, j.Argv = harness.PermissionRead, []string{"true"}
		command, err := h.Command(j)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Join(command.Argv, " ") + command.Env["OPENCODE_PERMISSION"] + command.Env["GOOSE_MODE"]
		if h.Facts().ReadOnly != test.grade || !strings.Contains(words, test.means) {
			t.Errorf("%s: grade %q, words %q", test.name, h.Facts().ReadOnly, words)
		}
		// Who can report from an enforced read-only mode is given the outbox alone to write.
		reports := h.Facts().CanReport(harness.PermissionRead)
		if test.grade == harness.GradeEnforced && reports && !strings.Contains(words, `"/sessions/3/outbox"="write"`) {
			t.Errorf("%s: said to write in a mode that cannot: %q", test.name, words)
		}
	}
}

func TestNames_ListProvenHarnessesFirst(t *testing.T) {
	t.Parallel()
	want := []string{
		"claude", "codex", "opencode", "gemini", "pi", "qwen", "copilot", "amp", "cursor", "goose", "aider", "exec",
	}
	if got := harness.Names(); !slices.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
	for _, name := range []string{"amp", "cursor", "goose", "aider"} {
		if !lookup(t, name).Facts().Unproven {
			t.Errorf("%s is not marked unproven", name)
		}
	}
	if _, ok := harness.Lookup("emacs"); ok {
		t.Error("found a harness that does not exist")
	}
}

func TestCommand_LeavesTheExecutorsEnvironmentAlone(t *testing.T) {
	t.Parallel()
	j := job()
	j.Env["API_TIMEOUT_MS"] = "5000"
	command, err := lookup(t, "claude").Command(j)
	if err != nil {
		t.Fatal(err)
	}
	if _, set := command.Env["API_TIMEOUT_MS"]; set || command.Env["CLAUDE_CODE_MAX_RETRIES"] != "3" {
		t.Errorf("environment %v", command.Env)
	}
}
