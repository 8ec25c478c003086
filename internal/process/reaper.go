package process

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// Reaper starts commands and reaps orphans side by side, so that neither loses the other's exit codes: a wait4(-1) loop
// beside exec.Cmd.Wait loses one code in six.
//
// A process that adopts orphans (a subreaper, or process 1 of a container) starts every command through one Reaper and
// calls Reap now and then. A command started otherwise may be reaped as an orphan. The zero Reaper is ready.
type Reaper struct {
	mu  sync.Mutex
	own map[int]struct{} // pids of commands that Wait has yet to ask about
}

// Start starts the command. No Reap can see its process before Wait has the right to it.
func (r *Reaper) Start(cmd *exec.Cmd) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	if r.own == nil {
		r.own = map[int]struct{}{}
	}
	r.own[cmd.Process.Pid] = struct{}{}
	return nil
}

// Wait waits for a command that Start started, as exec.Cmd.Wait does.
func (r *Reaper) Wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.own, cmd.Process.Pid)
	return err
}

// Run is Start and Wait.
func (r *Reaper) Run(cmd *exec.Cmd) error {
	if err := r.Start(cmd); err != nil {
		return err
	}
	return r.Wait(cmd)
}

// Reap buries every ended child that Start did not start, and returns their pids, ascending. It never waits.
func (r *Reaper) Reap() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	self := os.Getpid()
	var buried []int
	for _, pid := range listPIDs() {
		if _, ours := r.own[pid]; ours {
			continue
		}
		entry, err := readEntry(pid)
		if err != nil || entry.Parent != self || !entry.Zombie {
			continue
		}
		if bury(pid) {
			buried = append(buried, pid)
		}
	}
	return buried
}

// bury asks for the status of one ended child by its pid.
func bury(pid int) bool {
	for {
		got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		if !errors.Is(err, syscall.EINTR) {
			return got == pid
		}
	}
}
