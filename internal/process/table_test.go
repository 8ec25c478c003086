package process_test

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/seed-2ddc2152/board/internal/process"
)

// Holds LIV-1.
func TestCheck_FollowsAProcessToItsEnd(t *testing.T) {
	t.Parallel()
	table := open(t)
	cmd := child(t, "/bin/sleep", "60")
	id := of(t, table, cmd.Process.Pid)
	if got := table.Check(id); got != process.Alive {
		t.Errorf("running: got %s", got)
	}
	if id.PGID != id.PID {
		t.Errorf("got group %d, want its own (%d)", id.PGID, id.PID)
	}
	reused := id
	reused.StartTime--
	if got := table.Check(reused); got != process.Dead {
		t.Errorf("pid used again: got %s", got)
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if got := table.Check(id); got != process.Alive {
		t.Errorf("stopped: got %s", got)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	until(t, "zombie", func() bool {
		entry, err := table.Entry(id.PID)
		return err == nil && entry.Zombie
	})
	if got := table.Check(id); got != process.Dead {
		t.Errorf("zombie: got %s", got)
	}
	_ = cmd.Wait()
	if got := table.Check(id); got != process.Dead {
		t.Errorf("buried: got %s", got)
	}
}

func TestEntry_ReadsNamesWithBlanksAndParentheses(t *testing.T) {
	t.Parallel()
	table := open(t)
	odd := t.TempDir() + "/a) b (c"
	if err := os.Symlink("/bin/sleep", odd); err != nil {
		t.Fatal(err)
	}
	cmd := child(t, odd, "60")
	entry, err := table.Entry(cmd.Process.Pid)
	if err != nil || entry.Parent != os.Getpid() || entry.Command != "a) b (c" || entry.ID.PGID != cmd.Process.Pid {
		t.Errorf("got %+v, %v", entry, err)
	}
}

func TestSelf_IsAlive(t *testing.T) {
	t.Parallel()
	table := open(t)
	self, err := table.Self()
	if err != nil || self.PID != os.Getpid() || table.Check(self) != process.Alive || table.Rebooted(self) {
		t.Errorf("got %+v, %v", self, err)
	}
}

// SUP-5: a daemon that forked twice has left its group and its parent; the launch key in its environment finds it.
func TestFindByEnv_FindsADaemonThatForkedTwice(t *testing.T) {
	t.Parallel()
	table := open(t)
	key := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", "(setsid sleep 61 >/dev/null 2>&1 &)")
	cmd.Env = []string{"PATH=/usr/bin:/bin", "XKEY=other", "KEY=" + key}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	found := table.FindByEnv("KEY", key)
	if len(found) != 1 || slices.ContainsFunc(table.Descendants(os.Getpid()), func(e process.Entry) bool { return e.ID.PID == found[0].ID.PID }) {
		t.Fatalf("got %+v, want the daemon, which is nobody's descendant", found)
	}
	if got := table.FindByEnv("KEY", key+"x"); len(got) != 0 {
		t.Errorf("another key: got %+v", got)
	}
	tree := process.Tree{EnvKey: "KEY", EnvValue: key}
	if refused := table.SignalAll(table.Members(tree), syscall.SIGKILL); len(refused) != 0 {
		t.Errorf("refused: %+v", refused)
	}
	until(t, "no member left", func() bool { return len(table.Members(tree)) == 0 })
	if tree.Except = []int{found[0].ID.PID}; len(table.Members(tree)) != 0 {
		t.Error("an excepted process is a member")
	}
}

// Holds SUP-5.
func TestMembers_AreRootDescendantsAndGroup(t *testing.T) {
	t.Parallel()
	table := open(t)
	// A child in the group whose parent is gone, and a grandchild in a session of its own.
	cmd := child(t, "/bin/sh", "-c", "(sleep 62 &); setsid sleep 62 & sh -c 'sleep 62; true' & wait")
	root := of(t, table, cmd.Process.Pid)
	tree := process.Tree{Root: root}
	count := func() (sleeps int) {
		for _, e := range table.Members(tree) {
			if e.Command == "sleep" {
				sleeps++
			}
		}
		return sleeps
	}
	until(t, "three sleeping members", func() bool { return count() == 3 })
	members := table.Members(tree)
	if !slices.ContainsFunc(members, func(e process.Entry) bool { return e.ID == root }) {
		t.Errorf("got %+v, want the root in it", members)
	}
	if !slices.IsSortedFunc(members, func(a, b process.Entry) int { return a.ID.PID - b.ID.PID }) {
		t.Errorf("got %+v, want them by pid", members)
	}
	table.SignalAll(members, syscall.SIGKILL)
	_ = cmd.Wait()
	until(t, "all gone", func() bool {
		return !slices.ContainsFunc(members, func(e process.Entry) bool { return table.Check(e.ID) == process.Alive })
	})
	if got := table.Members(tree); len(got) != 0 {
		t.Errorf("a root that is gone: got %+v, want nobody", got)
	}
	reused := of(t, table, os.Getpid())
	reused.StartTime++
	if got := table.Members(process.Tree{Root: reused}); len(got) != 0 {
		t.Errorf("a root whose pid is used again: got %+v, want nobody", got)
	}
}

// TickLive1000 (08): 1,000 checks of living processes, floor 15 ms.
func BenchmarkCheck1000(b *testing.B) {
	table, err := process.Open()
	if err != nil {
		b.Fatal(err)
	}
	self, err := table.Self()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for range 1000 {
			if table.Check(self) != process.Alive {
				b.Fatal("not alive")
			}
		}
	}
}

func BenchmarkFindAllByEnv(b *testing.B) {
	table, err := process.Open()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		table.FindAllByEnv("BOARD_LAUNCH")
	}
}
