package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/settings"
)

// ROS-2, 04 Exclusions: config ends when the entry, the binary or the sign-in changes, and by nothing else.
func TestFingerprint_ChangesWithEntryBinaryAndSignIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "codex")
	s, err := settings.Load(settings.Options{
		Home: home.Home{Dir: filepath.Join(dir, "home")},
		Env: func(name string) (string, bool) {
			if name == "HOME" {
				return dir, true
			}
			return "", false
		},
		LookPath: func(name string) (string, error) {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				return "", errors.New("not there")
			}
			return filepath.Join(dir, name), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	e := roster.Executor{ID: "x", Harness: "codex"}
	last := s.Fingerprint(e)
	if again := s.Fingerprint(e); again != last {
		t.Fatalf("%s, then %s, and nothing changed", last, again)
	}
	changes := func(what string) {
		t.Helper()
		now := s.Fingerprint(e)
		if now == last {
			t.Errorf("%s changed, and the fingerprint did not", what)
		}
		last = now
	}
	write(t, program, "v1")
	changes("the missing binary")
	write(t, program, "version 2")
	changes("the binary")
	write(t, filepath.Join(dir, ".codex", "auth.json"), "{}")
	changes("the sign-in")
	write(t, filepath.Join(dir, "elsewhere", "auth.json"), "{}")
	e.Env = map[string]string{"CODEX_HOME": filepath.Join(dir, "elsewhere")}
	changes("the entry")
	write(t, filepath.Join(dir, "elsewhere", "auth.json"), `{"other": 1}`)
	changes("the sign-in where the entry says that it is")
	write(t, filepath.Join(dir, ".codex", "auth.json"), `{"not": "its own"}`)
	if now := s.Fingerprint(e); now != last {
		t.Error("another account's sign-in changed the fingerprint")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
