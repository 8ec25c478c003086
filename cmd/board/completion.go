package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

func completionCommand() command {
	return command{
		args: "bash|zsh|fish", min: 1, max: 1,
		about: "Prints a script for the shell, which completes verbs, flags, card ids, runs, executors and statuses.",
		examples: []string{
			"board completion bash > ~/.local/share/bash-completion/completions/board",
			`board completion zsh > "${fpath[1]}/_board"`,
			"board completion fish > ~/.config/fish/completions/board.fish",
		},
		run: func(_ context.Context, c *call) error {
			script, ok := completionScripts()[c.args[0]]
			if !ok {
				return board.NewProblem(board.ErrUsage, "shells: bash, zsh, fish", "completion: there is no script for %q", c.args[0])
			}
			c.out.line("%s", script)
			return nil
		},
	}
}

// completionScripts ask the program itself, by `board __complete -- words`, the last word being the one that is typed.
func completionScripts() map[string]string {
	return map[string]string{
		"bash": `_board() {
  local IFS=$'\n'
  COMPREPLY=($(board __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _board board`,
		"zsh": `#compdef board
_board() {
  local -a found
  found=("${(@f)$(board __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
_board "$@"`,
		"fish": `function __board_complete
  set -l words (commandline -opc) (commandline -ct)
  board __complete -- $words[2..-1] 2>/dev/null
end
complete -c board -f -a '(__board_complete)'`,
	}
}

// completeCommand answers the scripts: what the last of the words could be, a line each.
func completeCommand() command {
	return command{
		args: "-- WORDS", max: -1, examples: []string{"board __complete -- move api-1 --to re"},
		run: func(ctx context.Context, c *call) error {
			if len(c.args) == 0 {
				c.args = []string{""}
			}
			words, last := c.args[:len(c.args)-1], c.args[len(c.args)-1]
			for _, candidate := range c.candidates(ctx, words, last) {
				if strings.HasPrefix(candidate, last) {
					c.out.line("%s", candidate)
				}
			}
			return nil
		},
	}
}

// candidates are all words that could stand after these.
func (c *call) candidates(ctx context.Context, words []string, last string) []string {
	path, cmd, flag := walk(words)
	flags := indexFlags(append(globalFlags(), cmd.flags...))
	if flag != "" {
		return c.flagValues(ctx, flag)
	}
	if strings.HasPrefix(last, "-") {
		return flagForms(flags)
	}
	if len(cmd.subs) > 0 {
		return verbNames(cmd.subs)
	}
	if len(path) == 0 {
		return verbNames(verbs())
	}
	return c.argumentValues(ctx, cmd)
}

// walk finds the verb that words have named so far, and the flag that still wants its value.
func walk(words []string) (path []string, cmd command, flag string) {
	cmd.subs = verbs()
	known := indexFlags(globalFlags())
	for _, word := range words {
		switch {
		case flag != "":
			flag = ""
		case strings.HasPrefix(word, "-"):
			name := strings.TrimLeft(word, "-")
			if f, ok := known[name]; ok && !isSwitch(f) {
				flag = f.Names()[0]
			}
		default:
			if v, ok := findVerb(cmd.subs, word); ok {
				path, cmd = append(path, word), v.command()
				known = indexFlags(append(globalFlags(), cmd.flags...))
			}
		}
	}
	return path, cmd, flag
}

func flagForms(flags map[string]cli.Flag) []string {
	var forms []string
	for name := range flags {
		if len(name) > 1 {
			forms = append(forms, "--"+name)
		}
	}
	slices.Sort(forms)
	return forms
}

// flagValues are the values that a flag may have, where they can be listed.
func (c *call) flagValues(ctx context.Context, flag string) []string {
	switch flag {
	case "to", "status":
		return c.statuses(ctx)
	case "executors":
		return c.executors(ctx)
	case "outcome":
		return outcomes()
	case "board":
		return slugs(c.someBoards(ctx))
	case "workflow", "from":
		return c.workflows()
	case "only", "depends-on", "parent":
		return c.cardIDs(ctx)
	}
	return nil
}

// argumentValues are what a verb's arguments may be, told by the words that its help has for them.
func (c *call) argumentValues(ctx context.Context, cmd command) []string {
	var all []string
	for _, word := range strings.FieldsFunc(cmd.args, func(r rune) bool { return r == ' ' || r == '|' || r == '[' || r == ']' }) {
		switch word {
		case "ID", "BLOCKED", "BLOCKER":
			all = append(all, c.cardIDs(ctx)...)
		case "RUN":
			all = append(all, c.openRuns(ctx)...)
		case "EXECUTOR":
			all = append(all, c.executors(ctx)...)
		case "NAME":
			all = append(all, c.workflows()...)
		case "VERB":
			all = append(all, verbNames(verbs())...)
		case "bash", "zsh", "fish":
			all = append(all, word)
		}
	}
	return all
}

// The lists below are empty where there is no home or a file is broken: completion says nothing about errors.

func (c *call) someBoards(ctx context.Context) []board.Board {
	store, err := c.read(ctx)
	if err != nil {
		return nil
	}
	boards, err := store.Boards(ctx)
	if err != nil {
		return nil
	}
	return boards
}

func (c *call) cardIDs(ctx context.Context) []string {
	store, err := c.read(ctx)
	if err != nil {
		return nil
	}
	view, err := store.View(ctx, board.ViewSpec{Now: c.now()})
	if err != nil {
		return nil
	}
	var ids []string
	for _, card := range view.Cards {
		ids = append(ids, card.ID)
	}
	return ids
}

func (c *call) openRuns(ctx context.Context) []string {
	store, err := c.read(ctx)
	if err != nil {
		return nil
	}
	runs, err := store.Runs(ctx, board.RunFilter{Open: true})
	if err != nil {
		return nil
	}
	var ids []string
	for _, r := range runs {
		ids = append(ids, sessionText(r.ID))
	}
	return ids
}

func (c *call) executors(ctx context.Context) []string {
	s, err := c.settings(ctx)
	if err != nil {
		return nil
	}
	var ids []string
	for _, repo := range append(repos(c.someBoards(ctx)), "") {
		r, err := s.Roster(repo)
		if err != nil {
			continue
		}
		for _, e := range r.Executors {
			ids = append(ids, e.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (c *call) statuses(ctx context.Context) []string {
	s, err := c.settings(ctx)
	if err != nil {
		return nil
	}
	var names []string
	for _, b := range c.someBoards(ctx) {
		w, err := s.Workflow(b.Workflow)
		if err != nil {
			continue
		}
		for _, status := range w.Statuses {
			if !slices.Contains(names, status.Name) {
				names = append(names, status.Name)
			}
		}
	}
	return names
}

func (c *call) workflows() []string {
	h, err := c.find()
	if err != nil {
		return nil
	}
	names, err := workflowNames(h)
	if err != nil {
		return nil
	}
	return names
}
