package expr

import (
	"errors"
	"time"
)

// ErrDuration is a text that is no duration.
var ErrDuration = errors.New(`not a duration: write 90s, "30 min", 1.5h, 1h30m or 7d`)

// ParseDuration reads the one duration grammar of the program: numbers, each with a unit (ms, s, m, h, d, w and their
// longer names), largest unit first, blanks allowed between. A sign, a bare number and an empty text are errors.
func ParseDuration(text string) (time.Duration, error) { return 0, ErrDuration }

// FormatDuration writes a duration so that ParseDuration reads it back: "1h30m", "2d".
func FormatDuration(d time.Duration) string { return "" }
