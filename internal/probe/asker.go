package probe

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// keyVariable marks what a probe starts, so that what left its process group is found and ended too. It is not that of runs:
// a tick must not take a probe for one.
const keyVariable = "BOARD_CHECK_KEY"

// maxAnswer is how much of an answer is kept, in bytes. Chosen: many times the longest help; the rest is thrown away.
const maxAnswer = 1 << 20

// afterEnd is how long a program's children may hold its output open after it has ended. Chosen: an answer is printed by then.
const afterEnd = time.Second

// asker asks the programs of one harness, one after the other, and each question once.
type asker struct {
	prober  Prober
	scratch string // an empty folder: a repository's own configuration is not to be obeyed
	had     map[string]answer
}

func newAsker(p Prober, scratch string) *asker {
	return &asker{prober: p, scratch: scratch, had: map[string]answer{}}
}

// answer is what a program said.
type answer struct {
	words  string // the command line, for people
	stdout string
	stderr string
	code   int           // exit code; 128+n where a signal ended it
	late   bool          // it was ended after limit
	limit  time.Duration // that it had
	err    error         // it could not be started
}

// lastLine is the last thing that it said.
func (a answer) lastLine() string {
	lines := strings.Split(strings.TrimSpace(a.stdout+"\n"+a.stderr), "\n")
	return cmp.Or(strings.TrimSpace(lines[len(lines)-1]), "it said nothing")
}

// ask starts a program and waits for its end.
func (a *asker) ask(ctx context.Context, env map[string]string, words []string) answer {
	pairs := pairs(env)
	key := strings.Join(words, "\x00") + "\x00\x00" + strings.Join(pairs, "\x00")
	if had, ok := a.had[key]; ok {
		return had
	}
	got := a.start(ctx, question{words: words, env: pairs, dir: a.scratch, limit: a.prober.limit()})
	a.had[key] = got
	return got
}

// limit is how long one answer may take.
func (p Prober) limit() time.Duration {
	limit := cmp.Or(p.Limit, AskLimit)
	return min(limit, cmp.Or(p.Whole, limit))
}

// question is a program to be started.
type question struct {
	words []string
	env   []string
	dir   string
	stdin io.Reader // nil: the null device
	limit time.Duration
}

// start runs a program until its end or its limit, and ends everything that it started.
func (a *asker) start(ctx context.Context, q question) answer {
	mark := rand.Text()
	limited, cancel := context.WithTimeout(ctx, q.limit)
	defer cancel()
	stdout, stderr := &head{}, &head{}
	cmd := exec.CommandContext(limited, q.words[0], q.words[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = append(q.env, keyVariable+"="+mark), q.dir, q.stdin, stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = afterEnd
	got := answer{words: filepath.Base(q.words[0]) + " " + strings.Join(q.words[1:], " "), limit: q.limit}
	err := cmd.Run()
	a.end(context.WithoutCancel(ctx), mark)
	got.stdout, got.stderr = stdout.String(), stderr.String()
	got.late = limited.Err() != nil
	state := cmd.ProcessState
	if state == nil {
		got.err = err
		return got
	}
	got.code = state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		got.code = 128 + int(status.Signal())
	}
	return got
}

// What is left behind is looked for until nothing is, so often and with such pauses at most. Chosen: half a second; what was
// forked during a look is found by the next, and what was killed needs a moment to be gone.
const (
	endTries = 50
	endPause = 10 * time.Millisecond
)

// end kills what a program left behind.
func (a *asker) end(ctx context.Context, mark string) {
	if a.prober.Table == nil {
		return
	}
	for range endTries {
		left := a.prober.Table.FindByEnv(keyVariable, mark)
		if len(left) == 0 {
			return
		}
		for _, entry := range left {
			_ = a.prober.Table.Signal(entry.ID, syscall.SIGKILL) // it is gone, or the next look finds it
		}
		_ = a.prober.Clock.Sleep(ctx, endPause) // never cut short: the context is never done
	}
}

// head keeps the beginning of an output.
type head struct{ bytes.Buffer }

// Write keeps what has room and takes the rest.
func (h *head) Write(p []byte) (int, error) {
	if room := maxAnswer - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// pairs is an environment as a process takes it, by name.
func pairs(env map[string]string) []string {
	list := make([]string, 0, len(env)+1)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}
