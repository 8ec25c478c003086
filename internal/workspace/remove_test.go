package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/workspace"
)

// Scenario 37: nothing is lost, whatever state a worktree is in, and the reason is said (WSP-4).
func TestRemove_KeepsWhatWouldBeLost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(p *place, ready workspace.Ready, removal *workspace.Removal)
		want string
	}{
		{"changed file", func(p *place, ready workspace.Ready, _ *workspace.Removal) {
			p.write(ready.Path, "readme", "two\n")
		}, "not committed (readme)"},
		{"untracked file", func(p *place, ready workspace.Ready, _ *workspace.Removal) {
			p.write(ready.Path, "made", "m")
		}, "not committed (made)"},
		{"unmerged commit", func(p *place, ready workspace.Ready, _ *workspace.Removal) {
			p.commit(ready.Path, "made", "m")
		}, "not merged into main"},
		{"unmerged commit on a detached head", func(p *place, ready workspace.Ready, _ *workspace.Removal) {
			p.run(ready.Path, "checkout", "-q", "--detach")
			p.commit(ready.Path, "made", "m")
		}, "not merged into main"},
		{"merged but not pushed", func(p *place, ready workspace.Ready, _ *workspace.Removal) {
			p.commit(ready.Path, "made", "m")
			p.run(p.repo, "merge", "-q", "--ff-only", ready.Branch)
			p.run(p.repo, "remote", "add", "origin", p.repo+"-remote")
		}, "not pushed"},
		{"live", func(_ *place, _ workspace.Ready, removal *workspace.Removal) {
			removal.Live = func() bool { return true }
		}, "in use"},
		{"base gone", func(_ *place, _ workspace.Ready, removal *workspace.Removal) {
			removal.Base = "develop"
		}, "base"},
		{"locked by a person", func(p *place, ready workspace.Ready, _ *workspace.Removal) {
			p.run(p.repo, "worktree", "lock", ready.Path)
		}, "locked"},
		{"outside the home", func(p *place, _ workspace.Ready, removal *workspace.Removal) {
			removal.Path = p.repo
		}, "not below"},
		{"the worktrees folder itself", func(_ *place, _ workspace.Ready, removal *workspace.Removal) {
			removal.Path = removal.Worktrees
		}, "not below"},
		{"dots that lead out", func(_ *place, _ workspace.Ready, removal *workspace.Removal) {
			removal.Path = removal.Worktrees + "/web/../../../repo"
		}, "not below"},
		{"symlink to the worktree", func(p *place, ready workspace.Ready, removal *workspace.Removal) {
			removal.Path = filepath.Join(p.worktrees, "link")
			_ = os.Symlink(ready.Path, removal.Path)
		}, "symlink"},
		{"folder behind a symlink", func(p *place, _ workspace.Ready, removal *workspace.Removal) {
			_ = os.Symlink(filepath.Join(p.worktrees, "web"), filepath.Join(p.worktrees, "alias"))
			removal.Path = filepath.Join(p.worktrees, "alias", "web-1")
		}, "symlink"},
		{"no worktree", func(p *place, _ workspace.Ready, removal *workspace.Removal) {
			removal.Path = filepath.Join(p.worktrees, "web", "web-2")
			p.write(removal.Path, "mine", "m")
		}, "no worktree"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			ready := p.prepare(p.spec("web-1"))
			removal := workspace.Removal{Worktrees: p.worktrees, Path: ready.Path, Repo: p.repo, Base: "main"}
			c.do(p, ready, &removal)
			kept, err := p.git.Remove(t.Context(), removal)
			if err != nil || !strings.Contains(kept, c.want) {
				t.Errorf("got %q, %v, want kept: %q", kept, err, c.want)
			}
			if p.missing(filepath.Join(ready.Path, "readme")) || p.missing(filepath.Join(p.repo, "readme")) {
				t.Error("something was deleted")
			}
		})
	}
}

// Holds WSP-4.
func TestRemove_TakesAwayWhatIsElsewhere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.commit(p.repo, ".gitignore", "build\n")
	ready := p.prepare(p.spec("web-1"))
	p.commit(ready.Path, "made", "m")
	p.write(ready.Path, "build/out", "x")
	p.run(p.repo, "merge", "-q", "--ff-only", ready.Branch)
	removal := workspace.Removal{Worktrees: p.worktrees, Path: ready.Path, Repo: p.repo, Base: "main", DryRun: true}
	if kept, err := p.git.Remove(t.Context(), removal); kept != "" || err != nil || p.missing(ready.Path) {
		t.Fatalf("dry run: got %q, %v, missing %v", kept, err, p.missing(ready.Path))
	}
	removal.DryRun = false
	for range 2 {
		if kept, err := p.git.Remove(t.Context(), removal); kept != "" || err != nil || !p.missing(ready.Path) {
			t.Fatalf("got %q, %v, missing %v", kept, err, p.missing(ready.Path))
		}
	}
	if got := p.run(p.repo, "branch", "--list", "board/*"); got != "" {
		t.Errorf("branches: got %q", got)
	}
}

// Holds WSP-4.
func TestRemove_TakesEmptyScratchOnly(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ready := p.prepare(workspace.Spec{Kind: workspace.Scratch, Worktrees: p.worktrees, Board: "web", Card: "web-1"})
	removal := workspace.Removal{Worktrees: p.worktrees, Path: ready.Path}
	p.write(ready.Path, "notes", "n")
	if kept, err := p.git.Remove(t.Context(), removal); !strings.Contains(kept, "nowhere else") || err != nil {
		t.Errorf("got %q, %v", kept, err)
	}
	_ = os.Remove(filepath.Join(ready.Path, "notes"))
	if kept, err := p.git.Remove(t.Context(), removal); kept != "" || err != nil || !p.missing(ready.Path) {
		t.Errorf("empty: got %q, %v", kept, err)
	}
}

// Holds WSP-5.
func TestRunSetup_RunsTheAcceptedFileOncePerWorktree(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.program(filepath.Join(p.repo, ".board/setup"), `echo "$WORD" >> ran; echo loud; (sleep 5 &)`)
	p.run(p.repo, "add", "-A")
	p.run(p.repo, "commit", "-q", "-m", "setup")
	ready := p.prepare(p.spec("web-1"))
	setup := workspace.Setup{Path: ready.Path, Env: append([]string{"WORD=hello"}, p.git.Env...)}
	if _, err := p.git.RunSetup(t.Context(), setup); !errors.Is(err, workspace.ErrSetupChanged) {
		t.Errorf("not accepted: got %v", err)
	}
	var err error
	if setup.Accepted, err = workspace.SetupHash(ready.Path); err != nil || setup.Accepted == "" {
		t.Fatal(setup.Accepted, err)
	}
	var output strings.Builder
	setup.Output = &output
	for i := range 2 {
		ran, err := p.git.RunSetup(t.Context(), setup)
		if err != nil || ran != (i == 0) {
			t.Errorf("run %d: got %v, %v", i, ran, err)
		}
	}
	if got := p.read(ready.Path, "ran"); got != "hello\n" || output.String() != "loud\n" {
		t.Errorf("got %q, output %q", got, output.String())
	}
}

// Holds WSP-5.
func TestRunSetup_FailureCarriesItsOutput(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.program(filepath.Join(p.repo, ".board/setup"), `seq 100000; echo "no compiler" >&2; exit 3`)
	p.run(p.repo, "add", "-A")
	p.run(p.repo, "commit", "-q", "-m", "setup")
	ready := p.prepare(p.spec("web-1"))
	hash, err := workspace.SetupHash(ready.Path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.git.RunSetup(t.Context(), workspace.Setup{Path: ready.Path, Accepted: hash, Env: p.git.Env})
	var failed *workspace.SetupError
	if !errors.As(err, &failed) || !strings.HasSuffix(failed.Output, "no compiler\n") || len(failed.Output) > 16<<10 {
		t.Errorf("got %v, want the end of the output", err)
	}
}

// Holds WSP-5.
func TestCopy_CopiesListedIgnoredFilesOnly(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.repo, ".gitignore", ".env\ncache/\n*.local\n")
	p.write(p.repo, ".board/copy", "# for the tests\n.env\ncache\n*.local\nnotes\nlink.local\n")
	p.run(p.repo, "add", "-A")
	p.run(p.repo, "commit", "-q", "-m", "copy")
	p.write(p.repo, ".env", "A=1")
	p.write(p.repo, "cache/deep/x", "x")
	p.write(p.repo, "a.local", "there")
	p.write(p.repo, "notes", "a person's")
	_ = os.Symlink("/etc/passwd", filepath.Join(p.repo, "link.local"))
	ready := p.prepare(p.spec("web-1"))
	p.write(ready.Path, "a.local", "mine")
	copied, err := p.git.Copy(t.Context(), p.repo, ready.Path)
	if got := strings.Join(copied, " "); err != nil || got != ".env cache/deep/x" {
		t.Errorf("got %q, %v", got, err)
	}
	if p.read(ready.Path, ".env") != "A=1" || p.read(ready.Path, "a.local") != "mine" {
		t.Error("wrong content")
	}
	p.write(ready.Path, ".board/copy", "../../secret\n")
	if _, err := p.git.Copy(t.Context(), p.repo, ready.Path); err == nil {
		t.Error("a path out of the repository was taken")
	}
}
