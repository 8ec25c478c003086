package harness

import (
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the zones that CLIs name must be readable on hosts that have no zone files
)

var (
	reEpoch = lazily(`\|\s?(\d{10}|\d{13})\b|"?resets?_?at"?\s*[:=]\s*"?(\d{10}|\d{13})\b`)

	reSeconds = lazily(`(?i)"?(?:resets_in_seconds|retry_after|retry-after)"?\s*[:=]\s*"?(\d{1,7})\b`)

	// reWait finds a length of time after words that announce it.
	reWait = lazily(`(?i)\b(?:(?:resets?|again|retry|available) (?:in|after)|in) (` + lengthPattern + `)`)

	// reNextTry is weaker than reWait: a CLI may try again long before a limit passes.
	reNextTry = lazily(`(?i)\bretrying (?:in|after) (` + lengthPattern + `)`)

	reLengthPart = lazily(`(?i)(\d+) ?(ms|milliseconds?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)`)

	// reClock finds a date, a time of day, or both, after words that announce a reset; and a zone behind it.
	reClock = lazily(`(?i)\b(?:resets?|again|automatically|until|ends?)(?: (?:at|on|by))? ` +
		`(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?\b(?:,? (\d{4})\b)?(?:,| at)?)? ?` +
		`(?:(\d{1,2})(?::(\d{2}))? ?([ap]m)?\b)?(?: ?\(([A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*)\))?`)

	reDate = lazily(`(?i)\b(?:resets?|again|until|ends?)(?: (?:at|on|by))? (\d{1,2})/(\d{1,2})/(\d{4})\b`)

	reISO = lazily(`\b(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))`)
)

const lengthPattern = `\d+ ?(?:ms|milliseconds?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)\b` +
	`(?:,? ?(?:and )?\d+ ?(?:d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)\b)*|` +
	`(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+(?:\.\d+)?s)?\b`

// ResetTime finds when a limit passes (HAR-3): the next such moment in the zone that text names, else in now's location.
// It is false when text has no readable time.
func ResetTime(text string, now time.Time) (time.Time, bool) {
	text = normalise(text)
	if m := reEpoch.FindStringSubmatch(text); m != nil {
		return epoch(m[1] + m[2]), true
	}
	if m := reSeconds.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return now.Add(time.Duration(n) * time.Second), true
	}
	if m := reISO.FindStringSubmatch(text); m != nil {
		if at, err := time.Parse(time.RFC3339Nano, m[1]); err == nil {
			return at, true
		}
	}
	for _, pattern := range []*pattern{reWait, reNextTry} {
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			if wait, ok := length(m[1]); ok {
				return now.Add(wait), true
			}
		}
	}
	return clock(text, now)
}

// epoch reads seconds, or milliseconds where there are 13 digits, since 1970.
func epoch(digits string) time.Time {
	n, _ := strconv.ParseInt(digits, 10, 64)
	if len(digits) == 13 {
		return time.UnixMilli(n)
	}
	return time.Unix(n, 0)
}

// length reads "2 days 17 hours 14 minutes", "21h1m53s", "6173ms"; false when nothing is in it.
func length(text string) (time.Duration, bool) {
	var total time.Duration
	parts := reLengthPart.FindAllStringSubmatch(text, -1)
	for _, m := range parts {
		n, err := strconv.ParseInt(m[1], 10, 32)
		if err != nil {
			return 0, false
		}
		total += time.Duration(n) * unit(strings.ToLower(m[2]))
	}
	return total, len(parts) > 0 && total > 0
}

func unit(name string) time.Duration {
	switch {
	case strings.HasPrefix(name, "ms"), strings.HasPrefix(name, "milli"):
		return time.Millisecond
	case name[0] == 'd':
		return 24 * time.Hour
	case name[0] == 'h':
		return time.Hour
	case name[0] == 'm':
		return time.Minute
	}
	return time.Second
}

// clock reads a date or a time of day after words that announce a reset.
func clock(text string, now time.Time) (time.Time, bool) {
	if m := reDate.FindStringSubmatch(text); m != nil {
		month, _ := strconv.Atoi(m[1])
		day, _ := strconv.Atoi(m[2])
		year, _ := strconv.Atoi(m[3])
		return dated(time.Date(year, time.Month(month), day, 0, 0, 0, 0, now.Location()), time.Month(month), day)
	}
	for _, m := range reClock.FindAllStringSubmatch(text, -1) {
		if m[1] == "" && m[4] == "" {
			continue
		}
		return moment(m, now)
	}
	return time.Time{}, false
}

// moment reads one match of reClock: month, day, year, hour, minute, am or pm, zone.
func moment(m []string, now time.Time) (time.Time, bool) {
	zone := now.Location()
	if m[7] != "" {
		named, err := time.LoadLocation(m[7])
		if err != nil {
			return time.Time{}, false
		}
		zone = named
	}
	hour, minute, ok := timeOfDay(m[4], m[5], strings.ToLower(m[6]), m[1] != "")
	if !ok {
		return time.Time{}, false
	}
	today := now.In(zone)
	if m[1] == "" {
		at := time.Date(today.Year(), today.Month(), today.Day(), hour, minute, 0, 0, zone)
		if !at.After(now) {
			at = time.Date(today.Year(), today.Month(), today.Day()+1, hour, minute, 0, 0, zone)
		}
		return at, true
	}
	return monthDay(m, today, hour, minute)
}

// timeOfDay reads a clock time; with a date before it, none means midnight.
func timeOfDay(hours, minutes, half string, dated bool) (hour, minute int, ok bool) {
	if hours == "" {
		return 0, 0, dated
	}
	hour, _ = strconv.Atoi(hours)
	minute, _ = strconv.Atoi(minutes)
	if minute > 59 || (half == "" && (minutes == "" || hour > 23)) || (half != "" && (hour < 1 || hour > 12)) {
		return 0, 0, false
	}
	if half != "" {
		hour %= 12
	}
	if half == "pm" {
		hour += 12
	}
	return hour, minute, true
}

// monthDay reads a date. Without a year it is the next one, unless it is less than a week ago: CLIs have shown limits
// that had already passed (claude-code issues 2087, 74079), and a year's wait would be the wrong answer to that.
func monthDay(m []string, today time.Time, hour, minute int) (time.Time, bool) {
	const week = 7 * 24 * time.Hour
	parsed, err := time.Parse("Jan", strings.ToUpper(m[1][:1])+strings.ToLower(m[1][1:]))
	if err != nil {
		return time.Time{}, false
	}
	month := parsed.Month()
	day, _ := strconv.Atoi(m[2])
	year := today.Year()
	if m[3] != "" {
		year, _ = strconv.Atoi(m[3])
	}
	at := time.Date(year, month, day, hour, minute, 0, 0, today.Location())
	if m[3] == "" && at.Before(today.Add(-week)) {
		at = time.Date(year+1, month, day, hour, minute, 0, 0, today.Location())
	}
	return dated(at, month, day)
}

// dated turns time.Date's kindness off: at was made from month and day, which 31 February is not.
func dated(at time.Time, month time.Month, day int) (time.Time, bool) {
	if at.Month() != month || at.Day() != day {
		return time.Time{}, false
	}
	return at, true
}
