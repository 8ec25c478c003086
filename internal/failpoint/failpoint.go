// Package failpoint lets a test kill the shipped program at a named step, as a power cut would.
//
// The program asks Hit at each step; that does nothing but when the environment variable that cmd hands to New names
// the step. It reads no environment itself, and a nil *Set is off.
package failpoint

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// EnvVar is the environment variable whose value cmd passes to New.
const EnvVar = "BOARD_FAILPOINT"

// The steps of the tick and of the supervisor after which a kill must lose nothing (DSP-8). Packages that have other
// steps name them with constants of their own.
const (
	ObserveAfter = "observe.after" // tick: the snapshot is read
	PlanAfter    = "plan.after"    // tick: the plan is made
	StopAfter    = "stop.after"    // tick: what must end is signalled
	SettleEach   = "settle.each"   // tick and supervisor: one ending is recorded
	SettleAfter  = "settle.after"  // tick: every ending is recorded
	ClaimEach    = "claim.each"    // tick: one claim is committed
	ClaimAfter   = "claim.after"   // tick: all claims are committed, nothing is spawned
	LaunchEach   = "launch.each"   // tick: one supervisor is spawned
	LaunchAfter  = "launch.after"  // tick: all supervisors are spawned, the tick is not recorded

	SuperviseStart     = "supervise.start"     // supervisor: it has done nothing
	SuperviseLock      = "supervise.lock"      // supervisor: it holds runs/<id>/lock
	SuperviseRunning   = "supervise.running"   // supervisor: claimed -> running is committed
	SuperviseWorkspace = "supervise.workspace" // supervisor: the workspace is ready
	SuperviseStarted   = "supervise.started"   // supervisor: the shim waits, its identity is not recorded
	SuperviseRecorded  = "supervise.recorded"  // supervisor: the identity is recorded, the shim waits
	SuperviseReleased  = "supervise.released"  // supervisor: the harness runs
	SuperviseEnded     = "supervise.ended"     // supervisor: the harness has ended, what it left is not killed
	SuperviseExit      = "supervise.exit"      // supervisor: exit.json is written, nothing is settled
	SuperviseSettled   = "supervise.settled"   // supervisor: the run is settled, no tick is poked
)

// Names returns every step named here, in the order in which a run passes them.
func Names() []string {
	return []string{
		ObserveAfter, PlanAfter, StopAfter, SettleEach, SettleAfter, ClaimEach, ClaimAfter, LaunchEach, LaunchAfter,
		SuperviseStart, SuperviseLock, SuperviseRunning, SuperviseWorkspace, SuperviseStarted, SuperviseRecorded,
		SuperviseReleased, SuperviseEnded, SuperviseExit, SuperviseSettled,
	}
}

// Set is the steps at which this process kills itself. A nil *Set has none.
type Set struct {
	once map[string]string // step -> file that allows one death only; "" allows every
}

// New reads steps separated by commas: "claim.after" kills every process that passes the step, "claim.after@FILE" the
// first only, which makes FILE. The empty text is off, and gives nil.
func New(value string) (*Set, error) {
	if value == "" {
		return nil, nil //nolint:nilnil // a nil *Set is the documented way to be off
	}
	once := map[string]string{}
	for item := range strings.SplitSeq(value, ",") {
		name, file, limited := strings.Cut(item, "@")
		if name == "" || (limited && file == "") {
			return nil, fmt.Errorf("read failpoints %q: want name or name@file, separated by commas", value)
		}
		once[name] = file
	}
	return &Set{once: once}, nil
}

// Hit kills the calling process with SIGKILL when the set names the step, and its file does not exist yet.
func (s *Set) Hit(name string) {
	if s == nil {
		return
	}
	file, named := s.once[name]
	if !named || !firstTime(file) {
		return
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // the kernel ends the process before it could go on
}

// firstTime makes the file and reports whether it was not there.
func firstTime(file string) bool {
	if file == "" {
		return true
	}
	made, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) || err != nil {
		return false
	}
	return made.Close() == nil
}
