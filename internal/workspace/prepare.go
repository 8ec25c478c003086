package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Kind says what a workspace is.
type Kind string

const (
	// Worktree is a git worktree of the board's repository, under the home, on a branch of the card's own.
	Worktree Kind = "worktree"
	// Repo is the board's repository itself, as it stands.
	Repo Kind = "repo"
	// Dir is a folder that the workflow or a person named. It must exist.
	Dir Kind = "dir"
	// Scratch is an empty folder of the card's own, under the home.
	Scratch Kind = "scratch"
)

// Spec says which workspace is wanted.
type Spec struct {
	Kind      Kind
	Worktrees string // the home's worktrees folder, absolute; everything made is below it
	Board     string // slug
	Card      string // id
	Repo      string // Worktree, Repo: the repository, absolute
	Base      string // Worktree: the branch to start from; "" is the branch that the repository has checked out
	// Branch is, for Worktree, the branch that an earlier run of this card recorded. "" is the card's first run: it gets
	// BranchName(Card), or a name beside it when that branch exists with work that is not this card's.
	Branch   string
	Blockers []string // Worktree: branches to merge in, in this order (WSP-8)
	Dir      string   // Dir: the folder, absolute
	Clean    bool     // Worktree, Scratch: start anew and keep the old one under another name (WSP-3)
}

// Ready is a workspace that a harness can start in.
type Ready struct {
	Path       string
	Branch     string   // checked out there; "" outside a repository and for a detached head
	BaseCommit string   // Worktree: where the branch left the base
	HeadCommit string   // "" outside a repository
	Made       bool     // it was made by this call; false: it was there and goes on
	Notes      []string // what a person should know: repaired, kept aside, left as it is
}

// Prepare makes the workspace, or finds it where an earlier run left it. It may be called again after any failure,
// also after its process was killed at any point; it is called for a card by one process at a time.
//
// It fails with the sentinels of this package, or with a *ConflictError when a person must merge. NeedsPerson tells
// what trying again cannot mend.
func (g *Git) Prepare(ctx context.Context, spec Spec) (Ready, error) {
	var ready Ready
	var err error
	switch spec.Kind {
	case Worktree:
		ready, err = g.prepareWorktree(ctx, spec)
	case Repo:
		ready, err = g.prepareRepo(ctx, spec.Repo)
	case Dir:
		ready, err = prepareDir(spec.Dir)
	case Scratch:
		ready, err = prepareScratch(spec)
	}
	if err != nil {
		return ready, fmt.Errorf("prepare %s of card %s: %w", spec.Kind, spec.Card, err)
	}
	return ready, nil
}

func (g *Git) prepareRepo(ctx context.Context, repo string) (Ready, error) {
	if err := g.checkRepository(ctx, repo); err != nil {
		return Ready{}, err
	}
	branch, err := g.headBranch(ctx, repo)
	if err != nil {
		return Ready{}, err
	}
	head, err := g.commitOf(ctx, repo, "HEAD")
	if err != nil {
		return Ready{}, fmt.Errorf("%w on the branch %s of %s", ErrNoCommits, branch, repo)
	}
	return Ready{Path: repo, Branch: branch, HeadCommit: head}, nil
}

func prepareDir(dir string) (Ready, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return Ready{}, fmt.Errorf("%w: %w", ErrDirMissing, err)
	}
	if !info.IsDir() || !filepath.IsAbs(dir) {
		return Ready{}, fmt.Errorf("%w: %s is not the absolute path of a folder", ErrDirMissing, dir)
	}
	return Ready{Path: dir}, nil
}

func prepareScratch(spec Spec) (Ready, error) {
	ready := Ready{Path: Path(spec.Worktrees, spec.Board, spec.Card)}
	if err := makeFolder(filepath.Dir(ready.Path)); err != nil {
		return Ready{}, err
	}
	if err := inside(spec.Worktrees, ready.Path); err != nil {
		return Ready{}, err
	}
	_, err := os.Stat(ready.Path)
	if err == nil && spec.Clean {
		aside := freePath(ready.Path)
		if err := os.Rename(ready.Path, aside); err != nil {
			return Ready{}, err
		}
		ready.Notes = append(ready.Notes, "the earlier folder is kept as "+aside)
	}
	ready.Made = err != nil || spec.Clean
	return ready, makeFolder(ready.Path)
}

// makeFolder makes a folder and those above it, for this user only, whatever the umask.
func makeFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("%w", diskFull(err))
	}
	return nil
}

// freePath returns the first of path.attempt-1, path.attempt-2, ... that is not there.
func freePath(path string) string {
	for n := 1; ; n++ {
		aside := attemptName(path, n)
		if _, err := os.Lstat(aside); os.IsNotExist(err) {
			return aside
		}
	}
}

// attemptName is where the n-th set-aside work of a branch or folder is kept. A dot keeps it from being a folder of the
// other name, which no two refs may be, and from being the name of a card (see safeName).
func attemptName(name string, n int) string { return fmt.Sprintf("%s.attempt-%d", name, n) }
