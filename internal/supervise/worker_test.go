package supervise_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/process"
)

// WRK-1, WRK-3: the verbs reach the board through the outbox, and change the worker's own card.
func TestWorker_VerbsReachTheBoard(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `set -e
board comment "half way"
board comment "mind this" api-2
board evidence tests "12 passed"
board add "a smaller thing"
board card > card.out
board done "all of it"`)
	card := f.card("a thing")
	f.card("another")
	run := f.finish(f.claim(card.ID, "a", nil).ID)
	if run.Outcome != board.Completed {
		t.Fatalf("outcome %s (%s): %s", run.Outcome, run.Reason, f.read(run.ID, "output.log"))
	}
	brief, err := f.store.Brief(t.Context(), run.ID)
	must(t, err)
	if len(brief.Comments) != 1 || brief.Comments[0].Text != "half way" || brief.Comments[0].Author != "worker" {
		t.Errorf("comments: %+v", brief.Comments)
	}
	if got := strings.Join(brief.Facts.Evidence, " "); got != "tests" {
		t.Errorf("evidence: %q", got)
	}
	if len(brief.Facts.Subtasks) != 1 || brief.Facts.Subtasks[0].ID != "api-3" || brief.Facts.Subtasks[0].Status != "todo" {
		t.Errorf("subtasks: %+v", brief.Facts.Subtasks)
	}
	out := f.scratchFile(card.ID, "card.out")
	var doc struct {
		Card struct {
			Title string `json:"title"`
		} `json:"card"`
		Verbs []string `json:"verbs"`
	}
	if err := json.Unmarshal([]byte(out[strings.Index(out, "{"):]), &doc); err != nil || doc.Card.Title != "a thing" || len(doc.Verbs) == 0 {
		t.Errorf("board card: %v: %s", err, out)
	}
}

// WRK-2, MOD-4: a wrong secret is refused with exit 7; so is a verdict that the slot may not give (WRK-3).
func TestWorker_IsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `board forged; echo "forged $?"; board approve; echo "approve $?"; board changes; echo "changes $?"; board done`)
	run := f.finish(f.claim(f.card("a thing").ID, "a", nil).ID)
	log := f.read(run.ID, "output.log")
	for _, want := range []string{"forged 7", "no session has this secret", "approve 7", "changes 7"} {
		if !strings.Contains(log, want) {
			t.Errorf("output lacks %q:\n%s", want, log)
		}
	}
	if run.Outcome != board.Completed || run.Verdict != board.VerdictDone {
		t.Errorf("outcome %s, verdict %q", run.Outcome, run.Verdict)
	}
}

// MOD-4, fault 7: a worker that comes after the end of its run is refused loudly.
func TestWorker_LateIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `env | grep -a ^BOARD_ | sed 's/^/export /' > env; board done`)
	run := f.finish(f.claim(f.card("a thing").ID, "a", nil).ID)
	out, err := shell(". " + filepath.Join(f.scratch(run.Card), "env") + "; PATH=" + f.home.Session(run.ID) + "/bin:$PATH; board comment late; echo exit $?")
	if err != nil || !strings.Contains(out, "exit 7") || !strings.Contains(out, "has ended") {
		t.Errorf("late worker: %v: %s", err, out)
	}
}

// J1, SUP-7: the session's row is whole, and the secret is in no file, argument or row.
func TestSession_RowIsWholeAndTheSecretNowhere(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `echo $BOARD_TOKEN > /dev/null; printf %s "$BOARD_TOKEN" | head -c 26 | rev > reversed; echo "my token is $BOARD_TOKEN"
touch started; until test -e go; do sleep 0.05; done; echo "BOARD: done"`)
	run := f.claim(f.card("a thing").ID, "a", nil)
	s := f.supervise(run.ID)
	f.awaitFile(filepath.Join(f.scratch(run.Card), "started"))
	reversed := []rune(strings.TrimSpace(f.scratchFile(run.Card, "reversed")))
	secret := make([]rune, len(reversed))
	for i, r := range reversed {
		secret[len(reversed)-1-i] = r
	}
	if len(secret) < 20 {
		t.Fatalf("the worker had no secret: %q", string(secret))
	}
	x, err := f.store.Session(t.Context(), run.ID)
	must(t, err)
	if x.Surface != "headless" || x.Host != "base" || x.Origin != board.Dispatched || x.SecretHash != board.SecretHash(string(secret)) || x.LaunchKey == "" {
		t.Errorf("session: %+v", x)
	}
	table, err := process.Open()
	must(t, err)
	for _, text := range []string{x.Supervisor, x.Process} {
		id, err := process.ParseIdentity(text)
		if err != nil || table.Check(id) != process.Alive {
			t.Errorf("identity %q: %v", text, err)
		}
	}
	out, _ := shell("grep -al " + string(secret) + " /proc/[0-9]*/cmdline 2>/dev/null | grep -v /proc/self; true")
	if strings.Contains(out, "/proc/") && !onlyGrep(out) {
		t.Errorf("the secret is in an argument: %s", out)
	}
	must(t, os.WriteFile(filepath.Join(f.scratch(run.Card), "go"), nil, 0o600))
	s.wait()
	must(t, os.Remove(filepath.Join(f.scratch(run.Card), "reversed")))
	must(t, f.store.Close())
	if out, err := shell("grep -arl " + string(secret) + " " + f.home.Dir); err == nil {
		t.Errorf("the secret is in a file: %s", out)
	}
	if log := f.read(run.ID, "output.log"); !strings.Contains(log, "my token is ***") {
		t.Errorf("log: %s", log)
	}
}

// onlyGrep says whether the only commands with the secret are the shell and the grep that look for it.
func onlyGrep(paths string) bool {
	for path := range strings.FieldsSeq(paths) {
		text, err := os.ReadFile(path)
		if err == nil && !strings.Contains(string(text), "grep") {
			return false
		}
	}
	return true
}

// SUP-7, WSP-9, fault 33: the environment is the whitelist, the executor's own and the protocol, and nothing of an outer agent.
func TestEnvironment_IsTheWhitelist(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `env > env; command -v board > which; board done`)
	f.plan.Executors[0].Env = map[string]string{"API_BASE": "http://x"}
	run := f.finish(f.claim(f.card("a thing").ID, "a", nil).ID,
		"GIT_DIR=/elsewhere", "CLAUDECODE=1", "SECRET_OF_MINE=1", "LC_ALL=C", "XDG_CACHE_HOME=/c", "https_proxy=p", "BOARD_CARD=outer", "BOARD_RUN=99")
	env := "\n" + f.scratchFile(run.Card, "env")
	for _, want := range []string{
		"\nAPI_BASE=http://x\n", "\nLC_ALL=C\n", "\nXDG_CACHE_HOME=/c\n", "\nhttps_proxy=p\n", "\nBOARD_CARD=api-1\n",
		"\nBOARD_RUN=" + itoa(run.ID) + "\n", "\nBOARD_SLOT=worker\n", "\nBOARD_TOKEN=", "\nBOARD_OUTBOX=/", "\nBOARD_PROMPT=/", "\nBOARD_RESULT=/",
		"\nBOARD_EXECUTOR=a\n", "\nBOARD_CLONE=1\n", "\nBOARD_WORKSPACE=" + f.scratch(run.Card) + "\n", "\nBOARD_HOST=base\n", "\nBOARD_SESSION=\n",
		"\nBOARD_LAUNCH_KEY=", "\nBOARD_HOME=" + f.home.Dir + "\n",
	} {
		if !strings.Contains(env, want) {
			t.Errorf("environment lacks %q:%s", want, env)
		}
	}
	for _, unwanted := range []string{"\nGIT_DIR=", "\nCLAUDECODE=", "\nSECRET_OF_MINE="} {
		if strings.Contains(env, unwanted) {
			t.Errorf("environment has %q", unwanted)
		}
	}
	if got, want := strings.TrimSpace(f.scratchFile(run.Card, "which")), filepath.Join(f.home.Session(run.ID), "bin", "board"); got != want {
		t.Errorf("board is %s, want %s", got, want)
	}
}

// RET-4: the last line of the final text is a verdict, and of a reviewer that gives none the run is no_verdict, with its last
// lines kept; the next run asks for it.
func TestVerdict_LineAndItsAbsence(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("coder", `echo "did it"; echo "BOARD: done"`)
	f.executor("mute", `echo "looks fine"; echo '{"session": "talk-1"}' > $BOARD_RESULT`)
	f.executor("asked", `cat > asked; echo "$BOARD_SESSION" > session; echo "BOARD: changes: more tests"`)
	card := f.card("a thing")
	if run := f.finish(f.claim(card.ID, "coder", nil).ID); run.Verdict != board.VerdictDone {
		t.Fatalf("coder: outcome %s (%s)", run.Outcome, run.Reason)
	}
	mute := f.finish(f.claim(card.ID, "mute", nil).ID)
	if mute.Outcome != board.NoVerdict || !strings.Contains(f.exitOf(mute.ID).LastLines, "looks fine") {
		t.Errorf("mute reviewer: outcome %s (%s)", mute.Outcome, mute.Reason)
	}
	asked := f.finish(f.claim(card.ID, "asked", func(r *board.Run) { r.Resumes, r.Mode = mute.ID, board.ModeResume }).ID)
	if asked.Verdict != board.VerdictChanges || asked.VerdictReason != "more tests" {
		t.Errorf("asked reviewer: verdict %q (%s), outcome %s", asked.Verdict, asked.VerdictReason, asked.Outcome)
	}
	if got := strings.TrimSpace(f.scratchFile(card.ID, "session")); got != "talk-1" {
		t.Errorf("BOARD_SESSION is %q, want talk-1 (RET-7)", got)
	}
	if got := f.scratchFile(card.ID, "asked"); !strings.Contains(got, "without a verdict") || strings.Contains(got, "board done") || !strings.Contains(got, "board approve") {
		t.Errorf("the question: %q", got)
	}
}

// END-3: a verdict that the workflow refuses is the outcome `refused`, and the next prompt says why.
func TestVerdict_ThatIsRefusedIsAFailure(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("coder", `echo "BOARD: done"`)
	f.executor("curt", `echo '{"verdict": "changes"}' > $BOARD_RESULT`)
	f.executor("next", `cat > seen; board approve`)
	card := f.card("a thing")
	f.finish(f.claim(card.ID, "coder", nil).ID)
	run := f.finish(f.claim(card.ID, "curt", nil).ID)
	if run.Outcome != board.Refused || !strings.Contains(run.Reason, "say what must change") {
		t.Errorf("outcome %s (%s), want refused", run.Outcome, run.Reason)
	}
	f.finish(f.claim(card.ID, "next", nil).ID)
	if seen := f.scratchFile(card.ID, "seen"); !strings.Contains(seen, "say what must change") {
		t.Errorf("prompt: %s", seen)
	}
}

// RET-5: the next attempt is told what the earlier ones did and how they ended; a question's answer is among the comments.
func TestPrompt_TellsOfEarlierAttempts(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.executor("fails", `echo "could not compile" >&2; exit 3`)
	f.executor("asks", `board blocked "which database?"`)
	f.executor("a", `cat > prompt.seen; board done`)
	card := f.card("a thing")
	failed := f.finish(f.claim(card.ID, "fails", nil).ID)
	if failed.Outcome != board.Failed || failed.ExitCode == nil || *failed.ExitCode != 3 {
		t.Errorf("failed run: %s (%s), exit %v", failed.Outcome, failed.Reason, failed.ExitCode)
	}
	f.finish(f.claim(card.ID, "asks", nil).ID)
	_, err := f.store.Answer(t.Context(), f.now(), board.AnswerRequest{Card: card.ID, Text: "the small one", Actor: "me"})
	must(t, err)
	run := f.finish(f.claim(card.ID, "a", nil).ID)
	seen := f.scratchFile(card.ID, "prompt.seen")
	for _, want := range []string{"Do a thing", "could not compile", "the small one", "which database?", "board done"} {
		if !strings.Contains(seen, want) {
			t.Errorf("prompt lacks %q:\n%s", want, seen)
		}
	}
	if seen != f.read(run.ID, "prompt.md") {
		t.Error("the prompt did not reach the worker byte for byte")
	}
}

// ROS-16: an executor that takes over is told from whom and why.
func TestPrompt_TellsOfATakeover(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(true)
	f.executor("a", `echo half > work; echo '{"error": {"class": "usage_limited", "message": "limit reached"}}' > $BOARD_RESULT; exit 1`)
	f.executor("b", `cat > ../seen; board done`)
	card := f.card("a thing")
	first := f.finish(f.claim(card.ID, "a", nil).ID)
	if first.Outcome != board.UsageLimited {
		t.Fatalf("outcome %s (%s)", first.Outcome, first.Reason)
	}
	second := f.finish(f.claim(card.ID, "b", nil).ID)
	if prompt := f.read(second.ID, "prompt.md"); !strings.HasPrefix(prompt, "You take over this work from a") || !strings.Contains(prompt, "limit reached") {
		t.Errorf("prompt: %s", prompt)
	}
	if got := f.git("rev-parse", "--verify", "refs/board/api-1/handover-1"); len(got) != 40 {
		t.Errorf("no snapshot: %s", got)
	}
}

// RET-6, RET-8: what a coder leaves is committed by the board, but for secrets; a reviewer works in a worktree of its own (WSP-2).
func TestWorkspace_CommitsAndReviews(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(true)
	f.executor("a", `echo code > code; echo key > .env; board done`)
	f.executor("r", `pwd > $BOARD_OUTBOX/../where; cat code > $BOARD_OUTBOX/../code; echo spoilt > code; board approve`)
	card := f.card("a thing")
	run := f.finish(f.claim(card.ID, "a", nil).ID)
	if got := f.git("log", "-1", "--format=%s", run.Branch); got != "board: api-1 run "+itoa(run.ID) {
		t.Errorf("commit: %q", got)
	}
	if got := f.git("rev-parse", run.Branch); got != run.HeadCommit {
		t.Errorf("head %s, recorded %s", got, run.HeadCommit)
	}
	if got := f.git("ls-tree", "--name-only", run.Branch); got != "README\ncode" {
		t.Errorf("committed: %q", got)
	}
	if notes := strings.Join(f.exitOf(run.ID).Notes, "; "); !strings.Contains(notes, ".env") {
		t.Errorf("notes do not name what was left out: %q", notes)
	}
	review := f.finish(f.claim(card.ID, "r", nil).ID)
	where, err := os.ReadFile(filepath.Join(f.home.Session(review.ID), "where"))
	must(t, err)
	if review.Outcome != board.Completed || strings.TrimSpace(string(where)) == run.Workspace {
		t.Errorf("review: %s (%s) in %s", review.Outcome, review.Reason, where)
	}
	if _, err := os.Stat(strings.TrimSpace(string(where))); err == nil {
		t.Error("the review's worktree was kept")
	}
	if text, err := os.ReadFile(filepath.Join(run.Workspace, "code")); err != nil || string(text) != "code\n" {
		t.Errorf("the worker's file is %q (%v)", text, err)
	}
}

// RET-6: what a crashed run left is committed before the next attempt works on it.
func TestWorkspace_CommitsWhatACrashLeft(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(true)
	f.executor("a", `echo half > work; touch $BOARD_OUTBOX/../ready; sleep 7777`)
	f.executor("b", `git log -1 --format=%s > $BOARD_OUTBOX/../last; board done`)
	card := f.card("a thing")
	run := f.claim(card.ID, "a", nil)
	s := f.supervise(run.ID)
	f.awaitFile(filepath.Join(f.home.Session(run.ID), "ready"))
	must(t, s.cmd.Process.Kill())
	s.wait()
	f.killSurvivors(run.ID)
	_, err := f.store.Settle(t.Context(), f.now(), f.rules, board.Exit{Run: run.ID, Crashed: true})
	must(t, err)
	next := f.finish(f.claim(card.ID, "b", nil).ID)
	last, err := os.ReadFile(filepath.Join(f.home.Session(next.ID), "last"))
	must(t, err)
	if got := strings.TrimSpace(string(last)); got != "board: api-1 run "+itoa(run.ID) {
		t.Errorf("the next attempt found %q", got)
	}
}

// RET-8: a CLI that says it is done and does not end is ended, and the run is what it said.
func TestFinal_WithoutExitIsACompletedRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "").withBoard(false)
	f.plan.Speed = 50
	cli := filepath.Join(t.TempDir(), "claude")
	f.script(cli, `cat > /dev/null
echo '{"type":"system","subtype":"init","session_id":"s-1","model":"m"}'
printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"all done\nBOARD: done","session_id":"s-1","num_turns":2,"usage":{"input_tokens":3,"output_tokens":4}}'
sleep 7777`)
	f.plan.Executors = append(f.plan.Executors, agent{ID: "c", Harness: "claude", Bin: cli})
	run := f.finish(f.claim(f.card("a thing").ID, "c", func(r *board.Run) { r.Harness = "claude" }).ID)
	if run.Outcome != board.Completed || run.Verdict != board.VerdictDone || run.TokensOut == nil || *run.TokensOut != 4 {
		t.Errorf("outcome %s (%s), verdict %q, tokens %v", run.Outcome, run.Reason, run.Verdict, run.TokensOut)
	}
	x, err := f.store.Session(t.Context(), run.ID)
	must(t, err)
	if x.HarnessSession == "" || x.TokensOut != 4 {
		t.Errorf("session %q, total out %d (HAR-4)", x.HarnessSession, x.TokensOut)
	}
}

// SUP-7: what a worker says of secrets, its own and those of its executor's environment, is kept without them: in its output,
// its result and its verbs.
func TestWorker_SUP7_SecretsInItsWordsAreTakenOut(t *testing.T) {
	t.Parallel()
	const canary = "sk-canary-0123456789"
	f := newFixture(t, "").withBoard(false)
	f.executor("a", `echo "key $API_KEY"; printf 'tok %s' "$BOARD_TOKEN" >&2; printf %s "$BOARD_TOKEN" | rev > reversed
board comment "comment $BOARD_TOKEN $API_KEY"; board evidence proof "evidence $BOARD_TOKEN $API_KEY"
board done "summary $BOARD_TOKEN $API_KEY"; echo "last $API_KEY"`)
	f.plan.Executors[0].Env = map[string]string{"API_KEY": canary}
	run := f.finish(f.claim(f.card("a thing").ID, "a", nil).ID)
	if !strings.Contains(run.Summary, "summary *** ***") {
		t.Errorf("summary %q; log %s", run.Summary, f.read(run.ID, "output.log"))
	}
	reversed := []rune(strings.TrimSpace(f.scratchFile(run.Card, "reversed")))
	slices.Reverse(reversed)
	must(t, f.store.Close())
	must(t, os.Remove(filepath.Join(f.home.Dir, "plan.json")))
	for _, secret := range []string{canary, string(reversed)} {
		if out, err := shell("grep -arl -e '" + secret + "' " + f.home.Dir); err == nil || len(secret) < 20 {
			t.Errorf("%s is in a file: %s", secret, out)
		}
	}
}
