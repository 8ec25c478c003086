package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/workspace"
)

// place is a real repository with one commit on main, and a home's worktrees folder beside it.
type place struct {
	t         *testing.T
	git       *workspace.Git
	repo      string
	worktrees string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := emptyPlace(t)
	p.write(p.repo, "readme", "one\n")
	p.run(p.repo, "add", "-A")
	p.run(p.repo, "commit", "-q", "-m", "first")
	return p
}

// emptyPlace is a repository without commits.
func emptyPlace(t *testing.T) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, repo: filepath.Join(root, "repo"), worktrees: filepath.Join(root, "home", "worktrees")}
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool { return !strings.HasPrefix(pair, "PATH=") })
	p.git = &workspace.Git{Env: append(env, "HOME="+root, "GIT_CONFIG_NOSYSTEM=1")}
	p.mkdir(p.repo)
	p.run(p.repo, "init", "-q", "-b", "main")
	return p
}

// run runs git as a person would, with an identity.
func (p *place) run(dir string, args ...string) string {
	p.t.Helper()
	out, err := p.person(dir, args...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v in %s: %v\n%s", args, dir, err, out)
	}
	return strings.TrimSpace(string(out))
}

// conflict is run for what must stop halfway.
func (p *place) conflict(dir string, args ...string) {
	p.t.Helper()
	if out, err := p.person(dir, args...).CombinedOutput(); err == nil {
		p.t.Fatalf("git %v in %s: no conflict\n%s", args, dir, out)
	}
}

func (p *place) person(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"GIT_AUTHOR_NAME=ann", "GIT_AUTHOR_EMAIL=ann@example.org", "GIT_COMMITTER_NAME=ann", "GIT_COMMITTER_EMAIL=ann@example.org",
	}, p.git.Env...)
	return cmd
}

// commit makes a person's commit of one file.
func (p *place) commit(dir, name, content string) string {
	p.t.Helper()
	p.write(dir, name, content)
	p.run(dir, "add", "-f", "--", name)
	p.run(dir, "commit", "-q", "-m", "change "+name)
	return p.run(dir, "rev-parse", "HEAD")
}

// branch makes a branch from main with one commit of one file, and leaves main checked out.
func (p *place) branch(name, file, content string) {
	p.t.Helper()
	p.run(p.repo, "checkout", "-q", "-b", name, "main")
	p.commit(p.repo, file, content)
	p.run(p.repo, "checkout", "-q", "main")
}

func (p *place) mkdir(path string) {
	p.t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) write(dir, name, content string) {
	p.t.Helper()
	p.mkdir(filepath.Dir(filepath.Join(dir, name)))
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) read(dir, name string) string {
	p.t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(content)
}

// program writes an executable shell script.
func (p *place) program(path, script string) string {
	p.t.Helper()
	p.mkdir(filepath.Dir(path))
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// spec asks for the worktree of a card's first run.
func (p *place) spec(card string) workspace.Spec {
	return workspace.Spec{
		Kind: workspace.Worktree, Worktrees: p.worktrees, Board: "web", Card: card, Repo: p.repo, Base: "main",
	}
}

func (p *place) prepare(spec workspace.Spec) workspace.Ready {
	p.t.Helper()
	ready, err := p.git.Prepare(p.t.Context(), spec)
	if err != nil {
		p.t.Fatalf("Prepare(%+v): %v", spec, err)
	}
	return ready
}

func (p *place) missing(path string) bool {
	_, err := os.Lstat(path)
	return os.IsNotExist(err)
}

func contains(t *testing.T, lines []string, part string) {
	t.Helper()
	if !strings.Contains(strings.Join(lines, "\n"), part) {
		t.Errorf("got %q, want something with %q", lines, part)
	}
}
