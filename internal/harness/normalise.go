package harness

import (
	"regexp"
	"strings"
)

// reANSI matches terminal sequences: CSI, OSC with its terminator, and two-character escapes.
var reANSI = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[@-Z\\\\-_]")

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
