package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// ErrLockTimeout says that the time limit of Flock passed while others held the lock. Whoever gets it tries later.
var ErrLockTimeout = errors.New("lock is still held by another process")

// FileLock is a flock(2) on a file, held until Release or the end of the process.
type FileLock struct {
	file *os.File
}

// Holder says who holds a lock taken by TryFlock, as its file tells.
type Holder struct {
	PID       int   `json:"pid"`
	SinceAtMS int64 `json:"since_at_ms"` // Unix milliseconds
}

// Flock takes the lock on path, waiting at most limit for it (DB-1); the file is made (0600) if there is none. The wait
// is in the kernel, which serves waiters in turn; polling would let one busy process starve the others.
//
// It fails with ErrLockTimeout after limit, and with the context's error when that is done first. The abandoned wait
// ends, and gives the lock up, as soon as the lock comes free.
func Flock(ctx context.Context, path string, limit time.Duration) (*FileLock, error) {
	file, err := openLock(path)
	if err != nil {
		return nil, err
	}
	err = flockRetry(file, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &FileLock{file: file}, nil
	}
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		_ = file.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return waitFlock(ctx, file, limit)
}

// waitFlock blocks beside a timer. A thread in flock(2) cannot be called off, so when the time is up the goroutine is
// left to close the file whenever it gets through.
func waitFlock(ctx context.Context, file *os.File, limit time.Duration) (*FileLock, error) {
	timer, cancel := context.WithTimeoutCause(ctx, limit, ErrLockTimeout)
	defer cancel()
	locked := make(chan error)
	go func() {
		err := flockRetry(file, syscall.LOCK_EX)
		select {
		case locked <- err:
		case <-timer.Done():
			_ = file.Close()
		}
	}()
	select {
	case err := <-locked:
		if err != nil {
			_ = file.Close()
			return nil, fmt.Errorf("lock %s: %w", file.Name(), err)
		}
		return &FileLock{file: file}, nil
	case <-timer.Done():
		return nil, fmt.Errorf("lock %s: %w", file.Name(), context.Cause(timer))
	}
}

// TryFlock takes the lock on path without waiting and writes self into the file (DSP-6). When another process holds it,
// the lock is nil and holder is what that process wrote, or zero when it has not written yet. What a dead holder wrote
// holds nothing.
func TryFlock(path string, self Holder) (lock *FileLock, holder Holder, err error) {
	file, err := openLock(path)
	if err != nil {
		return nil, Holder{}, err
	}
	err = flockRetry(file, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder = readHolder(file)
		_ = file.Close()
		return nil, holder, nil
	}
	if err == nil {
		err = writeHolder(file, self)
	}
	if err != nil {
		_ = file.Close()
		return nil, Holder{}, fmt.Errorf("lock %s: %w", path, err)
	}
	return &FileLock{file: file}, self, nil
}

// Release drops the lock. It unlocks before it closes: a child that was forked and has not yet called exec holds a copy
// of the descriptor, and would keep the lock.
func (l *FileLock) Release() error {
	unlock := flockRetry(l.file, syscall.LOCK_UN)
	return errors.Join(unlock, l.file.Close())
}

func openLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	return file, nil
}

func readHolder(file *os.File) Holder {
	var holder Holder
	text, err := io.ReadAll(io.LimitReader(file, 1024))
	if err != nil || json.Unmarshal(text, &holder) != nil {
		return Holder{}
	}
	return holder
}

func writeHolder(file *os.File, self Holder) error {
	text, err := json.Marshal(self)
	if err != nil {
		return err
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err = file.WriteAt(append(text, '\n'), 0)
	return err
}

func flockRetry(file *os.File, how int) error {
	for {
		err := syscall.Flock(int(file.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
