// Package roster decides who serves a run.
//
// A roster is a list of executors: a harness and a model with slots. Load reads it from one or two documents, merges and
// narrows them, and reports every problem at once. Everything else here is a pure decision over a State, which the caller
// builds from stored rows and the time:
//
//	State.Offers    who could take a run, best first, or why nobody can     (ROS-2, 3, 6, 13, 14)
//	State.With      the state after one of these was taken, for a plan      (ROS-4)
//	Assess          what a run's ending means for its executor              (ROS-7, 8, 10, 11)
//	NextAfter       what becomes of the card then                           (ROS-16, 17, 18)
//	State.Refresh   which exclusions have passed, and who is back           (ROS-9)
//	RowOfFailures   whether unexplained endings in a row are an outage      (ROS-21)
//
// The state of one executor:
//
//	            usage limit, outage, ... (Assess)
//	in the round ------------------------------> out: until | health | config
//	     ^  ^                                              |
//	     |  +----------- it passes (Refresh) --------------+
//	     |
//	     +--- resumed, or --for passes --- paused by hand (a row of its own; ends nothing else)
//
// Only signals of the infrastructure take an executor out. The quality of its work fails the work.
//
// The package reads no clock, no environment and no database; files.go alone reads files, from paths that it is given.
package roster
