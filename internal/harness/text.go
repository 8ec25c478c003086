package harness

import (
	"bytes"
	"slices"
	"strings"
)

// reANSI matches terminal sequences: CSI, OSC with its terminator, and two-character escapes.
var reANSI = lazily("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[@-Z\\\\-_]")

// normalise makes one plain line of what a CLI printed, so that the patterns need not know about terminals, typography
// or wrapped lines.
func normalise(text string) string {
	const enough = 8 << 10 // bytes; every known message is far shorter
	text = cut(text, enough)
	text = reANSI.ReplaceAllString(text, "")
	text = strings.NewReplacer(
		"’", "'", "‘", "'", "“", `"`, "”", `"`, "∙", "·", "•", "·", "…", "...", "\u00a0", " ", "\u202f", " ",
	).Replace(text)
	return strings.Join(strings.Fields(text), " ")
}

func keepLast(lines []string, line string) []string {
	if len(lines) == maxTail {
		lines = slices.Delete(lines, 0, 1)
	}
	return append(lines, line)
}

// clean makes a printed line readable: valid UTF-8, no terminal sequences, no blanks around, at most limit bytes.
func clean(line []byte, limit int) string {
	if len(line) > 4*limit {
		line = line[:4*limit]
	}
	text := reANSI.ReplaceAllString(string(bytes.ToValidUTF8(line, []byte("\uFFFD"))), "")
	return cut(strings.TrimSpace(text), limit)
}

// cut keeps the front of text, in whole characters.
func cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// lastText keeps the end of an agent's text, in whole characters.
func lastText(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-maxText:], "")
}
