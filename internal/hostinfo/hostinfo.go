// Package hostinfo reads what caps may ask of this machine: memory and its pressure, load, processors, free disk.
//
// A Reading is a plain value: whoever decides is given one, and tests make their own. Reading costs well under a
// millisecond, starts nothing and writes nothing.
package hostinfo

import (
	"os"
	"strings"
)

// MemoryPressure says how short of memory a machine is.
type MemoryPressure string

const (
	// Low says that there is memory for more sessions. It is also said where it cannot be known (Reading.PressureKnown).
	Low MemoryPressure = "low"
	// Elevated says that under 20 % of memory and swap is available, or that the kernel sees work wait for memory.
	Elevated MemoryPressure = "elevated"
	// Critical says that under 10 % of memory and swap is available, or that the kernel sees all work wait for memory.
	Critical MemoryPressure = "critical"
)

// Reading is what the sensors said at one moment. A number that could not be read is 0.
type Reading struct {
	Name           string // hostname, normalised by Normalise
	MemoryPressure MemoryPressure
	PressureKnown  bool    // false: MemoryPressure is Low for want of knowledge
	Load           float64 // of the last minute
	CPUs           int     // that this process may use
	MemoryBytes    int64   // installed, or the control group's limit if that is less
	FreeDiskBytes  int64   // free for this user on the file system of the folder read
}

// Read asks the sensors of this machine; dir is the folder whose file system matters, usually the home.
func Read(dir string) Reading { return Sensors{}.Read(dir) }

// Sensors is where readings come from. The zero Sensors is this machine.
type Sensors struct {
	Root string // folder that /proc and /sys are read below (Linux); for tests
}

// Read asks the sensors; dir is the folder whose file system matters.
func (s Sensors) Read(dir string) Reading {
	reading := s.readSystem()
	reading.FreeDiskBytes = freeDisk(dir)
	if name, err := os.Hostname(); err == nil {
		reading.Name = Normalise(name)
	}
	return reading
}

// Normalise makes a hostname comparable: lower case, without its domain.
func Normalise(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(name)), ".")
	return name
}

// sessionBytes is the memory that one agent session is taken to need (02-workflow: one per 2 GiB).
const sessionBytes = 2 << 30

// DefaultMaxSessions is host.max_sessions where no configuration names it: one per 2 GiB of memory, from 1 to 8.
// Unknown memory (0) gives 1.
func DefaultMaxSessions(memoryBytes int64) int {
	return int(min(max(memoryBytes/sessionBytes, 1), 8))
}
