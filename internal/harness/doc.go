// Package harness knows how each coding-agent CLI is driven. It is pure: a Job becomes a Command (program, standard
// input, environment, files), a line of output becomes Events, and an Exit becomes a Result. It starts nothing, opens
// nothing, reads no clock and never sees the database; internal/supervise does the acting.
//
//	Job --Harness.Command--> Command          what to start
//	    --Harness.Parser---> Parser           one for each run
//	                           Line, Stderr   as the process prints
//	                           Wants          files to read once the process is gone
//	                           Finish(Exit)   Result: text, verdict, usage, failure
//
// Three rules shape every file here. The outcome is read from events before the exit code, because nearly every CLI
// ends 0 after some failure (facts, section 0). A class is decided from structured fields first and from the CLI's own
// error line second, never from what the agent said (HAR-2). What a CLI does not tell stays empty; nothing is guessed.
package harness
