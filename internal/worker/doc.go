// Package worker is both sides of the protocol between a worker and the board (WRK-1).
//
// A worker's verb writes a request file into its session's outbox and waits for an answer file beside it. Whoever serves
// the outbox (the session's supervisor, or a tick when there is none) applies each request once and answers it. Nothing
// else passes between them, so a worker needs no database and no network, whatever sandbox it runs in.
//
//	outbox/<name>.request   0600, written whole by rename; it holds the secret, and is removed when it is answered
//	outbox/<name>.answer    0600, written whole by rename; the verb reads and removes it
//	outbox/closed           the session has ended: why nothing is applied any more
//
// Names sort by the time of writing, and requests are applied in that order. A request carries the session's secret, which
// alone says whose it is (WRK-2); what it claims beside that is not believed.
//
// The package starts no process and knows nothing of harnesses.
package worker
