// Package supervise is the process that runs one session of an agent: `board supervise RUN`.
//
// A supervisor takes a run, makes its workspace and its prompt, starts the harness, keeps its output, serves its worker's
// outbox, holds it to its limits, proves that everything it started is gone, and settles. It is once only: whatever is killed
// at whatever moment, no second worker is started beside a first, and no result is lost (DSP-8).
//
//	lock ──> begin ──> workspace ──> prompt ──> shim ──> identity ──> running ──> ended ──> exit.json ──> settled
//	  │        │           │            │         │          │            │          │           │
//	  │        │           └────────────┴─────────┴──────────┴────────────┴──────────┘           │
//	  │        │     killed here: the lock is free, exit.json is not there. A tick stops what lives by   │
//	  │        │     launch key and identity, and when nothing does, settles the run as crashed.         │
//	  │        └ killed before it: the claim stands, and a tick launches it again after 30 s.    a tick settles from exit.json
//	  └ taken: another supervisor has the run; this one ends and has done nothing.
//
// Nothing is started before Begin has won the run. The harness starts behind a shim and runs only when its identity is
// stored. exit.json is written only when nothing lives; what survives KILL keeps its supervisor waiting, and its place
// (LIV-3).
//
// A supervisor is a child subreaper: what an agent leaves behind, however often it forked, becomes a child of it and is found
// below it. So it must be a process of its own; a program that has other children cannot call Run.
//
// A session holds what lives as long as the agent's process: secret, launch key, outbox, tree. A turn is one run in it. A
// headless session has one turn.
//
// The package holds no SQL and decides nothing about cards: board.Store.Settle does.
package supervise
