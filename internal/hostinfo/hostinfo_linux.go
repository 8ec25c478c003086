package hostinfo

import (
	"bytes"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
)

func (s Sensors) readSystem() Reading {
	reading := Reading{CPUs: min(runtime.NumCPU(), runtime.GOMAXPROCS(0))}
	reading.Load = parseLoad(s.text("/proc/loadavg"))
	memory := parseMeminfo(s.text("/proc/meminfo"))
	memory = memory.within(groupLimit(s.text("/proc/self/cgroup"), memory.total, s.text))
	reading.MemoryBytes = memory.total
	reading.MemoryPressure, reading.PressureKnown = memory.pressure(parseStall(s.text("/proc/pressure/memory")))
	return reading
}

// text returns the content of a small file, or nothing.
func (s Sensors) text(path string) []byte {
	text, err := os.ReadFile(s.Root + path)
	if err != nil {
		return nil
	}
	return text
}

// parseLoad reads the first number of /proc/loadavg.
func parseLoad(text []byte) float64 {
	first, _, _ := strings.Cut(string(text), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return 0
	}
	return load
}

// parseMeminfo reads the four lines of /proc/meminfo that matter; it has them in kB.
func parseMeminfo(text []byte) memory {
	values := map[string]int64{}
	for line := range bytes.Lines(text) {
		name, rest, _ := strings.Cut(string(line), ":")
		switch name {
		case "MemTotal", "MemAvailable", "SwapTotal", "SwapFree":
			number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			kilobytes, err := strconv.ParseInt(number, 10, 64)
			if err == nil {
				values[name] = kilobytes << 10
			}
		}
	}
	return memory{
		total: values["MemTotal"], available: values["MemAvailable"],
		swapTotal: values["SwapTotal"], swapFree: values["SwapFree"],
	}
}

// parseStall reads "some avg10" and "full avg10" of /proc/pressure/memory, in percent of the last ten seconds.
func parseStall(text []byte) stall {
	var s stall
	for line := range bytes.Lines(text) {
		words := strings.Fields(string(line))
		if len(words) < 2 {
			continue
		}
		share, err := strconv.ParseFloat(strings.TrimPrefix(words[1], "avg10="), 64)
		if err != nil {
			continue
		}
		switch words[0] {
		case "some":
			s.some = share
		case "full":
			s.full = share
		}
	}
	return s
}

// groupLimit returns the narrowest memory limit of the control groups of this process, from the group up to the root,
// if it is under total. cgroups is /proc/self/cgroup; read returns a file's content, or nothing.
func groupLimit(cgroups []byte, total int64, read func(path string) []byte) limit {
	var narrowest limit
	for line := range bytes.Lines(cgroups) {
		fields := strings.SplitN(strings.TrimSpace(string(line)), ":", 3)
		if len(fields) != 3 {
			continue
		}
		var layout groupFiles
		switch fields[1] {
		case "":
			layout = groupFiles{root: "/sys/fs/cgroup", limit: "memory.max", usage: "memory.current", idle: "inactive_file "}
		case "memory":
			layout = groupFiles{
				root: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes", usage: "memory.usage_in_bytes",
				idle: "total_inactive_file ",
			}
		default:
			continue
		}
		narrowest = narrowest.narrower(layout.narrowest(fields[2], total, read))
	}
	return narrowest
}

// groupFiles names the files of one version of control groups.
type groupFiles struct {
	root, limit, usage string
	idle               string // the line of memory.stat that counts file pages the kernel gives up at once
}

func (f groupFiles) narrowest(group string, total int64, read func(path string) []byte) limit {
	var narrowest limit
	for ; ; group = path.Dir(group) {
		folder := path.Join(f.root, group)
		// "max" and the huge number of version 1 mean that there is no limit; then memory.stat, which is slow, is not read.
		bytesMax, err := strconv.ParseInt(strings.TrimSpace(string(read(path.Join(folder, f.limit)))), 10, 64)
		if err == nil && bytesMax > 0 && bytesMax < total {
			used := number(read(path.Join(folder, f.usage))) - f.reclaimable(read(path.Join(folder, "memory.stat")))
			narrowest = narrowest.narrower(limit{bytes: bytesMax, used: max(used, 0)})
		}
		if group == "/" || group == "." {
			return narrowest
		}
	}
}

func (f groupFiles) reclaimable(stat []byte) int64 {
	for line := range bytes.Lines(stat) {
		if rest, found := bytes.CutPrefix(line, []byte(f.idle)); found {
			return number(rest)
		}
	}
	return 0
}

func number(text []byte) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
