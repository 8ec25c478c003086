package harness

import (
	"strings"
)

// Verdict is what an agent says of its work.
type Verdict string

// The verdicts.
const (
	VerdictDone    Verdict = "done"
	VerdictApprove Verdict = "approve"
	VerdictChanges Verdict = "changes" // needs a reason
	VerdictBlocked Verdict = "blocked" // needs a reason
)

var reVerdict = lazily(`^BOARD: ?(?i:(done|approve|changes|blocked))(?:: *(.*)|\.?)$`)

// VerdictLine reads a verdict from the last line of an agent's final text (RET-4): `BOARD: done`, `BOARD: approve`,
// `BOARD: changes: <why>` or `BOARD: blocked: <why>`. Marks of emphasis around the line are ignored, for models add them.
// Any other last line gives false, and so does changes or blocked without a reason.
func VerdictLine(text string) (verdict Verdict, reason string, ok bool) {
	text = strings.TrimSpace(text)
	last := text[strings.LastIndexByte(text, '\n')+1:]
	m := reVerdict.FindStringSubmatch(strings.Trim(last, "*_` \t\r"))
	if m == nil {
		return "", "", false
	}
	verdict, reason = Verdict(strings.ToLower(m[1])), strings.TrimSpace(m[2])
	if reason == "" && (verdict == VerdictChanges || verdict == VerdictBlocked) {
		return "", "", false
	}
	return verdict, reason, true
}
