package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/process"
)

// Holds DSP-8.
func TestLockHolder_SaysWhoHoldsItAndNeverTakesIt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	if pid, held, err := process.LockHolder(path); pid != 0 || held || err != nil {
		t.Errorf("no file: got %d, %v, %v", pid, held, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("asking made the file")
	}
	holder := play(t, "lock", path)
	if holder.said != "false <nil>" {
		t.Fatalf("the holder said %q", holder.said)
	}
	for range 2 {
		if pid, held, err := process.LockHolder(path); pid != holder.cmd.Process.Pid || !held || err != nil {
			t.Errorf("held: got %d, %v, %v, want %d", pid, held, err, holder.cmd.Process.Pid)
		}
	}
	if lock, held, err := process.LockRecord(path); lock != nil || !held || err != nil {
		t.Errorf("taking a held lock: got %v, %v, %v", lock, held, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: got %v, %v", info.Mode(), err)
	}
	holder.kill()
	if pid, held, err := process.LockHolder(path); held || err != nil {
		t.Errorf("holder dead: got %d, %v, %v", pid, held, err)
	}
	lock, held, err := process.LockRecord(path)
	if err != nil || held {
		t.Fatalf("after its death: got %v, %v", held, err)
	}
	if other := play(t, "lock", path); other.said != "true <nil>" {
		t.Errorf("beside this process: it said %q", other.said)
	}
	for range 2 {
		if err := lock.Release(); err != nil {
			t.Errorf("Release: %v", err)
		}
	}
	if other := play(t, "lock", path); other.said != "false <nil>" {
		t.Errorf("after Release: it said %q", other.said)
	}
}

// Holds DB-1.
func TestFlock_GivesUpAfterItsLimit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "board.db.lock")
	first, err := process.Flock(t.Context(), path, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := process.Flock(t.Context(), path, time.Millisecond); !errors.Is(err, process.ErrLockTimeout) {
		t.Errorf("got %v, want %v", err, process.ErrLockTimeout)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := process.Flock(ended, path, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	waited := make(chan error)
	go func() {
		second, err := process.Flock(context.WithoutCancel(t.Context()), path, time.Minute)
		if err == nil {
			err = second.Release()
		}
		waited <- err
	}()
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Errorf("the waiter: %v", err)
	}
	// The waits that were given up have let go by now, or do so at once.
	third, err := process.Flock(t.Context(), path, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	_ = third.Release()
}

func TestFlock_SaysWhichFileCannotBeLocked(t *testing.T) {
	t.Parallel()
	if _, err := process.Flock(t.Context(), filepath.Join(t.TempDir(), "gone", "lock"), time.Second); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// Holds DSP-6.
func TestTryFlock_SaysWhoHoldsItUntilThatDies(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tick.lock")
	other := play(t, "flock", path)
	want := process.Holder{PID: other.cmd.Process.Pid, SinceAtMS: 42}
	if other.said != fmt.Sprint(want, " <nil>") {
		t.Fatalf("the holder said %q", other.said)
	}
	self := process.Holder{PID: os.Getpid(), SinceAtMS: 43}
	lock, holder, err := process.TryFlock(path, self)
	if lock != nil || holder != want || err != nil {
		t.Errorf("got %v, %+v, %v, want to hear of %+v", lock, holder, err, want)
	}
	other.kill()
	lock, holder, err = process.TryFlock(path, self)
	if lock == nil || holder != self || err != nil {
		t.Fatalf("holder dead: got %v, %+v, %v", lock, holder, err)
	}
	if err := lock.Release(); err != nil {
		t.Error(err)
	}
}
