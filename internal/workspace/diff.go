package workspace

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Stat is the size of a change.
type Stat struct {
	Files, Insertions, Deletions int
}

// Diff returns what the branch changed since it left the base, as a patch without colour. The base is a branch, or the commit
// at which the branch left it. No program that the repository's configuration names is run for it.
func (g *Git) Diff(ctx context.Context, repo, base, branch string) (string, error) {
	return g.diff(ctx, repo, base, branch, "--patch")
}

// DiffStat returns how much the branch changed since it left the base. Binary files count as files only.
func (g *Git) DiffStat(ctx context.Context, repo, base, branch string) (Stat, error) {
	out, err := g.diff(ctx, repo, base, branch, "--numstat", "-z", "--no-renames")
	if err != nil {
		return Stat{}, err
	}
	return parseNumstat(out), nil
}

func (g *Git) diff(ctx context.Context, repo, base, branch string, how ...string) (string, error) {
	if err := g.checkRepository(ctx, repo); err != nil {
		return "", fmt.Errorf("compare %s with %s: %w", branch, base, err)
	}
	baseRef, err := g.resolveBase(ctx, repo, base)
	if errors.Is(err, ErrBaseDetached) && base != "" {
		baseRef, err = g.commitOf(ctx, repo, base)
	}
	if err != nil {
		return "", fmt.Errorf("compare %s with %s: %w", branch, base, err)
	}
	head, err := g.commitOf(ctx, repo, branch)
	if err != nil {
		return "", fmt.Errorf("compare %s with %s: %w: %s", branch, base, ErrBranchMissing, branch)
	}
	args := append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-color"}, how...)
	out, err := g.git(ctx, repo, append(args, baseRef+"..."+head, "--")...)
	if err != nil {
		return "", fmt.Errorf("compare %s with %s: %w", branch, base, err)
	}
	return out, nil
}

// parseNumstat sums `git diff --numstat -z`: "insertions TAB deletions TAB path", with "-" for a binary file.
func parseNumstat(out string) Stat {
	var stat Stat
	for record := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		fields := strings.SplitN(record, "\t", 3)
		if len(fields) != 3 {
			continue
		}
		stat.Files++
		for i, sum := range []*int{&stat.Insertions, &stat.Deletions} {
			if n, err := strconv.Atoi(fields[i]); err == nil {
				*sum += n
			}
		}
	}
	return stat
}

func trimLine(out string) string { return strings.TrimSuffix(out, "\n") }
