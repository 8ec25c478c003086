package expr

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ErrDuration is a text that is no duration.
var ErrDuration = errors.New("write it like 90s, 30 min, 1.5h, 1h30m or 7d")

// ParseDuration reads the one duration grammar of the program: numbers, each with a unit (ms, s, m, h, d, w and their
// longer names), the largest unit first, each unit once, blanks allowed between. A sign, a bare number and an empty text
// are errors.
func ParseDuration(text string) (time.Duration, error) {
	rest := strings.TrimSpace(text)
	total, last := time.Duration(0), time.Duration(math.MaxInt64)
	for parts := 0; rest != "" || parts == 0; parts++ {
		number, unit, after := cutDurationPart(rest)
		size := durationUnit(unit)
		amount, err := strconv.ParseFloat(number, 64)
		if err != nil || size == 0 || size >= last {
			return 0, fmt.Errorf("%q is no duration: %w", text, ErrDuration)
		}
		part := amount * float64(size)
		if part+float64(total) >= math.MaxInt64 {
			return 0, fmt.Errorf("%q is longer than a duration can be (292 years): %w", text, ErrDuration)
		}
		total += time.Duration(math.Round(part))
		rest, last = after, size
	}
	return total, nil
}

// cutDurationPart takes a number and its unit off the front; either is empty when it is not there.
func cutDurationPart(text string) (number, unit, rest string) {
	n := 0
	for n < len(text) && (text[n] >= '0' && text[n] <= '9' || text[n] == '.') {
		n++
	}
	number, rest = text[:n], strings.TrimLeft(text[n:], " ")
	u := 0
	for u < len(rest) && (rest[u] >= 'a' && rest[u] <= 'z' || rest[u] >= 'A' && rest[u] <= 'Z') {
		u++
	}
	return number, strings.ToLower(rest[:u]), strings.TrimLeft(rest[u:], " ")
}

// durationUnit is the length of a unit, 0 for a word that is none.
func durationUnit(unit string) time.Duration {
	const day = 24 * time.Hour
	switch unit {
	case "ms", "millisecond", "milliseconds":
		return time.Millisecond
	case "s", "sec", "secs", "second", "seconds":
		return time.Second
	case "m", "min", "mins", "minute", "minutes":
		return time.Minute
	case "h", "hr", "hrs", "hour", "hours":
		return time.Hour
	case "d", "day", "days":
		return day
	case "w", "week", "weeks":
		return 7 * day
	}
	return 0
}

// FormatDuration writes a duration of at least 0 so that ParseDuration reads it back, to the millisecond: "1h30m", "2d".
func FormatDuration(d time.Duration) string {
	if d < time.Millisecond {
		return "0s"
	}
	var b strings.Builder
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if n := d / unit.size; n > 0 {
			b.WriteString(strconv.FormatInt(int64(n), 10))
			b.WriteString(unit.name)
			d %= unit.size
		}
	}
	return b.String()
}
