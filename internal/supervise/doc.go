// Package supervise is the process that runs one session of an agent: `board supervise RUN`.
package supervise
