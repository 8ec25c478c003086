package capacity

import (
	"strconv"
	"time"
)

// The caps in this file stand for limits that are written elsewhere (CAP-19). They are tried before those of files.

// MaxRuns is the cap of --max: runs in the home.
func MaxRuns(n int) Cap {
	return Cap{Name: "--max", Origin: FromMax, Source: Source{Key: "--max"}, Counts: Runs, Max: Fixed(int64(n))}
}

// ExecutorSlots is the cap of an executor's slots: its sessions, borrowed ones apart.
func ExecutorSlots(executor string, slots int, at Source) Cap {
	return Cap{
		Name: "slots of " + executor, Origin: FromSlots, Source: at,
		Counts: Sessions, Scope: []Dimension{Executor},
		Where: Filter{Executor: []string{executor}, Borrowed: new(false)},
		Max:   Fixed(int64(slots)),
	}
}

// CoderSlots is the cap of an executor's coder slots.
func CoderSlots(executor string, slots int, at Source) Cap {
	c := ExecutorSlots(executor, slots, at)
	c.Name = "coder slots of " + executor
	c.Where.Role = []string{"coder"}
	return c
}

// ExecutorDollars is the cap of an executor's limits.usd_per_day, over the last 24 hours.
func ExecutorDollars(executor string, microsPerDay int64, at Source) Cap {
	return Cap{
		Name: "dollars per day of " + executor, Origin: FromDollars, Source: at,
		Counts: Spend, Scope: []Dimension{Executor}, Window: 24 * time.Hour,
		Where: Filter{Executor: []string{executor}},
		Max:   Fixed(microsPerDay),
	}
}

// StoryConcurrency is the cap of a workflow's story.concurrency: running cards of each story. It holds starts of the
// boards named; nil: all. The name has to tell it from that of other workflows.
func StoryConcurrency(name string, limit Limiter, boards []string, at Source) Cap {
	return Cap{
		Name: name, Origin: FromStory, Source: at,
		Counts: Runs, Scope: []Dimension{Story}, Where: Filter{Story: new(true)},
		Max: limit, Boards: boards,
	}
}

// WorkspaceSessions is the cap of repo and dir workspaces: one session in each.
func WorkspaceSessions() Cap {
	return Cap{
		Name: "sessions in a shared workspace", Origin: FromWorkspace, Source: Source{Key: "workspace"},
		Counts: Sessions, Scope: []Dimension{Workspace}, Where: Filter{Workspace: []string{"*"}},
		Max: Fixed(1),
	}
}

// Dollars writes micro-dollars for people: "12.50".
func Dollars(micros int64) string { return strconv.FormatFloat(float64(micros)/1e6, 'f', 2, 64) }
