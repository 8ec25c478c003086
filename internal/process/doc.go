// Package process knows the processes of this machine: who they are, whether they live, what they started, and how to
// signal, lock and start them without ever touching one that is not ours.
//
// A process is named by its Identity and never by its pid alone: pids are used again, by anybody. Everything that acts
// on a process first proves the identity (LIV-1); what cannot be proved is Unknown and is left alone.
//
// The real process table is Table. Code that decides takes the Prober interface, which is the seam where tests put a
// table of their own.
//
// The package knows nothing of cards, runs or databases, reads no environment variable and writes to no terminal.
//
// On Linux all of it works. On macOS there is no subreaper and no launch-key search: a session there is its process
// group (SUP-5), and FindByEnv finds nothing.
package process
