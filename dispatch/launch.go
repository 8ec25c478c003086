package dispatch

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
)

// launch spawns a supervisor for every claim. It has no store: what it starts is the supervisor's to record. A claim that
// cannot be spawned stays for a later tick (DSP-8).
func (t *tick) launch() {
	for _, again := range t.again {
		if _, err := t.d.spawn(again.run.ID); err != nil {
			t.fault("run "+itoa(again.run.ID), err)
		}
	}
	for i := range t.started {
		s := &t.started[i]
		pid, err := t.d.spawn(s.run.ID)
		if err != nil {
			s.err = err
			t.fault("run "+itoa(s.run.ID), err)
			continue
		}
		s.address = "pid " + itoa(int64(pid))
		t.d.Fail.Hit(failpoint.LaunchEach)
	}
	t.d.Fail.Hit(failpoint.LaunchAfter)
}

// spawn starts `board supervise RUN`, detached, its own messages going to the run's folder.
func (d Deps) spawn(run int64) (pid int, err error) {
	dir := d.Home.Run(run)
	if err := home.MkdirAll(dir); err != nil {
		return 0, err
	}
	log, err := os.OpenFile(filepath.Join(dir, "supervise.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, fmt.Errorf("open the log of run %d: %w", run, err)
	}
	defer func() { _ = log.Close() }() // the child has its own
	pid, err = process.Spawn(process.Detached{Args: []string{d.Program, "--home", d.Home.Dir, "supervise", itoa(run)}, Env: d.Environ, Dir: d.Home.Dir, Log: log})
	if err != nil {
		return 0, fmt.Errorf("spawn the supervisor of run %d: %w", run, err)
	}
	return pid, nil
}
