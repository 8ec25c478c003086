package harness_test

import (
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// job is a plain headless run of a coder in a fresh conversation.
func job() harness.Job {
	return harness.Job{
		Permissions: harness.PermissionEdit, PromptPath: "/runs/7/prompt.md", Workspace: "/work/tree", RunDir: "/runs/7",
		OutboxDir: "/sessions/3/outbox", ResultPath: "/runs/7/result.json", NewSession: "11111111-2222-4333-8444-555555555555",
		Home: "/home/ann", Env: map[string]string{},
	}
}

func lookup(t *testing.T, name string) harness.Harness {
	t.Helper()
	h, ok := harness.Lookup(name)
	if !ok {
		t.Fatalf("no harness %q", name)
	}
	return h
}

// played is what a recorded run gave.
type played struct {
	events []harness.Event
	result harness.Result
}

// play feeds a recorded run to the parser of the harness called name.
func play(t *testing.T, name string, job harness.Job, stdout, stderr string, exit harness.Exit) played {
	t.Helper()
	parser := lookup(t, name).Parser(job)
	var p played
	for line := range strings.Lines(stderr) {
		p.events = append(p.events, parser.Stderr([]byte(strings.TrimSuffix(line, "\n")))...)
	}
	for line := range strings.Lines(stdout) {
		p.events = append(p.events, parser.Line([]byte(strings.TrimSuffix(line, "\n")))...)
	}
	if exit.Now.IsZero() {
		exit.Now = noon(t)
	}
	p.result = parser.Finish(exit)
	return p
}

// of lists the texts of the events of one kind.
func (p played) of(kind harness.EventKind) []string {
	var texts []string
	for _, e := range p.events {
		if e.Kind == kind {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// class is the class of the result's failure; "" when it completed.
func (p played) class() harness.Class {
	if p.result.Failure == nil {
		return ""
	}
	return p.result.Failure.Class
}

// ending is one row of a table of endings.
type ending struct {
	name    string
	stdout  string
	stderr  string
	exit    harness.Exit
	class   harness.Class
	message string // a part of Failure.Message
}

func checkEndings(t *testing.T, name string, endings []ending) {
	t.Helper()
	for _, e := range endings {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			got := play(t, name, job(), e.stdout, e.stderr, e.exit)
			if got.class() != e.class {
				t.Fatalf("class %q (%+v), want %q", got.class(), got.result.Failure, e.class)
			}
			if e.class != "" && !strings.Contains(got.result.Failure.Message, e.message) {
				t.Errorf("message %q, want it to hold %q", got.result.Failure.Message, e.message)
			}
		})
	}
}
