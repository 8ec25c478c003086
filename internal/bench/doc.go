// Package bench measures the shipped program and compares it with the least that the same work can cost: a Go program
// that prints one word, and a minimal tick of the same stack (cmd/floortick). The figures, their floors and their goals
// stand in figures.go; cmd/bench builds, seeds, measures and writes docs/benchmarks.md.
//
// Whole processes are started in turn by cmd/starts, which is kept small because a child begins with its parent's
// resident size on its account. They are compared at the 25th percentile: on a shared machine the lower quarter repeats
// itself, where the mean follows the neighbours.
//
// The package fills databases of millions of rows by plain SQL. It is for measuring only, and nothing imports it but its
// own programs.
package bench
