package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// ErrNotReleased says that the starter went away, or changed its mind, before it released the shim: the command was not
// run.
var ErrNotReleased = errors.New("the starter did not release the command")

// ErrNotFound says that the command's program is nowhere on the PATH it is started with, or is not executable.
var ErrNotFound = errors.New("program not found")

// shimFD is the descriptor of the pipe in the shim: the first after standard error.
const shimFD = 3

// Command is a command that starts stopped, behind the shim, so that its identity can be recorded before it runs
// (DSP-8).
type Command struct {
	Shim       []string // words that run RunShim, such as {"/usr/bin/board", "shim"}; the command's own words follow
	Args       []string // the program and its arguments; a program without a slash is looked for on the PATH of Env
	Env        []string // the whole environment
	Dir        string   // working directory; missing is an error, not a start elsewhere
	Stdin      *os.File // nil: the null device. Files only: a pipe that Go copies would make Wait wait for daemons
	Stdout     *os.File
	Stderr     *os.File
	Foreground bool // make its group the foreground group of Terminal
	Terminal   *os.File
}

// Started is a command behind its shim. Exactly one of Release and Abandon is called, then Wait.
type Started struct {
	ID Identity // it leads a process group of its own; the identity stays the same when the shim becomes the command

	reaper *Reaper
	cmd    *exec.Cmd
	gate   *os.File
}

// Exit is how a process ended.
type Exit struct {
	Code   int            // exit code; -1 when a signal ended it
	Signal syscall.Signal // 0 when it exited
}

// Start starts the shim of a command, in its own process group, through the reaper. The command itself waits for
// Release. A program that is not there is ErrNotFound, before anything is started.
func (t *Table) Start(command Command, reaper *Reaper) (*Started, error) {
	if len(command.Args) == 0 || len(command.Shim) == 0 {
		return nil, errors.New("start command: no program given")
	}
	program, err := LookPath(command.Args[0], command.Dir, command.Env)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Args[0], err)
	}
	read, gate, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Args[0], err)
	}
	defer func() { _ = read.Close() }()
	seal()
	cmd := command.shim(program, read)
	if err := reaper.Start(cmd); err != nil {
		_ = gate.Close()
		return nil, fmt.Errorf("start %s: %w", command.Args[0], err)
	}
	started := &Started{reaper: reaper, cmd: cmd, gate: gate}
	started.ID, err = t.Of(cmd.Process.Pid)
	if err != nil {
		_ = started.Abandon()
		_, _ = started.Wait()
		return nil, fmt.Errorf("start %s: %w", command.Args[0], err)
	}
	return started, nil
}

// shim is the command that waits at the gate: the shim's words, the pipe's number, and the program by its full path.
func (c Command) shim(program string, gate *os.File) *exec.Cmd {
	words := append(append([]string{}, c.Shim[1:]...), strconv.Itoa(shimFD), program)
	cmd := exec.Command(c.Shim[0], append(words, c.Args[1:]...)...) //nolint:noctx // its life is the session's, ended by signals only
	cmd.Env, cmd.Dir = c.Env, c.Dir
	cmd.ExtraFiles = []*os.File{gate}
	if c.Stdin != nil {
		cmd.Stdin = c.Stdin
	}
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	if c.Stderr != nil {
		cmd.Stderr = c.Stderr
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if c.Foreground && c.Terminal != nil {
		cmd.SysProcAttr.Foreground = true
		cmd.SysProcAttr.Ctty = int(c.Terminal.Fd())
	}
	return cmd
}

// Release lets the command run.
func (s *Started) Release() error {
	_, err := s.gate.Write([]byte{1})
	if err := errors.Join(err, s.gate.Close()); err != nil {
		return fmt.Errorf("release command: %w", err)
	}
	return nil
}

// Abandon ends the shim without running the command.
func (s *Started) Abandon() error { return s.gate.Close() }

// Wait waits until the process has ended and says how.
func (s *Started) Wait() (Exit, error) {
	err := s.reaper.Wait(s.cmd)
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return Exit{Code: -1}, fmt.Errorf("wait for process %d: %w", s.ID.PID, err)
	}
	exit := Exit{Code: s.cmd.ProcessState.ExitCode()}
	if status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		exit.Signal = status.Signal()
	}
	return exit, nil
}

// RunShim is the shim itself: words are what Start put after Command.Shim. It waits for the starter's one byte and
// becomes the command. It returns only when that cannot be done; without the byte it is ErrNotReleased.
func RunShim(words, env []string) error {
	if len(words) < 2 {
		return errors.New("run shim: want the gate's descriptor and a program")
	}
	fd, err := strconv.Atoi(words[0])
	if err != nil || fd < shimFD {
		return fmt.Errorf("run shim: %q is no descriptor of a gate", words[0])
	}
	gate := os.NewFile(uintptr(fd), "gate")
	_, err = io.ReadFull(gate, make([]byte, 1))
	_ = gate.Close()
	if err != nil {
		return fmt.Errorf("run %s: %w", words[1], ErrNotReleased)
	}
	if err := syscall.Exec(words[1], words[1:], env); err != nil {
		return fmt.Errorf("run %s: %w", words[1], err)
	}
	return nil
}

// LookPath finds a program as a child with this environment and directory would. It is ErrNotFound when it is nowhere,
// or not executable.
func LookPath(program, dir string, env []string) (string, error) {
	if strings.Contains(program, "/") {
		if !filepath.IsAbs(program) {
			program = filepath.Join(dir, program)
		}
		return program, executable(program)
	}
	for _, folder := range filepath.SplitList(lookEnv(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue // a relative PATH entry would make a repository choose which program runs
		}
		path := filepath.Join(folder, program)
		if executable(path) == nil {
			return path, nil
		}
	}
	return "", ErrNotFound
}

func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	if info.IsDir() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("%w: %s is not executable", ErrNotFound, path)
	}
	return nil
}

// lookEnv returns the last value of key, which is the one that a child sees.
func lookEnv(env []string, key string) string {
	for _, pair := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(pair, key+"="); ok {
			return value
		}
	}
	return ""
}
