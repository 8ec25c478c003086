package harness

import "time"

// Finding is what a line of a CLI's error channel means.
type Finding struct {
	Class      Class         // "" means the line says nothing of a failure
	Retrying   bool          // the CLI is still trying: nothing has ended
	Warning    bool          // worth showing, ends nothing
	ResetAt    time.Time     // zero when not told
	RetryAfter time.Duration // 0 when not told
	OneModel   bool          // the limit of one model
}

// Classify reads text from the error channel of a CLI: an error field, its own error line, or its stderr; never the agent's
// words (HAR-2). Times without a zone are read in now's location. An unknown text gives the zero Finding.
func Classify(text string, now time.Time) Finding { return Finding{} }

// ResetTime finds when a limit passes (HAR-3): the next such moment in the zone that text names, else in now's location.
// It is false when text has no readable time.
func ResetTime(text string, now time.Time) (time.Time, bool) { return time.Time{}, false }
