package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/expr"
)

// invocation is a command line taken apart: which verb, and its flags before its arguments. urfave/cli stops looking for
// flags at the first argument (its issue 1177) and runs a parent's action for a word that it does not know; here flags may
// stand anywhere, and a word that nobody knows is wrong usage (DSP-16).
type invocation struct {
	path    []string // the verb and its subcommand; empty = help of the whole program
	group   []verb   // the verbs that the last word of path was one of
	command command
	globals flagWords
	flags   flagWords
	args    []string
	help    bool
}

// flagWords are flags in the form --name=value, or --name for a switch.
type flagWords []string

// has says whether a switch is on.
func (f flagWords) has(name string) bool {
	on := false
	for _, word := range f {
		switch word {
		case "--" + name, "--" + name + "=true":
			on = true
		case "--" + name + "=false":
			on = false
		}
	}
	return on
}

// name is the verb as it is typed.
func (inv invocation) name() string { return strings.Join(inv.path, " ") }

// words are the words for urfave/cli: flags, then a mark, then arguments.
func (inv invocation) words() []string {
	return slices.Concat([]string{"board"}, inv.globals, inv.flags, []string{"--"}, inv.args)
}

// parseWords finds the verb among the words, and sorts the rest into flags and arguments.
func parseWords(table []verb, words []string) (invocation, error) {
	inv := invocation{group: table, command: command{subs: table}}
	global := indexFlags(globalFlags())
	known := map[string]cli.Flag{}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--":
			inv.args = append(inv.args, words...)
			words = nil
		case word == "--help" || word == "-h":
			inv.help = true
		case strings.HasPrefix(word, "-") && word != "-":
			kept, into, rest, err := inv.takeFlag(word, words, global, known)
			if err == nil {
				err = inv.checkFlag(kept, *into, global, known)
			}
			if err != nil {
				return inv, err
			}
			*into, words = append(*into, kept), rest
		case len(inv.args) == 0 && len(inv.command.subs) > 0:
			sub, ok := findVerb(inv.command.subs, word)
			if !ok && (len(inv.path) == 0 || inv.command.max == 0) {
				return inv, unknownWord(inv, word)
			}
			if !ok {
				inv.args = append(inv.args, word)
				continue
			}
			inv.path, inv.group, inv.command = append(inv.path, word), inv.command.subs, sub.command()
			known = indexFlags(inv.command.flags)
		default:
			inv.args = append(inv.args, word)
		}
	}
	return inv.checked()
}

// takeFlag reads a flag at the front of the words: its form for urfave/cli, the list it belongs to, and the words after it.
func (inv *invocation) takeFlag(word string, words []string, global, known map[string]cli.Flag) (
	kept string, into *flagWords, rest []string, err error,
) {
	name, value, valued := strings.Cut(strings.TrimLeft(word, "-"), "=")
	into = &inv.flags
	flag, ok := known[name]
	if !ok {
		into = &inv.globals
		flag, ok = global[name]
	}
	if !ok {
		return "", nil, nil, unknownFlag(*inv, word, name, global, known)
	}
	name = flag.Names()[0]
	if isSwitch(flag) {
		if valued {
			return "--" + name + "=" + value, into, words, nil
		}
		return "--" + name, into, words, nil
	}
	if parent, ok := flag.(*parentFlag); ok && !valued && (len(words) == 0 || !parent.takes(words[0])) {
		return "--" + name + "=", into, words, nil
	}
	if !valued {
		if len(words) == 0 {
			return "", nil, nil, board.NewProblem(board.ErrUsage, inv.helpFix(), "%s needs a value", word)
		}
		value, words = words[0], words[1:]
	}
	return "--" + name + "=" + value, into, words, nil
}

// checkFlag refuses a value that its flag cannot have, and a second one that contradicts the first: the library would take
// the last.
func (inv *invocation) checkFlag(kept string, before flagWords, global, known map[string]cli.Flag) error {
	name, value, valued := strings.Cut(strings.TrimPrefix(kept, "--"), "=")
	flag := known[name]
	if flag == nil {
		flag = global[name]
	}
	expected := ""
	switch flag.(type) {
	case *cli.BoolFlag:
		if _, err := strconv.ParseBool(value); valued && err != nil {
			expected = "true or false"
		}
	case *cli.IntFlag:
		if _, err := strconv.Atoi(value); err != nil {
			expected = "a whole number"
		}
	case *cli.StringSliceFlag:
		return nil // may be given again
	}
	if expected != "" {
		return board.NewProblem(board.ErrUsage, inv.helpFix(), "--%s %q: expected %s", name, value, expected)
	}
	for _, word := range before {
		if had, _, _ := strings.Cut(word, "="); had == "--"+name && word != kept {
			return board.NewProblem(board.ErrUsage, inv.helpFix(), "--%s is given twice, and not the same", name)
		}
	}
	return nil
}

// checked says whether the command can be run with so many arguments.
func (inv invocation) checked() (invocation, error) {
	if len(inv.path) == 0 {
		inv.help = true
	}
	if inv.help {
		return inv, nil
	}
	cmd := inv.command
	switch n := len(inv.args); {
	case cmd.run == nil:
		return inv, board.NewProblem(board.ErrUsage, inv.helpFix(), "%s: say which: %s", inv.name(), strings.Join(verbNames(cmd.subs), ", "))
	case n < cmd.min:
		return inv, board.NewProblem(board.ErrUsage, inv.helpFix(), "%s: missing argument: board %s", inv.name(), inv.usage())
	case cmd.max >= 0 && n > cmd.max:
		return inv, board.NewProblem(board.ErrUsage, inv.helpFix(), "%s: unexpected %q: board %s", inv.name(), inv.args[cmd.max], inv.usage())
	}
	return inv, nil
}

// usage is the verb with its arguments.
func (inv invocation) usage() string { return strings.TrimSpace(inv.name() + " " + inv.command.args) }

func (inv invocation) helpFix() string { return strings.TrimSpace("board help " + inv.name()) }

func unknownWord(inv invocation, word string) error {
	kind := "verb"
	if len(inv.path) > 0 {
		kind = "word after " + inv.name()
	}
	fix := inv.helpFix()
	if near := expr.Nearest(word, verbNames(inv.command.subs)); near != "" {
		fix = fmt.Sprintf("did you mean %q?", strings.TrimSpace("board "+strings.TrimSpace(inv.name()+" "+near)))
	}
	return board.NewProblem(board.ErrUsage, fix, "unknown %s %q", kind, word)
}

func unknownFlag(inv invocation, word, name string, global, known map[string]cli.Flag) error {
	names := make([]string, 0, len(global)+len(known))
	for _, flags := range []map[string]cli.Flag{known, global} {
		for n := range flags {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	fix := inv.helpFix() + "; an argument that begins with - stands after --"
	if near := expr.Nearest(name, names); near != "" {
		fix = fmt.Sprintf("did you mean --%s?", near)
	}
	if len(inv.path) == 0 && name == "version" {
		return board.NewProblem(board.ErrUsage, "board version", "unknown flag %s", word)
	}
	if len(inv.path) == 0 {
		return board.NewProblem(board.ErrUsage, fix+" (flags of a verb stand behind it)", "unknown flag %s", word)
	}
	return board.NewProblem(board.ErrUsage, fix, "%s: unknown flag %s", inv.name(), word)
}

func indexFlags(flags []cli.Flag) map[string]cli.Flag {
	index := make(map[string]cli.Flag, len(flags))
	for _, flag := range flags {
		for _, name := range flag.Names() {
			index[name] = flag
		}
	}
	return index
}

func isSwitch(flag cli.Flag) bool {
	_, ok := flag.(*cli.BoolFlag)
	return ok
}

func findVerb(table []verb, name string) (verb, bool) {
	for _, v := range table {
		if v.name == name {
			return v, true
		}
	}
	return verb{}, false
}

// verbNames are the words that people may type there.
func verbNames(table []verb) []string {
	var names []string
	for _, v := range table {
		if v.group != groupHidden {
			names = append(names, v.name)
		}
	}
	return names
}

// wantsJSON says whether words that could not be taken apart ask for JSON, so that the error is in it too.
func wantsJSON(words []string) bool {
	for _, word := range words {
		switch word {
		case "--":
			return false
		case "--json", "-json", "--json=true":
			return true
		}
	}
	return false
}
