package panes_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/tmux"
)

// patience bounds how long a test waits for processes. Chosen: far more than a loaded machine needs.
const patience = 90 * time.Second

var program string // the board program, built once

// TestMain builds the program: these tests drive it as people and cron do, with real tmux.
func TestMain(m *testing.M) {
	os.Exit(withProgram(m))
}

func withProgram(m *testing.M) int {
	dir, err := os.MkdirTemp("", "board-panes-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "board")
	if out, err := exec.Command("go", "build", "-tags", "urfave_cli_no_docs", "-o", program, "../../cmd/board").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build board: %v: %s\n", err, out)
		return 1
	}
	// These tests mostly wait: more of them at once than there are processors cost nothing and save minutes.
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// workflow of the tests: a coder in a pane, then a reviewer who is headless unless the test says otherwise. CAPS, LIMITS,
// PARAMS and DONE are filled in.
const workflow = `version: 1
name: default
params: {PARAMS}
profiles:
  coder:    {role: coder}
  pair:     {role: coder, surface: pane, interactive: true, permissions: edit}
  pane:     {role: coder, surface: pane, permissions: edit}
  reviewer: {role: reviewer, permissions: read}
initial: todo
statuses:
  todo:   {}
  doing:  {run: {profile: '{{ card.assignee ?? "pair" }}', session: worker, prompt: 'Do {{ card.title }}. {{ card.body }}', limits: {LIMITS}}}
  review: {run: {profile: reviewer, session: reviewer, prompt: 'Review {{ card.title }}'}}
  done:   {terminal: true}
  cancelled: {terminal: true}
events:
  start:   [{from: todo, to: doing}, {from: [doing, review]}]
  done:    [{from: doing, by: [worker, board], to: review, progress: true, do: [DONE]}]
  approve: [{from: review, by: [reviewer, person], to: done, progress: true}]
  changes: [{from: review, by: [reviewer, person], to: doing, progress: true}]
  cancel:  [{to: cancelled}]
  reopen:  [{from: [done, cancelled], by: [person], to: todo}]
dispatch:
  order: ['card.status == "review" ? 0 : 1', card.created_at]
  retry: {limit: 5, backoff: {first: 1s, factor: 1, max: 1s, jitter: 0}}
  capacity: [CAPS]
`

// roster of the tests: one executor, any command, that does what the file `act` beside its HOME says.
const roster = `executors:
  - {id: a, harness: exec, command: [AGENT], roles: [coder, reviewer], slots: 16}
`

// agent answers each prompt in its pane by what ~/act does; without a terminal it takes one prompt and reviews.
const agent = `#!/bin/bash
if [ ! -t 0 ]; then cat > "$HOME/prompt.$BOARD_RUN"; . "$HOME/review"; exit; fi
echo "agent $$ in $BOARD_SLOT"
while read -r line; do
  file=${line#Read the file }; file=${file%% *}
  cp "$file" "$HOME/prompt.$(basename "$(dirname "$file")")" 2>/dev/null
  . "$HOME/act"
done
`

// world is a home with one board, its own user and its own tmux server.
type world struct {
	t    *testing.T
	dir  string
	home string
	env  []string
}

// settings of a world; zero fields have the defaults named in the fixture's texts.
type settings struct {
	caps, limits, params, done string
	config                     string // further lines of config.yaml
	roster                     string
	poke                       bool // a tick follows each ending, as it does unless config.yaml says otherwise
	env                        []string
}

func newWorld(t *testing.T, s settings) *world {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatal("these tests need tmux")
	}
	dir := t.TempDir()
	w := &world{t: t, dir: dir, home: filepath.Join(dir, "home")}
	user := filepath.Join(dir, "user")
	bin := filepath.Join(dir, "bin")
	w.env = append([]string{
		"PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + user, "USER=ada", "LANG=C.UTF-8", "TZ=UTC", "BOARD_HOME=" + w.home,
		"BOARD_ROSTER=" + filepath.Join(dir, "roster.yaml"),
	}, s.env...)
	for _, d := range []string{user, bin, filepath.Join(w.home, "workflows")} {
		must(t, os.MkdirAll(d, 0o700))
	}
	w.write("bin/agent", agent)
	w.act(":")
	w.write("user/review", "board approve\n")
	text := strings.NewReplacer("CAPS", s.caps, "LIMITS", s.limits, "PARAMS", s.params, "DONE", s.done).Replace(workflow)
	w.write("home/workflows/default.yaml", text)
	if s.roster == "" {
		s.roster = roster
	}
	w.write("roster.yaml", strings.ReplaceAll(s.roster, "AGENT", filepath.Join(bin, "agent")))
	w.write("home/config.yaml", fmt.Sprintf("host: base\npoke: %v\n%s", s.poke, s.config))
	w.board("init", "--slug", "api", "--workflow", "default")
	t.Cleanup(w.end)
	return w
}

// end closes the tmux server: every supervisor hears that its window has gone, and ends what it started.
func (w *world) end() {
	w.tmux("kill-server")
	deadline := time.Now().Add(20 * time.Second)
	for len(w.supervisors()) > 0 && time.Now().Before(deadline) {
		<-time.After(50 * time.Millisecond)
	}
	for _, pid := range w.supervisors() {
		w.t.Errorf("supervisor %d did not end", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	for _, e := range w.started() {
		_ = syscall.Kill(e.ID.PID, syscall.SIGKILL)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	must(w.t, os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o700))
}

// act says what agents in panes do at each prompt.
func (w *world) act(script string) { w.write("user/act", script+"\n") }

func (w *world) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(w.dir, name))
	return string(text)
}

func (w *world) server() string { return tmux.SocketName(w.home) }

// command is a verb as a person would run it.
func (w *world) command(words ...string) *exec.Cmd {
	cmd := exec.Command(program, words...)
	cmd.Env, cmd.Dir = w.env, w.dir
	return cmd
}

// board runs a verb, which must succeed, and gives what it printed.
func (w *world) board(words ...string) string {
	w.t.Helper()
	cmd := w.command(words...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("board %s: %v\n%s%s", strings.Join(words, " "), err, out, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// refused runs a verb that must fail, and gives what it said.
func (w *world) refused(words ...string) string {
	w.t.Helper()
	out, err := w.command(words...).CombinedOutput()
	if err == nil {
		w.t.Fatalf("board %s: it did, want refused: %s", strings.Join(words, " "), out)
	}
	return string(out)
}

// add adds a card for a pane on this host.
func (w *world) add(title string, flags ...string) string {
	w.t.Helper()
	return w.board(append([]string{"add", title, "--host", "base"}, flags...)...)
}

// tick is one real tick.
func (w *world) tick() report { return w.report("dispatch", "--json") }

type report struct {
	Started  []startedLine  `json:"started"`
	Stopping []stoppingLine `json:"stopping"`
	Held     []heldLine     `json:"held"`
	Faults   []faultLine    `json:"faults"`
}

type startedLine struct {
	Card    string `json:"card"`
	Mode    string `json:"mode"`
	Address string `json:"address"`
	Host    string `json:"host"`
	Slot    string `json:"slot"`
}

type stoppingLine struct {
	Card string `json:"card"`
	Text string `json:"text"`
}

type heldLine struct {
	Card string `json:"card"`
	Code string `json:"code"`
	Text string `json:"text"`
}

type faultLine struct {
	Scope string `json:"scope"`
	Text  string `json:"text"`
}

func (w *world) report(words ...string) report {
	w.t.Helper()
	cmd := w.command(words...)
	out, err := cmd.Output()
	var r report
	if jsonErr := json.Unmarshal(out, &r); jsonErr != nil {
		w.t.Fatalf("board %v: %v, %v: %s", words, err, jsonErr, out)
	}
	return r
}

// started names the cards that a tick started.
func (r report) started() string {
	var cards []string
	for _, s := range r.Started {
		cards = append(cards, s.Card)
	}
	return strings.Join(cards, " ")
}

// hold is what holds a card: its code and its text.
func (r report) hold(card string) (code, text string) {
	for _, h := range r.Held {
		if h.Card == card {
			return h.Code, h.Text
		}
	}
	return "", ""
}

// run is a row of the history as the tests read it.
type run struct {
	Session int64  `json:"session"`
	Mode    string `json:"mode"`
	State   string `json:"state"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason"`
	Slot    string `json:"slot"`
	Verdict string `json:"verdict"`
}

func (w *world) runs(card string) []run {
	w.t.Helper()
	var all []run
	must(w.t, json.Unmarshal([]byte(w.board("runs", card, "--json")), &all))
	return all
}

// last is a card's newest run.
func (w *world) last(card string) run {
	w.t.Helper()
	all := w.runs(card)
	if len(all) == 0 {
		return run{}
	}
	return all[len(all)-1]
}

// rows are what a query gives, its columns by name.
func (w *world) rows(query string) []map[string]any {
	w.t.Helper()
	var rows []map[string]any
	must(w.t, json.Unmarshal([]byte(w.board("sql", query, "--json")), &rows))
	return rows
}

// one is the first column of the first row of a query, as text.
func (w *world) one(query string) string {
	w.t.Helper()
	for _, row := range w.rows(query) {
		for _, v := range row {
			if f, ok := v.(float64); ok {
				return strconv.FormatInt(int64(f), 10)
			}
			return fmt.Sprint(v)
		}
	}
	return ""
}

func (w *world) status(card string) string {
	return w.one("SELECT status FROM cards WHERE id = '" + card + "'")
}

// await waits until something is so.
func (w *world) await(what string, so func() bool) {
	w.t.Helper()
	deadline := time.Now().Add(patience)
	for !so() {
		if time.Now().After(deadline) {
			logs, _ := filepath.Glob(filepath.Join(w.home, "runs", "*", "supervise.log"))
			said := ""
			for _, l := range logs {
				text, _ := os.ReadFile(l)
				said += string(text)
			}
			w.t.Fatalf("waited in vain: %s\nruns:\n%s\nsupervisors:\n%s\npanes:\n%s", what, w.board("runs"), said, w.panes())
		}
		<-time.After(50 * time.Millisecond)
	}
}

// ends waits until a card's newest run has ended, with ticks meanwhile where nobody else settles.
func (w *world) ends(card string, ticks bool) run {
	w.t.Helper()
	w.await(card+" ends", func() bool {
		if r := w.last(card); r.State == "ended" {
			return true
		}
		if ticks {
			w.tick()
		}
		return false
	})
	return w.last(card)
}

// tmux asks the home's server.
func (w *world) tmux(words ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, _ := exec.CommandContext(ctx, "tmux", append([]string{"-u", "-L", w.server()}, words...)...).CombinedOutput()
	return strings.TrimSpace(string(out))
}

func (w *world) panes() string {
	return w.tmux("list-panes", "-a", "-F", "#{pane_id} #{pane_dead} #{session_name} #{window_name}")
}

// supervisors are the living processes of the home's supervisors. (The tmux server's own command line has the same words.)
func (w *world) supervisors() []int {
	return processes(func(line string) bool {
		return strings.HasPrefix(line, program+"\x00--home\x00"+w.home+"\x00supervise")
	})
}

// matching are the processes whose command line has the text.
func matching(text string) []int {
	return processes(func(line string) bool { return strings.Contains(line, text) })
}

// processes are those whose command line, a NUL between its words, is as wanted.
func processes(wanted func(line string) bool) []int {
	var pids []int
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		line, err := os.ReadFile(path)
		if err == nil && wanted(string(line)) {
			pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

// started are the living processes that any session of the home has started, by its launch key.
func (w *world) started() []process.Entry {
	table, err := process.Open()
	if err != nil {
		return nil
	}
	var all []process.Entry
	for _, entries := range table.FindAllByEnv("BOARD_OUTBOX") {
		for _, e := range entries {
			env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", e.ID.PID))
			if strings.Contains(string(env), "BOARD_OUTBOX="+w.home) {
				all = append(all, e)
			}
		}
	}
	return all
}

// agents are the living agents themselves.
func (w *world) agents() []process.Entry {
	var all []process.Entry
	for _, e := range w.started() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", e.ID.PID))
		if strings.Contains(string(line), w.dir+"/bin/agent") {
			all = append(all, e)
		}
	}
	return all
}

// clockSecond passes after a second: the supervisor looks at a screen once in it.
func clockSecond() <-chan time.Time { return time.After(1200 * time.Millisecond) }
