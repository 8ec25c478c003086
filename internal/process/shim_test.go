package process_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-2ddc2152/board/internal/process"
)

// command is a command behind this test program's shim, with its output in a file.
func command(t *testing.T, words ...string) process.Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	return process.Command{
		Shim: []string{self, "shim"}, Args: words, Env: []string{"PATH=/usr/bin:/bin", "WORD=hello"}, Dir: t.TempDir(),
		Stdout: out, Stderr: out,
	}
}

func text(t *testing.T, file *os.File) string {
	t.Helper()
	content, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Holds DSP-8.
func TestStart_KnowsTheIdentityBeforeTheCommandRuns(t *testing.T) {
	t.Parallel()
	table := open(t)
	c := command(t, "sh", "-c", `echo "$0 $1 $WORD $$" /proc/$$/fd/*; pwd; read line; exit 3`, "-a", "b c")
	in, gate, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdin = in
	var reaper process.Reaper
	started, err := table.Start(c, &reaper)
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, c.Stdout); got != "" || table.Check(started.ID) != process.Alive || started.ID.PGID != started.ID.PID {
		t.Errorf("before release: output %q, identity %v", got, started.ID)
	}
	if err := started.Release(); err != nil {
		t.Fatal(err)
	}
	until(t, "the command's output", func() bool { return strings.Count(text(t, c.Stdout), "\n") == 2 })
	entry, err := table.Entry(started.ID.PID)
	if err != nil || entry.Command != "sh" || entry.ID != started.ID {
		t.Errorf("after release: got %+v, %v, want sh as %v", entry, err, started.ID)
	}
	lines := strings.Split(text(t, c.Stdout), "\n")
	if !strings.HasPrefix(lines[0], "-a b c hello ") || strings.Count(lines[0], "/fd/") != 4 || lines[1] != c.Dir {
		t.Errorf("got %q, want its words, its environment, descriptors 0 1 2 and that of the look itself, and %s", lines, c.Dir)
	}
	_ = gate.Close()
	if exit, err := started.Wait(); err != nil || exit != (process.Exit{Code: 3}) {
		t.Errorf("got %+v, %v, want exit code 3", exit, err)
	}
}

func TestWait_NamesTheSignal(t *testing.T) {
	t.Parallel()
	table := open(t)
	started, err := table.Start(command(t, "sleep", "65"), &process.Reaper{})
	if err != nil {
		t.Fatal(err)
	}
	_ = started.Release()
	if err := table.SignalGroup(started.ID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if exit, err := started.Wait(); err != nil || exit != (process.Exit{Code: -1, Signal: syscall.SIGKILL}) {
		t.Errorf("got %+v, %v, want KILL", exit, err)
	}
}

func TestAbandon_RunsNothing(t *testing.T) {
	t.Parallel()
	table := open(t)
	c := command(t, "touch", "made")
	started, err := table.Start(c, &process.Reaper{})
	if err != nil {
		t.Fatal(err)
	}
	_ = started.Abandon()
	if _, err := started.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "made")); err == nil || !strings.Contains(text(t, c.Stdout), process.ErrNotReleased.Error()) {
		t.Errorf("the command was run, or the shim is silent: %q", text(t, c.Stdout))
	}
}

// The starter is killed between start and record: the command must not run unrecorded (DSP-8).
func TestRunShim_RunsNothingWhenItsStarterDies(t *testing.T) {
	t.Parallel()
	table := open(t)
	mark := filepath.Join(t.TempDir(), "made")
	starter := play(t, "start-and-wait", mark)
	said, _, _ := strings.Cut(starter.said, " ")
	id, err := process.ParseIdentity(said)
	if err != nil || table.Check(id) != process.Alive {
		t.Fatalf("the starter said %q: %v", starter.said, err)
	}
	starter.kill()
	until(t, "the shim's end", func() bool { return table.Check(id) == process.Dead })
	if _, err := os.Stat(mark); err == nil {
		t.Error("the command was run")
	}
}

func TestStart_SaysWhatIsMissingAndStartsNothing(t *testing.T) {
	t.Parallel()
	table := open(t)
	for _, c := range []struct {
		name   string
		change func(*process.Command)
		want   error
	}{
		{"no such program", func(c *process.Command) { c.Args = []string{"no-such-harness"} }, process.ErrNotFound},
		{"no such path", func(c *process.Command) { c.Args = []string{"/no/such/harness"} }, process.ErrNotFound},
		{"a folder", func(c *process.Command) { c.Args = []string{"/bin"} }, process.ErrNotFound},
		{"not on the child's own PATH", func(c *process.Command) { c.Env = []string{"PATH=/nowhere"} }, process.ErrNotFound},
		{"only on a relative PATH", func(c *process.Command) { c.Env, c.Dir = []string{"PATH=bin"}, "/" }, process.ErrNotFound},
		{"no working directory", func(c *process.Command) { c.Dir = "/no/such/dir" }, os.ErrNotExist},
	} {
		wanted := command(t, "touch", "made")
		c.change(&wanted)
		if started, err := table.Start(wanted, &process.Reaper{}); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, %v, want %v", c.name, started, err, c.want)
		}
	}
}

// Holds SUP-6.
func TestSpawn_StartsASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	table := open(t)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	pid, err := process.Spawn(process.Detached{
		Args: []string{"/bin/sh", "-c", `cut -d' ' -f6 /proc/$$/stat; echo "$WORD"; readlink /proc/$$/fd/0; exec sleep 66`},
		Env:  []string{"PATH=/usr/bin:/bin", "WORD=hello"}, Dir: "/", Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	id := of(t, table, pid)
	until(t, "its output", func() bool { return strings.Count(text(t, log), "\n") == 3 })
	lines := strings.Split(text(t, log), "\n")
	if session := strings.TrimSpace(lines[0]); session != strings.Split(id.String(), "/")[2] || lines[1] != "hello" || lines[2] != "/dev/null" {
		t.Errorf("got %q, want session %d, hello and no standard input", lines, pid)
	}
	if err := table.Signal(id, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	_, _ = syscall.Wait4(pid, nil, 0, nil)
}
