package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// Detached is a process to start that outlives its starter (SUP-6): in a session of its own, with nothing on its
// standard streams but Log.
type Detached struct {
	Args []string // the program by its full path, and its arguments
	Env  []string // the whole environment
	Dir  string
	Log  *os.File // standard output and error; nil: the null device
}

// Spawn starts d and forgets it: it is not waited for. The starter that lives on buries it with Reaper.Reap; one that
// ends leaves it to the system.
func Spawn(d Detached) (pid int, err error) {
	if len(d.Args) == 0 {
		return 0, errors.New("spawn: no program given")
	}
	cmd := exec.Command(d.Args[0], d.Args[1:]...) //nolint:noctx // it outlives every context of its starter
	cmd.Env, cmd.Dir = d.Env, d.Dir
	if d.Log != nil {
		cmd.Stdout, cmd.Stderr = d.Log, d.Log
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	seal()
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("spawn %s: %w", d.Args[0], err)
	}
	pid = cmd.Process.Pid
	if err := cmd.Process.Release(); err != nil {
		return pid, fmt.Errorf("spawn %s: %w", d.Args[0], err)
	}
	return pid, nil
}
