package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/workspace"
	"github.com/seed-2ddc2152/board/workflows"
)

// initDocument is what `board init --json` prints.
type initDocument struct {
	Home       string        `json:"home"`
	HomeNew    bool          `json:"home_new"`
	Board      board.Board   `json:"board"`
	BoardNew   bool          `json:"board_new"`
	Roster     string        `json:"roster"` // its file; "" where BOARD_ROSTER=none
	RosterNew  bool          `json:"roster_new"`
	Executors  []string      `json:"executors"` // that are on
	LeftOut    []leftOutSeat `json:"left_out"`
	Untrusted  []string      `json:"untrusted"` // files of the repository that wait for board trust
	FilesAdded []string      `json:"files_added"`

	bare bool     // the repository has no commit that work could start from
	on   []string // those that are on, with their versions, for people
}

// leftOutSeat is an entry of the roster that is off, and why.
type leftOutSeat struct {
	Executor string `json:"executor"`
	Why      string `json:"why"`
}

func initCommand() command {
	return command{
		about: "Makes a home with its database, workflows and prompts, a roster of the agent command lines on PATH, and a board for the " +
			"repository of the working directory (or of --repo). A folder without a repository gets a board whose cards work in scratch " +
			"folders. A second time it changes nothing and says what is there.",
		examples: []string{"board init", "board init --repo ~/src/api --slug api --workflow solo"},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "repo", Usage: "the repository's folder `DIR`; default that of the working directory"},
			&cli.StringFlag{Name: "slug", Usage: "the board's name `SLUG`, with which card ids begin; default the folder's name"},
			&cli.StringFlag{Name: "workflow", Usage: "the board's workflow `NAME`; default default", Value: "default"},
			&cli.StringFlag{Name: "base", Usage: "the `BRANCH` that work starts from; default the one checked out"},
		},
		document: initDocument{},
		run:      runInit,
	}
}

func runInit(ctx context.Context, c *call) error {
	h, err := c.find()
	if err != nil {
		return err
	}
	if _, inside := c.worker(); inside {
		_, err := c.write(ctx)
		return err
	}
	want, err := c.wantedBoard(ctx)
	if err != nil {
		return err
	}
	s, err := c.settings(ctx)
	if err != nil {
		return err
	}
	if _, err := s.Workflow(want.Workflow); err != nil {
		return err
	}
	d := initDocument{Home: h.Dir, FilesAdded: []string{}, Executors: []string{}, LeftOut: []leftOutSeat{}, Untrusted: []string{}}
	d.HomeNew = home.Open(h) != nil
	if c.writer, err = makeHome(ctx, h, &d); err != nil {
		return err
	}
	if d.Board, d.BoardNew, err = c.makeBoard(ctx, want); err != nil {
		return err
	}
	if err := c.makeRoster(ctx, s.UserRoster(), &d); err != nil {
		return err
	}
	d.bare = c.noCommit(ctx, d.Board.Repo)
	return c.tellInit(d)
}

// wantedBoard is the board that the flags and the working directory ask for.
func (c *call) wantedBoard(ctx context.Context) (board.Board, error) {
	b := board.Board{Slug: c.flags.String("slug"), Workflow: c.flags.String("workflow"), BaseBranch: c.flags.String("base")}
	dir := workingFolder()
	if c.flags.IsSet("repo") {
		given, err := filepath.Abs(c.flags.String("repo"))
		if err != nil {
			return b, err
		}
		if _, err := os.Stat(given); err != nil {
			return b, board.NewProblem(board.ErrNotFound, "", "--repo %s: there is no such folder", given)
		}
		if dir = resolved(given); repositoryOf(dir) == "" {
			return b, board.NewProblem(board.ErrUsage, "git -C "+shellWord(given)+" init", "--repo %s is no git repository", given)
		}
	}
	if dir == "" {
		return b, board.NewProblem(board.ErrUsage, "cd into a folder that is there, or give --repo", "the working directory is gone")
	}
	if b.Repo = repositoryOf(dir); b.Repo != "" {
		dir = b.Repo
		var err error
		if b.BaseBranch, err = c.baseBranch(ctx, b); err != nil {
			return b, err
		}
	}
	if b.Slug == "" {
		b.Slug = slugOf(filepath.Base(dir))
	}
	if b.Slug != slugOf(b.Slug) {
		return b, board.NewProblem(board.ErrUsage, "--slug "+slugOf(b.Slug), "--slug %q: expected small letters, digits and -, a letter first", b.Slug)
	}
	b.Name = filepath.Base(dir)
	return b, nil
}

// slugOf makes a name of a board out of a folder's.
func slugOf(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if slug := strings.Trim(b.String(), "-"); slug != "" {
		return slug
	}
	return "board"
}

// noCommit says whether a repository has nothing that work could start from.
func (c *call) noCommit(ctx context.Context, repo string) bool {
	git, err := c.lookPath("git")
	if err != nil || repo == "" {
		return false
	}
	cmd := exec.CommandContext(ctx, git, "-C", repo, "rev-parse", "--quiet", "--verify", "HEAD")
	cmd.Env = workspace.CleanEnv(c.env)
	return cmd.Run() != nil
}

// baseBranch is --base, else the branch that is checked out.
func (c *call) baseBranch(ctx context.Context, b board.Board) (string, error) {
	if b.BaseBranch != "" {
		return b.BaseBranch, nil
	}
	git, err := c.lookPath("git")
	if err != nil {
		return "", board.NewProblem(board.ErrInvalid, "install git, or put it on PATH", "git is not on PATH")
	}
	cmd := exec.CommandContext(ctx, git, "-C", b.Repo, "symbolic-ref", "--quiet", "--short", "HEAD")
	cmd.Env = workspace.CleanEnv(c.env)
	out, err := cmd.Output()
	if err != nil {
		return "", board.NewProblem(board.ErrUsage, "board init --base BRANCH", "%s has no branch checked out to start work from", b.Repo)
	}
	return string(bytes.TrimSpace(out)), nil
}

// makeHome makes what a home has, and leaves what is there.
func makeHome(ctx context.Context, h home.Home, d *initDocument) (*board.Store, error) {
	if err := home.MkdirAll(h.Dir); err != nil {
		return nil, err
	}
	if err := notEmptied(h); err != nil {
		return nil, err
	}
	store, err := board.Create(ctx, h.DB(), h.WriteLock())
	if err != nil {
		return nil, err
	}
	files := [][2]string{{filepath.Join(h.Workflows(), workflows.SchemaFile), string(workflows.Schema())}}
	for _, name := range workflows.Names() {
		text, _ := workflows.Builtin(name)
		files = append(files, [2]string{h.Workflow(name), string(text)})
	}
	for _, path := range workflows.BuiltinPrompts() {
		text, _ := workflows.BuiltinPrompt(path)
		files = append(files, [2]string{filepath.Join(h.Workflows(), filepath.FromSlash(path)), string(text)})
	}
	for _, file := range files {
		if _, err := os.Lstat(file[0]); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := errors.Join(home.MkdirAll(filepath.Dir(file[0])), home.WriteFile(file[0], []byte(file[1]))); err != nil {
			return store, err
		}
		d.FilesAdded = append(d.FilesAdded, file[0])
	}
	return store, nil
}

// notEmptied refuses a database that has lost its content: to fill it anew would hide that. One that is empty in a home which
// never had a tick is what an interrupted init leaves.
func notEmptied(h home.Home) error {
	info, err := os.Stat(h.DB())
	if err != nil || info.Size() > 0 {
		return nil //nolint:nilerr // that there is none is what init is for; what else is wrong, opening it says
	}
	if _, err := os.Stat(h.TickLock()); err != nil {
		return nil //nolint:nilerr // no tick was here
	}
	return board.NewProblem(board.ErrInvalid, "restore it from a backup, or move it away and run: board init", "the database %s is empty", h.DB())
}

// makeBoard adds the board, unless the repository has one, or without a repository the slug.
func (c *call) makeBoard(ctx context.Context, want board.Board) (b board.Board, added bool, err error) {
	boards, err := c.writer.Boards(ctx)
	if err != nil {
		return b, false, err
	}
	for _, had := range boards {
		if (want.Repo != "" && resolved(had.Repo) == want.Repo) || (want.Repo == "" && had.Repo == "" && had.Slug == want.Slug) {
			return had, false, c.sameBoard(had)
		}
	}
	if err := c.writer.AddBoard(ctx, c.now(), want, c.actor()); err != nil {
		return b, false, err
	}
	return want, true, nil
}

// sameBoard refuses to be told something else about a board that is there.
func (c *call) sameBoard(had board.Board) error {
	for _, f := range []struct{ flag, has string }{{"slug", had.Slug}, {"workflow", had.Workflow}, {"base", had.BaseBranch}} {
		if c.flags.IsSet(f.flag) && c.flags.String(f.flag) != f.has {
			return board.NewProblem(board.ErrRefused, "", "board %s is there, with --%s %s: init changes nothing that is there", had.Slug, f.flag, f.has)
		}
	}
	return nil
}

// findingsLimit is how long board init asks the agents on PATH, all together. Chosen: with what it takes to end those that
// hang, init ends within ten seconds. One that was too slow is off, and board roster check takes its time.
const findingsLimit = 8 * time.Second

// makeRoster writes a roster of the agents on PATH: those that can be told to be signed in are on, since another may send
// code to a cloud that nobody chose. A roster that is there stays as it is.
func (c *call) makeRoster(ctx context.Context, path string, d *initDocument) error {
	if c.getenv("BOARD_ROSTER") == "none" {
		return nil
	}
	d.Roster = path
	if _, err := os.Stat(path); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p, err := c.prober()
	if err != nil {
		return err
	}
	done := 0
	p.Whole = findingsLimit
	p.Told = func(string) {
		done++
		c.progress("asking the agents on PATH whether they are signed in: %d answered", done)
	}
	c.progress("asking the agents on PATH whether they are signed in")
	found, err := p.Findings(ctx)
	c.progress("")
	if err != nil {
		return err
	}
	var drafted []roster.Drafted
	for _, f := range found {
		drafted = append(drafted, f.Drafted)
		if f.Off != "" {
			d.LeftOut = append(d.LeftOut, leftOutSeat{Executor: f.Harness, Why: f.Off})
			continue
		}
		d.Executors = append(d.Executors, f.Harness)
		d.on = append(d.on, f.Harness+" ("+strings.TrimPrefix(f.Version+", signed in)", ", "))
	}
	d.RosterNew = true
	if err := home.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	return home.WriteFile(path, roster.Draft(drafted))
}

func (c *call) tellInit(d initDocument) error {
	if c.out.json {
		return c.out.document(d)
	}
	t := table{head: []string{"", "", ""}, stretch: 1, bare: true}
	t.add("home", short(d.Home, c.getenv("HOME")), newOrThere(d.HomeNew))
	what := "no repository: cards work in scratch folders"
	if d.Board.Repo != "" {
		what = short(d.Board.Repo, c.getenv("HOME")) + ", base " + d.Board.BaseBranch
	}
	t.add("board", d.Board.Slug+" · "+what, "workflow "+d.Board.Workflow+", "+newOrThere(d.BoardNew))
	if d.Roster != "" {
		t.add("roster", short(d.Roster, c.getenv("HOME")), newOrThere(d.RosterNew))
	}
	c.out.table(t)
	if len(d.on) > 0 {
		c.out.line("        on: %s", strings.Join(d.on, ", "))
	}
	for _, x := range d.LeftOut {
		c.out.line("        %s is off: %s", x.Executor, clean1(x.Why))
	}
	switch {
	case !d.RosterNew || len(d.on) > 0:
	case len(d.LeftOut) > 0:
		c.out.line("        nobody works yet: sign one in (board roster check NAME says how) and take out its `disabled`,")
		c.out.line("        or write an entry of your own: an example stands there")
	default:
		c.out.line("        nobody works yet, no known agent is on PATH: take the example's `disabled` out and give it your command")
	}
	if c.out.quiet {
		return nil
	}
	if d.bare {
		c.out.line("        the repository has no commit yet: make a first one, which work starts from")
	}
	c.out.line("next    board add \"Fix the login redirect\"      a card")
	c.out.line("        board dispatch --dry-run                what would start, and why the rest waits")
	c.out.line("        board cron install                      a tick every minute")
	return nil
}

func newOrThere(isNew bool) string {
	if isNew {
		return "new"
	}
	return "there, left as it is"
}

// short writes the user's folder as ~.
func short(path, userHome string) string {
	if rest, ok := strings.CutPrefix(path, userHome+"/"); ok && userHome != "" {
		return "~/" + rest
	}
	return path
}

// shellWord quotes a word for a POSIX shell where it needs it.
func shellWord(word string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@+=:,./_-", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !safe(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
