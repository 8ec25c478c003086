// Package dispatch is the tick: it looks, decides, and acts, in a straight road of steps that never call back.
//
//	observe   reads rows, files, processes, hosts, the clock    -> Snapshot
//	plan      pure: what ends, what stops, what starts, what waits and why -> Plan
//	stop      signals what must end, without waiting for it
//	settle    writes each ending, one transaction each
//	claim     per start one transaction: looks again, counts again, leases, creates the run
//	launch    spawns supervisors; is handed no store
//	report    tells, and records the tick
//
// What a crash leaves for the next tick:
//
//	after observe, plan    nothing
//	after stop             stored requests; the next tick signals again, and KILLs ten seconds after the request
//	half of settle         the endings recorded are recorded; exit.json tells the rest
//	after a claim          a claimed run whose lock is free: it counts, and is launched again after thirty seconds
//	after a spawn          the supervisor's own affair (package supervise)
//
// MakePlan decides about one card in one place, planner.judge: the plan of a tick, the second look inside a claim, a dry
// run, `board why` and `board status` are the same function over different snapshots.
package dispatch
