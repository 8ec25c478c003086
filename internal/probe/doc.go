// Package probe proves that executors run: it finds each one's program, asks it for its version, its sign-in and its flags,
// and asks its health URL (HAR-7, HAR-8). What to ask and how to read the answers is internal/harness's; this package does
// the asking.
//
//	Prober.Check     what is so of given executors, each with what would go wrong before a run does
//	Prober.Findings  what is so of the agents on PATH, for the roster that `board init` writes
//
// A program is asked as a run would start it: with the environment that a run gets, none of the caller's own session in it,
// nothing on standard input, in an empty folder. It has ten seconds, and is ended with everything that it started. Nothing
// is spent unless Live is set: then each executor answers one question.
//
// It writes nothing to the board, and judges nothing but what it was told: what cannot be known is said to be unknown.
package probe
