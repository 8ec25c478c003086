package workspace

import (
	"context"
)

// Removal asks for a worktree or scratch folder to go, if nothing is lost by it (WSP-4).
type Removal struct {
	Worktrees string      // the home's worktrees folder, absolute
	Path      string      // the workspace, below it
	Repo      string      // "" for a scratch folder
	Base      string      // the branch that its work must be in
	Live      func() bool // asked last of all: does anything still work there? nil: nothing can
	DryRun    bool        // only say what would be kept
}

// Remove takes a workspace and its branch away, checking everything again right before. It keeps what is dirty,
// unmerged, unpushed (where the repository has a remote), live, reached through a symlink or outside the home, and says
// why; kept == "" says that it is gone. A scratch folder goes only when it is empty: its files are nowhere else.
func (g *Git) Remove(ctx context.Context, removal Removal) (kept string, err error) {
	panic("not written")
}
