package process

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
)

// RecordLock is a POSIX write lock on a file, held by this process until Release or its end (DSP-8).
//
// Such a lock belongs to the process and the file: closing any descriptor of that file in this process drops it. So a
// process never opens the file of a lock that it holds, by LockHolder or otherwise.
type RecordLock struct {
	// fd is a bare descriptor: an os.File would be closed, and the lock lost, when the garbage collector finds it unused.
	fd   int
	once sync.Once
}

// LockRecord takes the lock on path without waiting, making the file (0600) if there is none. When another process
// holds it, held is true and the lock is nil.
func LockRecord(path string) (lock *RecordLock, held bool, err error) {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("lock %s: %w", path, err)
	}
	wanted := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: 0}
	err = fcntlRetry(fd, syscall.F_SETLK, &wanted)
	if err == nil {
		return &RecordLock{fd: fd}, false, nil
	}
	_ = syscall.Close(fd)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return nil, true, nil
	}
	return nil, false, fmt.Errorf("lock %s: %w", path, err)
}

// Release drops the lock. Doing it again does nothing.
func (l *RecordLock) Release() error {
	var err error
	l.once.Do(func() { err = syscall.Close(l.fd) })
	return err
}

// LockHolder asks who holds the lock on path, and never takes it. There being no file, or nobody, is held == false.
// The pid is 0 when the holder is not in this pid namespace. It must not be called in the process that holds the lock:
// it would not be told of its own lock, and would drop it (see RecordLock).
func LockHolder(path string) (pid int, held bool, err error) {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if errors.Is(err, os.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("ask who locks %s: %w", path, err)
	}
	defer func() { _ = syscall.Close(fd) }()
	asked := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: 0}
	if err := fcntlRetry(fd, syscall.F_GETLK, &asked); err != nil {
		return 0, false, fmt.Errorf("ask who locks %s: %w", path, err)
	}
	if asked.Type == syscall.F_UNLCK {
		return 0, false, nil
	}
	return int(asked.Pid), true, nil
}

func fcntlRetry(fd, command int, lock *syscall.Flock_t) error {
	for {
		err := syscall.FcntlFlock(uintptr(fd), command, lock)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
