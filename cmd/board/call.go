package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/settings"
	"github.com/seed-2ddc2152/board/internal/worker"
)

// call is one use of a verb: its flags and arguments, and what it may need, which is opened when it first asks.
type call struct {
	*program
	flags *cli.Context
	args  []string
	out   *printer

	reader *board.Store
	writer *board.Store
	loaded *settings.Settings
}

// now is the time, as the board stores it.
func (c *call) now() board.Time { return board.At(c.clock.Now()) }

// actor is who is at the keyboard, for the history.
func (c *call) actor() string {
	if name := cmp.Or(c.getenv("USER"), c.getenv("LOGNAME")); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "person"
}

// find resolves the home's folder, which need not exist.
func (c *call) find() (home.Home, error) {
	return home.Resolve(c.flags.String("home"), home.Lookup{Env: c.getenv, UserHome: c.userHome})
}

// home is the home, which exists.
func (c *call) home() (home.Home, error) {
	h, err := c.find()
	if err != nil {
		return h, err
	}
	err = home.Open(h)
	if errors.Is(err, home.ErrMissing) {
		err = board.NewProblem(board.ErrNoHome, "board init makes one; --home or BOARD_HOME name another", "there is no home at %s", h.Dir)
	}
	return h, err
}

// read gives the store to read; the database is not changed by it.
func (c *call) read(ctx context.Context) (*board.Store, error) {
	if c.writer != nil {
		return c.writer, nil
	}
	if c.reader == nil {
		h, err := c.home()
		if err != nil {
			return nil, err
		}
		if c.reader, err = board.OpenReadOnly(ctx, h.DB()); err != nil {
			c.reader = nil
			return nil, err
		}
	}
	return c.reader, nil
}

// write gives the store to write. Inside a worker's session only the worker's own verbs write (WRK-3).
func (c *call) write(ctx context.Context) (*board.Store, error) {
	if err := c.outsideSession(); err != nil {
		return nil, err
	}
	if c.writer == nil {
		h, err := c.home()
		if err != nil {
			return nil, err
		}
		if c.writer, err = board.Open(ctx, h.DB(), h.WriteLock()); err != nil {
			c.writer = nil
			return nil, err
		}
	}
	return c.writer, nil
}

// outsideSession refuses what changes anything but the worker's own card to whoever works inside a session (WRK-3).
func (c *call) outsideSession() error {
	session, ok := c.worker()
	if !ok {
		return nil
	}
	return board.NewProblem(board.ErrRefused, "board card says what this session may do",
		"inside the session of %s the board is read-only but for the worker's verbs", session.Card)
}

func (c *call) close() {
	for _, store := range []*board.Store{c.reader, c.writer} {
		if store != nil {
			store.Close()
		}
	}
}

// worker is the session that this process runs in; false for a person.
func (c *call) worker() (worker.Session, bool) { return worker.FromEnv(c.getenv) }

// settings are the files that the home is run by.
func (c *call) settings(ctx context.Context) (*settings.Settings, error) {
	if c.loaded != nil {
		return c.loaded, nil
	}
	h, err := c.find()
	if err != nil {
		return nil, err
	}
	c.loaded, err = settings.Load(c.settingsOptions(ctx, h, roster.Tick))
	return c.loaded, err
}

// settingsOptions are what settings are loaded with from this process.
func (c *call) settingsOptions(ctx context.Context, h home.Home, mode roster.Mode) settings.Options {
	hostname, _ := os.Hostname() // unknown: config.yaml may name it, else it is "localhost"
	o := settings.Options{
		Home: h, Hostname: hostname, Env: c.lookup, UserHome: c.userHome, LookPath: c.lookPath, Mode: mode,
		Trusted: func(hash string) bool {
			store, err := c.read(ctx)
			return err == nil && trustedBy(ctx, store)(hash)
		},
	}
	if narrow := c.flags.String("executors"); narrow != "" {
		o.Narrow = strings.Split(narrow, ",")
	}
	return o
}

// trustedBy asks a store which contents `board trust` has accepted; what cannot be read is not trusted.
func trustedBy(ctx context.Context, store *board.Store) func(hash string) bool {
	return func(hash string) bool {
		trusted, err := store.Trusted(ctx, hash)
		return err == nil && trusted
	}
}

// rules are what decisions of the board are made by.
func (c *call) rules(ctx context.Context, store *board.Store) (board.Rules, error) {
	s, err := c.settings(ctx)
	if err != nil {
		return board.Rules{}, err
	}
	return rulesFrom(ctx, s, store)
}

func rulesFrom(ctx context.Context, s *settings.Settings, store *board.Store) (board.Rules, error) {
	kept, err := store.WorkflowSources(ctx)
	if err != nil {
		return board.Rules{}, err
	}
	boards, err := store.Boards(ctx)
	if err != nil {
		return board.Rules{}, err
	}
	return s.Rules(kept, repos(boards)...), nil
}

func repos(boards []board.Board) []string {
	var all []string
	for _, b := range boards {
		if b.Repo != "" {
			all = append(all, b.Repo)
		}
	}
	return all
}

// board is the board that the verb is about: --board, else that of the repository of the working directory, else the only
// one.
func (c *call) board(ctx context.Context, store *board.Store) (board.Board, error) {
	boards, err := store.Boards(ctx)
	if err != nil {
		return board.Board{}, err
	}
	if slug := c.flags.String("board"); slug != "" {
		return boardNamed(boards, slug)
	}
	if b, ok := boardOfFolder(boards, workingFolder()); ok {
		return b, nil
	}
	switch len(boards) {
	case 0:
		return board.Board{}, board.NewProblem(board.ErrNotFound, "board init", "there is no board in this home")
	case 1:
		return boards[0], nil
	}
	return board.Board{}, board.NewProblem(board.ErrUsage, "--board with one of: "+strings.Join(slugs(boards), ", "),
		"which board? the home has %d, and none is of this folder's repository", len(boards))
}

func boardNamed(boards []board.Board, slug string) (board.Board, error) {
	for _, b := range boards {
		if b.Slug == slug {
			return b, nil
		}
	}
	return board.Board{}, board.NewProblem(board.ErrNotFound, didYouMean(slug, slugs(boards), "boards"), "there is no board %q", slug)
}

func slugs(boards []board.Board) []string {
	names := make([]string, len(boards))
	for i, b := range boards {
		names[i] = b.Slug
	}
	return names
}

// didYouMean is the fix for a name that is not there: the nearest, and all that there are.
func didYouMean(name string, names []string, what string) string {
	all := fmt.Sprintf("%s: %s", what, strings.Join(names, ", "))
	if len(names) == 0 {
		all = "there are no " + what
	}
	if near := expr.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q? %s", near, all)
	}
	return all
}

// workingFolder is the working directory with links resolved; empty when it is gone.
func workingFolder() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return resolved(dir)
}

// resolved is a path with links resolved, or the path itself where that cannot be.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// boardOfFolder finds the board whose repository a folder is in, or is a worktree of.
func boardOfFolder(boards []board.Board, dir string) (board.Board, bool) {
	root := repositoryOf(dir)
	if root == "" {
		return board.Board{}, false
	}
	for _, b := range boards {
		if b.Repo != "" && resolved(b.Repo) == root {
			return b, true
		}
	}
	return board.Board{}, false
}

// repositoryOf is the folder of the repository that a folder is in: for a worktree that of the main one; empty for none.
// It looks at files only: asking git would cost every verb a process.
func repositoryOf(dir string) string {
	for ; dir != ""; dir = filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		if info, err := os.Lstat(git); err == nil {
			if info.Mode().IsRegular() {
				return mainWorktree(git, dir)
			}
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
}

// mainWorktree reads the .git file of a linked worktree: "gitdir: <main>/.git/worktrees/<name>".
func mainWorktree(file, dir string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return dir
	}
	gitdir := strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:"))
	if main, _, ok := strings.Cut(gitdir, "/.git/worktrees/"); ok {
		return resolved(main)
	}
	return dir
}
