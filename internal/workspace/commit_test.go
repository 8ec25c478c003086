package workspace_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/workspace"
)

func (p *place) commitLeft(path string) workspace.Committed {
	p.t.Helper()
	done, err := p.git.Commit(p.t.Context(), path, workspace.Message{Branch: "board/web-1", Subject: "board: web-1 run 1", Body: "failed: exit 1"})
	if err != nil {
		p.t.Fatal(err)
	}
	return done
}

func leftPaths(left []workspace.Leftover) string {
	var paths []string
	for _, l := range left {
		paths = append(paths, l.Path)
	}
	return strings.Join(paths, " ")
}

// Holds RET-6.
func TestCommit_TakesEverythingButIgnoredLargeAndSecret(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.commit(p.repo, ".gitignore", "build/\n")
	p.commit(p.repo, "old", "o")
	path := p.prepare(p.spec("web-1")).Path
	p.write(path, "readme", "two\n")
	p.write(path, "deep/-dash \"quote\"\n*", "x")
	p.write(path, "build/out", "x")
	p.write(path, "conf/.env.local", "TOKEN=1")
	p.write(path, "key.pem", "x")
	p.write(path, "id_rsa", "x")
	p.write(path, "big", strings.Repeat("x", 5<<20+1))
	p.write(path, "just", strings.Repeat("x", 5<<20))
	_ = os.Remove(filepath.Join(path, "old"))
	done := p.commitLeft(path)
	if got, want := leftPaths(done.Left), "big conf/.env.local id_rsa key.pem"; got != want {
		t.Errorf("left out: got %q, want %q", got, want)
	}
	if done.Commit == "" || done.Commit != p.run(p.repo, "rev-parse", "board/web-1") || done.Head != done.Commit {
		t.Errorf("commit: got %+v", done)
	}
	changed := p.run(path, "-c", "core.quotePath=true", "show", "--name-status", "--format=", "HEAD")
	if want := "A\t\"deep/-dash \\\"quote\\\"\\n*\"\nA\tjust\nD\told\nM\treadme"; changed != want {
		t.Errorf("changed: got %q, want %q", changed, want)
	}
	if got := p.run(path, "log", "-1", "--format=%an <%ae> %cn <%ce>|%B"); got != "board <board@localhost> board <board@localhost>|board: web-1 run 1\n\nfailed: exit 1" {
		t.Errorf("commit: got %q", got)
	}
	if again := p.commitLeft(path); again.Commit != "" || again.Head != done.Head || len(again.Left) != 4 {
		t.Errorf("again: got %+v, want no second commit", again)
	}
}

// Holds RET-6.
func TestCommit_UsesThePersonsIdentityAndNoHookOrSignature(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for key, value := range map[string]string{
		"user.name": "ann", "user.email": "ann@example.org", "commit.gpgsign": "true", "gpg.program": "/bin/false",
		"core.hooksPath": p.repo + "/.git/hooks", "core.fsmonitor": "touch " + p.repo + "/monitored",
	} {
		p.run(p.repo, "config", key, value)
	}
	for _, hook := range []string{"pre-commit", "commit-msg", "post-commit", "post-checkout", "prepare-commit-msg"} {
		p.program(filepath.Join(p.repo, ".git", "hooks", hook), "touch "+p.repo+"/hooked; exit 1")
	}
	path := p.prepare(p.spec("web-1")).Path
	p.write(path, "made", "m")
	p.commitLeft(path)
	if got := p.run(path, "log", "-1", "--format=%an <%ae> %G?"); got != "ann <ann@example.org> N" {
		t.Errorf("got %q", got)
	}
	if !p.missing(p.repo+"/hooked") || !p.missing(p.repo+"/monitored") {
		t.Error("a program that the repository names was run")
	}
}

// Holds RET-6.
func TestCommit_TakesOutWhatAnAgentStagedThatMayNotBeIn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path := p.prepare(p.spec("web-1")).Path
	agents := p.commit(path, "work", "w")
	p.write(path, ".env", "TOKEN=1")
	p.write(path, "staged", "s")
	p.run(path, "add", "-A")
	done := p.commitLeft(path)
	if got := p.run(path, "show", "--name-only", "--format=%P", "HEAD"); got != agents+"\n\nstaged" {
		t.Errorf("got %q, want staged alone on top of the agent's commit %s", got, agents)
	}
	if got := leftPaths(done.Left); got != ".env" {
		t.Errorf("left out: got %q", got)
	}
	if got := p.read(path, ".env"); got != "TOKEN=1" {
		t.Errorf(".env: got %q", got)
	}
}

// Holds WSP-9.
func TestCommit_LeavesSubmodulesAndNestedRepositories(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	library := newPlace(t)
	p.run(p.repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.repo, "lib")
	p.run(p.repo, "commit", "-q", "-m", "lib")
	path := p.prepare(p.spec("web-1")).Path
	p.run(path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	p.commit(filepath.Join(path, "lib"), "more", "m")
	p.mkdir(filepath.Join(path, "nested"))
	p.run(filepath.Join(path, "nested"), "init", "-q")
	p.commit(filepath.Join(path, "nested"), "x", "x")
	p.write(path, "made", "m")
	done := p.commitLeft(path)
	if got := p.run(path, "show", "--name-only", "--format=", "HEAD"); got != "made" {
		t.Errorf("committed: got %q, want made", got)
	}
	if got := leftPaths(done.Left); got != "lib nested/" {
		t.Errorf("left out: got %q", got)
	}
}

// Holds RET-6.
func TestCommit_EndsAMergeButNotOneInConflict(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.branch("other", "readme", "other\n")
	path := p.prepare(p.spec("web-1")).Path
	head := p.commit(path, "readme", "mine\n")
	p.conflict(path, "merge", "other")
	done := p.commitLeft(path)
	if done.Commit != "" || done.Head != head {
		t.Errorf("in conflict: got %+v, want no commit", done)
	}
	contains(t, done.Notes, "readme")
	p.write(path, "readme", "both\n")
	p.run(path, "add", "readme")
	done = p.commitLeft(path)
	if got := p.run(path, "log", "-1", "--format=%P"); strings.Count(got, " ") != 1 || done.Commit == "" {
		t.Errorf("resolved: got %+v with parents %q, want a merge", done, got)
	}
}

// Holds RET-6.
func TestCommit_TouchesNoBranchButTheCards(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path := p.prepare(p.spec("web-1")).Path
	for _, args := range [][]string{{"checkout", "-q", "-b", "release"}, {"checkout", "-q", "--detach"}} {
		p.run(path, args...)
		p.write(path, "made", "m")
		done := p.commitLeft(path)
		if done.Commit != "" || len(done.Notes) != 1 {
			t.Errorf("after %v: got %+v, want no commit and a note", args, done)
		}
	}
}

// Holds RET-6.
func TestCommit_RemovesItsOwnStaleIndexLockOnly(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path := p.prepare(p.spec("web-1")).Path
	p.write(path, "made", "m")
	p.write(p.run(path, "rev-parse", "--absolute-git-dir"), "index.lock", "")
	p.write(p.repo, ".git/index.lock", "")
	if done := p.commitLeft(path); done.Commit == "" {
		t.Errorf("got %+v, want a commit", done)
	}
	p.write(p.repo, "made", "m")
	if _, err := p.git.Commit(t.Context(), p.repo, workspace.Message{Subject: "s"}); err == nil {
		t.Error("committed beside a person's git")
	}
	if p.missing(filepath.Join(p.repo, ".git/index.lock")) {
		t.Error("the person's lock is gone")
	}
}

// Holds RET-6.
func TestCommit_NamesWhatGitCannotRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path := p.prepare(p.spec("web-1")).Path
	p.write(path, "bad", "b")
	p.write(path, "good", "g")
	// A file that even root cannot read is hard to come by: this git leaves it out as the real one would.
	p.git.Bin = p.program(filepath.Join(p.repo, "..", "git"), `case "$*" in *" add "*)
		tr '\0' '\n' | grep -v bad | tr '\n' '\0' | git "$@"; exit 1;; esac; exec git "$@"`)
	done, err := p.git.Commit(t.Context(), path, workspace.Message{Subject: "s"})
	if err != nil || done.Commit == "" || leftPaths(done.Left) != "bad" {
		t.Errorf("got %+v, %v, want a commit without bad", done, err)
	}
}

// Holds WSP-9.
func TestCommit_RefusesAFolderInsideSomebodyElsesRepository(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	inner := filepath.Join(p.repo, "inner")
	p.write(inner, "made", "m")
	if _, err := p.git.Commit(t.Context(), inner, workspace.Message{Subject: "s"}); !errors.Is(err, workspace.ErrNoRepository) {
		t.Errorf("got %v, want %v", err, workspace.ErrNoRepository)
	}
}

// Holds ROS-16.
func TestSnapshot_KeepsTheWorkingStateAndTouchesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.branch("other", "readme", "other\n")
	path := p.prepare(p.spec("web-1")).Path
	p.commit(path, "readme", "mine\n")
	p.conflict(path, "merge", "other") // an unfinished merge is a state too
	p.write(path, "staged", "s")
	p.write(path, ".env", "TOKEN=1")
	p.run(path, "add", "-A")
	p.write(path, "loose", "l")
	before := p.run(path, "status", "--porcelain=v2", "--branch")
	ref := workspace.HandoverRef("web-1", 1)
	done, err := p.git.Snapshot(t.Context(), path, ref)
	if err != nil {
		t.Fatal(err)
	}
	if after := p.run(path, "status", "--porcelain=v2", "--branch"); after != before {
		t.Errorf("status: got\n%s\nwant\n%s", after, before)
	}
	if got := p.run(p.repo, "rev-parse", "refs/board/web-1/handover-1"); got != done.Commit {
		t.Errorf("ref: got %s, want %s", got, done.Commit)
	}
	if got := p.run(path, "ls-tree", "--name-only", ref); got != "loose\nreadme\nstaged" {
		t.Errorf("files: got %q", got)
	}
	if got := p.run(path, "show", ref+":readme"); !strings.Contains(got, "<<<<<<<") {
		t.Errorf("readme: got %q, want it as it stands", got)
	}
	if got := leftPaths(done.Left); got != ".env" {
		t.Errorf("left out: got %q", got)
	}
	if files, _ := filepath.Glob(p.run(path, "rev-parse", "--absolute-git-dir") + "/board-snapshot-*"); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
}

func TestDiff_IsWhatTheBranchChangedSinceItLeftTheBase(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(p.repo, "config", "diff.external", "/bin/false")
	p.branch("board/web-1", "made", "a\nb\n")
	p.commit(p.repo, "later", "not the card's")
	text, err := p.git.Diff(t.Context(), p.repo, "main", "board/web-1")
	if err != nil || !strings.Contains(text, "+++ b/made\n") || strings.Contains(text, "later") {
		t.Errorf("got %q, %v", text, err)
	}
	left := p.run(p.repo, "merge-base", "main", "board/web-1")
	if same, err := p.git.Diff(t.Context(), p.repo, left, "board/web-1"); err != nil || same != text {
		t.Errorf("against the commit that it left: got %q, %v", same, err)
	}
	stat, err := p.git.DiffStat(t.Context(), p.repo, "", "board/web-1")
	if want := (workspace.Stat{Files: 1, Insertions: 2}); err != nil || stat != want {
		t.Errorf("got %+v, %v, want %+v", stat, err, want)
	}
	if _, err := p.git.Diff(t.Context(), p.repo, "main", "board/web-9"); !errors.Is(err, workspace.ErrBranchMissing) {
		t.Errorf("missing branch: got %v", err)
	}
}

func TestCommit_TakesMorePathsThanAnArgumentListHolds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path := p.prepare(p.spec("web-1")).Path
	for i := range 3000 {
		p.write(path, fmt.Sprintf("many/%0100d", i), "x")
	}
	p.commitLeft(path)
	if got := p.run(path, "status", "--porcelain"); got != "" {
		t.Errorf("left: %.200s", got)
	}
}

// Fault 36: a worktree that was taken away is called so, and not a git that is missing.
func TestCommit_SaysThatTheWorktreeIsGone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	path := p.prepare(p.spec("web-1")).Path
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	_, err := p.git.Commit(t.Context(), path, workspace.Message{Branch: "board/web-1", Subject: "x"})
	if !errors.Is(err, workspace.ErrDirMissing) || !strings.Contains(err.Error(), path) {
		t.Fatalf("got %v, want %v, naming %s", err, workspace.ErrDirMissing, path)
	}
}
