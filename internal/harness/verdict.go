package harness

// Verdict is what an agent says of its work.
type Verdict string

// The verdicts.
const (
	VerdictDone    Verdict = "done"
	VerdictApprove Verdict = "approve"
	VerdictChanges Verdict = "changes" // needs a reason
	VerdictBlocked Verdict = "blocked" // needs a reason
)

// VerdictLine reads a verdict from the last line of an agent's final text (RET-4): `BOARD: done`, `BOARD: approve`,
// `BOARD: changes: <why>` or `BOARD: blocked: <why>`. Any other last line gives false.
func VerdictLine(text string) (verdict Verdict, reason string, ok bool) { return "", "", false }
