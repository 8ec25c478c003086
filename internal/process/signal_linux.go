package process

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// signalWholeGroup is PIDFD_SIGNAL_PROCESS_GROUP (pidfd_send_signal(2), Linux 6.9); older kernels answer EINVAL.
const signalWholeGroup = 4

// signal proves the identity while it holds a handle on the process, so that the pid cannot pass to another process
// between the proof and the signal.
func (t *Table) signal(id Identity, sig syscall.Signal, how reach) error {
	if err := t.prove(id, how); err != nil {
		return err
	}
	fd, err := unix.PidfdOpen(id.PID, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return killProved(id, sig, how)
	}
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if err := t.prove(id, how); err != nil {
		return err
	}
	if how == wholeGroup {
		err = unix.PidfdSendSignal(fd, sig, nil, signalWholeGroup)
		if errors.Is(err, unix.EINVAL) {
			return killProved(id, sig, how)
		}
	} else {
		err = unix.PidfdSendSignal(fd, sig, nil, 0)
	}
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}
