package harness_test

import (
	"slices"
	"testing"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// Pins HAR-1.
func TestExec_RunsTheCommandAsWritten(t *testing.T) {
	t.Parallel()
	j := job()
	j.Argv, j.Resume = []string{"sh", "-c", "make agent CARD=$BOARD_CARD"}, "s-9"
	command, err := lookup(t, "exec").Command(j)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(command.Argv, j.Argv) || command.StdinPath != j.PromptPath || command.Env["BOARD_SESSION"] != "s-9" {
		t.Errorf("command %+v", command)
	}
	if _, err := lookup(t, "exec").Command(job()); err == nil {
		t.Error("a job without a command was taken")
	}
}

// Pins HAR-2.
func TestExec_EndingsAreToldApart(t *testing.T) {
	t.Parallel()
	file := func(text string) map[string][]byte { return map[string][]byte{"/runs/7/result.json": []byte(text)} }
	checkEndings(t, "exec", []ending{
		{name: "exit 0", class: "", stdout: "You've hit your usage limit.\n", stderr: "Rate limit exceeded\n"},
		{name: "exit 3", exit: harness.Exit{Code: 3}, class: harness.ClassFailed, message: "boom", stdout: "Overloaded\n", stderr: "boom\n"},
		{
			name: "a CLI's line on stderr", exit: harness.Exit{Code: 1}, class: harness.ClassUsageLimited,
			stderr: "You've hit your 5-hour limit · resets 7:10am (UTC)\n",
		},
		{
			name: "error in the file, exit 0", exit: harness.Exit{Files: file(`{"error":{"class":"outage","message":"down"}}`)},
			class: harness.ClassOutage, message: "down",
		},
		{name: "no error in the file, exit 1", exit: harness.Exit{Code: 1, Files: file(`{"summary":"x"}`)}, class: harness.ClassFailed},
		{name: "broken file, exit 0", exit: harness.Exit{Files: file(`{`)}, class: ""},
	})
}

// Pins RET-4.
func TestExec_TheResultFileWinsOverTheOutput(t *testing.T) {
	t.Parallel()
	got := play(t, "exec", job(), "working\nBOARD: done\n", "", harness.Exit{Files: map[string][]byte{
		"/runs/7/result.json": []byte(`{"verdict":"blocked","reason":"no key","tokens":{"in":4},"session":"s","extra":1}`),
	}}).result
	if got.Verdict != harness.VerdictBlocked || got.Reason != "no key" || got.Usage.In != 4 || got.Session != "s" ||
		got.Metadata["extra"] != 1.0 || got.Text != "working\nBOARD: done" {
		t.Errorf("result %+v", got)
	}
	broken := play(t, "exec", job(), "BOARD: done\n", "", harness.Exit{Files: map[string][]byte{"/runs/7/result.json": []byte("no")}}).result
	if broken.Verdict != harness.VerdictDone || len(broken.Notes) != 1 {
		t.Errorf("with a broken file: %+v", broken)
	}
}
