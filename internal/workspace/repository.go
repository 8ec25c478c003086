package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checkRepository fails unless repo is a git repository with commits.
func (g *Git) checkRepository(ctx context.Context, repo string) error {
	if info, err := os.Stat(repo); err != nil || !info.IsDir() {
		return fmt.Errorf("%w: %s: no such folder", ErrNoRepository, repo)
	}
	if _, err := g.git(ctx, repo, "rev-parse", "--git-dir"); err != nil {
		if exitCode(err) > 0 {
			return fmt.Errorf("%w: %s: %w", ErrNoRepository, repo, err)
		}
		return err
	}
	refs, err := g.git(ctx, repo, "for-each-ref", "--count=1", "refs/heads", "refs/remotes")
	if err != nil {
		return err
	}
	if refs == "" {
		if _, err := g.commitOf(ctx, repo, "HEAD"); err != nil {
			return fmt.Errorf("%w: %s: make a first commit there", ErrNoCommits, repo)
		}
	}
	return nil
}

// resolveBase returns the full ref of the base branch: a local branch, or a remote's ("origin/main").
func (g *Git) resolveBase(ctx context.Context, repo, base string) (ref string, err error) {
	if base == "" {
		ref, err = g.line(ctx, repo, "symbolic-ref", "--quiet", "HEAD")
		if exitCode(err) == 1 {
			return "", fmt.Errorf("%w: %s has a detached head and the board names no base branch", ErrBaseDetached, repo)
		}
		if err != nil {
			return "", err
		}
		base = strings.TrimPrefix(ref, "refs/heads/")
	}
	for _, folder := range []string{"refs/heads/", "refs/remotes/"} {
		exists, err := g.refExists(ctx, repo, folder+base)
		if err != nil {
			return "", err
		}
		if exists {
			return folder + base, nil
		}
	}
	if _, err := g.commitOf(ctx, repo, base); err == nil {
		return "", fmt.Errorf("%w: %q in %s is a tag or a commit", ErrBaseDetached, base, repo)
	}
	return "", fmt.Errorf("%w: %q in %s", ErrBaseMissing, base, repo)
}

// refExists reports whether the full ref exists.
func (g *Git) refExists(ctx context.Context, repo, ref string) (bool, error) {
	return g.holds(ctx, repo, "show-ref", "--verify", "--quiet", ref)
}

// commitOf returns the commit that a name stands for.
func (g *Git) commitOf(ctx context.Context, dir, name string) (string, error) {
	return g.line(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
}

// isAncestor reports whether older is in newer's history.
func (g *Git) isAncestor(ctx context.Context, dir, older, newer string) (bool, error) {
	return g.holds(ctx, dir, "merge-base", "--is-ancestor", older, newer)
}

// headBranch returns the branch checked out in dir, and "" for a detached head.
func (g *Git) headBranch(ctx context.Context, dir string) (string, error) {
	ref, err := g.line(ctx, dir, "symbolic-ref", "--quiet", "HEAD")
	if exitCode(err) == 1 {
		return "", nil
	}
	return strings.TrimPrefix(ref, "refs/heads/"), err
}

// topOf returns the git folder of the worktree whose top is path, and whether it is a linked worktree (the main one is
// a person's). A path inside somebody else's worktree is ErrNoRepository: what is done there would be done to that.
func (g *Git) topOf(ctx context.Context, path string) (gitDir string, linked bool, err error) {
	out, err := g.git(ctx, path, "rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
	if err != nil {
		if exitCode(err) > 0 {
			return "", false, fmt.Errorf("%w: %s: %w", ErrNoRepository, path, err)
		}
		return "", false, err
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 3 || resolved(lines[0]) != resolved(path) {
		return "", false, fmt.Errorf("%w: %s is inside %s", ErrNoRepository, path, lines[0])
	}
	common := lines[2]
	if !filepath.IsAbs(common) {
		common = filepath.Join(path, common)
	}
	return lines[1], resolved(lines[1]) != resolved(common), nil
}

// registered is a worktree as the repository lists it.
type registered struct {
	path       string
	branch     string // "" when detached
	locked     bool
	lockReason string
}

// missing reports whether its folder is gone.
func (r registered) missing() bool {
	_, err := os.Lstat(r.path)
	return os.IsNotExist(err)
}

// worktrees lists the repository's worktrees, the main one first.
func (g *Git) worktrees(ctx context.Context, repo string) ([]registered, error) {
	var out string
	err := retry(ctx, func() (err error) {
		out, err = g.git(ctx, repo, "worktree", "list", "--porcelain")
		return err
	})
	if err != nil {
		return nil, err
	}
	var list []registered
	for block := range strings.SplitSeq(strings.TrimSpace(out), "\n\n") {
		var tree registered
		for line := range strings.SplitSeq(block, "\n") {
			key, value, _ := strings.Cut(line, " ")
			switch key {
			case "worktree":
				tree.path = value
			case "branch":
				tree.branch = strings.TrimPrefix(value, "refs/heads/")
			case "locked":
				tree.locked, tree.lockReason = true, value
			}
		}
		list = append(list, tree)
	}
	return list, nil
}

// resolved returns path with its symlinks followed as far as it exists.
func resolved(path string) string {
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		return followed
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolved(parent), filepath.Base(path))
	}
	return path
}
