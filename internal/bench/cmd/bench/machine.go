package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes what was measured on, as far as the system says it in files.
func machine() string {
	parts := []string{fmt.Sprintf("%d cores", runtime.NumCPU()), runtime.GOOS + "/" + runtime.GOARCH, runtime.Version()}
	if name := field("/proc/cpuinfo", "model name"); name != "" {
		parts = append([]string{name}, parts...)
	}
	if memory := field("/proc/meminfo", "MemTotal"); memory != "" {
		parts = append(parts, memory+" of memory")
	}
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		parts = append(parts, "kernel "+strings.TrimSpace(string(kernel)))
	}
	return strings.Join(parts, ", ") + "."
}

// field is the value of the first line of a /proc file that begins with name, or nothing.
func field(path, name string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
