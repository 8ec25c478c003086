package process

import (
	"errors"
	"syscall"
)

// killProved signals by number, right after the proof. It is the way of systems without handles on processes.
func killProved(id Identity, sig syscall.Signal, how reach) error {
	target := id.PID
	if how == wholeGroup {
		target = -id.PID
	}
	err := syscall.Kill(target, sig)
	if errors.Is(err, syscall.ESRCH) {
		return ErrGone
	}
	return err
}
