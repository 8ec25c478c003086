package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// What can be wrong with a workspace (WSP-6). Each is a hold or a spawn_failed of its own; the error that wraps it says
// which repository, branch or folder, and what a person can do.
var (
	ErrGitMissing      = errors.New("git is not installed or not on the PATH")
	ErrNoRepository    = errors.New("not a git repository")
	ErrNoCommits       = errors.New("the repository has no commits")
	ErrBaseMissing     = errors.New("the base branch does not exist")
	ErrBaseDetached    = errors.New("the base is not a branch")
	ErrBranchMissing   = errors.New("the branch does not exist")
	ErrBranchElsewhere = errors.New("the branch is checked out elsewhere")
	ErrBranchPrefix    = errors.New("the branch name is a folder of another branch's name")
	ErrBranchName      = errors.New("not a valid branch name")
	ErrPathTaken       = errors.New("the folder is taken by something else")
	ErrDirMissing      = errors.New("the folder does not exist")
	ErrDiskFull        = errors.New("the disk is full")
	ErrOutside         = errors.New("the path is not below the home's worktrees")
	ErrSetupChanged    = errors.New("the setup file is not the one that was accepted")
)

// NeedsPerson reports whether err will come again until a person has changed something: it is a hold, and trying again
// burns attempts for nothing.
func NeedsPerson(err error) bool {
	var conflict *ConflictError
	return errors.As(err, &conflict) || slices.ContainsFunc([]error{
		ErrGitMissing, ErrNoRepository, ErrNoCommits, ErrBaseMissing, ErrBaseDetached, ErrBranchMissing, ErrBranchElsewhere, ErrBranchPrefix,
		ErrBranchName, ErrPathTaken, ErrDirMissing, ErrDiskFull, ErrOutside, ErrSetupChanged,
	}, func(sentinel error) bool { return errors.Is(err, sentinel) })
}

// ConflictError says that a blocker's branch does not merge (WSP-8): a person merges it in the worktree, which is left
// clean at Path, and the next Prepare goes on.
type ConflictError struct {
	Branch string   // that does not merge
	Path   string   // the worktree
	Files  []string // in conflict, sorted
}

// Error names the branch and the files.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("merge %s: conflict in %s; merge it by hand in %s", e.Branch, strings.Join(e.Files, ", "), e.Path)
}

// SetupError says that .board/setup failed (WSP-5).
type SetupError struct {
	Err    error  // how it ended
	Output string // the end of what it printed, both streams
}

// Error gives the end of the output.
func (e *SetupError) Error() string {
	return fmt.Sprintf("run .board/setup: %v: %s", e.Err, strings.TrimSpace(e.Output))
}

// Unwrap returns how the setup ended.
func (e *SetupError) Unwrap() error { return e.Err }
