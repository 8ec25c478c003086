package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// HandoverRef is where Snapshot keeps the n-th handover of a card (ROS-16): no branch, so nobody's branch list grows.
func HandoverRef(card string, n int) string {
	return fmt.Sprintf("refs/board/%s/handover-%d", safeName(card), n)
}

// Snapshot keeps the working state of a worktree as a commit under ref, with the same files left out as by Commit. It
// touches neither index, files nor branch, and may run beside a living agent.
func (g *Git) Snapshot(ctx context.Context, path, ref string) (Committed, error) {
	done, err := g.snapshot(ctx, path, ref)
	if err != nil {
		return Committed{}, fmt.Errorf("keep the working state of %s as %s: %w", path, ref, err)
	}
	return done, nil
}

func (g *Git) snapshot(ctx context.Context, path, ref string) (done Committed, err error) {
	gitDir, _, err := g.topOf(ctx, path)
	if err != nil {
		return Committed{}, err
	}
	if done.Head, err = g.commitOf(ctx, path, "HEAD"); err != nil {
		return Committed{}, fmt.Errorf("%w: %s", ErrNoCommits, path)
	}
	index, err := copyIndex(gitDir)
	if err != nil {
		return Committed{}, err
	}
	defer func() { err = errors.Join(err, removeIndex(index)) }()
	tree := workingState{Git: g, path: path, index: index}
	changes, err := tree.read(ctx)
	if err != nil {
		return Committed{}, err
	}
	changes.add = append(changes.add, changes.unmerged...)
	if err := tree.stage(ctx, &changes); err != nil {
		return Committed{}, err
	}
	done.Left = changes.left
	done.Commit, err = tree.keep(ctx, done.Head, ref)
	return done, err
}

// keep writes the index as a commit on top of head, and points ref at it.
func (w workingState) keep(ctx context.Context, head, ref string) (string, error) {
	object, err := w.run(ctx, nil, "write-tree")
	if err != nil {
		return "", err
	}
	identity, err := w.identity(ctx, w.path)
	if err != nil {
		return "", err
	}
	out, err := w.call(ctx, call{dir: w.path, env: identity, args: []string{
		"commit-tree", "-p", head, "-m", "board: working state", trimLine(object),
	}})
	if err != nil {
		return "", err
	}
	commit := trimLine(out)
	_, err = w.git(ctx, w.path, "update-ref", ref, commit)
	return commit, err
}

// copyIndex copies a worktree's index, so that git need not read every file again.
func copyIndex(gitDir string) (string, error) {
	content, err := os.ReadFile(filepath.Join(gitDir, "index"))
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp(gitDir, "board-snapshot-*")
	if err != nil {
		return "", diskFull(err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(diskFull(err), os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// removeIndex removes the copy, and the lock that a git which was called off leaves beside it.
func removeIndex(index string) error {
	err := os.Remove(index + ".lock")
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.Remove(index))
}
