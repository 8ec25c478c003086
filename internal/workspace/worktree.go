package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// worktreeJob is the making of one worktree.
type worktreeJob struct {
	*Git
	repo, path, branch string
	first              bool // no earlier run recorded the branch
	baseRef            string
	notes              []string
}

func (j *worktreeJob) note(format string, args ...any) {
	j.notes = append(j.notes, fmt.Sprintf(format, args...))
}

func (g *Git) prepareWorktree(ctx context.Context, spec Spec) (Ready, error) {
	job, err := g.newJob(ctx, spec)
	if err != nil {
		return Ready{}, err
	}
	if spec.Clean {
		if err := job.setAside(ctx); err != nil {
			return Ready{}, err
		}
	}
	found, err := job.find(ctx)
	if err != nil {
		return Ready{}, err
	}
	if !found {
		if err := job.make(ctx); err != nil {
			return Ready{}, err
		}
	}
	if err := job.mergeBlockers(ctx, spec.Blockers); err != nil {
		return Ready{}, err
	}
	ready, err := job.describe(ctx)
	ready.Made = !found
	return ready, err
}

// newJob checks what does not depend on the card: git, the repository, the base and the branch's name.
func (g *Git) newJob(ctx context.Context, spec Spec) (*worktreeJob, error) {
	job := &worktreeJob{Git: g, repo: spec.Repo, branch: spec.Branch, first: spec.Branch == ""}
	if job.first {
		job.branch = BranchName(spec.Card)
	}
	if err := g.checkRepository(ctx, spec.Repo); err != nil {
		return nil, err
	}
	base, err := g.resolveBase(ctx, spec.Repo, spec.Base)
	if err != nil {
		return nil, err
	}
	job.baseRef = base
	if _, err := g.git(ctx, spec.Repo, "check-ref-format", "--branch", job.branch); err != nil {
		if exitCode(err) > 0 {
			return nil, fmt.Errorf("%w: %q", ErrBranchName, job.branch)
		}
		return nil, err
	}
	path := Path(spec.Worktrees, spec.Board, spec.Card)
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	job.path = resolved(path)
	return job, inside(spec.Worktrees, path)
}

// find reports whether the worktree is there and usable, after mending what a killed call or a person left half done.
func (j *worktreeJob) find(ctx context.Context) (bool, error) {
	list, err := j.listed(ctx)
	if err != nil {
		return false, err
	}
	for _, tree := range list {
		here := resolved(tree.path) == j.path
		switch {
		case resolved(tree.path) == j.making() || (!here && tree.branch != j.branch):
			continue // make clears what it made; the others are not this card's
		case here && !tree.missing():
			return true, j.checkFound(ctx)
		case !tree.missing():
			return false, fmt.Errorf("%w: %s is checked out in %s", ErrBranchElsewhere, j.branch, tree.path)
		case tree.locked: // it may be on a disk that is not there
			return false, fmt.Errorf("%w: the registered worktree %s is missing but locked (%s): see `git worktree unlock`",
				ErrPathTaken, tree.path, tree.lockReason)
		}
		if _, err := j.git(ctx, j.repo, "worktree", "remove", "--force", tree.path); err != nil {
			return false, fmt.Errorf("take away the stale worktree registration %s: %w", tree.path, err)
		}
		j.note("took away the stale worktree registration %s", tree.path)
	}
	content, err := os.ReadDir(j.path)
	if errors.Is(err, os.ErrNotExist) || (err == nil && len(content) == 0) {
		return false, nil
	}
	return false, fmt.Errorf("%w: %s is not empty and no worktree of %s: move it away", ErrPathTaken, j.path, j.repo)
}

// listed is the repository's worktrees, after a folder that is there but not listed was registered again: it was moved,
// or its repository was, or this program was killed between the last two steps of make.
func (j *worktreeJob) listed(ctx context.Context) ([]registered, error) {
	list, err := j.worktrees(ctx, j.repo)
	known := slices.ContainsFunc(list, func(tree registered) bool { return resolved(tree.path) == j.path })
	if err != nil || known || !exists(filepath.Join(j.path, ".git")) {
		return list, err
	}
	if err := j.repair(ctx, j.path); err != nil {
		return nil, err
	}
	j.note("registered the worktree %s again", j.path)
	return j.worktrees(ctx, j.repo) // without it, if it is no worktree of this repository
}

// checkFound proves that the folder really is the top of its worktree, and says so when an agent has left it on another
// branch.
func (j *worktreeJob) checkFound(ctx context.Context) error {
	if _, _, err := j.topOf(ctx, j.path); err != nil { // the repository was moved
		if err := j.repair(ctx, j.path); err != nil {
			return err
		}
		if _, _, err := j.topOf(ctx, j.path); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrPathTaken, j.path, err)
		}
		j.note("repaired the link of %s to its repository", j.path)
	}
	branch, err := j.headBranch(ctx, j.path)
	if err != nil || branch == j.branch || branch == "" {
		return err
	}
	if j.first && strings.HasPrefix(branch, j.branch+".") { // addArgs chose it
		j.branch = branch
		return nil
	}
	j.note("the worktree is on the branch %s, not %s", branch, j.branch)
	return nil
}

// makingMark ends the name of a folder in which nobody has worked yet. It is in no card's name (see safeName).
const makingMark = ".making"

// making is where the worktree is made. Only a whole one gets its own name, so that whatever a killed git leaves can be
// thrown away without a look.
func (j *worktreeJob) making() string { return j.path + makingMark }

// make adds the worktree, on the branch that is there or on one that starts at the base.
func (j *worktreeJob) make(ctx context.Context) error {
	making := j.making()
	if err := j.throwAway(ctx, j.repo, making); err != nil {
		return err
	}
	args, err := j.addArgs(ctx)
	if err != nil {
		return err
	}
	if err := j.add(ctx, args); err != nil {
		return err
	}
	// git makes the folder as the umask says.
	if err := os.Chmod(making, 0o700); err != nil {
		return err
	}
	return j.rename(ctx, making, j.path)
}

// repair links the folder and its registration to each other. git looks at every worktree of the repository on the way,
// and fails for another's trouble though it has done what was asked; so what counts is how things stand afterwards.
func (j *worktreeJob) repair(ctx context.Context, path string) error {
	_, err := j.git(ctx, j.repo, "worktree", "repair", path)
	if exitCode(err) > 0 {
		return nil
	}
	return err
}

// rename gives a worktree another name in the same folder. It writes the way back to it, the file "gitdir" of
// gitrepository-layout(5), by itself: `git worktree move` refuses submodules, and `git worktree repair` is not made for
// many at once.
func (j *worktreeJob) rename(ctx context.Context, from, to string) error {
	gitDir, linked, err := j.topOf(ctx, from)
	if err != nil && !errors.Is(err, ErrNoRepository) {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	if !linked { // a folder that git does not know
		return nil
	}
	back := filepath.Join(gitDir, "gitdir")
	content, err := os.ReadFile(back)
	if err != nil {
		return err
	}
	parent, ours := strings.CutSuffix(trimLine(string(content)), filepath.Base(from)+"/.git")
	if !ours {
		return fmt.Errorf("rename %s: %s leads to %q", from, back, content)
	}
	half := back + makingMark
	if err := os.WriteFile(half, []byte(parent+filepath.Base(to)+"/.git\n"), 0o600); err != nil {
		return diskFull(err)
	}
	return os.Rename(half, back)
}

// addArgs chooses between a branch that is there and one that starts at the base.
func (j *worktreeJob) addArgs(ctx context.Context) ([]string, error) {
	for n := 2; ; n++ {
		exists, err := j.refExists(ctx, j.repo, "refs/heads/"+j.branch)
		if err != nil {
			return nil, err
		}
		if !exists {
			// Without --no-track, parallel calls collide on config.lock (WSP-1).
			return []string{"--no-track", "-b", j.branch, j.making(), j.baseRef}, j.checkPrefix(ctx)
		}
		if !j.first {
			return []string{j.making(), j.branch}, nil
		}
		merged, err := j.isAncestor(ctx, j.repo, "refs/heads/"+j.branch, j.baseRef)
		if err != nil {
			return nil, err
		}
		stoodOn, err := j.checkedOut(ctx)
		if err != nil {
			return nil, err
		}
		if merged && !stoodOn { // an interrupted start, or work that is in the base already: nothing is lost by starting at the base
			return []string{"--no-track", "-B", j.branch, j.making(), j.baseRef}, nil
		}
		other := strings.TrimSuffix(j.branch, fmt.Sprintf(".%d", n-1))
		j.note("the branch %s exists with work, or a worktree, that no run of this card recorded: left as it is", j.branch)
		j.branch = fmt.Sprintf("%s.%d", other, n)
	}
}

// checkedOut says whether a worktree stands on the branch, be it missing: git would refuse to move it.
func (j *worktreeJob) checkedOut(ctx context.Context) (bool, error) {
	list, err := j.worktrees(ctx, j.repo)
	return slices.ContainsFunc(list, func(tree registered) bool { return tree.branch == j.branch }), err
}

// checkPrefix fails when another branch's name makes this one impossible: git keeps branches as files and folders.
func (j *worktreeJob) checkPrefix(ctx context.Context) error {
	for at, c := range j.branch {
		if c != '/' {
			continue
		}
		exists, err := j.refExists(ctx, j.repo, "refs/heads/"+j.branch[:at])
		if err != nil {
			return err
		}
		if exists {
			return fmt.Errorf("%w: the branch %s exists, so %s cannot: rename %[2]s", ErrBranchPrefix, j.branch[:at], j.branch)
		}
	}
	below, err := j.line(ctx, j.repo, "for-each-ref", "--count=1", "--format=%(refname:strip=2)", "refs/heads/"+j.branch+"/")
	if err != nil {
		return err
	}
	if below != "" {
		return fmt.Errorf("%w: the branch %s exists, so %s cannot: rename %[2]s", ErrBranchPrefix, below, j.branch)
	}
	return nil
}

func (j *worktreeJob) add(ctx context.Context, args []string) error {
	err := retry(ctx, func() error {
		_, err := j.git(ctx, j.repo, append([]string{"worktree", "add", "--quiet"}, args...)...)
		if at := slices.Index(args, "-b"); at >= 0 {
			args[at] = "-B" // a collision may come after the branch was made, which was not there before
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("make worktree: %w", err)
	}
	return nil
}

func (j *worktreeJob) describe(ctx context.Context) (Ready, error) {
	ready := Ready{Path: j.path, Notes: j.notes}
	var err error
	if ready.Branch, err = j.headBranch(ctx, j.path); err != nil {
		return Ready{}, err
	}
	if ready.HeadCommit, err = j.commitOf(ctx, j.path, "HEAD"); err != nil {
		return Ready{}, err
	}
	ready.BaseCommit, err = j.line(ctx, j.path, "merge-base", j.baseRef, "HEAD")
	if exitCode(err) == 1 { // no common history: an agent may make an orphan branch
		return ready, nil
	}
	return ready, err
}
