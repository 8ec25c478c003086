package bench_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/panes"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/tmux"
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

// BenchmarkLaunchPane is what the tick does for each start of a pane: the environment handed over, and a window in the home's
// tmux server, here of `true` in the board's stead.
func BenchmarkLaunchPane(b *testing.B) {
	h := home.Home{Dir: b.TempDir()}
	server := tmux.New(tmux.Config{Home: h.Dir, Environ: os.Environ()})
	host := &panes.Local{Host: "here", Home: h, Program: lookTrue(b), Environ: os.Environ(), Tmux: server}
	keepServer(b, server.Name())
	for i := int64(1); b.Loop(); i++ {
		if _, err := host.Open(b.Context(), dispatch.PaneWindow{Run: i, Board: "bench", Name: "a card"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFloorPane is the least that a window can cost: one call of tmux.
func BenchmarkFloorPane(b *testing.B) {
	program, name := lookTrue(b), tmux.SocketName(b.TempDir())
	keepServer(b, name)
	for b.Loop() {
		if err := exec.Command("tmux", "-L", name, "new-window", "-d", "-t", "=bench:", "--", program, "x").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

// keepServer starts a tmux server with one window that stays, and ends it with the benchmark.
func keepServer(b *testing.B, name string) {
	b.Helper()
	words := []string{
		"-L", name, "-f", "/dev/null", "start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";",
		"new-session", "-d", "-s", "bench", "--", "sleep", "600",
	}
	if out, err := exec.Command("tmux", words...).CombinedOutput(); err != nil {
		b.Fatalf("tmux: %v: %s", err, out)
	}
	b.Cleanup(func() { _ = exec.Command("tmux", "-L", name, "kill-server").Run() })
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
