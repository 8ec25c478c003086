package panes_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// PAN-1, I5, A3: after its run ends an interactive session idles in its pane with place and lease, and the next run in its
// slot is the same process with the same secret and launch key.
func TestPane_KeptSessionServesTheNextRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{caps: "{name: all, counts: sessions, max: 2}"})
	w.act(`echo "$$ $BOARD_TOKEN $BOARD_LAUNCH_KEY" >> $HOME/same; board done`)
	card := w.add("a thing")
	if got := w.tick(); got.started() != card || !strings.HasPrefix(got.Started[0].Address, "tmux ") {
		t.Fatalf("started: %+v", got.Started)
	}
	if r := w.ends(card, false); r.Outcome != "completed" || r.Verdict != "done" {
		t.Fatalf("first run: %+v", r)
	}
	if got := w.one("SELECT state FROM sessions"); got != "idle" {
		t.Errorf("session is %s, want idle", got)
	}
	if got := w.one("SELECT count(*) FROM leases WHERE released_at_ms IS NULL"); got != "1" {
		t.Errorf("%s leases held, want that of the idle session", got)
	}
	w.write("user/review", "board changes more\n")
	w.tick()
	w.await("the review asks for more", func() bool { return w.status(card) == "doing" })
	if got := w.tick(); got.started() != card || got.Started[0].Mode != "kept" {
		t.Fatalf("started: %+v", got.Started)
	}
	if r := w.ends(card, false); r.Outcome != "completed" || r.Mode != "kept" || r.Session != 1 {
		t.Fatalf("second run: %+v", r)
	}
	lines := strings.Fields(w.read("user/same"))
	if len(lines) != 6 || lines[0] != lines[3] || lines[1] != lines[4] || lines[2] != lines[5] {
		t.Errorf("process, secret and key of the two runs: %v", lines)
	}
	if got := w.one("SELECT origin FROM sessions WHERE id = 1"); got != "dispatched" {
		t.Errorf("origin %s, want dispatched", got)
	}
}

// LIV-3, SUP-5, fault 15: a window closed by hand ends the run as crashed with its last lines, nothing it started is left, and
// its place is free.
func TestPane_ClosedWindowIsACrash(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		close func(w *world)
	}{
		{"window", func(w *world) { w.tmux("kill-window", "-t", "=api:") }},
		{"pane", func(w *world) { w.tmux("kill-pane", "-t", "=api:") }},
		{"server", func(w *world) { w.tmux("kill-server") }},
		{"server killed", func(w *world) {
			pid, _ := strconv.Atoi(w.tmux("display-message", "-p", "#{pid}"))
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings{})
			w.act("(setsid setsid sleep 7777 &); echo a last word; touch $HOME/begun")
			card := w.add("a thing")
			w.tick()
			w.await("it works", func() bool { return w.read("user/begun") == "" && exists(w.dir+"/user/begun") })
			<-clockSecond()
			c.close(w)
			r := w.ends(card, false)
			if r.Outcome != "crashed" || !strings.Contains(r.Reason, "window was closed") || !strings.Contains(r.Reason, "a last word") {
				t.Errorf("outcome %s, reason %q", r.Outcome, r.Reason)
			}
			if left := w.started(); len(left) > 0 {
				t.Errorf("left alive: %v", left)
			}
			if got := w.one("SELECT count(*) FROM sessions WHERE ended_at_ms IS NULL") + w.one("SELECT count(*) FROM leases WHERE released_at_ms IS NULL"); got != "00" {
				t.Errorf("sessions and leases left: %s", got)
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// LIV-1: names are for people. A renamed window and session change nothing, and what acts on the pane still finds it.
func TestPane_RenamedWindowAndSessionChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	w.act("until test -e $HOME/go; do sleep 0.1; done; board done")
	card := w.add("a thing")
	w.tick()
	w.await("it works", func() bool { return exists(w.dir + "/user/prompt.1") })
	w.tmux("rename-window", "-t", "=api:", "mine")
	w.tmux("rename-session", "-t", "=api", "else")
	if got := w.board("attach", card, "--print"); !strings.Contains(got, "attach-session -t %") {
		t.Errorf("attach: %q", got)
	}
	if got := w.board("peek", card); !strings.Contains(got, "agent ") {
		t.Errorf("peek: %q", got)
	}
	w.write("user/go", "")
	if r := w.ends(card, false); r.Outcome != "completed" {
		t.Errorf("outcome %s (%s)", r.Outcome, r.Reason)
	}
}

// A pane whose program ended stays with its last screen until a tick has seen that nothing of its session is left.
func TestPane_DeadWindowIsTakenAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{done: "{close_session: worker}"})
	w.act("board done")
	card := w.add("a thing")
	w.tick()
	w.ends(card, false)
	w.await("the window is dead", func() bool { return strings.Contains(w.panes(), " 1 api") })
	w.await("its session has ended", func() bool { return w.one("SELECT count(*) FROM sessions WHERE ended_at_ms IS NULL") == "0" })
	w.tick()
	if got := w.panes(); strings.Contains(got, "api-1") {
		t.Errorf("panes: %s", got)
	}
}

// A person may type into a worker's pane: the keys are the agent's.
func TestPane_APersonTypesIntoIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	w.act(`read -r said; echo "$said" > $HOME/said; board done`)
	card := w.add("a thing")
	w.tick()
	w.await("it asks", func() bool { return exists(w.dir + "/user/prompt.1") })
	w.tmux("send-keys", "-t", "=api:", "-l", "yes; do it")
	w.tmux("send-keys", "-t", "=api:", "Enter")
	if r := w.ends(card, false); r.Outcome != "completed" {
		t.Errorf("outcome %s (%s)", r.Outcome, r.Reason)
	}
	if got := strings.TrimSpace(w.read("user/said")); got != "yes; do it" {
		t.Errorf("said %q", got)
	}
}

// Two homes on one machine have a tmux server each.
func TestPane_SecondHomeOnTheSameMachine(t *testing.T) {
	t.Parallel()
	a, b := newWorld(t, settings{}), newWorld(t, settings{})
	for _, w := range []*world{a, b} {
		w.act("board done")
		w.add("a thing")
		w.tick()
	}
	for _, w := range []*world{a, b} {
		if r := w.ends("api-1", false); r.Outcome != "completed" {
			t.Errorf("outcome %s (%s)", r.Outcome, r.Reason)
		}
		if got := w.panes(); strings.Count(got, "api-1") != 1 {
			t.Errorf("panes: %s", got)
		}
	}
}

// SUP-7: an outer tmux and an outer agent do not reach the worker, a locale that is none does not break tmux's answers, and
// the worker's environment is the tick's.
func TestPane_EnvironmentOfThePersonAndOfTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{env: []string{"TMUX=/tmp/other,1,0", "TMUX_PANE=%99", "CLAUDECODE=1", "LC_ALL=C", "LANG=C", "EDITOR=secretly"}})
	w.act("env > $HOME/env; board done")
	card := w.add("ünï")
	w.tick()
	if r := w.ends(card, false); r.Outcome != "completed" {
		t.Fatalf("outcome %s (%s)", r.Outcome, r.Reason)
	}
	env := w.read("user/env")
	for _, name := range []string{"TMUX=", "TMUX_PANE=", "CLAUDECODE=", "EDITOR="} {
		if strings.Contains("\n"+env, "\n"+name) {
			t.Errorf("%s reached the worker", name)
		}
	}
	if !strings.Contains(env, "LC_ALL=C\n") || !strings.Contains(env, "TERM=screen") {
		t.Errorf("environment: %s", env)
	}
}

// DSP-13: without tmux a pane waits and says so; headless work goes on.
func TestPane_WithoutTmuxItWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	few := filepath.Join(w.dir, "few")
	must(t, os.Mkdir(few, 0o700))
	for _, name := range []string{"bash", "sh", "cat", "git", "env"} {
		path, err := exec.LookPath(name)
		must(t, err)
		must(t, os.Symlink(path, filepath.Join(few, name)))
	}
	w.env = append(w.env, "PATH="+few)
	pane, plain := w.add("a pane"), w.add("plain", "--assignee", "coder")
	got := w.tick()
	if code, text := got.hold(pane); code != "launcher" || !strings.Contains(text, "no tmux") {
		t.Errorf("hold %s: %q", code, text)
	}
	if got.started() != plain {
		t.Errorf("started %q, want %s", got.started(), plain)
	}
	w.ends(plain, false)
}

// DSP-13: a host that lacks the executor's program cannot take the pane.
func TestPane_WithoutTheHarnessItWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{roster: "executors:\n  - {id: a, harness: exec, command: [no-such-agent], roles: [coder, reviewer], slots: 2}\n"})
	card := w.add("a thing")
	if code, text := w.tick().hold(card); code != "launcher" || !strings.Contains(text, "no-such-agent") {
		t.Errorf("hold %s: %q", code, text)
	}
}

// Fault 24: prompts of any size reach a pane's agent whole.
func TestPane_LongPromptsArriveWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{done: "{close_session: worker}"})
	w.act("board done")
	for i, kib := range []int{12, 16, 20, 200} {
		body := strings.Repeat("x;$`\"' ü\n", kib<<10/10)
		file := fmt.Sprintf("body.%d", kib)
		w.write(file, body)
		card := w.add("a thing", "--body-file", file)
		w.tick()
		w.ends(card, false)
		w.board("cancel", card)
		w.await("it is gone", func() bool { w.tick(); return len(w.agents()) == 0 })
		if got := w.read("user/prompt." + w.one("SELECT max(id) FROM task_runs WHERE slot = 'worker'")); !strings.Contains(got, strings.TrimSpace(body)) {
			t.Errorf("case %d: the prompt of %d KiB arrived with %d bytes", i, kib, len(got))
		}
	}
}

// Fault 25: a working folder that is not there is an error, not a start elsewhere.
func TestPane_MissingFolderIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	w.act("touch $HOME/ran")
	card := w.add("a thing", "--workspace", "dir:"+w.dir+"/nowhere")
	w.tick()
	if r := w.ends(card, false); r.Outcome != "spawn_failed" || !strings.Contains(r.Reason, "nowhere") {
		t.Errorf("outcome %s: %q", r.Outcome, r.Reason)
	}
	if exists(w.dir + "/user/ran") {
		t.Error("the agent ran elsewhere")
	}
}

// Faults 26 and 27: no variable of one executor's worker reaches another's by way of the tmux server, and no value of a
// variable stands in a command line.
func TestPane_VariablesStayWithTheirWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{
		env: []string{"FIRST_KEY=one-secret-value", "SECOND_KEY=two-secret-value"},
		roster: `executors:
  - {id: a, harness: exec, command: [AGENT], roles: [coder, reviewer], slots: 1, env: {MINE: "${FIRST_KEY}"}}
  - {id: b, harness: exec, command: [AGENT], roles: [coder, reviewer], slots: 1, env: {YOURS: "${SECOND_KEY}"}}
`,
	})
	w.act("env > $HOME/env.$BOARD_EXECUTOR; until test -e $HOME/go; do sleep 0.1; done; board done")
	w.add("one")
	w.add("two")
	if got := w.tick(); len(got.Started) != 2 {
		t.Fatalf("started %+v", got)
	}
	w.await("both work", func() bool { return exists(w.dir+"/user/env.a") && exists(w.dir+"/user/env.b") })
	if got := w.read("user/env.a"); !strings.Contains(got, "MINE=one-secret-value") || strings.Contains(got, "two-secret-value") {
		t.Errorf("a has %s", got)
	}
	if got := w.read("user/env.b"); !strings.Contains(got, "YOURS=two-secret-value") || strings.Contains(got, "one-secret-value") {
		t.Errorf("b has %s", got)
	}
	if pids := append(matching("one-secret-value"), matching("two-secret-value")...); len(pids) > 0 {
		t.Errorf("a value stands in the command line of %v", pids)
	}
	if left, _ := filepath.Glob(filepath.Join(w.home, "sessions", "*", "env")); len(left) > 0 {
		t.Errorf("%v was not deleted once read", left)
	}
	w.write("user/go", "")
	w.ends("api-1", false)
	w.ends("api-2", false)
}

// Fault 28: without a tmux server there are no sessions, which is an answer.
func TestPane_NoServerIsNoSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	card := w.add("a thing")
	got := w.report("dispatch", "--dry-run", "--json")
	if got.started() != card || len(got.Faults) > 0 {
		t.Errorf("dry run: %+v", got)
	}
	if exists(fmt.Sprintf("/tmp/tmux-%d/%s", os.Getuid(), w.server())) {
		t.Error("a dry run started a tmux server")
	}
}
