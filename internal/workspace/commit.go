package workspace

import (
	"context"
)

// Message is what Commit writes into the history.
type Message struct {
	Branch  string // the card's branch: nothing is committed while another is checked out; "" is whichever it is
	Subject string // "board: web-1 run 3"
	Body    string // the outcome
}

// Leftover is a file that Commit or Snapshot left out.
type Leftover struct {
	Path   string // from the top of the worktree
	Reason string
}

// Committed is what Commit did.
type Committed struct {
	Commit string     // the commit made; "" when there was nothing to commit, or it could not be (Notes)
	Head   string     // what the worktree's head is afterwards
	Left   []Leftover // by path
	Notes  []string   // why nothing was committed though there was something
}

// Commit commits what an agent left in the worktree (RET-6): everything but what git ignores, files over 5 MiB, files
// that look like secrets, submodules and nested repositories. Hooks do not run, nothing is signed, the identity is
// board <board@localhost> where git has none. Commits that are there stay as they are.
//
// The caller knows that nothing of the session lives: an index.lock in this worktree is stale, and is removed.
func (g *Git) Commit(ctx context.Context, path string, message Message) (Committed, error) {
	panic("not written")
}

// HandoverRef is where Snapshot keeps the n-th handover of a card (ROS-16): no branch, so nobody's branch list grows.
func HandoverRef(card string, n int) string { panic("not written") }

// Snapshot keeps the working state of a worktree as a commit under ref, with the same files left out as by Commit. It
// touches neither index, files nor branch, and may run beside a living agent.
func (g *Git) Snapshot(ctx context.Context, path, ref string) (Committed, error) { panic("not written") }
