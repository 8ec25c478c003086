package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// mergeBlockers merges into the worktree what it does not have yet of its blockers' branches (WSP-8). What a person has
// merged by hand is in the history, so calling it again goes on from there.
func (j *worktreeJob) mergeBlockers(ctx context.Context, branches []string) error {
	for _, branch := range branches {
		ref := "refs/heads/" + branch
		exists, err := j.refExists(ctx, j.repo, ref)
		if err != nil {
			return err
		}
		if !exists {
			j.note("the blocker's branch %s is gone: nothing of it was merged in", branch)
			continue
		}
		merged, err := j.isAncestor(ctx, j.path, ref, "HEAD")
		if err != nil {
			return err
		}
		if merged {
			continue
		}
		if err := j.merge(ctx, branch); err != nil {
			return err
		}
		j.note("merged the blocker's branch %s in", branch)
	}
	return nil
}

func (j *worktreeJob) merge(ctx context.Context, branch string) error {
	identity, err := j.identity(ctx, j.path)
	if err != nil {
		return err
	}
	_, errMerge := j.call(ctx, call{dir: j.path, env: identity, args: []string{
		"merge", "--quiet", "--no-edit", "--no-verify", "-m", "board: merge " + branch, "refs/heads/" + branch,
	}})
	if errMerge == nil {
		return nil
	}
	out, err := j.git(ctx, j.path, "diff", "--name-only", "--diff-filter=U", "-z")
	if err != nil || out == "" {
		return fmt.Errorf("merge %s in %s: %w", branch, j.path, errMerge)
	}
	files := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	slices.Sort(files)
	if _, err := j.git(ctx, j.path, "merge", "--abort"); err != nil {
		return fmt.Errorf("call off the merge of %s in %s: %w", branch, j.path, err)
	}
	return &ConflictError{Branch: branch, Path: j.path, Files: files}
}
