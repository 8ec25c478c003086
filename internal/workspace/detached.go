package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Detached asks for a worktree of its own for a reviewer that cannot be kept from writing (WSP-2).
type Detached struct {
	Worktrees string // the home's worktrees folder, absolute
	Board     string // slug
	Card      string // id
	Run       string // id of the reviewer's run: the folder is its own
	Repo      string // absolute
	Commit    string // the worker's head
}

// reviewMark is in the name of every folder that Discard may throw away, and in no card's (see safeName).
const reviewMark = ".review-"

// PrepareDetached makes a worktree without a branch at the worker's head. Discard throws it away. One that a killed call
// of the same run left is thrown away first.
func (g *Git) PrepareDetached(ctx context.Context, spec Detached) (Ready, error) {
	path := Path(spec.Worktrees, spec.Board, spec.Card) + reviewMark + safeName(spec.Run)
	ready, err := g.prepareDetached(ctx, spec, path)
	if err != nil {
		return Ready{}, fmt.Errorf("prepare review worktree of card %s: %w", spec.Card, err)
	}
	return ready, nil
}

func (g *Git) prepareDetached(ctx context.Context, spec Detached, path string) (Ready, error) {
	if err := g.checkRepository(ctx, spec.Repo); err != nil {
		return Ready{}, err
	}
	commit, err := g.commitOf(ctx, spec.Repo, spec.Commit)
	if err != nil {
		return Ready{}, fmt.Errorf("%w: the commit %q to review", ErrBaseMissing, spec.Commit)
	}
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return Ready{}, err
	}
	if err := g.Discard(ctx, spec.Worktrees, spec.Repo, path); err != nil {
		return Ready{}, err
	}
	job := &worktreeJob{Git: g, repo: spec.Repo, path: resolved(path)}
	if err := job.add(ctx, []string{"--detach", job.path, commit}); err != nil {
		return Ready{}, err
	}
	return Ready{Path: job.path, HeadCommit: commit, Made: true}, os.Chmod(job.path, 0o700)
}

// Discard throws away a worktree that PrepareDetached made, with whatever was written in it. One that is gone already is
// fine. It refuses any other folder.
func (g *Git) Discard(ctx context.Context, worktrees, repo, path string) error {
	if err := inside(worktrees, path); err != nil {
		return fmt.Errorf("discard %s: %w", path, err)
	}
	if !strings.Contains(filepath.Base(path), reviewMark) {
		return fmt.Errorf("discard %s: %w: it is no review's", path, ErrPathTaken)
	}
	if err := g.throwAway(ctx, repo, resolved(path)); err != nil {
		return fmt.Errorf("discard: %w", err)
	}
	return nil
}

// throwAway deletes a folder of this package's own making, whatever is in it, and its registration as a worktree, in any
// state that a killed git can leave. One that is gone already is fine.
func (g *Git) throwAway(ctx context.Context, repo, path string) error {
	list, err := g.worktrees(ctx, repo)
	if err != nil {
		return err
	}
	// The folder goes first: git calls a half made one invalid and keeps it, but forgets one that is missing.
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(tree registered) bool { return resolved(tree.path) == path }) {
		return nil
	}
	_, err = g.git(ctx, repo, "worktree", "remove", "--force", "--force", path)
	return err
}
