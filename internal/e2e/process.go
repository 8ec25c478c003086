package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// processes are the live processes whose environment names the world's folder: all that it has started, wherever they went.
func (w *world) processes() []int {
	names, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var pids []int
	for _, name := range names {
		env, err := os.ReadFile(filepath.Join(name, "environ")) // empty for a zombie
		if err != nil || !bytes.Contains(env, []byte(w.dir)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(name)); err == nil {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// running are the processes whose command line has each of words.
func (w *world) running(words ...string) []int {
	return slices.DeleteFunc(w.processes(), func(pid int) bool {
		line := commandLine(pid)
		return slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) })
	})
}

func commandLine(pid int) string {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return ""
	}
	return string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
}

// named tells of processes for people.
func named(pids []int) string {
	var parts []string
	for _, pid := range pids {
		parts = append(parts, fmt.Sprintf("%d %.60s", pid, commandLine(pid)))
	}
	return strings.Join(parts, ", ")
}

func syscallKill(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }

// parent is the parent of a process; 0 when it is gone.
func parent(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "PPid:"); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(rest))
			return n
		}
	}
	return 0
}
