// Package board is the domain and its file: cards, runs, sessions and leases as values, the decisions about how a run ends,
// and one Store that keeps them in SQLite.
//
// A run's way:
//
//	claimed ──supervisor wins──> running ──everything it started is gone──> ended
//	   │  └─lock free 30 s: launched again, 3 times          ^
//	   │                                                      │ host silent / answers
//	   └──spawn failed, stopped──> ended              waiting_host
//
// Deciding and writing are apart: Ending is a pure function of an EndingFacts, and Store.Settle applies it in one
// transaction; Store.Claim hands a fresh View to the caller's decision and writes what it answers. Every write is one short
// IMMEDIATE transaction behind the lock of DB-1, and appends its event.
//
// SQL stands in store*.go only. The package starts no process, reads no clock and knows no caps: those are the dispatcher's.
package board
