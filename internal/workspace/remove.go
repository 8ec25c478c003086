package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Removal asks for a worktree or scratch folder to go, if nothing is lost by it (WSP-4).
type Removal struct {
	Worktrees string      // the home's worktrees folder, absolute
	Path      string      // the workspace, below it
	Repo      string      // "" for a scratch folder
	Base      string      // the branch that its work must be in; "" as in Spec
	Live      func() bool // asked last of all: does anything still work there? nil: nothing can
	DryRun    bool        // only say what would be kept
}

// Remove takes a workspace and its branch away, checking everything again right before. It keeps what is dirty,
// unmerged, unpushed (where the repository has a remote), live, reached through a symlink or outside the home, and says
// why; kept == "" says that it is gone, or would be. A scratch folder goes only when it is empty: its files are nowhere
// else.
func (g *Git) Remove(ctx context.Context, removal Removal) (kept string, err error) {
	err = inside(removal.Worktrees, removal.Path)
	if errors.Is(err, ErrOutside) {
		return err.Error(), nil
	}
	if err != nil {
		return "", fmt.Errorf("remove %s: %w", removal.Path, err)
	}
	if !exists(removal.Path) {
		return "", nil
	}
	if removal.Repo == "" {
		return removeScratch(removal)
	}
	kept, err = g.removeWorktree(ctx, removal)
	if err != nil {
		return "", fmt.Errorf("remove %s: %w", removal.Path, err)
	}
	return kept, nil
}

func removeScratch(removal Removal) (kept string, err error) {
	content, err := os.ReadDir(removal.Path)
	if err != nil {
		return "", fmt.Errorf("remove %s: %w", removal.Path, err)
	}
	switch {
	case len(content) > 0:
		return "has files that are nowhere else", nil
	case removal.live():
		return "is in use", nil
	case removal.DryRun:
		return "", nil
	}
	// Not RemoveAll: what has come in the meantime keeps it.
	if err := os.Remove(removal.Path); err != nil {
		return "", fmt.Errorf("remove scratch: %w", err)
	}
	return "", nil
}

func (r Removal) live() bool { return r.Live != nil && r.Live() }

func (g *Git) removeWorktree(ctx context.Context, removal Removal) (kept string, err error) {
	_, linked, err := g.topOf(ctx, removal.Path)
	if errors.Is(err, ErrNoRepository) || (err == nil && !linked) {
		return "is no worktree of " + removal.Repo, nil
	}
	if err != nil {
		return "", err
	}
	branch, err := g.headBranch(ctx, removal.Path)
	if err != nil {
		return "", err
	}
	head, err := g.commitOf(ctx, removal.Path, "HEAD")
	if exitCode(err) == 1 {
		return "has a branch without commits", nil
	}
	if err != nil {
		return "", err
	}
	if kept, err := g.whyKept(ctx, removal, head); kept != "" || err != nil {
		return kept, err
	}
	if removal.live() {
		return "is in use", nil
	}
	if removal.DryRun {
		return "", nil
	}
	// Without --force git looks once more for changes, and leaves locked ones and those with submodules.
	if _, err := g.git(ctx, removal.Repo, "worktree", "remove", removal.Path); err != nil {
		if exitCode(err) > 0 {
			return "git keeps it: " + err.Error(), nil
		}
		return "", err
	}
	if !strings.HasPrefix(branch, branchFolder) {
		return "", nil
	}
	_, err = g.git(ctx, removal.Repo, "update-ref", "-d", "refs/heads/"+branch, head)
	return "", err
}

// whyKept returns what would be lost, or "".
func (g *Git) whyKept(ctx context.Context, removal Removal, head string) (string, error) {
	entries, err := workingState{Git: g, path: removal.Path}.status(ctx)
	if err != nil {
		return "", err
	}
	if len(entries) > 0 {
		return fmt.Sprintf("has changes that are not committed (%s)", entries[0].path), nil
	}
	base, err := g.resolveBase(ctx, removal.Repo, removal.Base)
	if errors.Is(err, ErrBaseMissing) || errors.Is(err, ErrBaseDetached) {
		return "cannot be compared with its base: " + err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	merged, err := g.isAncestor(ctx, removal.Repo, head, base)
	if err != nil {
		return "", err
	}
	if !merged {
		return "has commits that are not merged into " + strings.TrimPrefix(base, "refs/heads/"), nil
	}
	remotes, err := g.git(ctx, removal.Repo, "remote")
	if err != nil || remotes == "" {
		return "", err
	}
	pushed, err := g.git(ctx, removal.Repo, "for-each-ref", "--count=1", "--contains", head, "refs/remotes")
	if err == nil && pushed == "" {
		return "has commits that are not pushed", nil
	}
	return "", err
}
