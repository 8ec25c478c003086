package supervise_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-2ddc2152/board/board"
)

// SUP-3: each limit ends the run with its own outcome; what a run does about it is what decides.
func TestLimits_EndTheRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, limits, script string
		want                 board.Outcome
	}{
		{"runtime", "runtime: 100s", `while :; do echo busy; sleep 0.1; done`, board.TimedOut},
		{"runtime, TERM ignored", "runtime: 100s", `trap '' TERM; while :; do echo busy; sleep 0.1; done`, board.TimedOut},
		{"quiet after output", "quiet: 100s, start: 1h", `echo one; sleep 7777`, board.Quiet},
		{"quiet after the start grace", "quiet: 50s, start: 50s", `sleep 7777`, board.Quiet},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, c.limits).withBoard(false)
			f.plan.Speed = 100
			f.executor("a", c.script)
			run := f.finish(f.claim(f.card("a thing").ID, "a", nil).ID)
			if run.Outcome != c.want || run.StopOutcome != c.want || run.StopActor != "supervisor" {
				t.Errorf("outcome %s (%s), stored %s by %q; want %s", run.Outcome, run.Reason, run.StopOutcome, run.StopActor, c.want)
			}
			if left := f.survivors(run.ID); len(left) > 0 {
				t.Errorf("%d processes are left", len(left))
			}
		})
	}
}

// SUP-3, fault 18: before the first event only the start grace counts; bytes, standard error and beats are progress.
func TestLimits_SpareWhoWorks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, limits, script string }{
		{"slow first start", "quiet: 20s, start: 20m", `sleep 0.5; board done`},
		{"dots without a newline", "quiet: 100s, start: 1s", `for i in 1 2 3 4 5 6; do printf .; sleep 0.4; done; board done`},
		{"standard error", "quiet: 100s, start: 1s", `for i in 1 2 3 4 5 6; do echo x >&2; sleep 0.4; done; board done`},
		{"board beat", "quiet: 200s, start: 1s", `for i in 1 2 3 4; do board beat >/dev/null; sleep 0.8; done; board done`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, c.limits).withBoard(false)
			f.plan.Speed = 100
			f.executor("a", c.script)
			run := f.finish(f.claim(f.card("a thing").ID, "a", nil).ID)
			if run.Outcome != board.Completed {
				t.Errorf("outcome %s (%s), want completed", run.Outcome, run.Reason)
			}
		})
	}
}

// SUP-3: `board beat --until` says for how long silence is no trouble.
func TestLimits_BeatUntilMutesQuiet(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "quiet: 20s, start: 10s").withBoard(false)
	f.plan.Speed = 20
	f.executor("a", `board beat-until; sleep 3; board done`)
	run := f.finish(f.claim(f.card("a thing").ID, "a", nil).ID)
	if run.Outcome != board.Completed {
		t.Errorf("outcome %s (%s), want completed", run.Outcome, run.Reason)
	}
}

// END-1: 60 s after a verdict the harness is told to end; the verdict wins over how it does.
func TestLimits_VerdictEndsTheRunAfterItsGrace(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		`board done; sleep 7777`,
		`printf '{"verdict": "done"}' > $BOARD_RESULT; sleep 7777`,
		`board done; trap '' TERM; while :; do sleep 1; done`,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "").withBoard(false)
			f.plan.Speed = 50
			f.executor("a", script)
			run := f.finish(f.claim(f.card("a thing").ID, "a", nil).ID)
			if run.Outcome != board.Completed || run.Verdict != board.VerdictDone {
				t.Errorf("outcome %s (%s), verdict %q", run.Outcome, run.Reason, run.Verdict)
			}
		})
	}
}

// SUP-4, END-0: TERM that nobody explained is `interrupted`; what was stored before it wins.
func TestStop_RecordsWhatWasStored(t *testing.T) {
	t.Parallel()
	for _, stored := range []board.Outcome{"", board.Stopped, board.TimedOut} {
		t.Run("stored "+string(stored), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "").withBoard(false)
			f.executor("a", `touch started; sleep 7777`)
			run := f.claim(f.card("a thing").ID, "a", nil)
			s := f.supervise(run.ID)
			f.awaitFile(filepath.Join(f.scratch(run.Card), "started"))
			want := board.Interrupted
			if stored != "" {
				want = stored
				must(t, f.store.RequestStop(t.Context(), f.now(), board.StopRequest{Run: run.ID, Outcome: stored, Reason: "because", Actor: "me"}))
			}
			s.signal(syscall.SIGTERM)
			s.wait()
			got := f.run(run.ID)
			if got.Outcome != want || (stored != "" && got.Reason != "because") {
				t.Errorf("outcome %s (%s), want %s", got.Outcome, got.Reason, want)
			}
			if left := f.survivors(run.ID); len(left) > 0 {
				t.Errorf("%d processes are left (LIV-5)", len(left))
			}
		})
	}
}

// SUP-4: a stop ends a launch that hangs in git, with everything git started.
func TestStop_EndsALaunchThatHangs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(true)
	bin := t.TempDir()
	f.script(filepath.Join(bin, "git"), `touch `+bin+`/called; sleep 7777`)
	f.executor("a", `touch started`)
	run := f.claim(f.card("a thing").ID, "a", nil)
	s := f.supervise(run.ID, "PATH="+bin+":/usr/bin:/bin")
	f.awaitFile(filepath.Join(bin, "called"))
	s.signal(syscall.SIGTERM)
	if code := s.wait(); code != 0 {
		t.Errorf("supervisor exit %d", code)
	}
	if got := f.run(run.ID); got.Outcome != board.Interrupted || len(f.survivors(run.ID)) > 0 {
		t.Errorf("outcome %s (%s), %d processes left", got.Outcome, got.Reason, len(f.survivors(run.ID)))
	}
}

// SUP-3: the runtime limit holds for the launch as well.
func TestLimits_RuntimeHoldsForTheLaunch(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "runtime: 100s").withBoard(true)
	f.plan.Speed = 100
	bin := t.TempDir()
	f.script(filepath.Join(bin, "git"), `sleep 7777`)
	f.executor("a", `touch started`)
	run := f.finish(f.claim(f.card("a thing").ID, "a", nil).ID, "PATH="+bin+":/usr/bin:/bin")
	if run.Outcome != board.TimedOut {
		t.Errorf("outcome %s (%s), want timed_out", run.Outcome, run.Reason)
	}
}

// Fault 20: TERM while the end is being recorded changes nothing.
func TestStop_AtTheEndStillRecordsTheEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `(trap '' TERM; touch left; sleep 2) & board done`)
	run := f.claim(f.card("a thing").ID, "a", nil)
	s := f.supervise(run.ID)
	f.await("the verdict", func() bool { return f.run(run.ID).Verdict != "" })
	for range 3 {
		s.signal(syscall.SIGTERM)
	}
	if code := s.wait(); code != 0 {
		t.Errorf("supervisor exit %d: %s", code, f.read(run.ID, "supervise.log"))
	}
	if got := f.run(run.ID); got.Outcome != board.Completed {
		t.Errorf("outcome %s (%s), want completed", got.Outcome, got.Reason)
	}
}

// SUP-5, fault 15: what left its group, its parent and its environment is gone when the run ends, and is named.
func TestTree_NothingIsLeftAlive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script string }{
		{"double fork", `setsid sh -c 'sleep 7778 & echo $! > pid' ; board done`},
		{"cleaned environment", `env -i setsid sh -c 'sleep 7778 & echo $! > pid'; board done`},
		{"TERM ignored", `setsid sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 1; done' & until test -s pid; do sleep 0.05; done; board done`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "").withBoard(false)
			f.plan.Speed = 20
			f.executor("a", c.script)
			run := f.finish(f.claim(f.card("a thing").ID, "a", nil).ID)
			pid := strings.TrimSpace(f.scratchFile(run.Card, "pid"))
			if out, err := shell("kill -0 " + pid); err == nil {
				t.Errorf("process %s lives on: %s", pid, out)
			}
			killed := strings.Join(f.exitOf(run.ID).Killed, "; ")
			if pid == "" || !strings.Contains(killed, "(pid "+pid+")") {
				t.Errorf("killed: %q, want pid %s named", killed, pid)
			}
			if run.Outcome != board.Completed {
				t.Errorf("outcome %s (%s)", run.Outcome, run.Reason)
			}
		})
	}
}

// SUP-5: what the profile's `keep` names may outlive the run.
func TestTree_KeepsWhatTheProfileNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.plan.Speed = 10
	f.executor("a", `setsid sleep 7779 & echo $! > pid; board done`)
	run := f.finish(f.claim(f.card("a thing").ID, "a", func(r *board.Run) { r.Profile = "keeper" }).ID)
	if left := f.survivors(run.ID); len(left) != 1 || left[0].Command != "sleep" {
		t.Errorf("left alive: %v, want the sleep that is kept", left)
	}
	if run.Outcome != board.Completed {
		t.Errorf("outcome %s (%s)", run.Outcome, run.Reason)
	}
}
