package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/workspace"
	"github.com/seed-2ddc2152/board/workflows"
)

// place is where a run works.
type place struct {
	Kind     workspace.Kind
	Path     string
	Branch   string // the card's branch, also where a reviewer has a worktree of its own beside it
	Base     string // the commit that the branch left the base at
	Head     string
	Detached bool // a reviewer's own worktree, thrown away afterwards (WSP-2)
	Notes    []string
}

// wanted says which workspace a run is to have, as data.
type wanted struct {
	Spec     workspace.Spec
	Detached bool   // a worktree of its own at the branch, instead of the worker's
	Base     string // of the branch that an earlier run recorded
}

// cardBranches begin the names of the branches that workspace.BranchName gives.
const cardBranches = "board/"

// placeWanted decides on a run's workspace (WSP-2, 3, 8). The card's own word goes before the status's.
func placeWanted(b board.Brief, w *workflows.Workflow, grade harness.Grade) (wanted, error) {
	kind, dir, err := kindOf(b, w)
	if err != nil {
		return wanted{}, err
	}
	out := wanted{Spec: workspace.Spec{
		Kind: kind, Board: b.Board.Slug, Card: b.Card.ID, Repo: b.Board.Repo, Base: b.Board.BaseBranch, Dir: dir,
		Clean: b.Card.CleanStart && b.Run.Role == roster.RoleCoder,
	}}
	if kind != workspace.Worktree {
		return out, nil
	}
	for _, r := range slices.Backward(b.Runs) {
		if strings.HasPrefix(r.Branch, cardBranches) { // not what a run in the repository itself had checked out
			out.Spec.Branch, out.Base = r.Branch, r.BaseCommit
			break
		}
	}
	out.Detached = b.Run.Role != roster.RoleCoder && grade != harness.GradeEnforced && out.Spec.Branch != ""
	if !merges(w) {
		for _, p := range b.Parents {
			if p.Branch != "" && p.Board == b.Board.Slug && p.Status != board.Cancelled {
				out.Spec.Blockers = append(out.Spec.Blockers, p.Branch)
			}
		}
	}
	return out, nil
}

// kindOf reads the card's workspace ("worktree", "repo", "scratch", "dir: PATH"), else the status's, else the default.
func kindOf(b board.Brief, w *workflows.Workflow) (workspace.Kind, string, error) {
	set := workflows.Workspace{}
	if w != nil {
		if s := w.Status(b.Run.Status); s != nil {
			set = s.Workspace
		}
	}
	if text := b.Card.Workspace; text != "" {
		word, dir, _ := strings.Cut(text, ":")
		set = workflows.Workspace{Kind: workflows.WorkspaceKind(strings.TrimSpace(word)), Dir: strings.TrimSpace(dir)}
	}
	kind := workspace.Scratch
	switch set.Kind {
	case workflows.WorkspaceDefault:
		if b.Board.Repo != "" {
			kind = workspace.Worktree
		}
	case workflows.WorkspaceWorktree:
		kind = workspace.Worktree
	case workflows.WorkspaceRepo:
		kind = workspace.Repo
	case workflows.WorkspaceDir:
		return workspace.Dir, set.Dir, nil
	case workflows.WorkspaceScratch:
	default:
		return "", "", fmt.Errorf("the card's workspace is %q; it must be worktree, repo, scratch or dir: PATH", b.Card.Workspace)
	}
	if b.Board.Repo == "" && kind != workspace.Scratch {
		return "", "", fmt.Errorf("the workspace %s needs a repository, and board %s has none", kind, b.Board.Slug)
	}
	return kind, "", nil
}

// merges says whether the workflow merges branches into the base: then a dependent finds its blockers' work there.
func merges(w *workflows.Workflow) bool {
	if w == nil {
		return false
	}
	for _, e := range w.Events {
		for _, t := range e.Transitions {
			if slices.ContainsFunc(t.Do, func(a workflows.Action) bool { return a.Kind == workflows.ActionMerge }) {
				return true
			}
		}
	}
	return false
}

// prepare makes the workspace ready. It keeps what an earlier session left, before anybody works on it again.
func (t *turn) prepare(ctx context.Context, w *workflows.Workflow, grade harness.Grade, over takeover) (place, error) {
	want, err := placeWanted(t.brief, w, grade)
	if err != nil {
		return place{}, err
	}
	want.Spec.Worktrees = t.Home.Worktrees()
	ready, err := t.makeReady(ctx, want)
	if err != nil {
		return place{}, err
	}
	at := place{
		Kind: want.Spec.Kind, Path: ready.Path, Branch: ready.Branch, Base: ready.BaseCommit, Head: ready.HeadCommit,
		Detached: want.Detached, Notes: ready.Notes,
	}
	if want.Detached {
		at.Branch, at.Base = want.Spec.Branch, want.Base
		return at, nil
	}
	if at.Kind != workspace.Worktree {
		return at, nil
	}
	if err := t.keepWork(ctx, &at, ready.Made, over); err != nil {
		return at, err
	}
	return at, t.setUp(ctx, &at)
}

func (t *turn) makeReady(ctx context.Context, want wanted) (workspace.Ready, error) {
	if want.Detached {
		return t.git.PrepareDetached(ctx, workspace.Detached{
			Worktrees: want.Spec.Worktrees, Board: want.Spec.Board, Card: want.Spec.Card, Run: strconv.FormatInt(t.run.ID, 10),
			Repo: want.Spec.Repo, Commit: want.Spec.Branch,
		})
	}
	return t.git.Prepare(ctx, want.Spec)
}

// keepWork snapshots the state that a stopped executor left, and commits what a crashed run left (ROS-16, RET-6).
func (t *turn) keepWork(ctx context.Context, at *place, made bool, over takeover) error {
	if made || t.run.Role != roster.RoleCoder {
		return nil
	}
	if over.Ref != "" {
		if _, err := t.git.Snapshot(ctx, at.Path, over.Ref); err != nil {
			at.Notes = append(at.Notes, err.Error())
		}
	}
	for _, r := range slices.Backward(t.brief.Runs) {
		if r.Role != roster.RoleCoder || r.Branch != at.Branch {
			continue
		}
		done, err := t.git.Commit(ctx, at.Path, commitMessage(r, at.Branch, string(r.Outcome)))
		if err != nil {
			return err
		}
		at.Head = done.Head
		at.Notes = append(at.Notes, leftNotes(done)...)
		return nil
	}
	return nil
}

// setUp runs the repository's setup, if a person has accepted it (WSP-5).
func (t *turn) setUp(ctx context.Context, at *place) error {
	hash, err := workspace.SetupHash(at.Path)
	if err != nil || hash == "" {
		return err
	}
	trusted, err := t.store.Trusted(ctx, hash)
	if err != nil {
		return err
	}
	if !trusted {
		at.Notes = append(at.Notes, "the repository's .board/setup was not run: nobody has accepted it (board trust)")
		return nil
	}
	if _, err := t.git.Copy(ctx, t.brief.Board.Repo, at.Path); err != nil {
		return err
	}
	var to io.Writer = t.log
	_, err = t.git.RunSetup(ctx, workspace.Setup{Path: at.Path, Accepted: hash, Env: t.git.Env, Output: to})
	return err
}

// commitWork commits what a coder left on its card's branch, once nothing of the session lives (RET-6).
func (t *turn) commitWork(ctx context.Context, at place) (head string, notes []string) {
	if t.run.Role != roster.RoleCoder || at.Kind != workspace.Worktree || at.Path == "" {
		return at.Head, nil
	}
	done, err := t.git.Commit(ctx, at.Path, commitMessage(t.run, at.Branch, t.outcomeWord(ctx)))
	if err != nil {
		return at.Head, []string{err.Error()}
	}
	return done.Head, leftNotes(done)
}

func commitMessage(r board.Run, branch, outcome string) workspace.Message {
	return workspace.Message{Branch: branch, Subject: fmt.Sprintf("board: %s run %d", r.Card, r.ID), Body: outcome}
}

func leftNotes(done workspace.Committed) []string {
	notes := slices.Clone(done.Notes)
	for _, left := range done.Left {
		notes = append(notes, fmt.Sprintf("not committed: %s (%s)", left.Path, left.Reason))
	}
	return notes
}

// asksPerson says whether a workspace that could not be made is a question to a person: trying again mends nothing, so no
// attempt is burnt on it. A full disk and a missing git may pass by themselves.
func asksPerson(err error) bool {
	return workspace.NeedsPerson(err) && !errors.Is(err, workspace.ErrDiskFull) && !errors.Is(err, workspace.ErrGitMissing)
}
