package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/settings"
	"github.com/seed-2ddc2152/board/internal/workspace"
)

// trustDocument is what `board trust --json` prints.
type trustDocument struct {
	Board string      `json:"board"`
	Files []trustFile `json:"files"`
}

// trustFile is a file of the repository that can make the board run commands.
type trustFile struct {
	Path string `json:"path"`
	Hash string `json:"hash"`
	New  bool   `json:"new"` // it was not accepted before
}

func trustCommand() command {
	return command{
		about: "A repository's .board/ can run commands: its roster names programs, its setup is one. None of it is read before you have looked " +
			"at it and said so here. What is accepted is this content; a change has to be accepted again.",
		examples: []string{"board trust", "board trust --board api"},
		document: trustDocument{},
		run:      runTrust,
	}
}

func runTrust(ctx context.Context, c *call) error {
	store, err := c.write(ctx)
	if err != nil {
		return err
	}
	b, err := c.board(ctx, store)
	if err != nil {
		return err
	}
	if b.Repo == "" {
		return board.NewProblem(board.ErrRefused, "", "board %s has no repository, so there is nothing to trust", b.Slug)
	}
	files, err := trustFiles(b.Repo)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return board.NewProblem(board.ErrNotFound, "", "%s has nothing that needs trust", filepath.Join(b.Repo, ".board"))
	}
	for i := range files {
		if files[i].New, err = store.Trust(ctx, c.now(), files[i].Hash, files[i].Path, c.actor()); err != nil {
			return err
		}
	}
	if c.out.json {
		return c.out.document(trustDocument{Board: b.Slug, Files: files})
	}
	t := table{head: make([]string, 3), bare: true}
	for _, f := range files {
		word := "accepted before"
		if f.New {
			word = "accepted"
		}
		t.add(f.Path, f.Hash[:12], word)
	}
	c.out.table(t)
	return nil
}

// trustFiles are the files of a repository that run commands, with the hashes of their contents.
func trustFiles(repo string) ([]trustFile, error) {
	var files []trustFile
	path := filepath.Join(repo, ".board", "roster.yaml")
	text, err := os.ReadFile(path)
	switch {
	case err == nil:
		files = append(files, trustFile{Path: path, Hash: settings.ContentHash(text)})
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	hash, err := workspace.SetupHash(repo)
	if err != nil {
		return nil, err
	}
	if hash != "" {
		files = append(files, trustFile{Path: filepath.Join(repo, ".board", "setup"), Hash: hash})
	}
	return files, nil
}
