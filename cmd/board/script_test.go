package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"board": main})
}

// TestScript drives the real program: each script is one verb's success, or one of its exit codes.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exitsWith,
		},
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "user")
			for _, v := range [][2]string{
				{"HOME", home},
				{"BOARD_HOME", filepath.Join(env.WorkDir, "home")},
				{"XDG_CONFIG_HOME", ""},
				{"XDG_DATA_HOME", ""},
				{"USER", "ada"},
				{"LANG", "C.UTF-8"},
				{"TZ", "UTC"},
				{"GIT_CONFIG_GLOBAL", "/dev/null"},
				{"GIT_CONFIG_NOSYSTEM", "1"},
				{"GIT_CEILING_DIRECTORIES", filepath.Dir(env.WorkDir)}, // a repository above the folder is nobody's here
				{"GIT_AUTHOR_NAME", "Ada"},
				{"GIT_AUTHOR_EMAIL", "ada@example.org"},
				{"GIT_COMMITTER_NAME", "Ada"},
				{"GIT_COMMITTER_EMAIL", "ada@example.org"},
			} {
				env.Setenv(v[0], v[1])
			}
			return os.MkdirAll(home, 0o700)
		},
	})
}

// exitsWith is `exits CODE command...`: the command ends with exactly that exit code.
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s: exit %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}
