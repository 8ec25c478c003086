package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-2ddc2152/board/internal/workspace"
)

// Holds WSP-1.
func TestPrepare_MakesABranchOfTheCardsOwnUnderTheHome(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ready := p.prepare(p.spec("web-1"))
	if want := filepath.Join(p.worktrees, "web", "web-1"); ready.Path != want {
		t.Errorf("path: got %s, want %s", ready.Path, want)
	}
	head := p.run(p.repo, "rev-parse", "main")
	if ready.Branch != "board/web-1" || !ready.Made || ready.HeadCommit != head || ready.BaseCommit != head {
		t.Errorf("got %+v, want the branch board/web-1 made at %s", ready, head)
	}
	if got := p.read(ready.Path, "readme"); got != "one\n" {
		t.Errorf("readme: got %q", got)
	}
	info, err := os.Stat(ready.Path)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode: got %v, %v, want 0700", info.Mode(), err)
	}
}

// Scenario 34: parallel `git worktree add` collides on config.lock unless it says --no-track (WSP-1).
func TestPrepare_Makes24WorktreesAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	upstream := filepath.Join(filepath.Dir(p.repo), "upstream.git")
	p.run(p.repo, "clone", "-q", "--bare", p.repo, upstream)
	p.run(p.repo, "remote", "add", "origin", upstream)
	p.run(p.repo, "fetch", "-q", "origin")
	errs := make([]error, 24)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			spec := p.spec(fmt.Sprintf("web-%d", i+1))
			spec.Base = "origin/main"
			_, errs[i] = p.git.Prepare(context.WithoutCancel(t.Context()), spec)
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(p.run(p.repo, "worktree", "list"), "board/web-"); got != 24 {
		t.Errorf("got %d worktrees, want 24", got)
	}
}

// Holds WSP-3.
func TestPrepare_ContinuesInTheSameWorktree(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	first := p.prepare(p.spec("web-1"))
	p.write(first.Path, "half", "done")
	head := p.commit(first.Path, "work", "w")
	for _, branch := range []string{"", "board/web-1"} {
		spec := p.spec("web-1")
		spec.Branch = branch
		again := p.prepare(spec)
		if again.Made || again.HeadCommit != head || again.BaseCommit != first.BaseCommit || again.Branch != first.Branch {
			t.Errorf("branch %q: got %+v, want the worktree as it was left at %s", branch, again, head)
		}
	}
	if got := p.read(first.Path, "half"); got != "done" {
		t.Errorf("half: got %q", got)
	}
}

// Holds WSP-3.
func TestPrepare_TakesTheRecordedBranchUpAgainWhenTheFolderIsGone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	first := p.prepare(p.spec("web-1"))
	head := p.commit(first.Path, "work", "w")
	if err := os.RemoveAll(first.Path); err != nil {
		t.Fatal(err)
	}
	spec := p.spec("web-1")
	spec.Branch = first.Branch
	again := p.prepare(spec)
	if !again.Made || again.HeadCommit != head {
		t.Errorf("got %+v, want it made again at %s", again, head)
	}
	contains(t, again.Notes, "stale worktree registration")
}

// Holds WSP-3.
func TestPrepare_CleanKeepsTheOldWorkUnderNoPrefixName(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	first := p.prepare(p.spec("web-1"))
	head := p.commit(first.Path, "work", "w")
	p.write(first.Path, "half", "done")
	spec := p.spec("web-1")
	spec.Branch, spec.Clean = first.Branch, true
	for n := 1; n <= 2; n++ {
		clean := p.prepare(spec)
		if !clean.Made || clean.HeadCommit != first.BaseCommit || clean.Branch != first.Branch || clean.Path != first.Path {
			t.Fatalf("got %+v, want a fresh start", clean)
		}
		contains(t, clean.Notes, fmt.Sprintf("board/web-1.attempt-%d", n))
	}
	kept := first.Path + ".attempt-1"
	if got := p.run(kept, "rev-parse", "--abbrev-ref", "HEAD"); got != "board/web-1.attempt-1" {
		t.Errorf("branch of the kept folder: got %s", got)
	}
	if got := p.run(p.repo, "rev-parse", "board/web-1.attempt-1"); got != head {
		t.Errorf("kept branch: got %s, want %s", got, head)
	}
	if got := p.read(kept, "half"); got != "done" {
		t.Errorf("half: got %q", got)
	}
}

// Holds WSP-3.
func TestPrepare_CleanStartsAnewInTheMiddleOfARebase(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	first := p.prepare(p.spec("web-1"))
	p.commit(first.Path, "readme", "theirs\n")
	p.commit(p.repo, "readme", "ours\n")
	p.conflict(first.Path, "rebase", "-q", "main")
	spec := p.spec("web-1")
	spec.Branch, spec.Clean = first.Branch, true
	clean := p.prepare(spec)
	if got := p.read(clean.Path, "readme"); got != "ours\n" {
		t.Errorf("readme: got %q, want the base's", got)
	}
	kept := first.Path + ".attempt-1"
	p.run(kept, "rebase", "--skip")
	if got := p.run(kept, "rev-parse", "--abbrev-ref", "HEAD"); got != "board/web-1.attempt-1" {
		t.Errorf("the rebase in the kept folder ended on %s", got)
	}
}

// Holds WSP-1.
func TestPrepare_LeavesABranchThatNoRunRecorded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.branch("board/web-1", "old", "of an earlier home")
	ready := p.prepare(p.spec("web-1"))
	if ready.Branch != "board/web-1.2" || !p.missing(filepath.Join(ready.Path, "old")) {
		t.Errorf("got %+v, want a branch beside board/web-1", ready)
	}
	contains(t, ready.Notes, "board/web-1 exists")
	if again := p.prepare(p.spec("web-1")); again.Branch != "board/web-1.2" || again.Made {
		t.Errorf("again: got %+v, want the same worktree", again)
	}
}

// Holds WSP-1. git moves no branch that another worktree stands on, be it without work of its own.
func TestPrepare_LeavesABranchOfAnotherWorktree(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.branch("board/web-1", "old", "of an earlier home")
	p.run(p.repo, "worktree", "add", "-q", "-b", "board/web-1.2", filepath.Join(t.TempDir(), "other"), "main")
	if ready := p.prepare(p.spec("web-1")); ready.Branch != "board/web-1.3" {
		t.Errorf("got %+v, want the next branch that is free", ready)
	}
}

// Holds WSP-6.
func TestPrepare_TroubleHasItsOwnText(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		make func(p *place) workspace.Spec
		want error
		text string
	}{
		{"git missing", func(p *place) workspace.Spec {
			p.git.Bin = "no-such-git"
			return p.spec("web-1")
		}, workspace.ErrGitMissing, "no-such-git"},
		{"repository missing", func(p *place) workspace.Spec {
			spec := p.spec("web-1")
			spec.Repo += "-gone"
			return spec
		}, workspace.ErrNoRepository, "repo-gone"},
		{"no repository", func(p *place) workspace.Spec {
			spec := p.spec("web-1")
			spec.Repo = filepath.Join(p.repo, "..", "plain")
			p.mkdir(spec.Repo)
			return spec
		}, workspace.ErrNoRepository, "plain"},
		{"base deleted", func(p *place) workspace.Spec {
			spec := p.spec("web-1")
			spec.Base = "develop"
			return spec
		}, workspace.ErrBaseMissing, `"develop"`},
		{"base is a tag", func(p *place) workspace.Spec {
			p.run(p.repo, "tag", "v1")
			spec := p.spec("web-1")
			spec.Base = "v1"
			return spec
		}, workspace.ErrBaseDetached, `"v1"`},
		{"base not named and the head detached", func(p *place) workspace.Spec {
			p.run(p.repo, "checkout", "-q", "--detach")
			spec := p.spec("web-1")
			spec.Base = ""
			return spec
		}, workspace.ErrBaseDetached, "detached head"},
		{"branch checked out elsewhere", func(p *place) workspace.Spec {
			p.run(p.repo, "checkout", "-q", "-b", "board/web-1")
			return p.spec("web-1")
		}, workspace.ErrBranchElsewhere, "board/web-1"},
		{"branch is a folder of this name", func(p *place) workspace.Spec {
			p.branch("board", "x", "x")
			return p.spec("web-1")
		}, workspace.ErrBranchPrefix, "the branch board exists"},
		{"this name is a folder of a branch", func(p *place) workspace.Spec {
			p.branch("board/web-1/deep", "x", "x")
			return p.spec("web-1")
		}, workspace.ErrBranchPrefix, "board/web-1/deep"},
		{"branch name that git refuses", func(p *place) workspace.Spec {
			spec := p.spec("web-1")
			spec.Branch = "-f"
			return spec
		}, workspace.ErrBranchName, `"-f"`},
		{"folder taken", func(p *place) workspace.Spec {
			p.write(filepath.Join(p.worktrees, "web", "web-1"), "mine", "m")
			return p.spec("web-1")
		}, workspace.ErrPathTaken, "web-1"},
		{"missing but locked", func(p *place) workspace.Spec {
			ready := p.prepare(p.spec("web-1"))
			p.run(p.repo, "worktree", "lock", "--reason", "on a stick", ready.Path)
			_ = os.RemoveAll(ready.Path)
			return p.spec("web-1")
		}, workspace.ErrPathTaken, "on a stick"},
		{"worktrees behind a symlink", func(p *place) workspace.Spec {
			p.mkdir(p.worktrees)
			_ = os.Symlink(p.repo, filepath.Join(p.worktrees, "web"))
			return p.spec("web-1")
		}, workspace.ErrOutside, "symlink"},
		{"disk full", func(p *place) workspace.Spec {
			p.git.Bin = p.program(filepath.Join(p.worktrees, "..", "git"), `case "$*" in *"worktree add"*)
				seq -f "error: unable to write file f%g" 1000 >&2; echo "fatal: Could not reset index file" >&2; exit 128;; esac
				exec git "$@"`)
			return p.spec("web-1")
		}, workspace.ErrDiskFull, "f2\n...\nerror"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			_, err := p.git.Prepare(t.Context(), c.make(p))
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.text)
			}
			if !workspace.NeedsPerson(err) {
				t.Errorf("NeedsPerson(%v) = false", err)
			}
		})
	}
}

// Holds WSP-6.
func TestPrepare_SaysThatThereAreNoCommits(t *testing.T) {
	t.Parallel()
	p := emptyPlace(t)
	if _, err := p.git.Prepare(t.Context(), p.spec("web-1")); !errors.Is(err, workspace.ErrNoCommits) {
		t.Errorf("got %v, want %v", err, workspace.ErrNoCommits)
	}
}

// Wherever git or this program was killed, the next call makes the worktree whole (WSP-6).
func TestPrepare_GoesOnAfterAKilledGit(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(p *place, making, admin string){
		"no folder yet": func(_ *place, making, _ string) { _ = os.RemoveAll(making) },
		"empty folder": func(p *place, making, _ string) {
			_ = os.RemoveAll(making)
			p.mkdir(making)
		},
		"half of the files": func(_ *place, making, admin string) {
			_ = os.Remove(filepath.Join(making, "readme"))
			_ = os.Remove(filepath.Join(admin, "index"))
		},
		"files that git knows nothing of": func(_ *place, making, admin string) {
			_ = os.RemoveAll(admin)
			_ = os.Remove(filepath.Join(making, ".git"))
		},
		"whole, but not named": func(_ *place, _, admin string) { _ = os.Remove(filepath.Join(admin, "locked")) },
		"named, but not registered": func(_ *place, making, admin string) {
			_ = os.Remove(filepath.Join(admin, "locked"))
			_ = os.Rename(making, strings.TrimSuffix(making, ".making"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			path := filepath.Join(p.worktrees, "web", "web-1")
			p.run(p.repo, "worktree", "add", "-q", "-b", "board/web-1", path+".making")
			admin := p.run(path+".making", "rev-parse", "--absolute-git-dir")
			p.write(admin, "locked", "initializing") // git's own mark while it works
			p.commit(p.repo, "later", "l")
			leave(p, path+".making", admin)
			ready := p.prepare(p.spec("web-1"))
			if ready.Path != path || ready.Branch != "board/web-1" || p.run(path, "status", "--porcelain") != "" {
				t.Errorf("got %+v, want a whole worktree", ready)
			}
			if !p.missing(path+".making") || strings.Count(p.run(p.repo, "worktree", "list"), "\n") != 1 {
				t.Errorf("left behind: %s", p.run(p.repo, "worktree", "list"))
			}
		})
	}
}

// Holds WSP-6.
func TestPrepare_RegistersAMovedRepositoryAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ready := p.prepare(p.spec("web-1"))
	head := p.commit(ready.Path, "work", "w")
	moved := p.repo + "-moved"
	if err := os.Rename(p.repo, moved); err != nil {
		t.Fatal(err)
	}
	p.repo = moved
	again := p.prepare(p.spec("web-1"))
	if again.Made || again.HeadCommit != head {
		t.Errorf("got %+v, want the worktree as it was at %s", again, head)
	}
}

// Holds WSP-8.
func TestPrepare_MergesItsBlockersIn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.branch("board/web-1", "one", "1")
	p.branch("board/web-2", "two", "2")
	spec := p.spec("web-3")
	spec.Blockers = []string{"board/web-1", "board/web-2", "board/gone"}
	ready := p.prepare(spec)
	if p.read(ready.Path, "one") != "1" || p.read(ready.Path, "two") != "2" {
		t.Errorf("got %+v, want both blockers' files", ready)
	}
	contains(t, ready.Notes, "board/gone is gone")
	if again := p.prepare(spec); again.HeadCommit != ready.HeadCommit {
		t.Errorf("again: got %s, want nothing merged twice (%s)", again.HeadCommit, ready.HeadCommit)
	}
}

// Holds WSP-8.
func TestPrepare_AsksAPersonAboutAConflict(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.branch("board/web-1", "readme", "left\n")
	p.branch("board/web-2", "readme", "right\n")
	spec := p.spec("web-3")
	spec.Blockers = []string{"board/web-1", "board/web-2"}
	_, err := p.git.Prepare(t.Context(), spec)
	var conflict *workspace.ConflictError
	if !errors.As(err, &conflict) || conflict.Branch != "board/web-2" || strings.Join(conflict.Files, ",") != "readme" {
		t.Fatalf("got %v, want a conflict of board/web-2 in readme", err)
	}
	if got := p.run(conflict.Path, "status", "--porcelain"); got != "" {
		t.Errorf("status: got %q, want a clean worktree", got)
	}
	p.run(conflict.Path, "merge", "-q", "-s", "ours", "-m", "by hand", "board/web-2")
	if _, err := p.git.Prepare(t.Context(), spec); err != nil {
		t.Errorf("after a person merged: %v", err)
	}
}

// Holds WSP-2.
func TestPrepareDetached_IsTheReviewersOwnAndThrownAway(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	worker := p.prepare(p.spec("web-1"))
	head := p.commit(worker.Path, "work", "w")
	spec := workspace.Detached{Worktrees: p.worktrees, Board: "web", Card: "web-1", Run: "r2", Repo: p.repo, Commit: head}
	for range 2 { // a killed call leaves one
		review, err := p.git.PrepareDetached(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if review.Branch != "" || review.HeadCommit != head || p.read(review.Path, "work") != "w" {
			t.Errorf("got %+v, want the worker's head without a branch", review)
		}
		p.write(review.Path, "scribble", "s")
	}
	path := worker.Path + ".review-r2"
	if err := p.git.Discard(t.Context(), p.worktrees, p.repo, path); err != nil || !p.missing(path) {
		t.Errorf("Discard: %v, missing: %v", err, p.missing(path))
	}
	if err := p.git.Discard(t.Context(), p.worktrees, p.repo, path); err != nil {
		t.Errorf("Discard again: %v", err)
	}
	if err := p.git.Discard(t.Context(), p.worktrees, p.repo, worker.Path); err == nil || p.missing(worker.Path) {
		t.Error("Discard took the worker's worktree")
	}
}

func TestPrepare_OtherKinds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	repo := p.prepare(workspace.Spec{Kind: workspace.Repo, Repo: p.repo})
	if repo.Path != p.repo || repo.Branch != "main" || repo.HeadCommit == "" {
		t.Errorf("repo: got %+v", repo)
	}
	if dir := p.prepare(workspace.Spec{Kind: workspace.Dir, Dir: p.repo}); dir.Path != p.repo {
		t.Errorf("dir: got %+v", dir)
	}
	if _, err := p.git.Prepare(t.Context(), workspace.Spec{Kind: workspace.Dir, Dir: p.repo + "-gone"}); !errors.Is(err, workspace.ErrDirMissing) {
		t.Errorf("missing dir: got %v", err)
	}
	spec := workspace.Spec{Kind: workspace.Scratch, Worktrees: p.worktrees, Board: "web", Card: "web-9"}
	scratch := p.prepare(spec)
	p.write(scratch.Path, "notes", "n")
	if again := p.prepare(spec); again.Made || p.read(again.Path, "notes") != "n" {
		t.Errorf("scratch again: got %+v", again)
	}
	spec.Clean = true
	if clean := p.prepare(spec); !clean.Made || p.read(clean.Path+".attempt-1", "notes") != "n" {
		t.Errorf("scratch clean: got %+v", clean)
	}
}

// WSP-9: variables of an outer git, a hook's say, must not turn the work on another repository.
func TestPrepare_IsBlindToAnOuterGit(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	other := newPlace(t)
	p.git.Env = append(p.git.Env, "GIT_DIR="+other.repo+"/.git", "GIT_WORK_TREE="+other.repo, "GIT_INDEX_FILE="+other.repo+"/.git/index")
	ready, err := p.git.Prepare(t.Context(), p.spec("web-1"))
	if err != nil {
		t.Fatal(err)
	}
	p.write(ready.Path, "made", "m")
	if _, err := p.git.Commit(t.Context(), ready.Path, workspace.Message{Subject: "s"}); err != nil {
		t.Fatal(err)
	}
	if got := other.run(other.repo, "worktree", "list"); strings.Count(got, "\n") != 0 {
		t.Errorf("the other repository has %s", got)
	}
	if got := other.run(other.repo, "log", "--oneline", "--all"); strings.Count(got, "\n") != 0 {
		t.Errorf("the other repository has commits: %s", got)
	}
}

func TestBranchName_IsSafeAndNeverShared(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, card := range []string{"web-1", "web-1.attempt-1", "web/1", "web 1", "web..1", "-web", "", "é", "web-1.lock", strings.Repeat("x", 300), strings.Repeat("x", 301)} {
		name := workspace.BranchName(card)
		if other, taken := seen[name]; taken {
			t.Errorf("%q and %q are both %s", card, other, name)
		}
		seen[name] = card
		if strings.ContainsAny(strings.TrimPrefix(name, "board/"), "/. ") || len(name) > 150 {
			t.Errorf("BranchName(%q) = %q", card, name)
		}
	}
	if got := workspace.BranchName("web-1"); got != "board/web-1" {
		t.Errorf("got %q", got)
	}
}
