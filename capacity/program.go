package capacity

// MaxRuns is the cap of --max: runs in the home.
func MaxRuns(n int) Cap { return Cap{} }

// ExecutorSlots is the cap of an executor's slots: its sessions, borrowed ones apart.
func ExecutorSlots(executor string, slots int, at Source) Cap { return Cap{} }

// CoderSlots is the cap of an executor's coder slots.
func CoderSlots(executor string, slots int, at Source) Cap { return Cap{} }

// ExecutorDollars is the cap of an executor's limits.usd_per_day.
func ExecutorDollars(executor string, microsPerDay int64, at Source) Cap { return Cap{} }

// StoryConcurrency is the cap of a workflow's story.concurrency: running cards of each story. It holds starts of the
// boards named; nil: all.
func StoryConcurrency(max Limiter, boards []string, at Source) Cap { return Cap{} }

// WorkspaceSessions is the cap of repo and dir workspaces: one session in each.
func WorkspaceSessions() Cap { return Cap{} }
