package bench

import (
	"fmt"
	"slices"
	"strings"
)

// Result is all that was measured in one run, and where.
type Result struct {
	Machine      string // processor, cores, memory, system
	At           string // the day
	Version      string // of the program
	Starts       int    // per command
	History      int    // ended runs of each board
	Samples      map[string][]Sample
	Benchmarks   map[string]Metrics
	ProgramBytes int64
}

// Report writes the result as Markdown. What was not measured is said to be missing, never left out.
func Report(r Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Benchmarks

Written by `+"`make bench`"+`; board %s, %s.

%s

## Whole processes

Each command started %d times, in turn with the others, and compared at the 25th percentile. Ratios are the goal; the
milliseconds belong to the machine. Every board has %s ended runs, each with its session, lease and event, unless it says
otherwise. The floors are %s, a minimal program of the same stack that reads the same database, and
for Start a Go program that prints one word. TickPlan ends at a failpoint straight after the plan, so that the same four
cards can start each time.

| figure | work | ms | floor ms | ratio | goal | |
|---|---|--:|--:|--:|--:|---|
`, r.Version, r.At, r.Machine, r.Starts, thousands(r.History), "`floortick`")
	for _, f := range Figures() {
		b.WriteString(f.row(r.Samples))
	}
	b.WriteString("\n## Memory and size\n\n| figure | | goal | |\n|---|--:|--:|---|\n")
	for _, s := range Sizes() {
		b.WriteString(s.row(r.Samples))
	}
	size := float64(r.ProgramBytes) / 1e6
	fmt.Fprintf(&b, "| bin/board | %.1f MB | <= %d MB | %s |\n", size, ProgramGoalMB, verdict(size <= ProgramGoalMB))
	b.WriteString("\nMemory is the median of the peak resident size.\n")
	b.WriteString("\n## In process\n\n| figure | work | value | floor | ratio | goal | |\n|---|---|--:|--:|--:|--:|---|\n")
	for _, p := range InProcesses() {
		b.WriteString(p.row(r.Benchmarks))
	}
	b.WriteString(everyStart(r.Samples))
	return b.String()
}

func (f Figure) row(samples map[string][]Sample) string {
	mine, floor := samples[f.Name], samples[f.Floor]
	if len(mine) == 0 || len(floor) == 0 {
		return fmt.Sprintf("| %s | %s | not measured | | | %s | |\n", f.Name, f.Work, atMost(f.Goal, "x"))
	}
	ms, floorMS := quarter(mine), quarter(floor)
	ratio := ms / floorMS
	said := ""
	if f.Goal > 0 {
		said = verdict(ratio <= f.Goal)
	}
	return fmt.Sprintf("| %s | %s | %.2f | %.2f | %.2f | %s | %s |\n", f.Name, f.Work, ms, floorMS, ratio, atMost(f.Goal, "x"), said)
}

func (s Size) row(samples map[string][]Sample) string {
	mine := samples[s.Name]
	if len(mine) == 0 {
		return fmt.Sprintf("| %s | not measured | %s | |\n", s.Name, atMost(s.GoalMiB, " MiB"))
	}
	kib := make([]int64, len(mine))
	for i, m := range mine {
		kib[i] = m.MaxRSSKiB
	}
	slices.Sort(kib)
	mib := float64(kib[len(kib)/2]) / 1024
	said := ""
	if s.GoalMiB > 0 {
		said = verdict(mib <= s.GoalMiB)
	}
	return fmt.Sprintf("| %s | %.1f MiB | %s | %s |\n", s.Name, mib, atMost(s.GoalMiB, " MiB"), said)
}

func (p InProcess) row(benchmarks map[string]Metrics) string {
	goal, unit := atMost(p.Goal, ""), " "+p.Unit
	if p.AtLeast {
		goal = fmt.Sprintf(">= %g", p.Goal)
	} else if p.Goal == 0 {
		goal = "0"
	}
	value, measured := benchmarks[p.Bench][p.Unit]
	if !measured {
		return fmt.Sprintf("| %s | %s | not measured | | | %s | |\n", p.Name, p.Work, goal)
	}
	compared, floorText, ratioText := value, "", ""
	if p.Floor != "" {
		floor, measured := benchmarks[p.Floor][p.Unit]
		if !measured {
			return fmt.Sprintf("| %s | %s | %.4g%s | not measured | | %s | |\n", p.Name, p.Work, value, unit, goal)
		}
		compared = value / floor
		floorText, ratioText, goal = fmt.Sprintf("%.4g", floor), fmt.Sprintf("%.2f", compared), atMost(p.Goal, "x")
	}
	met := compared <= p.Goal
	if p.AtLeast {
		met = compared >= p.Goal
	}
	return fmt.Sprintf("| %s | %s | %.4g%s | %s | %s | %s | %s |\n",
		p.Name, p.Work, value, unit, floorText, ratioText, goal, verdict(met))
}

// everyStart lists all commands, so that a figure can be traced to what was measured.
func everyStart(samples map[string][]Sample) string {
	var b strings.Builder
	b.WriteString("\n## Every command\n\n| command | least ms | p25 ms | median ms | p90 ms | cpu ms | peak MiB |\n|---|--:|--:|--:|--:|--:|--:|\n")
	names := make([]string, 0, len(samples))
	for name := range samples {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		all := samples[name]
		wall, cpu, peak := make([]int64, len(all)), make([]int64, len(all)), int64(0)
		for i, s := range all {
			wall[i], cpu[i], peak = s.WallNS, s.CPUNS, max(peak, s.MaxRSSKiB)
		}
		slices.Sort(wall)
		slices.Sort(cpu)
		n := len(all)
		fmt.Fprintf(&b, "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f |\n", name, milli(wall[0]), milli(wall[n/4]),
			milli(wall[n/2]), milli(wall[n*9/10]), milli(cpu[n/2]), float64(peak)/1024)
	}
	return b.String()
}

// quarter is the 25th percentile of the wall times in milliseconds.
func quarter(samples []Sample) float64 {
	wall := make([]int64, len(samples))
	for i, s := range samples {
		wall[i] = s.WallNS
	}
	slices.Sort(wall)
	return milli(wall[len(wall)/4])
}

func milli(ns int64) float64 { return float64(ns) / 1e6 }

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "**missed**"
}

func atMost(goal float64, unit string) string {
	if goal == 0 {
		return ""
	}
	return fmt.Sprintf("<= %g%s", goal, unit)
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
