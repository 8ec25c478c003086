package workspace

import (
	"context"
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
	Worktrees string   // the home's worktrees folder, absolute; everything made is below it
	Board     string   // slug
	Card      string   // id
	Repo      string   // Worktree, Repo: the repository, absolute
	Base      string   // Worktree: the branch to start from; "" is the branch that the repository has checked out
	Branch    string   // Worktree: the card's branch; "" is BranchName(Card)
	Blockers  []string // Worktree: branches to merge in, in this order (WSP-8)
	Dir       string   // Dir: the folder, absolute
	Clean     bool     // Worktree, Scratch: start anew and keep the old one under another name (WSP-3)
}

// Ready is a workspace that a harness can start in.
type Ready struct {
	Path       string
	Branch     string   // checked out there; "" outside a repository and for a detached head
	BaseCommit string   // where the branch left the base; "" outside a repository
	HeadCommit string   // "" outside a repository
	Made       bool     // it was made by this call; false: it was there and goes on
	Notes      []string // what a person should know: repaired, kept aside, left as it is
}

// Prepare makes the workspace, or finds it where an earlier run left it. It may be called again after any failure,
// also after its process was killed at any point.
//
// It fails with the sentinels of this package, or with a *ConflictError when a person must merge.
func (g *Git) Prepare(ctx context.Context, spec Spec) (Ready, error) {
	panic("not written")
}

// Detached asks for a worktree of its own for a reviewer that cannot be kept from writing (WSP-2).
type Detached struct {
	Worktrees string // the home's worktrees folder, absolute
	Board     string // slug
	Card      string // id
	Run       string // id of the reviewer's run: the folder is its own
	Repo      string // absolute
	Commit    string // the worker's head
}

// PrepareDetached makes a worktree without a branch at the worker's head. Discard throws it away.
func (g *Git) PrepareDetached(ctx context.Context, spec Detached) (Ready, error) {
	panic("not written")
}

// Discard throws away a worktree that PrepareDetached made, with whatever was written in it. One that is gone already is
// fine. It refuses any folder that is not such a worktree below worktrees.
func (g *Git) Discard(ctx context.Context, worktrees, repo, path string) error { panic("not written") }
