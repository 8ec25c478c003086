package dispatch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/workflows"
)

// launch starts a supervisor for every claim, or hands the run to the one that it was kept for. It has no store: what it
// starts is the supervisor's to record. A claim that cannot be launched stays for a later tick (DSP-8).
func (t *tick) launch(ctx context.Context) {
	for _, again := range t.again {
		if _, err := t.deliver(ctx, again.run); err != nil {
			t.fault("run "+itoa(again.run.ID), err)
		}
	}
	for i := range t.started {
		s := &t.started[i]
		address, err := t.deliver(ctx, s.run)
		if err != nil {
			t.fault("run "+itoa(s.run.ID), err)
		}
		if s.address = address; address == "" {
			s.err = err
			continue
		}
		t.d.Fail.Hit(failpoint.LaunchEach)
	}
	t.d.Fail.Hit(failpoint.LaunchAfter)
}

// deliver brings a claimed run to a supervisor and says where that is, for people.
func (t *tick) deliver(ctx context.Context, run board.Run) (address string, err error) {
	if run.Mode == board.ModeKept {
		return t.d.hand(run)
	}
	if run.Surface == workflows.SurfacePane {
		return t.open(ctx, run)
	}
	pid, err := t.d.spawn(run.ID)
	if err != nil {
		return "", err
	}
	return "pid " + strconv.Itoa(pid), nil
}

// hand puts the run into the inbox of the session that was kept for it (PAN-1): a file whose name is the run's number.
func (d Deps) hand(run board.Run) (string, error) {
	inbox := d.Home.Inbox(run.Resumes)
	if err := home.MkdirAll(inbox); err != nil {
		return "", err
	}
	if err := home.WriteFile(filepath.Join(inbox, itoa(run.ID)), nil); err != nil {
		return "", fmt.Errorf("hand run %d to session %d: %w", run.ID, run.Resumes, err)
	}
	return "session " + itoa(run.Resumes), nil
}

// open runs the supervisor in a window on the run's host. Whether the person gets a terminal window as well is the
// workflow's word, given at every launch (PAN-4).
func (t *tick) open(ctx context.Context, run board.Run) (string, error) {
	for _, h := range t.d.Hosts {
		if h.Name() != run.Host {
			continue
		}
		w := PaneWindow{Run: run.ID, Board: run.Board, Name: paneName(run)}
		if b, ok := t.snap.View.Board(run.Board); ok {
			if flow := t.snap.Workflows[b.Workflow].Workflow; flow != nil {
				w.Show, _ = flow.Params["session_window"].(bool)
			}
		}
		return h.Open(ctx, w)
	}
	return "", fmt.Errorf("open the pane of run %d: host %s is not configured", run.ID, run.Host)
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

// bury takes away the panes that show nothing any more.
func (t *tick) bury(ctx context.Context) {
	for _, b := range t.plan.Bury {
		for _, h := range t.d.Hosts {
			if h.Name() != b.Host {
				continue
			}
			if err := h.Bury(ctx, b.Pane); err != nil {
				t.fault("host "+b.Host, err)
			}
		}
	}
}
