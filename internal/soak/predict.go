package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/internal/clock"
)

// predicted is what of a start or a hold a dry run has to foretell (DSP-2).
type predicted struct {
	Started []struct {
		Card     string `json:"card"`
		Status   string `json:"status"`
		Slot     string `json:"slot"`
		Profile  string `json:"profile"`
		Executor string `json:"executor"`
		Host     string `json:"host"`
		Clone    int    `json:"clone"`
	} `json:"started"`
	Held []struct {
		Card     string `json:"card"`
		Code     string `json:"code"`
		Cap      string `json:"cap"`
		Group    string `json:"group"`
		Key      string `json:"key"`
		Text     string `json:"text"`
		Count    int64  `json:"count"`
		Max      int64  `json:"max"`
		Reserved int64  `json:"reserved"`
	} `json:"held"`
	Pending []struct {
		Card string `json:"card"`
		Text string `json:"text"`
	} `json:"pending"`
}

// predict makes random boards and compares each dry run with the tick straight after it.
func (s *soak) predict(boards int) error {
	withHeld, cards := 0, 0
	for i := range boards {
		held, n, err := s.predictOne(rand.New(rand.NewPCG(uint64(i), 1)))
		if err != nil {
			return fmt.Errorf("board %d: %w", i, err)
		}
		cards += n
		if held > 0 {
			withHeld++
		}
	}
	fmt.Fprintf(s.out, "%d random boards, %d cards: dry run and tick agree on all; %d boards held some\n", boards, cards, withHeld)
	return nil
}

func (s *soak) predictOne(r *rand.Rand) (held, cards int, err error) {
	dir, err := os.MkdirTemp("", "predict-")
	if err != nil {
		return 0, 0, err
	}
	p := place{dir: dir, log: filepath.Join(dir, "runs.log")}
	p.env = []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + filepath.Join(dir, "config"), "BOARD_HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	if cards, err = s.randomBoard(p, r); err != nil {
		return 0, cards, err
	}
	var before, after predicted
	for _, look := range []struct {
		into  *predicted
		words []string
	}{{&before, []string{"dispatch", "--dry-run", "--json"}}, {&after, []string{"dispatch", "--json"}}} {
		out, err := p.command(append([]string{s.board}, look.words...)...).Output()
		if err != nil && len(out) == 0 {
			return 0, cards, fmt.Errorf("%s in %s: %w", strings.Join(look.words, " "), dir, err)
		}
		if err := json.Unmarshal(out, look.into); err != nil {
			return 0, cards, fmt.Errorf("%s in %s: %w", strings.Join(look.words, " "), dir, err)
		}
	}
	if a, b := fmt.Sprintf("%+v", before), fmt.Sprintf("%+v", after); a != b {
		return 0, cards, fmt.Errorf("in %s the dry run said\n%s\nand the tick\n%s", dir, a, b)
	}
	if err := s.quiet(p); err != nil {
		return 0, cards, err
	}
	return len(before.Held), cards, os.RemoveAll(dir)
}

// quiet waits until the runs that the tick started have ended.
func (s *soak) quiet(p place) error {
	ctx, cancel := context.WithTimeout(context.Background(), s.limit)
	defer cancel()
	for {
		n, err := p.number(`SELECT count(*) FROM task_runs WHERE ended_at_ms IS NULL`)
		if err == nil && n == 0 {
			return nil
		}
		if err := (clock.Real{}).Sleep(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("runs in %s do not end: %w", p.dir, err)
		}
	}
}

// randomBoard writes a workflow with random caps, a roster, and cards in all kinds of states.
func (s *soak) randomBoard(p place, r *rand.Rand) (int, error) {
	var executors, caps strings.Builder
	executors.WriteString("executors:\n")
	for i := range 1 + r.IntN(3) {
		fmt.Fprintf(&executors, "  - {id: e%d, harness: exec, command: ['true'], roles: [%s], slots: %d, priority: %d}\n", i,
			[]string{"coder", "coder, reviewer", "reviewer"}[r.IntN(3)], 1+r.IntN(3), r.IntN(2))
	}
	for i := range r.IntN(4) {
		fmt.Fprintf(&caps, "    - {name: cap %d, counts: %s, scope: %s, max: %s%s}\n", i,
			pick(r, "runs", "sessions", "cards", "starts", "turns"), pick(r, "home", "board", "host", "profile", "[host, slot]", "executor"),
			pick(r, "0", "1", "2", "3", "'host.cpus > 1 ? 2 : 1'", "'params.limit ?? 2'"),
			pick(r, "", "", ", where: {status: doing}", ", where: {slot: reviewer}", ", reserve: {for: {status: review}, slots: 1}", ", unless: {label: urgent}"))
	}
	source, err := os.ReadFile(filepath.Join("workflows", "builtin", "default.yaml"))
	if err != nil {
		return 0, err
	}
	text := string(source)
	if i := strings.Index(text, "  capacity:"); i >= 0 {
		text = text[:i]
	}
	text = strings.Replace(text, "name: default", "name: random", 1)
	text = strings.Replace(text, "params:", "params:\n  limit: null", 1)
	if caps.Len() > 0 {
		text += "  capacity:\n" + caps.String()
	}
	for path, content := range map[string]string{
		filepath.Join(p.dir, "config", "board", "roster.yaml"): executors.String(),
		filepath.Join(p.dir, "home", "config.yaml"):            "poke: false\n",
	} {
		if err := write(path, content, 0o600); err != nil {
			return 0, err
		}
	}
	if out, err := p.command(s.board, "init", "--slug", "rnd").CombinedOutput(); err != nil {
		return 0, fmt.Errorf("init: %w: %s", err, out)
	}
	if err := write(filepath.Join(p.dir, "home", "workflows", "random.yaml"), text, 0o600); err != nil {
		return 0, err
	}
	return s.randomCards(p, r)
}

func pick(r *rand.Rand, words ...string) string { return words[r.IntN(len(words))] }

// randomCards fills the board by one import, and puts some cards into other states.
func (s *soak) randomCards(p place, r *rand.Rand) (int, error) {
	type draft struct {
		Title    string            `json:"title"`
		Priority int               `json:"priority"`
		Host     string            `json:"host,omitempty"`
		Labels   map[string]string `json:"labels,omitempty"`
		Assignee string            `json:"assignee,omitempty"`
		Owns     []string          `json:"owns,omitempty"`
	}
	n := 1 + r.IntN(12)
	drafts := make([]draft, n)
	for i := range drafts {
		drafts[i] = draft{Title: fmt.Sprintf("card %d", i+1), Priority: r.IntN(3), Host: pick(r, "", "", "far")}
		if r.IntN(4) == 0 {
			drafts[i].Labels = map[string]string{"urgent": "yes"}
		}
		if r.IntN(5) == 0 {
			drafts[i].Owns = []string{pick(r, "src", "src/a", "docs")}
		}
		if r.IntN(6) == 0 {
			drafts[i].Assignee = pick(r, "coder", "pair")
		}
	}
	text, err := json.Marshal(drafts)
	if err != nil {
		return 0, err
	}
	if err := write(filepath.Join(p.dir, "cards.json"), string(text), 0o600); err != nil {
		return 0, err
	}
	if out, err := p.command(s.board, "import", filepath.Join(p.dir, "cards.json")).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("import: %w: %s", err, out)
	}
	states := []string{`UPDATE boards SET workflow = 'random'`}
	for i := range n {
		id := fmt.Sprintf("rnd-%d", i+1)
		states = append(states, pick(r, "", "", "",
			`UPDATE cards SET status = 'review', attempts = 0 WHERE id = '`+id+`'`,
			`UPDATE cards SET status = 'doing' WHERE id = '`+id+`'`,
			`UPDATE cards SET not_before_at_ms = unixepoch() * 1000 + 3600000 WHERE id = '`+id+`'`,
			`INSERT INTO pauses (kind, target, actor, created_at_ms) VALUES ('card', '`+id+`', 'soak', 1)`,
			`UPDATE cards SET start_requested_at_ms = 1 WHERE id = '`+id+`'`,
			`INSERT INTO blocks (card, text, asked_by, asked_at_ms) VALUES ('`+id+`', 'which?', 'worker', 1)`,
			`INSERT OR IGNORE INTO card_links (blocker, blocked, created_at_ms) SELECT 'rnd-1', '`+id+`', 1 WHERE '`+id+`' <> 'rnd-1'`))
	}
	states = slices.DeleteFunc(states, func(q string) bool { return q == "" })
	if out, err := p.command("sqlite3", filepath.Join(p.dir, "home", "board.db"), strings.Join(states, ";")).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("set states: %w: %s", err, out)
	}
	return n, nil
}
