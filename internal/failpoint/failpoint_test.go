package failpoint_test

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/seed-2ddc2152/board/internal/failpoint"
)

// TestMain makes the test program play the program that dies: "hit VALUE NAME".
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Arg(0) != "hit" {
		m.Run()
		return
	}
	set, err := failpoint.New(flag.Arg(1))
	if err != nil {
		panic(err)
	}
	set.Hit(flag.Arg(2))
}

// dies runs the program through a step and reports whether it was killed.
func dies(t *testing.T, value, name string) bool {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	err = exec.Command(self, "hit", value, name).Run()
	if err == nil {
		return false
	}
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("hit %q %q: %v", value, name, err)
	}
	return true
}

func TestHit_KillsAtTheNamedStepsOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value, name string
		want        bool
	}{
		{"", "claim.after", false},
		{"claim.after", "claim.after", true},
		{"claim.after", "claim.each", false},
		{"plan.after,claim.after", "claim.after", true},
		{"claim.after@/no/such/folder/file", "claim.after", false},
	} {
		if got := dies(t, c.value, c.name); got != c.want {
			t.Errorf("%q at %s: died = %v, want %v", c.value, c.name, got, c.want)
		}
	}
}

func TestHit_KillsOnceWithAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "fired")
	if !dies(t, "claim.after@"+file, "claim.after") || dies(t, "claim.after@"+file, "claim.after") {
		t.Error("want the first of two processes to die")
	}
}

func TestNew_RefusesWhatNamesNothing(t *testing.T) {
	t.Parallel()
	for _, value := range []string{",", "@file", "claim.after@", "claim.after,"} {
		if set, err := failpoint.New(value); err == nil {
			t.Errorf("New(%q) = %+v, want an error", value, set)
		}
	}
}

func TestNames_AreDistinct(t *testing.T) {
	t.Parallel()
	names := failpoint.Names()
	slices.Sort(names)
	if got := slices.Compact(slices.Clone(names)); len(got) != len(names) {
		t.Errorf("got %v, want no name twice", names)
	}
}
