package main

import "strings"

// unstyled is what a terminal's screen would have of a text: without the sequences that move the cursor, colour or set titles.
// What a pane prints is full of them.
func unstyled(text string) string {
	if !strings.ContainsRune(text, escape) {
		return text
	}
	var b strings.Builder
	for text != "" {
		before, after, found := strings.Cut(text, string(escape))
		b.WriteString(before)
		if !found {
			break
		}
		text = afterSequence(after)
	}
	return b.String()
}

const (
	escape = '\x1b'
	bell   = '\x07'
)

// afterSequence is what follows a control sequence, whose escape character has been read (ECMA-48).
func afterSequence(text string) string {
	if text == "" {
		return ""
	}
	switch text[0] {
	case '[': // parameters, then a letter
		end := strings.IndexFunc(text[1:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return ""
		}
		return text[end+2:]
	case ']', 'P', '_', '^': // a text up to a bell, or to the next sequence, which ends it
		end := strings.IndexAny(text, string([]rune{bell, escape}))
		if end < 0 {
			return ""
		}
		return strings.TrimPrefix(strings.TrimPrefix(text[end:], string(escape)+`\`), string(bell))
	case '(', ')', '#', ' ':
		return text[min(2, len(text)):]
	}
	return text[1:]
}
