// Command starts reads commands as JSON from standard input ([{"name", "args", "env"}]), starts them in turn for a number
// of rounds (its argument), and prints what each start took: {"name": [{"wall_ns", "cpu_ns", "max_rss_kib"}]}.
// Taking turns spreads the machine's moods evenly. A command that ends other than expected stops everything.
//
// The program imports little on purpose: Linux starts a child's peak resident size at that of the process it was forked
// from, so what is measured can never be below this program's own size.
package main

import (
	"encoding/json"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
)

const warmups = 3 // rounds thrown away: the page cache fills

type command struct {
	Name string   `json:"name"`
	Args []string `json:"args"`
	// Killed says that the command ends by SIGKILL: it carries a failpoint.
	Killed bool     `json:"killed"`
	Env    []string `json:"env"`
}

type sample struct {
	WallNS    int64 `json:"wall_ns"`
	CPUNS     int64 `json:"cpu_ns"`
	MaxRSSKiB int64 `json:"max_rss_kib"`
}

func main() {
	debug.SetGCPercent(20)
	rounds, err := strconv.Atoi(os.Args[1])
	check("rounds", err)
	var commands []command
	check("commands", json.NewDecoder(os.Stdin).Decode(&commands))
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	check("open "+os.DevNull, err)

	samples := map[string][]sample{}
	for round := range warmups + rounds {
		for _, c := range commands {
			s := start(c, null.Fd())
			if round >= warmups {
				samples[c.Name] = append(samples[c.Name], s)
			}
		}
	}
	check("print", json.NewEncoder(os.Stdout).Encode(samples))
}

func start(c command, null uintptr) sample {
	attr := &syscall.ProcAttr{Env: append(os.Environ(), c.Env...), Files: []uintptr{null, null, null}}
	began := time.Now()
	pid, err := syscall.ForkExec(c.Args[0], c.Args, attr)
	check("start "+c.Name, err)
	var status syscall.WaitStatus
	var usage syscall.Rusage
	for {
		_, err = syscall.Wait4(pid, &status, 0, &usage)
		if err != syscall.EINTR {
			break
		}
	}
	wall := time.Since(began)
	check("wait for "+c.Name, err)
	if killed := status.Signaled() && status.Signal() == syscall.SIGKILL; killed != c.Killed || !killed && status.ExitStatus() != 0 {
		_, _ = os.Stderr.WriteString("starts: " + c.Name + " ended with wait status " + strconv.Itoa(int(status)) + "\n")
		os.Exit(1)
	}
	return sample{
		WallNS:    wall.Nanoseconds(),
		CPUNS:     usage.Utime.Nano() + usage.Stime.Nano(),
		MaxRSSKiB: usage.Maxrss / rssUnit,
	}
}

func check(doing string, err error) {
	if err != nil {
		_, _ = os.Stderr.WriteString("starts: " + doing + ": " + err.Error() + "\n")
		os.Exit(1)
	}
}
