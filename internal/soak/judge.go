package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// judge tells from the workers' own file whether what must never happen did.
func (s *soak) judge(p place) error {
	starts, overlap, err := readLog(p.log)
	if err != nil {
		return err
	}
	if overlap > s.max {
		return fmt.Errorf("%d workers at once under a cap of %d", overlap, s.max)
	}
	for run, n := range starts {
		if n != 1 {
			return fmt.Errorf("run %s was started %d times", run, n)
		}
	}
	rows, err := p.rows(`SELECT run FROM run_history WHERE launched_at IS NOT NULL AND outcome NOT IN ('interrupted', 'spawn_failed', 'crashed') ORDER BY run`)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if starts[fmt.Sprint(r["run"])] == 0 {
			return fmt.Errorf("run %v is in the history, but no worker of it ever started", r["run"])
		}
	}
	known, err := p.rows(`SELECT run FROM run_history`)
	if err != nil {
		return err
	}
	for run := range starts {
		if !slices.ContainsFunc(known, func(r map[string]any) bool { return fmt.Sprint(r["run"]) == run }) {
			return fmt.Errorf("worker of run %s started, but the history has no such run", run)
		}
	}
	return s.nothingLeft(p)
}

// nothingLeft looks for open leases, sessions, and processes.
func (s *soak) nothingLeft(p place) error {
	for what, query := range map[string]string{
		"open leases":           `SELECT count(*) FROM leases WHERE released_at_ms IS NULL`,
		"open sessions":         `SELECT count(*) FROM sessions WHERE ended_at_ms IS NULL`,
		"cards with a lost run": `SELECT count(*) FROM cards WHERE current_run IS NOT NULL`,
	} {
		n, err := p.number(query)
		if err != nil {
			return err
		}
		if n != 0 {
			return fmt.Errorf("%d %s are left", n, what)
		}
	}
	left, err := processes(p.dir)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("processes are left: %s", strings.Join(left, ", "))
	}
	return nil
}

// readLog gives how often each run started, and how many ran at once at the most. A worker that was killed before it wrote
// its end ends where its card starts again.
func readLog(path string) (starts map[string]int, overlap int, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	starts = map[string]int{}
	open := map[string]string{} // run by card
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		switch f[1] {
		case "start":
			starts[f[0]]++
			open[f[2]] = f[0]
		case "end":
			if open[f[2]] == f[0] {
				delete(open, f[2])
			}
		}
		overlap = max(overlap, len(open))
	}
	return starts, overlap, nil
}

// processes are those whose environment names the folder of the drain.
func processes(dir string) ([]string, error) {
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil, err
	}
	var left []string
	for _, path := range all {
		env, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(env), dir+"/") {
			continue
		}
		cmd, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err != nil || len(cmd) == 0 {
			continue
		}
		left = append(left, strings.ReplaceAll(strings.TrimRight(string(cmd), "\x00"), "\x00", " "))
	}
	return left, nil
}
