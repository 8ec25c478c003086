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

// find reports whether the worktree is there and usable, after mending what a killed git or a person left half done.
func (j *worktreeJob) find(ctx context.Context) (bool, error) {
	list, err := j.worktrees(ctx, j.repo)
	if err != nil {
		return false, err
	}
	for _, tree := range list {
		here := resolved(tree.path) == j.path
		switch {
		case !here && tree.branch != j.branch:
			continue
		case here && !tree.missing() && !tree.interrupted():
			return true, j.checkFound(ctx)
		case tree.missing() || (here && tree.interrupted()):
			if err := j.unregister(ctx, tree); err != nil {
				return false, err
			}
		default:
			return false, fmt.Errorf("%w: %s is checked out in %s", ErrBranchElsewhere, j.branch, tree.path)
		}
	}
	return j.adopt(ctx)
}

// checkFound proves that the folder really is the top of its worktree, mending its links once, and says so when an
// agent has left it on another branch.
func (j *worktreeJob) checkFound(ctx context.Context) error {
	if _, _, err := j.topOf(ctx, j.path); err != nil {
		if _, errRepair := j.git(ctx, j.repo, "worktree", "repair", j.path); errRepair != nil {
			return fmt.Errorf("%w: %s: %w", ErrPathTaken, j.path, err)
		}
		if _, _, err := j.topOf(ctx, j.path); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrPathTaken, j.path, err)
		}
		j.note("repaired the registration of %s", j.path)
	}
	branch, err := j.headBranch(ctx, j.path)
	if err == nil && branch != j.branch && branch != "" {
		if j.first && strings.HasPrefix(branch, j.branch+".") {
			j.branch = branch
			return nil
		}
		j.note("the worktree is on the branch %s, not %s", branch, j.branch)
	}
	return err
}

// unregister takes a registration away whose folder is gone, or whose making was interrupted: nothing was ever done in
// it. A missing worktree that a person locked may be on a disk that is not there, and stays.
func (j *worktreeJob) unregister(ctx context.Context, tree registered) error {
	if tree.locked && !tree.interrupted() {
		return fmt.Errorf("%w: the registered worktree %s is missing but locked (%s): unlock it with `git worktree unlock`",
			ErrPathTaken, tree.path, tree.lockReason)
	}
	// Killed between making the folder and the link in it, git calls the folder invalid and leaves it; only an empty one
	// can be that.
	_ = os.Remove(tree.path)
	if _, err := j.git(ctx, j.repo, "worktree", "remove", "--force", "--force", tree.path); err != nil {
		return fmt.Errorf("take away the stale worktree registration %s: %w", tree.path, err)
	}
	j.note("took away the stale worktree registration %s", tree.path)
	return nil
}

// adopt deals with a folder that is in the way though the repository does not list it: a worktree that was moved is
// registered again, an empty folder is fine, anything else is not ours to touch.
func (j *worktreeJob) adopt(ctx context.Context) (bool, error) {
	content, err := os.ReadDir(j.path)
	if errors.Is(err, os.ErrNotExist) || (err == nil && len(content) == 0) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrPathTaken, err)
	}
	if _, err := j.git(ctx, j.repo, "worktree", "repair", j.path); err == nil {
		list, err := j.worktrees(ctx, j.repo)
		if err != nil {
			return false, err
		}
		for _, tree := range list {
			if resolved(tree.path) == j.path {
				j.note("registered the worktree %s again", j.path)
				return true, j.checkFound(ctx)
			}
		}
	}
	return false, fmt.Errorf("%w: %s is not empty and no worktree of %s: move it away", ErrPathTaken, j.path, j.repo)
}

// make adds the worktree, on the branch that is there or on one that starts at the base.
func (j *worktreeJob) make(ctx context.Context) error {
	args, err := j.addArgs(ctx)
	if err != nil {
		return err
	}
	if err := j.add(ctx, args); err != nil {
		return err
	}
	// git makes the folder as the umask says.
	return os.Chmod(j.path, 0o700)
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
			return []string{"--no-track", "-b", j.branch, j.path, j.baseRef}, j.checkPrefix(ctx)
		}
		if !j.first {
			return []string{j.path, j.branch}, nil
		}
		merged, err := j.isAncestor(ctx, j.repo, "refs/heads/"+j.branch, j.baseRef)
		if err != nil {
			return nil, err
		}
		if merged { // an interrupted start, or work that is in the base already: nothing is lost by starting at the base
			return []string{"--no-track", "-B", j.branch, j.path, j.baseRef}, nil
		}
		other := strings.TrimSuffix(j.branch, fmt.Sprintf(".%d", n-1))
		j.note("the branch %s exists with work that no run of this card recorded: left as it is", j.branch)
		j.branch = fmt.Sprintf("%s.%d", other, n)
	}
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
		return fmt.Errorf("make worktree %s: %w", j.path, err)
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
