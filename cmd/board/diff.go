package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/workspace"
)

// diffDocument is what `board diff --json` prints.
type diffDocument struct {
	Card       string `json:"card"`
	Base       string `json:"base"`
	Branch     string `json:"branch"`
	Files      int    `json:"files"`
	Insertions int    `json:"insertions"`
	Deletions  int    `json:"deletions"`
	Patch      string `json:"patch"`
}

func diffCommand() command {
	return command{
		args: "ID", min: 1, max: 1,
		about:    "Shows what a card's branch has changed since it left the board's base branch. What a running worker has not committed is not in it.",
		examples: []string{"board diff api-9", "board diff api-9 --stat", "board diff api-9 | git apply --stat"},
		flags:    []cli.Flag{&cli.BoolFlag{Name: "stat", Usage: "only how much"}},
		document: diffDocument{},
		run:      runDiff,
	}
}

func runDiff(ctx context.Context, c *call) error {
	store, err := c.read(ctx)
	if err != nil {
		return err
	}
	id, err := c.id(ctx, store, c.args[0])
	if err != nil {
		return err
	}
	page, err := store.CardPage(ctx, c.now(), id, 0)
	if err != nil {
		return err
	}
	branch := page.Branch()
	if page.Board.Repo == "" || branch == "" {
		return board.NewProblem(board.ErrNotFound, "board show "+id, "%s has no branch: %s", id, page.NoBranch())
	}
	git := &workspace.Git{Env: workspace.CleanEnv(c.env)}
	d := diffDocument{Card: id, Base: page.Board.BaseBranch, Branch: branch}
	stat, err := git.DiffStat(ctx, page.Board.Repo, d.Base, branch)
	if err != nil {
		return gitProblem(id, err)
	}
	d.Files, d.Insertions, d.Deletions = stat.Files, stat.Insertions, stat.Deletions
	if !c.flags.Bool("stat") || c.out.json {
		if d.Patch, err = git.Diff(ctx, page.Board.Repo, d.Base, branch); err != nil {
			return gitProblem(id, err)
		}
	}
	return c.tellDiff(d)
}

func (c *call) tellDiff(d diffDocument) error {
	switch {
	case c.out.json:
		return c.out.document(d)
	case c.flags.Bool("stat"):
		c.out.line("%s: %d files, %d lines added, %d removed (%s against %s)", d.Card, d.Files, d.Insertions, d.Deletions, d.Branch, d.Base)
	case d.Patch == "":
		c.note("%s has changed nothing against %s", d.Branch, d.Base)
	default:
		patch := d.Patch
		if c.out.width > 0 {
			patch = clean(patch) // a terminal would obey what an agent wrote
		}
		_, err := c.out.w.WriteString(patch)
		return err
	}
	return nil
}

// gitProblem says what kind of trouble a repository has.
func gitProblem(id string, err error) error {
	kind := board.ErrRefused
	switch {
	case errors.Is(err, workspace.ErrBranchMissing), errors.Is(err, workspace.ErrNoRepository), errors.Is(err, workspace.ErrBaseMissing):
		kind = board.ErrNotFound
	case errors.Is(err, workspace.ErrGitMissing):
		kind = board.ErrInvalid
	case !workspace.NeedsPerson(err):
		return err
	}
	return board.NewProblem(kind, "", "diff of %s: %v", id, err)
}
