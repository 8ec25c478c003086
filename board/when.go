package board

import (
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// ParseWhen reads a moment that a person wrote: RFC 3339, a date (its midnight), a date and a time of day, a time of day (the
// next such), or a duration from now. What names no zone is of now's. The error is ErrUsage.
func ParseWhen(text string, now time.Time) (Time, error) {
	text = strings.TrimSpace(text)
	if d, err := expr.ParseDuration(text); err == nil {
		return whenAt(text, now.Add(d))
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return whenAt(text, at)
	}
	for _, layout := range []string{"2006-01-02T15:04Z07:00", time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", time.DateTime, "2006-01-02T15:04:05"} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return whenAt(text, at)
		}
	}
	if at, err := time.Parse("15:04", text); err == nil {
		return At(nextClock(now, at.Hour(), at.Minute())), nil
	}
	return 0, NewProblem(ErrUsage, `write 2026-12-01, "2026-12-01 14:00", 14:00, 2026-12-01T14:00:00Z, or a duration from now such as 2h`, "the time %q cannot be read", text)
}

// whenAt refuses years that no card means; four digits are what RFC 3339 can write again.
func whenAt(text string, at time.Time) (Time, error) {
	if at.Year() < 1970 || at.Year() > 9999 {
		return 0, NewProblem(ErrUsage, "", "the time %q is in the year %d", text, at.Year())
	}
	return At(at), nil
}

// nextClock is the next time that a clock on the wall shows hour:minute.
func nextClock(now time.Time, hour, minute int) time.Time {
	at := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location())
	if !at.After(now) {
		at = time.Date(now.Year(), now.Month(), now.Day()+1, hour, minute, 0, 0, now.Location())
	}
	return at
}
