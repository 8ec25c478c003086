package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-2ddc2152/board/internal/process"
)

// Git runs the git program.
type Git struct {
	// Bin is the program: a path, or a name that is looked for on the PATH of Env. "" is "git".
	Bin string
	// Env is the whole environment of git; the caller puts the launch key into it. It is cleaned by CleanEnv at each use.
	Env []string
	// Run runs a prepared command to its end; nil is (*exec.Cmd).Run. A process that reaps orphans passes its reaper's.
	Run func(*exec.Cmd) error
}

// settings hold for every call: no program that a repository's configuration names runs unasked, nothing is signed, and
// no housekeeping goes on in the background after git has ended.
func settings() []string {
	return []string{
		"-c", "core.hooksPath=/dev/null",
		"-c", "core.fsmonitor=false",
		"-c", "core.safecrlf=false",
		"-c", "core.quotePath=false",
		"-c", "commit.gpgSign=false",
		"-c", "gc.auto=0",
		"-c", "maintenance.auto=false",
		"-c", "merge.autoStash=false",
		"-c", "rerere.autoUpdate=false",
		"-c", "submodule.recurse=false",
	}
}

// pipeGrace is how long what git started may hold its output open after git ended or was told to. Chosen: longer than a
// loaded machine needs to deliver a signal, shorter than anybody waits for.
const pipeGrace = 2 * time.Second

// call is one run of git.
type call struct {
	dir   string
	args  []string
	env   []string // beyond Git.Env
	stdin io.Reader
}

// gitError is a git that ended badly.
type gitError struct {
	verb   string
	code   int // exit code; -1 when it was ended by a signal or did not start
	stderr string
	err    error
}

func (e *gitError) Error() string {
	text := ends(strings.TrimSpace(e.stderr))
	if text == "" {
		text = e.err.Error()
	}
	return fmt.Sprintf("git %s: %s", e.verb, text)
}

// ends keeps the first and the last lines of a long text: git may complain once for each of a thousand files.
func ends(text string) string {
	const first, last = 2, 3
	lines := strings.Split(text, "\n")
	if len(lines) > first+last+1 {
		lines = slices.Concat(lines[:first], []string{"..."}, lines[len(lines)-last:])
	}
	return strings.Join(lines, "\n")
}

func (e *gitError) Unwrap() error { return e.err }

// git runs one git command in dir and returns its standard output.
func (g *Git) git(ctx context.Context, dir string, args ...string) (string, error) {
	return g.call(ctx, call{dir: dir, args: args})
}

// line is git for a command whose answer is one line.
func (g *Git) line(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := g.git(ctx, dir, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// holds is git for a question: exit 0 is yes, 1 is no.
func (g *Git) holds(ctx context.Context, dir string, args ...string) (bool, error) {
	_, err := g.git(ctx, dir, args...)
	if exitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

func (g *Git) call(ctx context.Context, c call) (string, error) {
	verb := c.args[0]
	bin := g.Bin
	if bin == "" {
		bin = "git"
	}
	path, err := process.LookPath(bin, c.dir, g.Env)
	if err != nil {
		return "", fmt.Errorf("git %s: %w (looked for %q): %w", verb, ErrGitMissing, bin, err)
	}
	words := append([]string{"--no-pager"}, settings()...)
	cmd := exec.CommandContext(ctx, path, append(words, c.args...)...)
	cmd.Dir = c.dir
	// Messages are read to tell troubles apart, so they are wanted in one language.
	cmd.Env = append(CleanEnv(g.Env), "LC_ALL=C", "LANGUAGE=C", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true")
	cmd.Env = append(cmd.Env, c.env...)
	cmd.Stdin = c.stdin
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = g.run(cmd)
	if err == nil {
		return stdout.String(), nil
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("git %s: %w", verb, context.Cause(ctx))
	}
	if _, err := os.Stat(c.dir); c.dir != "" && errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("git %s: %w: %s", verb, ErrDirMissing, c.dir) // Go says of it that git does not exist
	}
	failed := &gitError{verb: verb, code: -1, stderr: stderr.String(), err: err}
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		failed.code = ended.ExitCode()
	}
	if failed.diskFull() {
		return stdout.String(), fmt.Errorf("%w: %w", ErrDiskFull, failed)
	}
	return stdout.String(), failed
}

// diskFull reports whether git could not write. A checkout says "unable to write file" and not why.
func (e *gitError) diskFull() bool {
	return slices.ContainsFunc([]string{"No space left on device", "Disk quota exceeded", "unable to write file"},
		func(text string) bool { return strings.Contains(e.stderr, text) })
}

// run runs cmd in a process group of its own, so that calling it off also ends what it started.
func (g *Git) run(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = pipeGrace
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	run := g.Run
	if run == nil {
		run = (*exec.Cmd).Run
	}
	err := run(cmd)
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil // it ended well; what it left behind holds its output
	}
	return err
}

// exitCode returns the exit code of a git that ran and ended badly, and -1 for every other error or none.
func exitCode(err error) int {
	if failed, ok := errors.AsType[*gitError](err); ok {
		return failed.code
	}
	return -1
}

// says reports whether git ended badly and said text on standard error.
func says(err error, text string) bool {
	failed, ok := errors.AsType[*gitError](err)
	return ok && strings.Contains(failed.stderr, text)
}

// nuls joins paths as git reads them with --pathspec-file-nul and -z.
func nuls(paths []string) io.Reader {
	return strings.NewReader(strings.Join(paths, "\x00") + "\x00")
}
