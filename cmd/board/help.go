package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// help prints the help of a verb, or of the program when there is none.
func (p *printer) help(inv invocation) error {
	if len(inv.path) == 0 {
		p.wholeHelp()
		return nil
	}
	cmd := inv.command
	self, _ := findVerb(inv.group, inv.path[len(inv.path)-1])
	p.line("board %s: %s", inv.name(), self.does)
	p.line("")
	p.line("usage: board %s", strings.TrimSpace(inv.usage()+" "+flagsMark(cmd)))
	if cmd.about != "" {
		p.line("\n%s", wrap(cmd.about, maxWidth))
	}
	if len(cmd.subs) > 0 {
		p.heading("\nWords that may follow")
		p.verbList(cmd.subs, func(v verb) bool { return v.group != groupHidden })
	}
	if len(cmd.flags) > 0 {
		p.heading("\nFlags")
		p.flagList(cmd.flags)
	}
	p.heading("\nExamples")
	for _, example := range cmd.examples {
		p.line("  %s", example)
	}
	p.line("\nFlags of every verb: --home DIR, --board SLUG, --json, --quiet, --no-color")
	p.line("`board help` explains them and the exit codes.")
	return nil
}

func flagsMark(cmd command) string {
	if len(cmd.flags) == 0 {
		return ""
	}
	return "[flags]"
}

// wholeHelp lists every verb, the global flags and the exit codes.
func (p *printer) wholeHelp() {
	p.line("board runs coding agents from a board of cards that is one SQLite file.")
	p.line("")
	p.line("usage: board VERB [arguments] [flags]     board help VERB explains one, with an example")
	table := verbs()
	var groups []string
	for _, v := range table {
		if v.group != groupHidden && !slices.Contains(groups, v.group) {
			groups = append(groups, v.group)
		}
	}
	for _, group := range groups {
		p.heading("\n" + group)
		p.verbList(table, func(v verb) bool { return v.group == group })
	}
	p.heading("\nFlags of every verb, before or after its arguments")
	p.flagList(globalFlags())
	p.heading("\nExit codes")
	p.line("%s", strings.TrimRight(exitHelp(), "\n"))
}

func (p *printer) verbList(table []verb, shown func(verb) bool) {
	for _, v := range table {
		if shown(v) {
			p.line("  %-11s %s", v.name, v.does)
		}
	}
}

func (p *printer) flagList(flags []cli.Flag) {
	const wide = 22
	for _, flag := range flags {
		p.line("  %-*s %s", wide, flagForm(flag), strings.ReplaceAll(wrap(flagUsage(flag), maxWidth-wide-3), "\n", "\n"+strings.Repeat(" ", wide+3)))
	}
}

// flagForm is a flag as it is typed.
func flagForm(flag cli.Flag) string {
	var forms []string
	for _, name := range flag.Names() {
		if len(name) == 1 {
			forms = append(forms, "-"+name)
		} else {
			forms = append(forms, "--"+name)
		}
	}
	form := strings.Join(forms, ", ")
	if value, _ := splitUsage(flag); value != "" {
		form += " " + value
	}
	return form
}

func flagUsage(flag cli.Flag) string {
	_, text := splitUsage(flag)
	return text
}

// splitUsage takes the word for a flag's value out of its usage, where it stands in backquotes: "`STATUS` to move to".
func splitUsage(flag cli.Flag) (value, text string) {
	documented, ok := flag.(cli.DocGenerationFlag)
	if !ok {
		return "", ""
	}
	text = documented.GetUsage()
	before, rest, ok := strings.Cut(text, "`")
	if !ok {
		if isSwitch(flag) {
			return "", text
		}
		return "VALUE", text
	}
	value, after, _ := strings.Cut(rest, "`")
	return value, strings.TrimSpace(before + value + after)
}

// wrap breaks a text into lines of at most so many columns; its own line breaks stay.
func wrap(text string, width int) string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			if line != "" && columns(line)+1+columns(word) > width {
				lines = append(lines, line)
				line = ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// helpCommand is `board help VERB`.
func helpCommand() command {
	return command{
		args: "[VERB [WORD]]", max: -1,
		examples: []string{"board help dispatch", "board help roster pause"},
		run: func(_ context.Context, c *call) error {
			about, err := parseWords(verbs(), append(slices.Clone(c.args), "--help"))
			if err != nil {
				return err
			}
			return c.out.help(about)
		},
	}
}
