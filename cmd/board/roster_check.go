package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/probe"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// rosterCheckDocument is what `board roster check --json` prints.
type rosterCheckDocument struct {
	OK        bool           `json:"ok"` // every one of them runs, as far as can be told
	Executors []probe.Report `json:"executors"`
}

func rosterCheckCommand() command {
	return command{
		args: "[EXECUTOR ...]", max: -1,
		about: "Proves that executors run, as far as that costs nothing: finds each one's program, starts it for its version, asks it whether it " +
			"is signed in, looks in its help for the flags that board uses, and asks its health URL. It tells what it cannot know. With " +
			"--live each answers one short question, which spends tokens. A harness's name checks that agent as it is on PATH, in the roster or " +
			"not. Exit 7 when something would keep one from running.",
		examples: []string{"board roster check", "board roster check opus --live", "board roster check opencode      # before it is switched on"},
		flags: []cli.Flag{
			&cli.BoolFlag{Name: "live", Usage: "also ask each model one short question; spends tokens"},
		},
		document: rosterCheckDocument{},
		run:      runRosterCheck,
	}
}

func runRosterCheck(ctx context.Context, c *call) error {
	executors, off, err := c.toCheck(ctx)
	if err != nil {
		return err
	}
	p, err := c.prober()
	if err != nil {
		return err
	}
	p.Live = c.flags.Bool("live")
	done := 0
	p.Told = func(string) {
		done++
		c.progress("checked %d of %d", done, len(executors))
	}
	c.progress("checking %d", len(executors))
	reports, err := p.Check(ctx, executors)
	c.progress("")
	if err != nil {
		return err
	}
	d := rosterCheckDocument{OK: true, Executors: reports}
	for _, r := range reports {
		d.OK = d.OK && r.OK
	}
	if err := c.tellRosterCheck(d); err != nil {
		return err
	}
	if len(executors) == 0 && !c.out.json {
		c.tellDisabled(withOff(nil, off), 0)
	}
	if !d.OK {
		return errSaid
	}
	return nil
}

// prober asks the agents' programs, as this process's environment has them.
func (c *call) prober() (probe.Prober, error) {
	table, err := process.Open()
	if err != nil {
		return probe.Prober{}, err
	}
	userHome, _ := c.userHome() // unknown: then HOME alone counts
	return probe.Prober{Environ: c.env, UserHome: userHome, Clock: c.clock, Table: table, Health: dispatch.AskHealth}, nil
}

// progress writes over one line of the terminal while something takes long; "" takes it away.
func (c *call) progress(format string, args ...any) {
	if c.out.width > 0 && !c.out.quiet && !c.out.json {
		fmt.Fprintf(c.stderr, "\r\x1b[K"+format, args...)
	}
}

// toCheck are the executors that the arguments name, else all that are on; and the entries that are off.
func (c *call) toCheck(ctx context.Context) (list, off []roster.Executor, err error) {
	all, off, err := c.rosters(ctx)
	if len(c.args) == 0 {
		return all, off, err
	}
	for _, id := range c.args {
		e, ok := findExecutor(slices.Concat(all, off), id)
		if !ok {
			e, ok = bareExecutor(id)
		}
		switch {
		case ok:
			list = append(list, e)
		case err != nil:
			return nil, off, err
		default:
			return nil, off, board.NewProblem(board.ErrNotFound, didYouMean(id, idsOf(slices.Concat(all, off)), "executors"), "there is no executor %q", id)
		}
	}
	return list, off, nil
}

// rosters are the executors of the boards that the verb is about, and those that are off. Before there is a home they are the
// user's.
func (c *call) rosters(ctx context.Context) (all, off []roster.Executor, err error) {
	s, err := c.settings(ctx)
	if err != nil {
		return nil, nil, err
	}
	folders := []string{""}
	if store, err := c.read(ctx); err == nil {
		boards, err := c.boardsAbout(ctx, store)
		if err != nil {
			return nil, nil, err
		}
		if len(boards) > 0 {
			folders = repos(boards)
		}
		if slices.ContainsFunc(boards, func(b board.Board) bool { return b.Repo == "" }) {
			folders = append(folders, "")
		}
	}
	for _, folder := range folders {
		on, disabled, err := entriesOf(s, folder)
		if err != nil {
			return all, off, err
		}
		for _, e := range on {
			if _, had := findExecutor(all, e.ID); !had {
				all = append(all, e)
			}
		}
		off = append(off, disabled...)
	}
	return all, off, nil
}

func findExecutor(list []roster.Executor, id string) (roster.Executor, bool) {
	i := slices.IndexFunc(list, func(e roster.Executor) bool { return e.ID == id })
	if i < 0 {
		return roster.Executor{}, false
	}
	return list[i], true
}

// bareExecutor is a harness by its name, without an entry of its own.
func bareExecutor(name string) (roster.Executor, bool) {
	h, ok := harness.Lookup(name)
	return roster.Executor{ID: name, Harness: name}, ok && h.Facts().Binary != ""
}

func idsOf(list []roster.Executor) []string {
	ids := make([]string, len(list))
	for i, e := range list {
		ids[i] = e.ID
	}
	return ids
}

func (c *call) tellRosterCheck(d rosterCheckDocument) error {
	if c.out.json {
		return c.out.document(d)
	}
	run := 0
	for _, r := range d.Executors {
		if r.OK {
			run++
		}
		c.tellProbe(r)
	}
	if len(d.Executors) == 0 {
		return nil
	}
	c.out.remark("%d checked: %d run, %d do not", len(d.Executors), run, len(d.Executors)-run)
	return nil
}

// tellProbe prints a line of facts, then what is wrong, and what to know before a run.
func (c *call) tellProbe(r probe.Report) {
	verdict := c.out.paint(green, "runs")
	if !r.OK {
		verdict = c.out.paint(red, "does not run")
	}
	var facts []string
	if r.Path != "" {
		facts = append(facts, clean1(r.Version+" "+short(r.Path, c.getenv("HOME"))), string(r.Kind))
	}
	if r.Node != "" {
		facts = append(facts, "node "+r.Node)
	}
	if r.Path != "" && r.Harness != "exec" && r.SignIn != harness.SignedOut { // that is a problem, or a note, below
		facts = append(facts, clean1(signInText(r)))
	}
	if r.Health != nil && r.Health.OK {
		facts = append(facts, "health URL answers")
	}
	c.out.line("%s  %s", c.out.paint(bold, r.Executor), strings.Join(append([]string{verdict}, facts...), ", "))
	for _, p := range r.Problems {
		c.out.folded(factIndent, p.Text)
		if p.Fix != "" {
			c.out.folded(factIndent, "fix: "+p.Fix)
		}
	}
	if r.Live != nil && r.Live.OK {
		c.out.line("    answered %q, %s", cut(clean1(r.Live.Text), titleColumns), clean1(liveCost(*r.Live)))
	}
	if c.out.quiet {
		return
	}
	for _, note := range r.Notes {
		c.out.folded(factIndent, "note: "+note)
	}
	if r.Unknown != "" && r.OK {
		c.out.folded(factIndent, "unknown without a run: "+r.Unknown)
	}
}

// factIndent is how far in the lines stand that belong to an executor.
const factIndent = 4

// folded prints a text, on a terminal in as many lines as it needs.
func (p *printer) folded(indent int, text string) {
	text = clean1(text)
	if p.width > 0 {
		text = wrap(text, p.fit()-indent)
	}
	for line := range strings.SplitSeq(text, "\n") {
		p.line("%s%s", strings.Repeat(" ", indent), line)
	}
}

func signInText(r probe.Report) string {
	text := string(r.SignIn)
	if r.SignIn == harness.SignInUnknown {
		text = "sign-in unknown"
	}
	if r.SignInText != "" && !strings.EqualFold(r.SignInText, text) {
		text += " (" + r.SignInText + ")"
	}
	return text
}

// liveCost is what an answer took.
func liveCost(l probe.Live) string {
	text := fmt.Sprintf("%d tokens in and %d out", l.TokensIn, l.TokensOut)
	if l.Model != "" {
		text = l.Model + ", " + text
	}
	if l.CostUSD > 0 {
		text += fmt.Sprintf(", $%.4f", l.CostUSD)
	}
	return text
}
