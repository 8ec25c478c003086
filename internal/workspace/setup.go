package workspace

import (
	"context"
	"io"
)

// Setup is one run of a repository's .board/setup (WSP-5).
type Setup struct {
	Path     string    // the worktree
	Accepted string    // the SetupHash that a person accepted by `board trust`
	Env      []string  // the whole environment
	Output   io.Writer // both streams go here too, as they come; nil: nowhere
}

// SetupHash returns the hash of a worktree's .board/setup and .board/copy, to be compared with what `board trust`
// accepted, and "" when it has neither.
func SetupHash(path string) (string, error) { panic("not written") }

// Copy copies the ignored files that .board/copy lists from the repository into a worktree (WSP-5), and returns what it
// copied. Lines are paths or globs from the top of the repository. What is there already, what git tracks and what
// leads out of the repository is left.
func (g *Git) Copy(ctx context.Context, repo, path string) (copied []string, err error) {
	panic("not written")
}

// RunSetup runs .board/setup in the worktree, once in its life: after a success ran is false. It fails with a
// *SetupError, and with ErrSetupChanged when the files are not the accepted ones.
func (g *Git) RunSetup(ctx context.Context, setup Setup) (ran bool, err error) { panic("not written") }
