package settings_test

import (
	"path/filepath"
	"testing"

	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/settings"
)

// An ending is decided inside the database's write transaction. Had the rules still to ask the database there whether a
// repository's roster is trusted, the supervisor would wait for itself, and the whole home for the lock that it holds.
func TestRules_AskNothingOnceTheyAreMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	write(t, filepath.Join(repo, ".board", "roster.yaml"), "executors: [{id: theirs, harness: exec, command: [x], roles: [coder]}]\n")
	write(t, filepath.Join(dir, ".config", "board", "roster.yaml"), "executors: [{id: mine, harness: exec, command: [x], roles: [coder]}]\n")
	made := false
	s, err := settings.Load(settings.Options{
		Home: home.Home{Dir: dir}, Hostname: "base", Mode: roster.Tick,
		Env:      func(name string) (string, bool) { return dir, name == "HOME" },
		LookPath: func(program string) (string, error) { return program, nil },
		Trusted: func(string) bool {
			if made {
				t.Error("the rules ask whether a file is trusted")
			}
			return true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	rules := s.Rules(nil, repo)
	made = true
	for _, id := range []string{"theirs", "mine", "nobody"} {
		if _, known := rules.Executor(id); known != (id != "nobody") {
			t.Errorf("%s is known: %v", id, known)
		}
	}
}
