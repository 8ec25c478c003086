package roster_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/roster"
)

// Scenario 11.
func TestReadFiles_ReadsWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	user := filepath.Join(dir, "user.yaml")
	if err := os.WriteFile(user, []byte("executors: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing.yaml")

	s, err := roster.ReadFiles(roster.Paths{User: user, Repo: missing})
	if err != nil || s.User == nil || s.User.Path != user || s.Repo != nil {
		t.Errorf("got %+v, %v; want the user's file alone", s, err)
	}
	s, err = roster.ReadFiles(roster.Paths{User: user, Setting: "none"})
	if err != nil || !s.None || s.User != nil {
		t.Errorf("none: got %+v, %v", s, err)
	}
	s, err = roster.ReadFiles(roster.Paths{User: missing, Setting: user})
	if err != nil || s.Only == nil || s.User != nil {
		t.Errorf("a path: got %+v, %v; want that file alone", s, err)
	}
	_, err = roster.ReadFiles(roster.Paths{User: user, Setting: missing})
	if !errors.Is(err, roster.ErrNoFile) || !strings.Contains(err.Error(), missing) {
		t.Errorf("a path that is not there: got %v, want ErrNoFile with the path", err)
	}
	if _, err = roster.ReadFiles(roster.Paths{User: dir}); err == nil {
		t.Error("a folder: got no error")
	}
}
