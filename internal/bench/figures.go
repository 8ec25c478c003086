package bench

import (
	"slices"
	"strings"
)

// Sample is one start of a program.
type Sample struct {
	WallNS    int64 `json:"wall_ns"`
	CPUNS     int64 `json:"cpu_ns"`
	MaxRSSKiB int64 `json:"max_rss_kib"`
}

// Command is one program to start in turn with the others; the JSON is what cmd/starts reads.
type Command struct {
	Name string   `json:"name"`
	Args []string `json:"args"`
	// Killed says that the command is expected to end by SIGKILL.
	Killed bool     `json:"killed"`
	Env    []string `json:"env"`
}

// Figure compares the wall times of two commands, both at the 25th percentile.
type Figure struct {
	Name  string
	Work  string
	Floor string  // the command that Name is compared with
	Goal  float64 // the largest ratio that is good enough; 0 sets no goal
}

// Figures are the whole-process figures of the specification (08), in the order of the report.
func Figures() []Figure {
	return []Figure{
		{"TickNoop", "10k cards, none ready, 20 live, a long history", "FloorNoop", 1.5},
		{"TickNoop", "a long history against a hundredth of it", "TickNoop/short", 1.1},
		{"TickPlan/1k", "1k cards ready, 4 may start: a tick up to its plan", "FloorPlan/1k", 1.6},
		{"TickPlan/10k", "10k cards ready, 4 may start: a tick up to its plan", "FloorPlan/10k", 1.6},
		{"TickPlan/100k", "100k cards ready, 4 may start: a tick up to its plan", "FloorPlan/100k", 1.6},
		{"DryRunExplain/1k", "a reason for each of 1k cards, JSON", "FloorExplain/1k", 2},
		{"DryRunExplain/10k", "a reason for each of 10k cards, JSON", "FloorExplain/10k", 2},
		{"DryRunExplain/100k", "a reason for each of 100k cards, JSON", "FloorExplain/100k", 2},
		{"Start", "`board version`", "Hello", 3},
	}
}

// Size bounds the peak resident memory of a command.
type Size struct {
	Name    string
	GoalMiB float64
}

// Sizes are the memory figures of the specification (08).
func Sizes() []Size {
	return []Size{
		{"TickNoop", 16},
		{"DryRunExplain/100k", 40},
		{"Hello", 0},
	}
}

// ProgramGoalMB bounds the file bin/board, in millions of bytes.
const ProgramGoalMB = 20

// InProcess is a figure that a Go benchmark reports under a unit, alone or as a ratio to another benchmark's.
type InProcess struct {
	Name  string // of the figure
	Work  string
	Bench string // without "Benchmark" and the number of processors
	Unit  string
	Floor string // "" compares the value itself with Goal
	Goal  float64
	// AtLeast turns the goal around: the value must not be below it.
	AtLeast bool
}

// InProcesses are the figures of Go benchmarks of the specification (08).
func InProcesses() []InProcess {
	return []InProcess{
		{"PlanCPU", "20 caps: 5 expressions, filters, 2 reserves; a card", "Admit/room", "ns/op", "", 250, false},
		{"Claim/1", "synchronous=FULL, one per transaction", "Claim/1", "ns/claim", "FloorClaim/1", 1.5, false},
		{"Claim/10", "synchronous=FULL, ten per transaction", "Claim/10", "ns/claim", "FloorClaim/10", 1.5, false},
		{"LaunchHeadless", "spawn a detached `true` with its folder and log", "LaunchHeadless", "ns/op", "FloorLaunch", 1.6, false},
		{"LaunchPane", "open a tmux window that runs `true`, with its environment handed over", "LaunchPane", "ns/op", "FloorPane", 1.3, false},
		// The floor of the specification, 15 ms, was measured elsewhere.
		{"TickLive1000", "1,000 live processes checked by pid and start time", "Check1000", "ns/op", "", 1.5 * 15e6, false},
		{"Contention", "8 processes claim for 3 s: the longest wait", "Contention", "worst-ms", "", 400, false},
		{"Contention", "the same: least over most claims of a process", "Contention", "share", "", 0.3, true},
		{"Contention", "the same: claims that saw SQLITE_BUSY", "Contention", "busy", "", 0, false},
	}
}

// GoBenchPattern is what `go test -bench` is to run for InProcesses.
func GoBenchPattern() string {
	var names []string
	for _, p := range InProcesses() {
		for _, name := range []string{p.Bench, p.Floor} {
			name, _, _ = strings.Cut(name, "/")
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return "^Benchmark(" + strings.Join(names, "|") + ")$"
}
