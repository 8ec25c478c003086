package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// The files of a repository that say how a worktree is made ready (WSP-5).
const (
	setupFile = ".board/setup"
	copyFile  = ".board/copy"
)

// setupMark is the file in a worktree's git folder that says that its setup has run.
const setupMark = "board-setup"

// outputBytes is how much of a setup's output a SetupError keeps. Chosen: the end of a build log tells.
const outputBytes = 16 << 10

// Setup is one run of a repository's .board/setup (WSP-5).
type Setup struct {
	Path     string    // the worktree
	Accepted string    // the SetupHash that a person accepted by `board trust`
	Env      []string  // the whole environment
	Output   io.Writer // both streams go here too, as they come; nil: nowhere
}

// SetupHash returns the hash of a worktree's .board/setup and .board/copy, to be compared with what `board trust`
// accepted, and "" when it has neither. A symlink in their place is an error: it would be accepted for what it leads to.
func SetupHash(path string) (string, error) {
	sum := sha256.New()
	none := true
	for _, name := range []string{setupFile, copyFile} {
		file := filepath.Join(path, name)
		info, err := os.Lstat(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("hash %s: %w", file, err)
		}
		if !info.Mode().IsRegular() {
			return "", fmt.Errorf("hash %s: not a plain file", file)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("hash %s: %w", file, err)
		}
		none = false
		_, _ = fmt.Fprintf(sum, "%s %d\n", name, len(content))
		_, _ = sum.Write(content)
	}
	if none {
		return "", nil
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// RunSetup runs .board/setup in the worktree, once in its life: after a success, and where there is none, ran is false.
// It fails with a *SetupError, and with ErrSetupChanged when the files are not the accepted ones.
func (g *Git) RunSetup(ctx context.Context, setup Setup) (ran bool, err error) {
	gitDir, _, err := g.topOf(ctx, setup.Path)
	if err != nil {
		return false, fmt.Errorf("run %s: %w", setupFile, err)
	}
	mark := filepath.Join(gitDir, setupMark)
	program := filepath.Join(setup.Path, setupFile)
	if exists(mark) || !exists(program) {
		return false, nil
	}
	hash, err := SetupHash(setup.Path)
	if err != nil {
		return false, err
	}
	if hash != setup.Accepted {
		return false, fmt.Errorf("run %s: %w: look at it and run `board trust`", program, ErrSetupChanged)
	}
	if err := g.setup(ctx, setup, program); err != nil {
		return true, err
	}
	if err := os.WriteFile(mark, []byte(hash+"\n"), 0o600); err != nil {
		return true, fmt.Errorf("note that %s has run: %w", program, diskFull(err))
	}
	return true, nil
}

func (g *Git) setup(ctx context.Context, setup Setup, program string) error {
	cmd := exec.CommandContext(ctx, program)
	cmd.Dir, cmd.Env = setup.Path, CleanEnv(setup.Env)
	output := &tail{limit: outputBytes}
	var to io.Writer = output
	if setup.Output != nil {
		to = io.MultiWriter(output, setup.Output)
	}
	cmd.Stdout, cmd.Stderr = to, to
	err := g.run(cmd)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return &SetupError{Err: err, Output: output.kept.String()}
}

// tail keeps the last bytes written to it.
type tail struct {
	kept  bytes.Buffer // not embedded: its ReadFrom would go round Write
	limit int          // bytes
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	_, _ = t.kept.Write(p)
	if over := t.kept.Len() - t.limit; over > 0 {
		t.kept.Next(over)
	}
	return len(p), nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
