package workspace

import (
	"context"
)

// Stat is the size of a change.
type Stat struct {
	Files, Insertions, Deletions int
}

// Diff returns what the branch changed since it left the base, as a patch with no colour. No program that the
// repository's configuration names is run for it.
func (g *Git) Diff(ctx context.Context, repo, base, branch string) (string, error) { panic("not written") }

// DiffStat returns how much the branch changed since it left the base. Binary files count as files only.
func (g *Git) DiffStat(ctx context.Context, repo, base, branch string) (Stat, error) { panic("not written") }
