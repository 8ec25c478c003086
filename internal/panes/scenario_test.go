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

// ds is the scenarios' DS(n): the dispatcher's sessions on a host.
func ds(n int) string {
	return fmt.Sprintf("{name: ds, counts: sessions, scope: host, where: {dispatch: true}, max: %d}", n)
}

// idleWorker makes a card whose interactive worker idles in its pane, its review waiting.
func (w *world) idleWorker(title string) string {
	w.t.Helper()
	w.act("board done")
	card := w.add(title)
	w.tick()
	w.await(title+" is worked on", func() bool {
		return w.one("SELECT count(*) FROM sessions WHERE card = '"+card+"' AND state = 'idle'") == "1"
	})
	return card
}

// DS(1), E2, CAP-18: a review has no room beside its card's idle worker, and follows it once that has been closed.
func TestScenario_ReviewFollowsTheIdleWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{caps: ds(1)})
	card := w.idleWorker("a thing")
	got := w.tick()
	if code, text := got.hold(card); code != "capacity" || !strings.Contains(text, "1 of 1 on base") {
		t.Fatalf("hold %s: %q; started %q", code, text, got.started())
	}
	if len(got.Stopping) != 1 || got.Stopping[0].Card != card || !strings.Contains(got.Stopping[0].Text, "idle session closed") {
		t.Errorf("stopping: %+v", got.Stopping)
	}
	w.await("the worker is gone", func() bool {
		return len(w.agents()) == 0 && w.one("SELECT count(*) FROM sessions WHERE ended_at_ms IS NULL") == "0"
	})
	if got := w.tick(); got.started() != card || got.Started[0].Slot != "reviewer" {
		t.Fatalf("started %+v", got.Started)
	}
	w.await("the card is done", func() bool { return w.status(card) == "done" })
}

// DS(1), CAP-18: a worker that is at work is not closed, and the review of another card waits.
func TestScenario_ReviewWaitsForAWorkingSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{caps: ds(1)})
	reviewed := w.board("add", "to review", "--assignee", "coder")
	w.write("user/review", "board done\n")
	w.tick()
	w.await("it waits for its review", func() bool { return w.status(reviewed) == "review" })
	w.write("user/review", "board approve\n")
	w.board("pause", reviewed)
	w.act("until test -e $HOME/go; do sleep 0.1; done; board done")
	busy := w.add("a thing")
	w.tick()
	w.await("it works", func() bool { return exists(w.dir + "/user/prompt.2") })
	w.board("resume", reviewed)
	got := w.tick()
	if code, _ := got.hold(reviewed); code != "capacity" || len(got.Stopping) != 0 {
		t.Errorf("hold %s, stopping %+v", code, got.Stopping)
	}
	w.write("user/go", "")
	w.ends(busy, false)
}

// DS(2), E3: there is room for the review beside the idle worker.
func TestScenario_ReviewStartsBesideTheIdleWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{caps: ds(2)})
	card := w.idleWorker("a thing")
	if got := w.tick(); got.started() != card || len(got.Stopping) != 0 {
		t.Errorf("started %q, stopping %+v", got.started(), got.Stopping)
	}
	w.ends(card, false)
}

// F1, H7: two reviews in one tick with room for one: one starts.
func TestScenario_TwoReviewsRoomForOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{caps: ds(3)})
	a := w.idleWorker("one")
	w.board("pause", a)
	b := w.idleWorker("two")
	w.write("user/review", "until test -e $HOME/go; do sleep 0.1; done; board approve\n")
	w.board("resume", a)
	got := w.tick()
	if got.started() != a {
		t.Errorf("started %q, want %s alone", got.started(), a)
	}
	if code, _ := got.hold(b); code != "capacity" {
		t.Errorf("%s is held by %q", b, code)
	}
	w.write("user/go", "")
	w.ends(a, false)
}

// E4: with place: card a card's sessions on a host are one place.
func TestScenario_PlacePerCard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{caps: "{name: ps, counts: sessions, scope: host, place: card, max: 1}"})
	card := w.idleWorker("a thing")
	if got := w.tick(); got.started() != card {
		t.Errorf("started %q, want the review", got.started())
	}
	w.ends(card, false)
}

// I8, CAP-18: a host full of idle kept workers, and as many reviews waiting: they are closed one by one and every review runs.
func TestScenario_IdleSessionsNeverDeadlock(t *testing.T) {
	t.Parallel()
	const n = 4
	w := newWorld(t, settings{caps: ds(n)})
	var cards []string
	for i := range n {
		card := w.idleWorker(fmt.Sprintf("card %d", i+1))
		w.board("pause", card)
		cards = append(cards, card)
	}
	for _, card := range cards {
		w.board("resume", card)
	}
	most := 0
	w.await("every card is done", func() bool {
		most = max(most, len(w.agents()))
		w.tick()
		return w.one("SELECT count(*) FROM cards WHERE status = 'done'") == strconv.Itoa(n)
	})
	if most > n {
		t.Errorf("%d agents at once, want at most %d", most, n)
	}
}

// B1, B2, B3, B5, G8: where a card's session counts and whether it can start.
func TestScenario_ExecutionHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{caps: ds(9), config: "hosts: {far: {ssh: nobody@far.invalid}}\n"})
	w.act("board done")
	headless := w.board("add", "headless", "--assignee", "coder", "--host", "far")
	nowhere := w.board("add", "no host")
	far := w.board("add", "far", "--host", "far")
	here := []string{w.board("add", "here", "--host", "base"), w.board("add", "here", "--host", "LOCALHOST"), w.board("add", "here", "--host", "Base.lan")}
	got := w.tick()
	if code, text := got.hold(nowhere); code != "launcher" || !strings.Contains(text, "names one") {
		t.Errorf("no host: %s, %q", code, text)
	}
	if code, _ := got.hold(far); code != "launcher" {
		t.Errorf("far: held by %q", code)
	}
	want := strings.Join(append([]string{headless}, here...), " ")
	if got.started() != want {
		t.Errorf("started %q, want %q", got.started(), want)
	}
	for _, s := range got.Started {
		if s.Host != "base" {
			t.Errorf("%s runs on %q, want base", s.Card, s.Host)
		}
	}
	for _, card := range here {
		w.ends(card, false)
	}
}

// bystander is a person's own process, which writes down every signal that it gets.
func (w *world) bystander() *exec.Cmd {
	w.t.Helper()
	script := `for s in TERM INT HUP QUIT USR1 CONT; do trap "echo $s >> signals" $s; done; touch ready; while :; do sleep 0.1; done`
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir = w.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	must(w.t, cmd.Start())
	w.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	w.await("a person's own session", func() bool { return exists(w.dir + "/ready") })
	return cmd
}

// PAN-5, CAP-1, A4, C5, C6, I11, fault 16: a session attached by hand is counted by a plain cap and not by the dispatcher's,
// holds its slot, survives whatever becomes of the card, and is never signalled.
func TestScenario_AdoptedSession(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, caps string
		starts     bool
	}{
		{"dispatcher cap", ds(1), true},
		{"plain cap", "{name: ps, counts: sessions, scope: host, max: 1}", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings{caps: c.caps})
			w.act("board done")
			mine, other, third := w.add("mine"), w.add("other"), w.add("third", "--pause")
			own := w.bystander()
			w.board("adopt", mine, "--pid", strconv.Itoa(own.Process.Pid))
			got := w.tick()
			if code, text := got.hold(mine); code != "workspace" || !strings.Contains(text, "own session") {
				t.Errorf("hold of the slot: %s, %q", code, text)
			}
			if code, _ := got.hold(other); (got.started() == other) != c.starts || (code == "capacity") == c.starts {
				t.Errorf("started %q, other held by %q", got.started(), code)
			}
			if said := w.refused("adopt", third, "--pid", strconv.Itoa(own.Process.Pid)); !strings.Contains(said, "board release "+mine) {
				t.Errorf("adopted twice: %s", said)
			}
			w.board("cancel", mine)
			w.tick()
			w.tick()
			if got := w.one("SELECT count(*) FROM sessions WHERE origin = 'adopted' AND ended_at_ms IS NULL"); got != "1" {
				t.Errorf("%s adopted sessions counted after cancel, want 1", got)
			}
			if signals := w.read("signals"); signals != "" || own.Process.Signal(syscall.Signal(0)) != nil {
				t.Errorf("the person's session got %q", signals)
			}
			w.board("release", mine)
			if got := w.one("SELECT count(*) FROM sessions WHERE origin = 'adopted' AND ended_at_ms IS NULL"); got != "0" {
				t.Errorf("%s adopted sessions counted after release, want 0", got)
			}
			if c.starts {
				w.ends(other, false)
			}
		})
	}
}

// PAN-5: a pane of the person's own tmux can be adopted, shown and looked at; when it is gone its place is free.
func TestScenario_AdoptedPane(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	card := w.add("mine")
	socket := filepath.Join(w.dir, "own")
	own := func(words ...string) string {
		out, _ := exec.Command("tmux", append([]string{"-S", socket}, words...)...).CombinedOutput()
		return strings.TrimSpace(string(out))
	}
	pane := own("-f", "/dev/null", "new-session", "-d", "-P", "-F", "#{pane_id}", "echo my own; exec sleep 600")
	t.Cleanup(func() { own("kill-server") })
	w.board("adopt", card, "--pane", pane, "--socket", socket)
	if got := w.board("peek", card); !strings.Contains(got, "my own") {
		t.Errorf("peek: %q", got)
	}
	if got := w.board("attach", card, "--print"); !strings.Contains(got, socket) {
		t.Errorf("attach: %q", got)
	}
	own("kill-server")
	w.await("its place is free", func() bool {
		w.tick()
		return w.one("SELECT count(*) FROM sessions WHERE ended_at_ms IS NULL AND origin = 'adopted'") == "0"
	})
}

// I10, J2: a second supervisor of a run finds it taken, and one that was stopped before it began starts nothing.
func TestScenario_OneWorkerInAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{env: []string{"BOARD_FAILPOINT=launch.after"}})
	w.act("echo x >> $HOME/times; board done")
	card := w.add("a thing")
	_ = w.command("dispatch").Run() // killed after the launch
	w.env = w.env[:len(w.env)-1]
	w.ends(card, true)
	if out, err := w.command("supervise", "1").CombinedOutput(); err != nil {
		t.Errorf("second supervisor: %v: %s", err, out)
	}
	if got := w.read("user/times"); got != "x\n" {
		t.Errorf("the worker ran %q", got)
	}
}

// LIV-3, DSP-8: a supervisor that is killed leaves its agent to the next tick, which ends it before the place is free.
func TestScenario_KilledSupervisor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	w.act("trap '' HUP TERM; (setsid sleep 7777 &); until test -e $HOME/go; do sleep 0.1; done")
	card := w.add("a thing")
	w.tick()
	w.await("it works", func() bool { return exists(w.dir + "/user/prompt.1") })
	for _, pid := range w.supervisors() {
		must(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	freed := false
	w.await("it has crashed", func() bool {
		w.tick()
		freed = w.last(card).State == "ended"
		return freed
	})
	if r := w.runs(card)[0]; r.Outcome != "crashed" {
		t.Errorf("outcome %s (%s)", r.Outcome, r.Reason)
	}
	if left := w.started(); len(left) > 0 {
		t.Errorf("freed with %v alive", left)
	}
}

// Fault 9, LIV-3: a card whose session lives is paused, moved and released by a person: never a second worker beside the first.
func TestScenario_MovedByAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	w.act("until test -e $HOME/go; do sleep 0.1; done; board done")
	card := w.add("a thing")
	w.tick()
	w.await("it works", func() bool { return exists(w.dir + "/user/prompt.1") })
	w.board("pause", card)
	w.board("resume", card)
	for range 3 {
		w.tick()
	}
	_ = w.command("move", card, "--to", "todo").Run()
	for range 3 {
		w.tick()
		if n := len(w.agents()); n > 1 {
			t.Fatalf("%d workers at once", n)
		}
	}
	w.write("user/go", "")
	w.await("it has gone on", func() bool { w.tick(); return w.status(card) == "done" })
}

// LIV-5, END-0: board stop ends the session's tree and pauses the card; board cancel closes an idle session.
func TestScenario_StopAndCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	w.act("(setsid sleep 7777 &); until test -e $HOME/go; do sleep 0.1; done")
	card := w.add("a thing")
	w.tick()
	w.await("it works", func() bool { return exists(w.dir + "/user/prompt.1") })
	w.board("stop", card)
	if r := w.last(card); r.Outcome != "stopped" {
		t.Errorf("outcome %s (%s)", r.Outcome, r.Reason)
	}
	if left := w.started(); len(left) > 0 {
		t.Errorf("left alive: %v", left)
	}
	if code, _ := w.tick().hold(card); code != "paused" {
		t.Errorf("held by %q, want paused", code)
	}
	third := w.idleWorker("third")
	if got := w.board("stop", third); !strings.Contains(got, "1 idle sessions") || len(w.started()) > 0 {
		t.Errorf("stop of an idle session: %q, left %v", got, w.started())
	}
	other := w.idleWorker("other")
	w.board("cancel", other)
	w.await("its idle session is closed", func() bool { w.tick(); return len(w.agents()) == 0 })
	w.await("its lease is given back", func() bool { return w.one("SELECT count(*) FROM leases WHERE released_at_ms IS NULL") == "0" })
}

// PAN-1: idle_timeout closes a session that nobody needs, and its conversation's place is free.
func TestScenario_IdleTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{limits: "idle_timeout: 1s"})
	card := w.idleWorker("a thing")
	w.board("pause", card)
	w.await("it is closed", func() bool { return w.one("SELECT count(*) FROM sessions WHERE ended_at_ms IS NULL") == "0" })
	if got := w.one("SELECT json_extract(payload, '$.reason') FROM events WHERE kind = 'session.ended'"); !strings.Contains(got, "idle for 1s") {
		t.Errorf("ended because %q", got)
	}
	if got := w.one("SELECT count(*) FROM leases WHERE released_at_ms IS NULL"); got != "0" {
		t.Errorf("%s leases held", got)
	}
}

// PAN-1: a run that was claimed for a session that is gone meanwhile is no failure; the card starts in a new one.
func TestScenario_KeptSessionIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	card := w.idleWorker("a thing")
	w.write("user/review", "board changes more\n")
	w.tick()
	w.await("it goes back", func() bool { return w.status(card) == "doing" })
	w.env = append(w.env, "BOARD_FAILPOINT=claim.after")
	_ = w.command("dispatch").Run() // killed before it hands the run over
	w.env = w.env[:len(w.env)-1]
	if r := w.last(card); r.Mode != "kept" || r.State != "claimed" {
		t.Fatalf("claimed %+v", r)
	}
	for _, pid := range w.supervisors() {
		must(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	w.await("a new session works", func() bool {
		w.tick()
		return w.last(card).Session > 1 && w.last(card).State == "ended"
	})
	if lost := w.runs(card)[2]; lost.Outcome != "interrupted" || lost.Mode != "kept" {
		t.Errorf("the claimed run: %+v", lost)
	}
	if got := w.one("SELECT failures FROM cards"); got != "0" {
		t.Errorf("%s failures counted", got)
	}
}

// SUP-3: the limits of a run hold in a pane as they do elsewhere.
func TestScenario_RuntimeLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{limits: "runtime: 4s"})
	w.act("trap '' TERM; while :; do sleep 0.2; echo busy; done")
	card := w.add("a thing")
	w.tick()
	if r := w.ends(card, false); r.Outcome != "timed_out" || len(w.started()) > 0 {
		t.Errorf("outcome %s (%s), left %v", r.Outcome, r.Reason, w.started())
	}
}

// A pane that is not interactive is the headless form, watched: the log and the screen have its output, and keys reach its
// group.
func TestScenario_HeadlessFormInAPane(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	w.write("user/review", "echo some words; ps -o tpgid=,pgid= -p $$ > $HOME/groups; until test -e $HOME/go; do sleep 0.1; done; board done\n")
	card := w.add("a thing", "--assignee", "pane")
	w.tick()
	w.await("it is seen", func() bool { return strings.Contains(w.tmux("capture-pane", "-p", "-t", "=api:"), "some words") })
	if groups := strings.Fields(w.read("user/groups")); len(groups) != 2 || groups[0] != groups[1] {
		t.Errorf("the terminal's foreground group and the agent's: %v", groups)
	}
	if got := w.board("logs", card); !strings.Contains(got, "some words") {
		t.Errorf("log: %q", got)
	}
	w.write("user/go", "")
	if r := w.ends(card, false); r.Outcome != "completed" || r.Verdict != "done" {
		t.Errorf("outcome %s (%s)", r.Outcome, r.Reason)
	}
}

// Fault 29, PAN-3: an agent that opens with a trust dialog is held for a person with the screen's text, at no failure's cost.
func TestScenario_TrustDialogNeedsAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{roster: "executors:\n  - {id: a, harness: claude, bin: AGENT, roles: [coder], slots: 2}\n"})
	w.write("bin/agent", `#!/bin/bash
printf 'Do you trust the files in this folder?\n\n /somewhere\n\n   1. Yes, proceed\n > 2. No, exit\n'
read -r line
`)
	card := w.add("a thing")
	w.tick()
	r := w.ends(card, false)
	code, text := w.tick().hold(card)
	if code != "needs_person" || !strings.Contains(text, "Do you trust the files") {
		t.Errorf("held by %s: %q (outcome %s: %s)", code, text, r.Outcome, r.Reason)
	}
	if got := w.one("SELECT failures FROM cards"); got != "0" || len(w.started()) > 0 {
		t.Errorf("%s failures, left %v", got, w.started())
	}
}

// PAN-4, J5: whether a launch opens a terminal window for the person is the workflow's word, each time.
func TestScenario_SessionWindow(t *testing.T) {
	t.Parallel()
	for _, show := range []bool{false, true} {
		t.Run(fmt.Sprint(show), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings{params: fmt.Sprintf("session_window: %v", show), config: "window_command: [terminal, -e]\n"})
			w.write("bin/terminal", "#!/bin/sh\necho \"$@\" > $HOME/window\n")
			w.act("board done")
			card := w.add("a thing")
			w.tick()
			w.ends(card, false)
			if got := strings.HasPrefix(w.read("user/window"), "-e ") && strings.Contains(w.read("user/window"), "attach-session"); got != show {
				t.Errorf("window %q, want one: %v", w.read("user/window"), show)
			}
		})
	}
}

// LIV-2: a tick asks tmux once, however many panes there are, and not at all where nothing concerns panes.
func TestScenario_OneQuestionATick(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	path, err := exec.LookPath("tmux")
	must(t, err)
	w.write("bin/tmux", "#!/bin/sh\necho \"$@\" >> "+w.dir+"/asked\nexec "+path+" \"$@\"\n")
	w.board("add", "headless", "--assignee", "coder", "--pause")
	w.tick()
	if got := w.read("asked"); got != "" {
		t.Errorf("asked %q without a pane", got)
	}
	card := w.idleWorker("a thing")
	w.board("pause", card)
	for range 99 {
		w.tmux("new-window", "-d", "-t", "=api:", "--", "sleep", "600")
	}
	must(t, os.Remove(filepath.Join(w.dir, "asked")))
	w.tick()
	ticks := 0
	for line := range strings.Lines(w.read("asked")) {
		if strings.Contains(line, "list-panes") {
			ticks++
		} else if !strings.Contains(line, "capture-pane") { // the supervisor's own
			t.Errorf("asked %q", line)
		}
	}
	if ticks != 1 || strings.Count(w.panes(), "\n") != 99 {
		t.Errorf("%d questions about %d panes, want 1", ticks, strings.Count(w.panes(), "\n")+1)
	}
}

// The log of a pane is followed as any other.
func TestScenario_LogsFollowAPane(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	w.act("echo first words; until test -e $HOME/go; do sleep 0.1; done; echo last words; board done")
	card := w.add("a thing")
	w.tick()
	follow := w.command("logs", card, "-f")
	var out strings.Builder
	follow.Stdout = &out
	must(t, follow.Start())
	w.await("it works", func() bool { return exists(w.dir + "/user/prompt.1") })
	w.write("user/go", "")
	must(t, follow.Wait())
	if got := out.String(); !strings.Contains(got, "first words") || !strings.Contains(got, "last words") {
		t.Errorf("followed %q", got)
	}
}

// SUP-5, DSP-14: what a kept session's tick has started is not the session's, though it stands below its supervisor: closing
// the session ends its own tree and no other.
func TestScenario_APokedTickIsNotTheSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{poke: true})
	w.act("(setsid sleep 7777 &); board done")
	w.write("user/review", "touch $HOME/reviewing; until test -e $HOME/go; do sleep 0.1; done; board approve\n")
	card := w.add("a thing")
	w.tick()
	w.await("its review runs", func() bool { return exists(w.dir + "/user/reviewing") })
	idle := w.one("SELECT id FROM sessions WHERE state = 'idle'")
	worker := len(w.started())
	for _, pid := range w.supervisors() {
		if strings.Contains(w.one("SELECT supervisor FROM sessions WHERE id = "+idle), fmt.Sprintf("/%d/", pid)) {
			must(t, syscall.Kill(pid, syscall.SIGTERM))
		}
	}
	w.await("the idle session has ended", func() bool {
		return w.one("SELECT count(*) FROM sessions WHERE id = "+idle+" AND state = 'ended'") == "1"
	})
	if r := w.last(card); r.Slot != "reviewer" || r.State != "running" || len(w.started()) == 0 || len(w.started()) >= worker {
		t.Fatalf("review %+v; %d processes, %d before", r, len(w.started()), worker)
	}
	w.write("user/go", "")
	w.await("the card is done", func() bool { return w.status(card) == "done" })
}

// PAN-1, CAP-18: eight cards in panes on a host for four, ticks following endings: all are done, and there are never more than
// four agents at once.
func TestScenario_EightCardsOnAHostForFour(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{poke: true, caps: ds(4)})
	w.act("board done")
	for i := range 8 {
		w.add(fmt.Sprintf("card %d", i+1))
	}
	w.tick()
	most := 0
	w.await("every card is done", func() bool {
		most = max(most, len(w.agents()))
		return w.one("SELECT count(*) FROM cards WHERE status = 'done'") == "8"
	})
	if most > 4 {
		t.Errorf("%d agents at once, want at most 4", most)
	}
}
