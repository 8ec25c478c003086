package supervise_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/supervise"
)

// END-1, END-2: a verdict is stored, the run ends when all is gone, and the settle moves the card.
func TestRun_CompletesWithVerdict(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.plan.Poke = true
	f.executor("a", `board done "built it"; echo some words`)
	run := f.finish(f.claim(f.card("a thing").ID, "a", nil).ID)
	if run.Outcome != board.Completed || run.Verdict != board.VerdictDone || run.Summary != "built it" {
		t.Errorf("run: outcome %s (%s), verdict %q, summary %q", run.Outcome, run.Reason, run.Verdict, run.Summary)
	}
	card, err := f.store.Card(t.Context(), run.Card)
	must(t, err)
	if card.Status != "review" {
		t.Errorf("card is in %s, want review", card.Status)
	}
	f.awaitFile(filepath.Join(f.home.Dir, "poked")) // DSP-14
}

// DSP-8, J2: a run that was asked to stop before its supervisor came is not begun, and nothing is started.
func TestRun_StartsNothingWhenStoppedBeforeBegin(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `touch started`)
	run := f.claim(f.card("a thing").ID, "a", nil)
	must(t, f.store.RequestStop(t.Context(), f.now(), board.StopRequest{Run: run.ID, Outcome: board.Stopped, Reason: "no", Actor: "me"}))
	if code := f.supervise(run.ID).wait(); code != 0 {
		t.Errorf("supervisor exit %d, want 0: the run is another's", code)
	}
	if got := f.run(run.ID); got.State != board.RunClaimed || got.Session != 0 {
		t.Errorf("run is %s with session %d, want claimed without one", got.State, got.Session)
	}
	for _, path := range []string{f.scratch(run.Card), f.home.Session(run.ID)} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s was made", path)
		}
	}
}

// DSP-8: the second supervisor of a run finds the lock taken, and does nothing.
func TestRun_SecondSupervisorDoesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `echo x >> starts; until test -e go; do sleep 0.05; done; board done`)
	run := f.claim(f.card("a thing").ID, "a", nil)
	first := f.supervise(run.ID)
	f.awaitFile(filepath.Join(f.scratch(run.Card), "starts"))
	if code := f.supervise(run.ID).wait(); code != 0 {
		t.Errorf("second supervisor: exit %d, want 0", code)
	}
	must(t, os.WriteFile(filepath.Join(f.scratch(run.Card), "go"), nil, 0o600))
	if code := first.wait(); code != 0 || f.run(run.ID).Outcome != board.Completed {
		t.Errorf("first supervisor: exit %d, outcome %s", code, f.run(run.ID).Outcome)
	}
	starts, err := os.ReadFile(filepath.Join(f.scratch(run.Card), "starts"))
	must(t, err)
	if string(starts) != "x\n" {
		t.Errorf("the worker was started %d times", strings.Count(string(starts), "x"))
	}
}

// DSP-8, fault 5: a kill before the compare-and-set leaves the claim, and the next supervisor runs it.
func TestRun_KilledBeforeBeginIsLaunchedAgain(t *testing.T) {
	t.Parallel()
	for _, step := range []string{failpoint.SuperviseStart, failpoint.SuperviseLock} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "").withBoard(false)
			f.executor("a", `echo x >> starts; board done`)
			run := f.claim(f.card("a thing").ID, "a", nil)
			if code := f.supervise(run.ID, failpoint.EnvVar+"="+step).wait(); code != -1 {
				t.Fatalf("supervisor exit %d, want killed", code)
			}
			if got := f.run(run.ID); got.State != board.RunClaimed {
				t.Fatalf("run is %s after the kill, want claimed", got.State)
			}
			if got := f.finish(run.ID); got.Outcome != board.Completed {
				t.Errorf("outcome %s (%s), want completed", got.Outcome, got.Reason)
			}
		})
	}
}

// DSP-8: a kill after the compare-and-set leaves no exit.json before everything is gone, never a second start, and what lives
// is found by the launch key alone.
func TestRun_KilledAfterBeginIsReadable(t *testing.T) {
	t.Parallel()
	steps := []string{
		failpoint.SuperviseRunning, failpoint.SuperviseWorkspace, supervise.FailPrompt, failpoint.SuperviseStarted,
		failpoint.SuperviseRecorded, failpoint.SuperviseReleased, failpoint.SuperviseEnded,
	}
	for _, step := range steps {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "").withBoard(false)
			f.executor("a", `echo x >> starts; setsid sleep 7777 & exit 0`)
			run := f.claim(f.card("a thing").ID, "a", nil)
			if code := f.supervise(run.ID, failpoint.EnvVar+"="+step).wait(); code != -1 {
				t.Fatalf("supervisor exit %d, want killed", code)
			}
			if got := f.run(run.ID); got.State != board.RunRunning {
				t.Errorf("run is %s, want running", got.State)
			}
			if !f.noExit(run.ID) {
				t.Error("exit.json is there though the supervisor never proved the end")
			}
			again := f.supervise(run.ID)
			if code := again.wait(); code != 0 {
				t.Errorf("a later supervisor: exit %d, want 0: the run is not to be begun twice", code)
			}
			starts, _ := os.ReadFile(filepath.Join(f.scratch(run.Card), "starts"))
			if strings.Count(string(starts), "x") > 1 {
				t.Errorf("the worker was started twice")
			}
			for _, e := range f.survivors(run.ID) { // a tick does this
				must(t, syscall.Kill(e.ID.PID, syscall.SIGKILL))
			}
			f.await("what lived is gone", func() bool { return len(f.survivors(run.ID)) == 0 })
		})
	}
}

// DSP-8: the shim does not run the harness when its supervisor dies before the release.
func TestRun_KilledBeforeReleaseRunsNoHarness(t *testing.T) {
	t.Parallel()
	for _, step := range []string{failpoint.SuperviseStarted, failpoint.SuperviseRecorded} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "").withBoard(false)
			f.executor("a", `touch started`)
			run := f.claim(f.card("a thing").ID, "a", nil)
			f.supervise(run.ID, failpoint.EnvVar+"="+step).wait()
			f.await("the shim has ended", func() bool { return len(f.survivors(run.ID)) == 0 })
			if _, err := os.Stat(filepath.Join(f.scratch(run.Card), "started")); err == nil {
				t.Error("the harness ran without a supervisor")
			}
		})
	}
}

// SUP-1, SUP-2, J3: a kill between exit.json and the settle loses nothing: any later process settles from the file.
func TestRun_ExitFileSettlesWithoutSupervisor(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `echo 'BOARD: done'`)
	run := f.claim(f.card("a thing").ID, "a", nil)
	if code := f.supervise(run.ID, failpoint.EnvVar+"="+failpoint.SuperviseExit).wait(); code != -1 {
		t.Fatalf("supervisor exit %d, want killed", code)
	}
	if got := f.run(run.ID); got.State != board.RunRunning {
		t.Fatalf("run is %s, want running", got.State)
	}
	for range 2 { // the second finds it done (END-2)
		_, err := f.store.Settle(t.Context(), f.now(), f.rules, f.exitOf(run.ID))
		must(t, err)
	}
	if got := f.run(run.ID); got.Outcome != board.Completed || got.Verdict != board.VerdictDone {
		t.Errorf("outcome %s, verdict %q; want completed, done", got.Outcome, got.Verdict)
	}
}

// SUP-1: closed streams, a working directory that is gone, umask 000 and no HOME change nothing.
func TestRun_WorksInABareProcess(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `pwd > where; board done`)
	run := f.claim(f.card("a thing").ID, "a", nil)
	f.writePlan()
	gone := filepath.Join(t.TempDir(), "gone")
	script := `mkdir ` + gone + ` && cd ` + gone + ` && rmdir ` + gone + ` && umask 000 && exec env -i PATH=/usr/bin:/bin ` +
		f.path + ` --home ` + f.home.Dir + ` supervise ` + itoa(run.ID) + ` <&- >&- 2>&-`
	if out, err := shell(script); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := f.run(run.ID); got.Outcome != board.Completed {
		t.Fatalf("outcome %s (%s)", got.Outcome, got.Reason)
	}
	f.modes(f.home.Runs())
	f.modes(f.home.Sessions())
}

// modes checks that everything below a folder is for this user only (01, Home).
func (f *fixture) modes(dir string) {
	f.t.Helper()
	must(f.t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode()&os.ModeSymlink == 0 && info.Mode().Perm()&0o077 != 0 {
			f.t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	}))
}
