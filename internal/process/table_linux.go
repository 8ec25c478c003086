package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"syscall"
)

// readHere reads the boot id and the inode of the pid namespace.
func readHere() (Here, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return Here{}, fmt.Errorf("read boot id: %w", err)
	}
	var namespace syscall.Stat_t
	if err := syscall.Stat("/proc/self/ns/pid", &namespace); err != nil {
		return Here{}, fmt.Errorf("read pid namespace: %w", err)
	}
	return Here{BootID: strings.TrimSpace(string(boot)), PIDNamespace: namespace.Ino}, nil
}

// statBytes holds any /proc/PID/stat: 52 numbers of at most 20 digits and a name of at most 64 bytes.
const statBytes = 1536

// readEntry reads /proc/PID/stat with plain system calls: a tick does this for every live session, and os.ReadFile
// costs three times as much. BootID and PIDNamespace are left empty.
func readEntry(pid int) (Entry, error) {
	var buffer [statBytes]byte
	fd, err := openRetry("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Entry{}, goneOr(err)
	}
	n, err := readRetry(fd, buffer[:])
	_ = syscall.Close(fd)
	if err != nil {
		return Entry{}, goneOr(err)
	}
	return parseStat(pid, buffer[:n])
}

func openRetry(path string) (int, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if !errors.Is(err, syscall.EINTR) {
			return fd, err
		}
	}
}

func readRetry(fd int, buffer []byte) (int, error) {
	for {
		n, err := syscall.Read(fd, buffer)
		if !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}

// goneOr turns the two ways in which /proc says "no such process" into ErrGone.
func goneOr(err error) error {
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ESRCH) {
		return ErrGone
	}
	return err
}

// Fields of /proc/PID/stat after the name, counted from the state (proc_pid_stat(5) has state as field 3).
const (
	statState = 0
	statPPID  = 1
	statPGRP  = 2
	statStart = 19
)

// parseStat reads one stat line. The name stands in parentheses and may itself have blanks and parentheses, so fields
// count from the last ")".
func parseStat(pid int, stat []byte) (Entry, error) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return Entry{}, fmt.Errorf("read /proc/%d/stat: no name in %q", pid, stat)
	}
	var numbers [statStart + 1]uint64
	var state byte
	rest := stat[end+1:]
	for i := range numbers {
		rest = bytes.TrimLeft(rest, " ")
		field, after, _ := bytes.Cut(rest, []byte{' '})
		if len(field) == 0 {
			return Entry{}, fmt.Errorf("read /proc/%d/stat: only %d fields", pid, i)
		}
		if i == statState {
			state = field[0]
		} else {
			numbers[i] = digits(field)
		}
		rest = after
	}
	return Entry{
		ID:      Identity{PID: pid, StartTime: numbers[statStart], PGID: int(numbers[statPGRP])},
		Parent:  int(numbers[statPPID]),
		Zombie:  state == 'Z' || state == 'X' || state == 'x',
		Command: string(stat[open+1 : end]),
	}, nil
}

// digits reads a number; what is negative (the kernel's -1 for "none") is 0.
func digits(field []byte) uint64 {
	var n uint64
	for _, c := range field {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + uint64(c-'0')
	}
	return n
}

// listPIDs returns the pids in /proc in ascending order.
func listPIDs() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	sort.Ints(pids)
	return pids
}

// readEnv returns the value of key in the environment that pid was started with. Zombies have none.
func readEnv(pid int, key string) (value string, ok bool) {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return "", false
	}
	prefix := []byte(key + "=")
	for len(environ) > 0 {
		var pair []byte
		pair, environ, _ = bytes.Cut(environ, []byte{0})
		if bytes.HasPrefix(pair, prefix) {
			return string(pair[len(prefix):]), true
		}
	}
	return "", false
}
