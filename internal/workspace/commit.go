package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Message is what Commit writes into the history.
type Message struct {
	Branch  string // the card's branch: nothing is committed while another is checked out; "" is whichever it is
	Subject string // "board: web-1 run 3"
	Body    string // the outcome
}

// text is the message as git takes it: it refuses NUL.
func (m Message) text() string {
	return strings.ReplaceAll(m.Subject+"\n\n"+m.Body+"\n", "\x00", "")
}

// Leftover is a file that Commit or Snapshot left out.
type Leftover struct {
	Path   string // from the top of the worktree
	Reason string
}

// Committed is what Commit or Snapshot did.
type Committed struct {
	Commit string     // the commit made; "" when there was nothing to commit, or it could not be (Notes)
	Head   string     // what the worktree's head is afterwards
	Left   []Leftover // by path
	Notes  []string   // why nothing was committed though there was something
}

// commitTries bounds how often a file that vanishes between the look and the commit makes it look again.
const commitTries = 3

// Commit commits what an agent left in the worktree (RET-6): everything but what git ignores, files over 5 MiB, files
// that look like secrets, submodules and nested repositories. Hooks do not run, nothing is signed, the identity is
// board <board@localhost> where git has none. Commits that are there stay as they are.
//
// The caller knows that nothing of the session lives: an index.lock of this worktree is stale, and is removed.
func (g *Git) Commit(ctx context.Context, path string, message Message) (Committed, error) {
	done, err := g.commitLeft(ctx, path, message)
	if err != nil {
		return Committed{}, fmt.Errorf("commit what is left in %s: %w", path, err)
	}
	return done, nil
}

func (g *Git) commitLeft(ctx context.Context, path string, message Message) (Committed, error) {
	gitDir, linked, err := g.topOf(ctx, path)
	if err != nil {
		return Committed{}, err
	}
	if linked {
		if err := removeStaleLock(gitDir); err != nil {
			return Committed{}, err
		}
	}
	tree := workingState{Git: g, path: path}
	changes, err := tree.read(ctx)
	if err != nil {
		return Committed{}, err
	}
	done := Committed{Left: changes.left}
	if done.Head, err = g.commitOf(ctx, path, "HEAD"); err != nil {
		return Committed{}, fmt.Errorf("%w: %s", ErrNoCommits, path)
	}
	if done.Notes, err = g.obstacles(ctx, path, message.Branch, changes); err != nil || len(done.Notes) > 0 {
		return done, err
	}
	for try := 1; ; try++ {
		err := tree.stage(ctx, &changes)
		if err == nil {
			break
		}
		if try == commitTries || !says(err, "did not match any files") {
			return Committed{}, err
		}
		if changes, err = tree.read(ctx); err != nil {
			return Committed{}, err
		}
	}
	done.Left = changes.left
	return done, g.commitStaged(ctx, path, gitDir, message, &done)
}

// obstacles returns why nothing can be committed though there is something: it would go where it does not belong.
func (g *Git) obstacles(ctx context.Context, path, branch string, changes changes) ([]string, error) {
	if !changes.any() {
		return nil, nil
	}
	if len(changes.unmerged) > 0 {
		return []string{"an unfinished merge was left as it is, with conflicts in " + strings.Join(changes.unmerged, ", ")}, nil
	}
	at, err := g.headBranch(ctx, path)
	if err != nil || branch == "" || at == branch {
		return nil, err
	}
	if at == "" {
		return []string{"what is left was not committed: the head is detached, not on " + branch}, nil
	}
	return []string{fmt.Sprintf("what is left was not committed: the worktree is on %s, not on %s", at, branch)}, nil
}

// commitStaged commits the index, if it differs from the head or ends a merge.
func (g *Git) commitStaged(ctx context.Context, path, gitDir string, message Message, done *Committed) error {
	same, err := g.holds(ctx, path, "diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=none")
	if err != nil {
		return err
	}
	if same && !exists(filepath.Join(gitDir, "MERGE_HEAD")) {
		return nil
	}
	identity, err := g.identity(ctx, path)
	if err != nil {
		return err
	}
	_, err = g.call(ctx, call{dir: path, env: identity, stdin: strings.NewReader(message.text()), args: []string{
		"commit", "--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=whitespace", "--file=-",
	}})
	if err != nil {
		return err
	}
	done.Commit, err = g.commitOf(ctx, path, "HEAD")
	done.Head = done.Commit
	return err
}

// identity returns the variables that name the board as author and committer where git has no name or no address.
func (g *Git) identity(ctx context.Context, dir string) ([]string, error) {
	var missing []string
	for _, part := range []struct{ key, variable, value string }{
		{"name", "NAME", "board"},
		{"email", "EMAIL", "board@localhost"},
	} {
		for _, who := range []string{"author", "committer"} {
			variable := "GIT_" + strings.ToUpper(who) + "_" + part.variable
			if hasVariable(g.Env, variable) {
				continue
			}
			known, err := g.holds(ctx, dir, "config", "--get-regexp", `^(user|`+who+`)\.`+part.key+`$`)
			if err != nil {
				return nil, err
			}
			if !known {
				missing = append(missing, variable+"="+part.value)
			}
		}
	}
	return missing, nil
}

func hasVariable(env []string, name string) bool {
	for _, pair := range env {
		if value, found := strings.CutPrefix(pair, name+"="); found && value != "" {
			return true
		}
	}
	return false
}

// removeStaleLock removes the index.lock of a linked worktree. In a person's own checkout it may be a person's git.
func removeStaleLock(gitDir string) error {
	err := os.Remove(filepath.Join(gitDir, "index.lock"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
