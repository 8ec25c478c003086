package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// bad is a program that is not what the roster hopes for.
type bad struct {
	name, about string
	make        func(path string) error // puts the program there; nil: the real one, with nobody signed in
	needs       []string                // as in testCase
	outcome     string
	run         string // must be in the run's reason
	check       string // must be in what board roster check says
}

func bads() []testCase {
	var list []testCase
	for _, b := range badTable() {
		list = append(list, testCase{name: "bad-" + b.name, about: b.about, needs: b.needs, play: b.play})
	}
	return list
}

func badTable() []bad {
	script := func(text string, mode os.FileMode) func(path string) error {
		return func(path string) error {
			if err := writeFile(path, "#!/bin/sh\n"+text+"\n"); err != nil {
				return err
			}
			return os.Chmod(path, mode)
		}
	}
	const answers = "case \"$*\" in *--version*) echo 0.0.1;; *--help*) echo 'usage: --model NAME --json';; " +
		"*status*|*'auth list'*|*'auth check'*) exit 64;; *) cat >/dev/null; "
	return []bad{
		{name: "missing", about: "the program is not there", make: func(string) error { return nil }, outcome: "harness_missing", run: "", check: "not"},
		{name: "noexec", about: "the program may not be executed", make: script("exit 0", 0o600), outcome: "harness_missing", check: "execut"},
		{
			name: "old", about: "a version that does not know the flags", outcome: "failed", run: "unknown option", check: "does not know",
			make: script(answers+"echo \"error: unknown option '--output-format'\" >&2; exit 2;; esac", 0o700),
		},
		{
			name: "silent", about: "it ends well without any event", outcome: "failed", run: "ended",
			make: script(answers+"exit 0;; esac", 0o700), check: "does not know",
		},
		{
			name: "flood", about: "it prints a gibibyte without an event", outcome: "failed", run: "ended", needs: []string{"claude"},
			make: script(answers+"yes \"{\\\"type\\\":\\\"noise\\\",\\\"text\\\":\\\"$(printf %01000d 0)\\\"}\" | head -c 1073741824; exit 1;; esac", 0o700), check: "does not know",
		},
		{name: "signin", about: "nobody is signed in", outcome: "unauthenticated", check: "sign"},
	}
}

// checkTries bounds how often a check is made: a CLI that is slow to start on a busy machine gives no answer in time.
const checkTries = 3

func (b bad) play(ctx context.Context, t *trial) error {
	w := t.world
	if err := w.seat(t.agent, "coder", false, "coder"); err != nil {
		return err
	}
	if b.make == nil {
		w.signOut(t.agent)
	} else {
		path := filepath.Join(w.dir, "bad", t.agent.name)
		if err := b.make(path); err != nil {
			return err
		}
		w.seats[0]["bin"] = path
	}
	if err := w.found(ctx, setting{quiet: "20s"}); err != nil {
		return err
	}
	said := ""
	for range checkTries {
		said, _ = w.do(ctx, "roster", "check", "coder") // it exits 7 where it has found something
		if strings.Contains(said, b.check) {
			break
		}
	}
	if err := w.one(ctx); err != nil {
		return err
	}
	rows, err := w.ended(ctx, 1, soon)
	if err != nil {
		return err
	}
	r := rows[0]
	if err := t.tellRun(r); err != nil {
		return err
	}
	t.line.note = fmt.Sprintf("%.90q", r.Reason)
	if r.Outcome != b.outcome || !strings.Contains(r.Reason, b.run) {
		return fmt.Errorf("got %s %q, want %s with %q", r.Outcome, r.Reason, b.outcome, b.run)
	}
	if size := folderSize(filepath.Join(w.boardHome(), "runs")); size > maxRunFiles {
		return fmt.Errorf("the run's files take %d bytes", size)
	}
	return want(strings.Contains(said, b.check), "roster check does not say %q:\n%s", b.check, said)
}

// maxRunFiles is how much a run may leave behind, whatever its agent prints: a log of 16 MiB and two that were rotated.
const maxRunFiles = 50 << 20

func folderSize(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what is gone meanwhile takes no room
		}
		if info, err := entry.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}

// signOut takes the sign-in out of the seat.
func (w *world) signOut(a agent) {
	env, _ := w.seats[0]["env"].(map[string]string)
	delete(env, a.account)
	delete(env, "MOCK_KEY")
}
