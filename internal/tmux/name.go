package tmux

import (
	"strings"
	"unicode"
)

// nameLimit is the length of a window's name in characters. Chosen: several fit into a status line.
const nameLimit = 40

// sessionName is a board's slug as tmux keeps it: tmux turns "." and ":" into "_", and would then not find the session
// by the name it was made with.
func sessionName(slug string) string { return cleaned(slug, "-_") }

// windowName leaves out what tmux would expand ("#{...}") or what addresses panes.
func windowName(name string) string { return cleaned(name, "-_./@+ ") }

// cleaned keeps letters, digits and the other characters named, and puts "-" for the rest. It is never empty.
func cleaned(name, others string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(others, r) {
			return r
		}
		return '-'
	}, strings.ToValidUTF8(name, "-"))
	if runes := []rune(clean); len(runes) > nameLimit {
		clean = string(runes[:nameLimit])
	}
	if strings.TrimSpace(clean) == "" {
		return "board"
	}
	return clean
}

// literal protects a word of a program's command line: tmux takes ";" at a word's end for the end of its own command.
func literal(word string) string {
	if rest, ok := strings.CutSuffix(word, ";"); ok {
		return rest + `\;`
	}
	return word
}

// quoted is a word inside a string that tmux parses as commands.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// printf is a shell word that stands for the text whatever is in it. Only letters, digits, "/", "-", "_" and "." stand
// as they are; the rest is octal, since tmux expands "#" and "%" in a command before the shell sees it.
func printf(text string) string {
	var b strings.Builder
	b.WriteString(`"$(printf '`)
	for i := range len(text) {
		if c := text[i]; c < unicode.MaxASCII && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) || strings.IndexByte("/-_.", c) >= 0) {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'\\', '0' + text[i]>>6, '0' + text[i]>>3&7, '0' + text[i]&7})
	}
	b.WriteString(`')"`)
	return b.String()
}
