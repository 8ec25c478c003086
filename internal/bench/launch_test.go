package bench_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
)

// BenchmarkLaunchHeadless is what the tick does for each start: the run's folder, its log, and a detached process, here
// `true` in the supervisor's stead.
func BenchmarkLaunchHeadless(b *testing.B) {
	program := lookTrue(b)
	runs := b.TempDir()
	var children []int
	for i := 0; b.Loop(); i++ {
		dir := filepath.Join(runs, strconv.Itoa(i))
		if err := home.MkdirAll(dir); err != nil {
			b.Fatal(err)
		}
		log, err := os.OpenFile(filepath.Join(dir, "supervise.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			b.Fatal(err)
		}
		pid, err := process.Spawn(process.Detached{Args: []string{program}, Env: os.Environ(), Dir: dir, Log: log})
		if err != nil {
			b.Fatal(err)
		}
		_ = log.Close()
		children = append(children, pid)
	}
	bury(children)
}

// BenchmarkFloorLaunch is the least that a detached start can cost: fork, exec and setsid of `true`.
func BenchmarkFloorLaunch(b *testing.B) {
	program := lookTrue(b)
	var children []int
	for b.Loop() {
		child, err := os.StartProcess(program, []string{program}, &os.ProcAttr{
			Files: []*os.File{nil, nil, nil},
			Sys:   &syscall.SysProcAttr{Setsid: true},
		})
		if err != nil {
			b.Fatal(err)
		}
		children = append(children, child.Pid)
		_ = child.Release()
	}
	bury(children)
}

func lookTrue(b *testing.B) string {
	b.Helper()
	program, err := exec.LookPath("true")
	if err != nil {
		b.Fatal(err)
	}
	return program
}

// bury waits for the children, outside of what is timed.
func bury(children []int) {
	for _, pid := range children {
		_, _ = syscall.Wait4(pid, nil, 0, nil)
	}
}
