package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// setAside keeps the card's branch and worktree under other names, so that a fresh start loses nothing (WSP-3). It
// works by plain refs, since git refuses to rename a branch in the middle of a rebase, which is when a fresh start is
// wanted most; and in an order that leaves every commit on some ref wherever it is interrupted.
func (j *worktreeJob) setAside(ctx context.Context) error {
	oldRef := "refs/heads/" + j.branch
	n, err := j.freeAttempt(ctx)
	if err != nil {
		return err
	}
	branch, folder := attemptName(j.branch, n), attemptName(j.path, n)
	hasBranch, err := j.refExists(ctx, j.repo, oldRef)
	if err != nil {
		return err
	}
	var commit string
	if hasBranch {
		if commit, err = j.commitOf(ctx, j.repo, oldRef); err != nil {
			return err
		}
		if _, err := j.git(ctx, j.repo, "update-ref", "refs/heads/"+branch, commit, ""); err != nil {
			return fmt.Errorf("keep %s: %w", j.branch, err)
		}
		j.note("the earlier work is kept as the branch %s", branch)
	}
	if err := j.moveFolder(ctx, folder); err != nil {
		return err
	}
	if !hasBranch {
		return nil
	}
	if err := j.pointAway(ctx, "refs/heads/"+branch); err != nil {
		return err
	}
	if err := j.pointRebaseAway(ctx, folder, "refs/heads/"+branch); err != nil {
		return err
	}
	_, err = j.git(ctx, j.repo, "update-ref", "-d", oldRef, commit)
	return err
}

// freeAttempt returns the first number that neither a branch nor a folder has.
func (j *worktreeJob) freeAttempt(ctx context.Context) (int, error) {
	for n := 1; ; n++ {
		exists, err := j.refExists(ctx, j.repo, "refs/heads/"+attemptName(j.branch, n))
		if err != nil {
			return 0, err
		}
		if _, err := os.Lstat(attemptName(j.path, n)); os.IsNotExist(err) && !exists {
			return n, nil
		}
	}
}

// moveFolder moves the worktree's folder, if there is one.
func (j *worktreeJob) moveFolder(ctx context.Context, folder string) error {
	if _, err := os.Lstat(j.path); os.IsNotExist(err) {
		return nil
	}
	if err := j.rename(ctx, j.path, folder); err != nil {
		return fmt.Errorf("keep %s: %w", j.path, err)
	}
	j.note("the earlier folder is kept as %s", folder)
	return nil
}

// pointAway puts every worktree that has the card's branch checked out on ref, which is the same commit.
func (j *worktreeJob) pointAway(ctx context.Context, ref string) error {
	list, err := j.worktrees(ctx, j.repo)
	if err != nil {
		return err
	}
	for _, tree := range list {
		if tree.branch != j.branch || tree.missing() {
			continue
		}
		if _, err := j.git(ctx, tree.path, "symbolic-ref", "HEAD", ref); err != nil {
			return fmt.Errorf("put %s on %s: %w", tree.path, ref, err)
		}
	}
	return nil
}

// pointRebaseAway makes a rebase that stands unfinished in folder end on ref: the branch that it would move is the fresh
// start's, and git lets nobody check that out meanwhile.
func (j *worktreeJob) pointRebaseAway(ctx context.Context, folder, ref string) error {
	gitDir, linked, err := j.topOf(ctx, folder)
	if err != nil || !linked {
		return nil //nolint:nilerr // a folder that is no worktree has no rebase
	}
	for _, state := range []string{"rebase-merge", "rebase-apply"} {
		file := filepath.Join(gitDir, state, "head-name")
		name, err := os.ReadFile(file)
		if err != nil || trimLine(string(name)) != "refs/heads/"+j.branch {
			continue
		}
		if err := os.WriteFile(file, []byte(ref+"\n"), 0o600); err != nil {
			return fmt.Errorf("put the unfinished rebase in %s on %s: %w", folder, ref, err)
		}
	}
	return nil
}
