// Command soak drains boards with the shipped program and judges from outside. Its workers append a line when they start and
// one when they end to a file that board never sees; from that file alone it is told whether a cap was ever exceeded, whether
// a run was started twice, and whether the history that board keeps is true.
//
//	soak -board ./bin/board -cards 200 -loops 8              mixed ends
//	soak -board ./bin/board -cards 20 -slow-git 40s          a git that sleeps
//	soak -board ./bin/board -cards 12 -failpoints            kill -9 at every failpoint of tick and supervisor
//	soak -board ./bin/board -boards 200                      dry run against the tick after it, on random boards
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/failpoint"
)

func main() {
	s := soak{out: os.Stdout}
	flag.StringVar(&s.board, "board", "./bin/board", "the program")
	flag.IntVar(&s.cards, "cards", 200, "how many cards")
	flag.IntVar(&s.loops, "loops", 8, "how many loops of board dispatch --no-lock at once")
	flag.IntVar(&s.max, "max", 6, "the cap on sessions")
	flag.DurationVar(&s.slowGit, "slow-git", 0, "put a git on PATH that sleeps so long before each worktree add")
	failpoints := flag.Bool("failpoints", false, "drain once for each failpoint, killing the first process that passes it")
	boards := flag.Int("boards", 0, "compare dry run and tick on so many random boards instead")
	flag.DurationVar(&s.limit, "limit", 10*time.Minute, "how long one drain may take")
	flag.Parse()
	if err := s.run(*failpoints, *boards); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// soak is one series of drains.
type soak struct {
	board   string
	cards   int
	loops   int
	max     int
	slowGit time.Duration
	limit   time.Duration
	out     io.Writer
}

func (s *soak) run(failpoints bool, boards int) error {
	path, err := filepath.Abs(s.board)
	if err != nil {
		return err
	}
	s.board = path
	if boards > 0 {
		return s.predict(boards)
	}
	if !failpoints {
		return s.drain("")
	}
	for _, name := range failpoint.Names() {
		if err := s.drain(name); err != nil {
			return fmt.Errorf("failpoint %s: %w", name, err)
		}
	}
	return nil
}

// worker ends in one of five ways, by the number of its card. It knows the cap only by what it writes down.
const worker = `#!/bin/sh
n=${BOARD_CARD##*-}
echo "$BOARD_RUN start $BOARD_CARD" >> "$SOAK_LOG"
end() { echo "$BOARD_RUN end $BOARD_CARD" >> "$SOAK_LOG"; }
echo working
case $((n % 5)) in
0) sleep 0.2; end; exit 1 ;;
1) sleep 0.2; board done --summary "card $n"; end; exit 0 ;;
2) end; kill -9 $$ ;;
3) setsid -f sleep 7777; sleep 0.1; end; exit 0 ;;
*) sleep 0.3; end; exit 0 ;;
esac
`

const workflow = `version: 1
name: soak
profiles: {coder: {role: coder}}
initial: todo
statuses:
  todo: {}
  doing: {run: {profile: coder, prompt: do it, limits: {runtime: 5m}}}
  done: {terminal: true}
  cancelled: {terminal: true}
events:
  start: [{from: todo, to: doing}, {from: doing}]
  done: [{from: doing, by: [worker, board], to: done, progress: true}]
  cancel: [{to: cancelled}]
dispatch:
  retry: {limit: 2, backoff: {first: 1s, factor: 1, max: 1s, jitter: 0}}
  capacity:
    - {name: sessions, counts: sessions, scope: host, where: {dispatch: true}, max: %d}
`

// place is a home in a folder of its own.
type place struct {
	dir, log string
	env      []string
}

// drain makes a board, drains it with several loops of ticks at once, and judges.
func (s *soak) drain(fail string) (err error) {
	dir, err := os.MkdirTemp("", "soak-")
	if err != nil {
		return err
	}
	p, err := s.setUp(dir)
	if err != nil {
		return err
	}
	began := clock.Now()
	if err := s.loop(p, fail); err != nil {
		return fmt.Errorf("%w (kept in %s)", err, dir)
	}
	if err := s.judge(p); err != nil {
		return fmt.Errorf("%w (kept in %s)", err, dir)
	}
	if _, err := os.Stat(filepath.Join(dir, "fired")); fail != "" && err != nil {
		return fmt.Errorf("nothing was killed: %w", err)
	}
	fmt.Fprintf(s.out, "%-22s %d cards in %.1fs: cap kept, one start a run, history true, nothing left\n", name(fail), s.cards, clock.Now().Sub(began).Seconds())
	return os.RemoveAll(dir)
}

func name(fail string) string {
	if fail == "" {
		return "no failpoint"
	}
	return fail
}

func (s *soak) setUp(dir string) (place, error) {
	p := place{dir: dir, log: filepath.Join(dir, "runs.log")}
	bin := filepath.Join(dir, "bin")
	for path, text := range map[string]string{
		filepath.Join(dir, "worker.sh"): worker,
		p.log:                           "",
		filepath.Join(dir, "config", "board", "roster.yaml"): fmt.Sprintf("executors:\n  - {id: script, harness: exec, command: [sh, %s], roles: [coder], slots: %d, env: {SOAK_LOG: %s}}\n",
			filepath.Join(dir, "worker.sh"), s.max+4, p.log),
	} {
		if err := write(path, text, 0o644); err != nil {
			return p, err
		}
	}
	path := os.Getenv("PATH")
	if s.slowGit > 0 {
		git, err := exec.LookPath("git")
		if err != nil {
			return p, err
		}
		text := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *'worktree add'*) sleep %d ;; esac\nexec %s \"$@\"\n", int(s.slowGit.Seconds()), git)
		if err := write(filepath.Join(bin, "git"), text, 0o755); err != nil {
			return p, err
		}
		path = bin + ":" + path
	}
	p.env = []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + filepath.Join(dir, "config"), "BOARD_HOME=" + filepath.Join(dir, "home"), "PATH=" + path, "LANG=C.UTF-8"}
	repo := filepath.Join(dir, "repo")
	for _, words := range [][]string{
		{"git", "init", "-q", "-b", "main", repo},
		{"git", "-C", repo, "-c", "user.name=soak", "-c", "user.email=soak@localhost", "commit", "-q", "--allow-empty", "-m", "first"},
		{s.board, "init", "--repo", repo, "--slug", "soak"},
	} {
		if out, err := p.command(words...).CombinedOutput(); err != nil {
			return p, fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, out)
		}
	}
	if err := write(filepath.Join(dir, "home", "workflows", "soak.yaml"), fmt.Sprintf(workflow, s.max), 0o600); err != nil {
		return p, err
	}
	return p, s.fill(p)
}

// fill puts the cards on the board.
func (s *soak) fill(p place) error {
	if out, err := p.command("sqlite3", filepath.Join(p.dir, "home", "board.db"), "UPDATE boards SET workflow = 'soak'").CombinedOutput(); err != nil {
		return fmt.Errorf("set the workflow: %w: %s", err, out)
	}
	for i := range s.cards {
		if out, err := p.command(s.board, "add", "card "+strconv.Itoa(i+1)).CombinedOutput(); err != nil {
			return fmt.Errorf("add a card: %w: %s", err, out)
		}
	}
	return nil
}

func write(path, text string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), mode)
}

func (p place) command(words ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), words[0], words[1:]...)
	cmd.Env, cmd.Dir = p.env, p.dir
	return cmd
}

// loop runs loops of ticks until nothing runs and nothing can start.
func (s *soak) loop(p place, fail string) error {
	ctx, cancel := context.WithTimeout(context.Background(), s.limit)
	defer cancel()
	quiet := make(chan struct{})
	var once sync.Once
	var wait sync.WaitGroup
	for range s.loops {
		wait.Go(func() {
			for ctx.Err() == nil {
				select {
				case <-quiet:
					return
				default:
				}
				cmd := p.command(s.board, "dispatch", "--no-lock", "--json") //nolint:contextcheck // a tick is not cut off in the middle: kills are the failpoints' affair
				if fail != "" {
					cmd.Env = append(slices.Clone(p.env), failpoint.EnvVar+"="+fail+"@"+filepath.Join(p.dir, "fired"))
				}
				_ = cmd.Run()                                   // a tick that was killed is what this is about
				if done, err := s.done(p); err == nil && done { //nolint:contextcheck // as above
					once.Do(func() { close(quiet) })
				}
				if err := (clock.Real{}).Sleep(ctx, 100*time.Millisecond); err != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	if done, err := s.done(p); err != nil || !done {
		return errors.Join(fmt.Errorf("not drained within %s", s.limit), err)
	}
	return nil
}

// done says whether every card has ended or waits for a person, and nothing is open.
func (s *soak) done(p place) (bool, error) {
	n, err := p.number(`SELECT (SELECT count(*) FROM task_runs WHERE ended_at_ms IS NULL)
		+ (SELECT count(*) FROM cards c WHERE ended_at_ms IS NULL AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.card = c.id AND b.answered_at_ms IS NULL))`)
	return n == 0, err
}

func (p place) number(query string) (int, error) {
	rows, err := p.rows(query)
	if err != nil || len(rows) != 1 {
		return 0, err
	}
	for _, v := range rows[0] {
		return strconv.Atoi(fmt.Sprint(v))
	}
	return 0, nil
}

func (p place) rows(query string) ([]map[string]any, error) {
	out, err := p.command("sqlite3", "-json", "-cmd", ".timeout 10000", filepath.Join(p.dir, "home", "board.db"), query).Output()
	if err != nil {
		return nil, fmt.Errorf("read the board: %w", err)
	}
	var rows []map[string]any
	if len(out) == 0 {
		return nil, nil
	}
	return rows, json.Unmarshal(out, &rows)
}
