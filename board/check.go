package board

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/workflows"
)

// Bounds on what people and agents write. Chosen: a title is one line of a list; a body, comment or answer may hold a whole
// document, and 1 MiB is what a harness still takes as a prompt.
const (
	MaxTitle = 1 << 10 // bytes
	MaxText  = 1 << 20 // bytes
	maxWord  = 200     // bytes of a name: a label, a model, a path is 4 of them
	maxPath  = 4 * maxWord
	maxList  = 200 // entries of a list or labels of a card

	maxPriority = 1_000_000 // either way; aging adds to it
)

// CheckText refuses a text that cannot be kept and shown: empty, too long, no UTF-8, or with a NUL byte, which would end it
// in C programs. what names it in the refusal. The error is ErrUsage.
func CheckText(what, text string) error {
	if strings.TrimSpace(text) == "" {
		return NewProblem(ErrUsage, "", "%s is empty", what)
	}
	return checkBody(what, text)
}

func checkBody(what, text string) error {
	switch {
	case len(text) > MaxText:
		return NewProblem(ErrUsage, "put the rest into a file of the repository and name it", "%s is longer than %d bytes (1 MiB), which is all that is kept", what, MaxText)
	case strings.ContainsRune(text, 0):
		return NewProblem(ErrUsage, "", "%s contains a NUL byte: it is no text", what)
	case !utf8.ValidString(text):
		return NewProblem(ErrUsage, "", "%s is not UTF-8", what)
	}
	return nil
}

func checkTitle(title string) error {
	switch {
	case strings.TrimSpace(title) == "":
		return NewProblem(ErrUsage, "", "the title is empty")
	case len(title) > MaxTitle:
		return NewProblem(ErrUsage, "put the rest into the body (--body, --body-file)", "the title has %d bytes; at most %d (1 KiB) are kept", len(title), MaxTitle)
	}
	return checkLine("the title", title, MaxTitle)
}

// checkLine refuses what does not fit on one line of a list.
func checkLine(what, text string, limit int) error {
	if len(text) > limit {
		return NewProblem(ErrUsage, "", "%s has %d bytes; at most %d are kept", what, len(text), limit)
	}
	if !utf8.ValidString(text) {
		return NewProblem(ErrUsage, "", "%s is not UTF-8", what)
	}
	for _, r := range text {
		if unicode.IsControl(r) || isSeparator(r) {
			return NewProblem(ErrUsage, "write it in one line", "%s contains the control character %U", what, r)
		}
	}
	return nil
}

// isSeparator says whether r breaks a line though it is no control character.
func isSeparator(r rune) bool { return r == '\u2028' || r == '\u2029' }

// Check says what is wrong with what a person wrote into a card, before it is stored. The error is ErrUsage.
func (c Card) Check() error {
	if err := checkTitle(c.Title); err != nil {
		return err
	}
	if err := checkBody("the body", c.Body); err != nil {
		return err
	}
	for _, w := range []struct{ what, text string }{
		{"the assignee", c.Assignee},
		{"the host", c.Host},
		{"the model", c.Model},
		{"the effort", c.Effort},
		{"the key", c.Key},
		{"the schedule", c.Every},
	} {
		if err := checkLine(w.what, w.text, maxWord); err != nil {
			return err
		}
	}
	if c.Priority > maxPriority || c.Priority < -maxPriority {
		return NewProblem(ErrUsage, "", "priority %d is not between -%d and %d", c.Priority, maxPriority, maxPriority)
	}
	if c.MaxRuns < 0 {
		return NewProblem(ErrUsage, "", "max runs %d is below 0", c.MaxRuns)
	}
	for _, check := range []func() error{c.checkLists, c.checkLabels, c.checkEffort, c.checkWorkspace, c.checkEvery} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c Card) checkLists() error {
	for _, list := range []struct {
		what  string
		items Strings
	}{{"owns", c.Owns}, {"satisfies", c.Satisfies}} {
		if len(list.items) > maxList {
			return NewProblem(ErrUsage, "", "%s has %d entries; at most %d are kept", list.what, len(list.items), maxList)
		}
		for _, item := range list.items {
			if item == "" {
				return NewProblem(ErrUsage, "", "%s has an empty entry", list.what)
			}
			if err := checkLine("an entry of "+list.what, item, maxPath); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c Card) checkLabels() error {
	if len(c.Labels) > maxList {
		return NewProblem(ErrUsage, "", "the card has %d labels; at most %d are kept", len(c.Labels), maxList)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Labels)) {
		if name == "" || strings.ContainsAny(name, "= ,") {
			return NewProblem(ErrUsage, "write --label name=value", "a label cannot be named %q", name)
		}
		if err := checkLine("the label "+name, name+c.Labels[name], maxPath); err != nil {
			return err
		}
	}
	return nil
}

func (c Card) checkEffort() error {
	return oneOf("effort", c.Effort, roster.Efforts())
}

func (c Card) checkWorkspace() error {
	if strings.HasPrefix(c.Workspace, "dir:/") {
		return checkLine("the workspace", c.Workspace, maxPath)
	}
	if strings.HasPrefix(c.Workspace, "dir:") {
		return NewProblem(ErrUsage, "write dir:/an/absolute/path", "the workspace %q names no absolute folder", c.Workspace)
	}
	return oneOf("workspace", c.Workspace, []string{
		string(workflows.WorkspaceWorktree), string(workflows.WorkspaceRepo), string(workflows.WorkspaceScratch), "dir:/path",
	})
}

func (c Card) checkEvery() error {
	if c.Every == "" {
		return nil
	}
	_, err := ParseEvery(c.Every)
	return err
}

// oneOf refuses a word that is not of a closed set; the empty one is "not given".
func oneOf(what, word string, known []string) error {
	for _, k := range known {
		if word == k || word == "" {
			return nil
		}
	}
	return NewProblem(ErrUsage, meant(word, known, what+" is one of"), "there is no %s %q", what, word)
}

// meant is the fix of a misspelt name: the nearest, and all there are.
func meant(name string, known []string, list string) string {
	all := list + ": " + strings.Join(known, ", ")
	if len(known) == 0 {
		all = list + ": none"
	}
	if near := expr.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q? %s", near, all)
	}
	return all
}

// CheckAssignee refuses a profile that the workflow has not; the empty one is the workflow's own choice. The error is
// ErrNotFound with the nearest name.
func CheckAssignee(w *workflows.Workflow, profile string) error {
	if profile == "" || w.Profile(profile) != nil {
		return nil
	}
	known := make([]string, len(w.Profiles))
	for i, p := range w.Profiles {
		known[i] = p.Name
	}
	return NewProblem(ErrNotFound, meant(profile, known, "profiles"), "no profile %q in workflow %s", profile, w.Name)
}

// CheckStatus refuses a status that the workflow has not. The error is ErrNotFound with the nearest name.
func CheckStatus(w *workflows.Workflow, status string) error {
	if w.Status(status) != nil {
		return nil
	}
	known := make([]string, len(w.Statuses))
	for i, s := range w.Statuses {
		known[i] = s.Name
	}
	return NewProblem(ErrNotFound, meant(status, known, "statuses"), "no status %q in workflow %s", status, w.Name)
}

// didYouMean is the fix of a name that is not there: the nearest, or how to find them.
func didYouMean(name string, known []string, otherwise string) string {
	if near := expr.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q? %s", near, otherwise)
	}
	return otherwise
}
