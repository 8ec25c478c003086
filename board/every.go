package board

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// Every is when the rounds of a recurring card begin (REC-1).
type Every struct {
	schedule cron.Schedule
}

// shortestEvery bounds how often a card recurs. Chosen: a tick comes once a minute.
const shortestEvery = time.Minute

// Next is the first time after t, in t's time zone.
func (e Every) Next(t time.Time) time.Time { return e.schedule.Next(t) }

// ParseEvery reads a schedule: a duration (`1d`, `90 min`), days with a time of day (`mon 09:00`, `mon,thu 18:30`,
// `weekdays 09:00`, `daily 02:00`), or a cron expression of five fields. The error is ErrUsage.
func ParseEvery(text string) (Every, error) {
	text = strings.TrimSpace(text)
	if d, err := expr.ParseDuration(text); err == nil {
		if d < shortestEvery {
			return Every{}, badEvery(text, "it is shorter than a minute, which is how often a tick comes")
		}
		return Every{schedule: cron.ConstantDelaySchedule{Delay: d}}, nil
	}
	line := text
	if spec, err := dayAndTime(text); err != nil {
		return Every{}, badEvery(text, err.Error())
	} else if spec != "" {
		line = spec
	}
	schedule, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(line)
	if err != nil {
		return Every{}, badEvery(text, err.Error())
	}
	if schedule.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Every{}, badEvery(text, "it never comes")
	}
	return Every{schedule: schedule}, nil
}

func badEvery(text, why string) error {
	return NewProblem(ErrUsage, `write "1d", "mon 09:00", "weekdays 09:00" or a cron expression such as "0 9 * * 1"`, "the schedule %q cannot be read: %s", text, why)
}

// dayAndTime turns `mon 09:00` into a cron expression; empty when text has another form.
func dayAndTime(text string) (string, error) {
	m := regexp.MustCompile(`^(?i)([a-z,]+)\s+([0-9]{1,2}):([0-9]{2})$`).FindStringSubmatch(text)
	if m == nil {
		return "", nil
	}
	hour, minute := number(m[2]), number(m[3])
	if hour > 23 || minute > 59 {
		return "", fmt.Errorf("there is no %s:%s on a day", m[2], m[3])
	}
	days, err := cronDays(strings.ToLower(m[1]))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %d * * %s", minute, hour, days), nil
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the pattern holds digits only
	return n
}

func cronDays(names string) (string, error) {
	switch names {
	case "daily", "day", "everyday":
		return "*", nil
	case "weekdays", "weekday":
		return "mon-fri", nil
	case "weekends", "weekend":
		return "sat,sun", nil
	}
	var days []string
	for name := range strings.SplitSeq(names, ",") {
		day := ""
		for _, known := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
			if len(name) >= 3 && strings.HasPrefix(known, name) {
				day = known[:3]
			}
		}
		if day == "" {
			return "", fmt.Errorf("%q is no day of the week", name)
		}
		days = append(days, day)
	}
	return strings.Join(days, ","), nil
}
