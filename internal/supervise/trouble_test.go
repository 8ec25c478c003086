package supervise_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/home"
)

// A launch that cannot be made is spawn_failed with a text of its own, a missing program is harness_missing (J7, WSP-6).
func TestLaunch_TroublesHaveTheirOwnOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*fixture)
		want   board.Outcome
		text   string
		asks   bool
	}{
		{"no such program", func(f *fixture) { f.plan.Executors[0].Command = []string{"/no/such/agent"} }, board.HarnessMissing, "/no/such/agent", false},
		{"no such executor", func(f *fixture) { f.plan.Executors = nil }, board.Interrupted, `no executor "a"`, false},
		{"broken settings", func(f *fixture) { f.plan.LoadError = "roster.yaml:3: broken" }, board.SpawnFailed, "roster.yaml:3", false},
		{"base branch deleted", func(f *fixture) { f.git("branch", "-m", "main", "trunk") }, board.SpawnFailed, "main", true},
		{"repository gone", func(f *fixture) { must(f.t, os.RemoveAll(f.repo)) }, board.SpawnFailed, "repository", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "").withBoard(true)
			f.executor("a", `board done`)
			run := f.claim(f.card("a thing").ID, "a", nil)
			c.change(f)
			got := f.finish(run.ID)
			if got.Outcome != c.want || !strings.Contains(got.Reason, c.text) {
				t.Errorf("outcome %s (%s), want %s with %q", got.Outcome, got.Reason, c.want, c.text)
			}
			if f.exitOf(run.ID).Ask != "" != c.asks {
				t.Errorf("asks a person: %q, want %v", f.exitOf(run.ID).Ask, c.asks)
			}
		})
	}
}

// SUP-2: a supervisor that meets a newer schema writes only files; a program that knows it settles from them.
func TestNewerSchema_OnlyFilesAreWritten(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `touch started; until test -e go; do sleep 0.05; done; echo "BOARD: done"`)
	run := f.claim(f.card("a thing").ID, "a", nil)
	s := f.supervise(run.ID)
	f.awaitFile(filepath.Join(f.scratch(run.Card), "started"))
	version, err := f.store.Version(t.Context())
	must(t, err)
	f.setVersion(version + 1)
	must(t, os.WriteFile(filepath.Join(f.scratch(run.Card), "go"), nil, 0o600))
	if code := s.wait(); code != 1 {
		t.Errorf("supervisor exit %d, want 1", code)
	}
	if got := f.run(run.ID); got.State != board.RunRunning || got.Verdict != "" {
		t.Errorf("run is %s with verdict %q: the newer database was written", got.State, got.Verdict)
	}
	f.setVersion(version)
	_, err = f.store.Settle(t.Context(), f.now(), f.rules, f.exitOf(run.ID))
	must(t, err)
	if got := f.run(run.ID); got.Outcome != board.Completed {
		t.Errorf("outcome %s (%s)", got.Outcome, got.Reason)
	}
}

// setVersion makes the database look as if another program had migrated it.
func (f *fixture) setVersion(n int) {
	f.t.Helper()
	db, err := sql.Open("sqlite", "file:"+f.home.DB())
	must(f.t, err)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(f.t.Context(), "PRAGMA user_version = "+itoa(int64(n)))
	must(f.t, err)
}

// Fault 42, HAR-1: whatever a run prints, log and memory stay bounded and the run ends as it does.
func TestOutput_StaysBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script string }{
		{"no newline", `head -c 80000000 /dev/zero; echo; echo "BOARD: done"`},
		{"invalid UTF-8", `printf '\377\376\n\200'; head -c 400000 /dev/urandom; echo; echo "BOARD: done"`},
		{"long lines", `for i in 1 2 3 4; do head -c 9000000 /dev/zero | tr '\0' x; echo; done; echo "BOARD: done"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "").withBoard(false)
			f.executor("a", c.script+`; grep VmHWM /proc/$PPID/status > peak`)
			run := f.finish(f.claim(f.card("a thing").ID, "a", nil).ID)
			if run.Outcome != board.Completed || run.Verdict != board.VerdictDone {
				t.Errorf("outcome %s (%s)", run.Outcome, run.Reason)
			}
			var size int64
			logs, err := filepath.Glob(filepath.Join(f.home.Run(run.ID), "output.log*"))
			must(t, err)
			for _, log := range logs {
				info, err := os.Stat(log)
				must(t, err)
				size += info.Size()
			}
			if len(logs) > 3 || size > 3*(16<<20) {
				t.Errorf("%d logs of %d bytes", len(logs), size)
			}
			if kib := peak(f.scratchFile(run.Card, "peak")); kib > 300_000 {
				t.Errorf("the supervisor used %d KiB", kib)
			}
			if n := len(run.Summary); n > 9000 {
				t.Errorf("a summary of %d bytes is in the database", n)
			}
		})
	}
}

// peak reads "VmHWM: 123 kB"; 0 where there is none.
func peak(text string) int {
	n := 0
	for _, r := range text {
		if r >= '0' && r <= '9' {
			n = n*10 + int(r-'0')
		}
	}
	return n
}

// Fault 24, HAR-1: long prompts reach the harness whole.
func TestPrompt_OfAnySizeReachesTheHarness(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `cat > seen; cmp seen "$BOARD_PROMPT" && board done`)
	card := f.card("a thing")
	must(t, f.comment(card.ID, strings.Repeat("ü§\t; ", 40_000)))
	run := f.finish(f.claim(card.ID, "a", nil).ID)
	if run.Outcome != board.Completed || len(f.scratchFile(card.ID, "seen")) < 200_000 {
		t.Errorf("outcome %s (%s), %d bytes seen", run.Outcome, run.Reason, len(f.scratchFile(card.ID, "seen")))
	}
}

// HAR-1: agents take a prompt that begins with a slash for a command of their own, as claude does `/clear`.
func TestPrompt_NeverBeginsWithASlash(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	text := strings.ReplaceAll(strings.ReplaceAll(workflowText, "LIMITS", ""), "'Do {{ card.title }}'", "'{{ card.title }}'")
	must(t, home.WriteFile(f.home.Workflow("test"), []byte(text)))
	f.executor("a", `cat > seen; board done`)
	card := f.card("/clear the table")
	f.finish(f.claim(card.ID, "a", nil).ID)
	if seen := f.scratchFile(card.ID, "seen"); !strings.HasPrefix(seen, "# "+card.ID+": /clear the table\n\n/clear the table\n") {
		t.Errorf("prompt: %s", seen)
	}
}

func (f *fixture) comment(card, text string) error {
	_, err := f.store.Comment(f.t.Context(), f.now(), card, text, "me")
	return err
}

// SUP-1: the end is recorded although somebody has taken the run's folder away meanwhile.
func TestExit_IsWrittenThoughTheFolderWasTakenAway(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `touch started; until test -e go; do sleep 0.05; done`)
	run := f.claim(f.card("a thing").ID, "a", nil)
	s := f.supervise(run.ID)
	f.awaitFile(filepath.Join(f.scratch(run.Card), "started"))
	must(t, os.RemoveAll(f.home.Run(run.ID)))
	must(t, os.WriteFile(filepath.Join(f.scratch(run.Card), "go"), nil, 0o600))
	if code := s.wait(); code != 0 || f.noExit(run.ID) || f.run(run.ID).Outcome != board.Completed {
		t.Fatalf("exit %d, run %+v", code, f.run(run.ID))
	}
}
