package process_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/process"
)

// TestMain makes the test program play the other process too: its first word says which.
func TestMain(m *testing.M) {
	flag.Parse()
	switch flag.Arg(0) {
	case "shim":
		say(process.RunShim(flag.Args()[1:], os.Environ()))
	case "start-and-wait":
		playStarter(flag.Arg(1))
	case "lock":
		lock, held, err := process.LockRecord(flag.Arg(1))
		report(held, err)
		_ = lock.Release()
	case "flock":
		lock, holder, err := process.TryFlock(flag.Arg(1), process.Holder{PID: os.Getpid(), SinceAtMS: 42})
		report(holder, err)
		_ = lock.Release()
	case "reap":
		playReaper()
	default:
		m.Run()
	}
}

// say prints a line to standard error, which is where the flag package's output goes.
func say(what ...any) { _, _ = fmt.Fprintln(flag.CommandLine.Output(), what...) }

// report says that the lock was tried, and waits to be let go.
func report(what any, err error) {
	say(what, err)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// playStarter starts a command behind a shim and never releases it.
func playStarter(mark string) {
	table, err := process.Open()
	if err != nil {
		report(nil, err)
		return
	}
	self, _ := os.Executable()
	started, err := table.Start(process.Command{
		Shim: []string{self, "shim"}, Args: []string{"touch", mark}, Env: os.Environ(),
	}, &process.Reaper{})
	if err != nil {
		report(nil, err)
		return
	}
	report(started.ID, nil)
}

// playReaper starts 200 commands and 50 orphans beside a busy reaper, and prints "lost codes, orphans buried".
func playReaper() {
	if _, err := process.BecomeSubreaper(); err != nil {
		say(err)
		return
	}
	var reaper process.Reaper
	var buried, lost atomic.Int64
	var commands sync.WaitGroup
	for i := range 200 {
		commands.Go(func() {
			script := fmt.Sprintf("exit %d", i)
			if i%4 == 0 {
				script = fmt.Sprintf("(sh -c 'exit 9' &) ; exit %d", i)
			}
			cmd := exec.Command("/bin/sh", "-c", script)
			_ = reaper.Run(cmd)
			if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != i {
				lost.Add(1)
			}
		})
	}
	ended := make(chan struct{})
	go func() { commands.Wait(); close(ended) }()
	for running := true; running || buried.Load() < 50; {
		buried.Add(int64(len(reaper.Reap())))
		select {
		case <-ended:
			running = false
		default:
		}
	}
	say(lost.Load(), buried.Load())
}

// actor is another process that this test program plays.
type actor struct {
	cmd   *exec.Cmd
	said  string
	stdin io.Closer
}

// play starts the test program in a part and returns when it has said its first line.
func play(t *testing.T, words ...string) *actor {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a := &actor{cmd: exec.Command(self, words...)}
	stdin, err := a.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := a.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a.stdin = stdin
	t.Cleanup(func() { _ = a.cmd.Process.Kill(); _ = a.cmd.Wait() })
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatalf("play %v: %v", words, err)
	}
	a.said = strings.TrimSpace(line)
	return a
}

// kill ends the actor as a power cut would.
func (a *actor) kill() {
	_ = a.cmd.Process.Kill()
	_ = a.cmd.Wait()
}

func open(t *testing.T) *process.Table {
	t.Helper()
	table, err := process.Open()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// child starts a command in its own group that the test's end kills.
func child(t *testing.T, words ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); _ = cmd.Wait() })
	return cmd
}

func of(t *testing.T, table *process.Table, pid int) process.Identity {
	t.Helper()
	id, err := table.Of(pid)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// until asks again and again, giving the processor away in between, and fails after ten seconds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for !holds() {
		if ctx.Err() != nil {
			t.Fatalf("waited in vain for: %s", what)
		}
		_ = exec.Command("/bin/true").Run()
	}
}
