package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/settings"
	"github.com/seed-2ddc2152/board/internal/strict"
	"github.com/seed-2ddc2152/board/workflows"
)

// workflowLine is a workflow as `board workflow list --json` prints it.
type workflowLine struct {
	Workflow    string   `json:"workflow"`
	File        string   `json:"file"` // "" = built in
	Description string   `json:"description"`
	Boards      []string `json:"boards"`
	Problems    int      `json:"problems"`
}

// workflowProblem is one thing wrong, or odd, with a workflow.
type workflowProblem struct {
	Workflow string `json:"workflow"`
	At       string `json:"at"` // file:line:column
	Key      string `json:"key"`
	Text     string `json:"text"`
	Nearest  string `json:"nearest"` // "" = none
	Error    bool   `json:"error"`   // false: it loads, but is odd
}

// checkDocument is what `board workflow check --json` prints.
type checkDocument struct {
	Workflows []string          `json:"workflows"`
	Problems  []workflowProblem `json:"problems"`
}

func workflowCommand() command {
	return command{
		about: "Workflows are YAML files under the home's workflows/: statuses, events, profiles, caps. A change takes effect at the next tick.",
		examples: []string{
			"board workflow list",
			"board workflow check default",
			"board workflow show default --mermaid",
		},
		document: []workflowLine{},
		run:      workflowList,
		subs: []verb{
			{"list", groupHome, "the workflows that there are", func() command {
				return command{examples: []string{"board workflow list"}, document: []workflowLine{}, run: workflowList}
			}},
			{"show", groupHome, "print one, or draw it", func() command {
				return command{
					args: "[NAME]", max: 1, examples: []string{"board workflow show default --mermaid"},
					flags: []cli.Flag{&cli.BoolFlag{Name: "mermaid", Usage: "its picture, as Mermaid draws it"}},
					run:   workflowShow,
				}
			}},
			{"check", groupHome, "find every mistake in it", func() command {
				return command{
					args: "[NAME|FILE]", max: 1, document: checkDocument{}, run: workflowCheck,
					about:    "Without a name, every workflow that a board uses or the home has. Exit 3 when something is wrong.",
					examples: []string{"board workflow check", "board workflow check workflows/mine.yaml"},
				}
			}},
			{"schema", groupHome, "the JSON Schema of the files", func() command {
				return command{examples: []string{"board workflow schema"}, run: func(_ context.Context, c *call) error {
					_, err := c.out.w.Write(workflows.Schema())
					return err
				}}
			}},
			{"new", groupHome, "begin one from another", func() command {
				return command{
					args: "NAME", min: 1, max: 1, examples: []string{"board workflow new mine --from solo"},
					flags: []cli.Flag{&cli.StringFlag{Name: "from", Usage: "the `WORKFLOW` to copy", Value: "default"}},
					run:   workflowNew,
				}
			}},
		},
	}
}

// workflowNames are the home's files and the built-in workflows, sorted.
func workflowNames(h home.Home) ([]string, error) {
	names := workflows.Names()
	entries, err := os.ReadDir(h.Workflows())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok && !e.IsDir() && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func workflowList(ctx context.Context, c *call) error {
	h, s, err := c.homeSettings(ctx)
	if err != nil {
		return err
	}
	names, err := workflowNames(h)
	if err != nil {
		return err
	}
	users := map[string][]string{}
	if store, err := c.read(ctx); err == nil {
		boards, err := store.Boards(ctx)
		if err != nil {
			return err
		}
		for _, b := range boards {
			users[b.Workflow] = append(users[b.Workflow], b.Slug)
		}
	} else if !errors.Is(err, home.ErrMissing) && !errors.Is(err, board.ErrNoHome) {
		return err
	}
	lines := []workflowLine{}
	t := table{head: []string{"workflow", "where", "boards", "description"}, stretch: 3}
	for _, name := range names {
		line := workflowLine{Workflow: name, Boards: append([]string{}, users[name]...)}
		if _, err := os.Stat(h.Workflow(name)); err == nil {
			line.File = h.Workflow(name)
		}
		w, err := s.Workflow(name)
		if err != nil {
			line.Problems = max(len(problemsOf(err)), 1)
			line.Description = fmt.Sprintf("broken: %d problems (board workflow check %s)", line.Problems, name)
		} else {
			line.Description = w.Description
		}
		where := "built in"
		if line.File != "" {
			where = settings.WorkflowFile(name)
		}
		lines = append(lines, line)
		t.add(name, where, strings.Join(line.Boards, ", "), line.Description)
	}
	if c.out.json {
		return c.out.document(lines)
	}
	c.out.table(t)
	return nil
}

func (c *call) homeSettings(ctx context.Context) (home.Home, *settings.Settings, error) {
	h, err := c.find()
	if err != nil {
		return h, nil, err
	}
	s, err := c.settings(ctx)
	return h, s, err
}

// workflowArg is the name given, else that of the board the verb is about, else default.
func (c *call) workflowArg(ctx context.Context) string {
	if len(c.args) > 0 {
		return c.args[0]
	}
	if store, err := c.read(ctx); err == nil {
		if b, err := c.board(ctx, store); err == nil {
			return b.Workflow
		}
	}
	return "default"
}

func workflowShow(ctx context.Context, c *call) error {
	h, s, err := c.homeSettings(ctx)
	if err != nil {
		return err
	}
	name := c.workflowArg(ctx)
	if c.flags.Bool("mermaid") {
		w, err := s.Workflow(name)
		if err != nil {
			return nearestWorkflow(h, name, err)
		}
		c.out.line("%s", strings.TrimRight(workflows.Mermaid(w), "\n"))
		return nil
	}
	source, err := s.WorkflowSource(name)
	if err != nil {
		return nearestWorkflow(h, name, err)
	}
	_, err = c.out.w.WriteString(source)
	return err
}

// nearestWorkflow adds the nearest name to an error that says there is no such workflow.
func nearestWorkflow(h home.Home, name string, err error) error {
	if !errors.Is(err, board.ErrNotFound) {
		return err
	}
	names, listErr := workflowNames(h)
	if listErr != nil {
		return err
	}
	return board.NewProblem(board.ErrNotFound, didYouMean(name, names, "workflows"), "there is no workflow %q", name)
}

func workflowCheck(ctx context.Context, c *call) error {
	h, s, err := c.homeSettings(ctx)
	if err != nil {
		return err
	}
	d := checkDocument{Workflows: []string{}, Problems: []workflowProblem{}}
	var names []string
	if len(c.args) > 0 {
		names = []string{c.args[0]}
	} else if names, err = workflowNames(h); err != nil {
		return err
	}
	known, err := c.knownNames(ctx, s)
	if err != nil {
		return err
	}
	broken := false
	for _, name := range names {
		problems, bad, err := c.checkOne(h, s, name, known)
		if err != nil {
			return err
		}
		broken = broken || bad
		d.Workflows = append(d.Workflows, name)
		d.Problems = append(d.Problems, problems...)
	}
	if len(c.args) == 0 {
		d.Problems = append(d.Problems, configProblems(s, names, known)...)
	}
	if c.out.json {
		err = c.out.document(d)
	} else {
		c.tellCheck(d)
	}
	if err == nil && broken {
		return errInvalidSaid
	}
	return err
}

// checkOne finds what is wrong with a workflow of the home, or with a file.
func (c *call) checkOne(h home.Home, s *settings.Settings, name string, known *workflows.Known) (problems []workflowProblem, bad bool, err error) {
	file := settings.WorkflowFile(name)
	var source string
	if strings.ContainsRune(name, filepath.Separator) || strings.HasSuffix(name, ".yaml") {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, false, board.NewProblem(board.ErrNotFound, "", "check %s: there is no such file", name)
		}
		if err != nil {
			return nil, false, err
		}
		source, file = string(text), name
		name = strings.TrimSuffix(filepath.Base(name), ".yaml")
	} else if source, err = s.WorkflowSource(name); err != nil {
		return nil, false, nearestWorkflow(h, name, err)
	}
	o := s.WorkflowOptions()
	o.Known = known
	w, err := workflows.Check(name, file, []byte(source), o)
	if err != nil {
		found := problemsOf(err)
		if len(found) == 0 {
			return nil, false, err
		}
		return workflowProblems(name, found, true), true, nil
	}
	return workflowProblems(name, w.Lint, false), false, nil
}

// configProblems is what is odd about the caps of config.yaml, seen beside those workflows that load.
func configProblems(s *settings.Settings, names []string, known *workflows.Known) []workflowProblem {
	var all []*workflows.Workflow
	for _, name := range names {
		if w, err := s.Workflow(name); err == nil {
			all = append(all, w)
		}
	}
	return workflowProblems("config.yaml", workflows.LintHome(s.Config.Capacity, all, known), false)
}

func workflowProblems(name string, found strict.Problems, isError bool) []workflowProblem {
	var all []workflowProblem
	for _, p := range found {
		at := p.File
		if p.Line > 0 {
			at = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
		}
		all = append(all, workflowProblem{Workflow: name, At: at, Key: p.Path, Text: p.Text, Nearest: p.Nearest, Error: isError})
	}
	return all
}

func problemsOf(err error) strict.Problems {
	var problems strict.Problems
	errors.As(err, &problems)
	return problems
}

// knownNames are what filters of a workflow may name: hosts of config.yaml, executors of the rosters. Where there is no home
// yet, nothing is known and nothing checked.
func (c *call) knownNames(ctx context.Context, s *settings.Settings) (*workflows.Known, error) {
	store, err := c.read(ctx)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // a file can be checked without a home
	}
	boards, err := store.Boards(ctx)
	if err != nil {
		return nil, err
	}
	known := &workflows.Known{Hosts: []string{s.Config.Host}, Boards: slugs(boards)}
	for _, host := range s.Config.Hosts {
		known.Hosts = append(append(known.Hosts, host.Name), host.Aliases...)
	}
	for _, repo := range append(repos(boards), "") {
		r, err := s.Roster(repo)
		if err != nil {
			return &workflows.Known{Hosts: known.Hosts, Boards: known.Boards}, nil //nolint:nilerr // board roster tells it
		}
		for _, e := range r.Executors {
			known.Executors = append(known.Executors, e.ID)
			known.Harnesses = append(known.Harnesses, e.Harness)
			if e.Model != "" {
				known.Models = append(known.Models, e.Model)
			}
		}
	}
	return known, nil
}

func (c *call) tellCheck(d checkDocument) {
	wrong := 0
	for _, p := range d.Problems {
		kind := c.out.paint(yellow, "odd")
		if p.Error {
			kind = c.out.paint(red, "wrong")
			wrong++
		}
		near := ""
		if p.Nearest != "" {
			near = fmt.Sprintf(" (did you mean %q?)", p.Nearest)
		}
		c.out.line("%s: %s: %s: %s%s", clean1(p.At), kind, cmp.Or(p.Key, "file"), clean1(p.Text), near)
	}
	c.out.line("%d checked: %d wrong, %d odd", len(d.Workflows), wrong, len(d.Problems)-wrong)
}

func workflowNew(ctx context.Context, c *call) error {
	h, err := c.home()
	if err != nil {
		return err
	}
	if _, inside := c.worker(); inside {
		_, err := c.write(ctx)
		return err
	}
	s, err := c.settings(ctx)
	if err != nil {
		return err
	}
	name, from := c.args[0], c.flags.String("from")
	if name != slugOf(name) {
		return board.NewProblem(board.ErrUsage, "board workflow new "+slugOf(name), "workflow new %q: expected small letters, digits and -, a letter first", name)
	}
	if _, err := s.WorkflowSource(name); err == nil {
		return board.NewProblem(board.ErrRefused, "choose another name", "workflow new %s: there is one of that name", name)
	}
	source, err := s.WorkflowSource(from)
	if err != nil {
		return nearestWorkflow(h, from, err)
	}
	source = strings.Replace(source, "\nname: "+from+"\n", "\nname: "+name+"\n", 1)
	if err := errors.Join(home.MkdirAll(h.Workflows()), home.WriteFile(h.Workflow(name), []byte(source))); err != nil {
		return err
	}
	c.out.line("%s", h.Workflow(name))
	c.out.remark("board init --workflow %s makes a board that uses it", name)
	return nil
}
