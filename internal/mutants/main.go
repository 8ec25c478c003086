// Command mutants shows that the tests notice: it copies the tree, makes one line wrong at a time, and runs the test that is
// named with the mistake. A mistake that survives, or whose line is no longer there, makes it fail.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(context.Background(), ".", os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run tries every mutation in a copy of the tree, and prints a line for each; with words, those whose names have one of them.
func run(ctx context.Context, tree string, words []string, out io.Writer) error {
	dir, err := os.MkdirTemp("", "board-mutants-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary copy
	if err := copyTree(tree, dir); err != nil {
		return err
	}
	if err := green(ctx, dir); err != nil {
		return err
	}
	var failed []error
	for _, m := range mutations() {
		if len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(m.name, word) }) {
			continue
		}
		verdict := "red"
		if err := m.try(ctx, dir); err != nil {
			verdict = err.Error()
			failed = append(failed, fmt.Errorf("%s: %w", m.name, err))
		}
		if _, err := fmt.Fprintf(out, "%-52s  %-21s  %s: %s\n", m.name, m.file, m.test, verdict); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

// copyTree copies what the tests need: all but version control and built programs.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", ".tools", "bin"}, d.Name()) {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o600)
	})
}

// green makes sure that every named test passes while nothing is wrong: a test that is always red shows nothing.
func green(ctx context.Context, dir string) error {
	byPackage := map[string][]string{}
	for _, m := range mutations() {
		if !slices.Contains(byPackage[m.pkg], m.test) {
			byPackage[m.pkg] = append(byPackage[m.pkg], m.test)
		}
	}
	for _, pkg := range []string{inCapacity, inDispatch} {
		output, err := runTest(ctx, dir, pkg, "^("+strings.Join(byPackage[pkg], "|")+")$")
		if err != nil {
			return fmt.Errorf("the tests of %s fail before anything is mutated: %w\n%s", pkg, err, output)
		}
		for _, test := range byPackage[pkg] {
			if !bytes.Contains(output, []byte("--- PASS: "+test+" ")) {
				return fmt.Errorf("%s has no test %s", pkg, test)
			}
		}
	}
	return nil
}

// try makes the line wrong, runs the test, and puts the line right again. Its error says why the mutation shows nothing.
func (m mutation) try(ctx context.Context, dir string) (err error) {
	path := filepath.Join(dir, m.file)
	right, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(right), m.old); n != 1 {
		return fmt.Errorf("does not apply: %q stands %d times in %s", m.old, n, m.file)
	}
	wrong := strings.Replace(string(right), m.old, m.new, 1)
	if err := os.WriteFile(path, []byte(wrong), 0o600); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.WriteFile(path, right, 0o600)) }()
	output, err := runTest(ctx, dir, m.pkg, "^"+m.test+"$")
	switch {
	case err == nil:
		return errors.New("survives")
	case !bytes.Contains(output, []byte("--- FAIL: "+m.test)):
		return fmt.Errorf("the test did not run: %w\n%s", err, output)
	}
	return nil
}

func runTest(ctx context.Context, dir, pkg, pattern string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-tags", "urfave_cli_no_docs", "-timeout", "120s", "-v", "-count", "1", "-run", pattern, pkg)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}
