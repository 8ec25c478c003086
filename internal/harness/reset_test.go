package harness_test

import (
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// Pins HAR-3.
func TestResetTime_ReadsEveryForm(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"limit reached|1796000000", "2026-11-30T00:53:20Z"},
		{"limit reached|1796000000123", "2026-11-30T00:53:20.123Z"},
		{`"resets_at":1796000000`, "2026-11-30T00:53:20Z"},
		{`"resets_in_seconds":90`, "2026-11-29T12:01:30-05:00"},
		{`Retry-After: 600`, "2026-11-29T12:10:00-05:00"},
		{"resets 3pm", "2026-11-29T15:00:00-05:00"},
		{"resets 11am", "2026-11-30T11:00:00-05:00"},
		{"resets 12pm", "2026-11-30T12:00:00-05:00"}, // noon is not after noon
		{"resets 12am", "2026-11-30T00:00:00-05:00"},
		{"resets 8:20am (Europe/Rome)", "2026-11-30T08:20:00+01:00"},
		{"resets 7:10am (UTC)", "2026-11-30T07:10:00Z"},
		{"resets 7pm (Asia/Calcutta)", "2026-11-30T19:00:00+05:30"},
		{"try again at 2:38 PM", "2026-11-29T14:38:00-05:00"},
		{"try again at 2:38 AM.", "2026-11-30T02:38:00-05:00"},
		{"try again at Dec 4th, 2026 1:05 PM.", "2026-12-04T13:05:00-05:00"},
		{"reset at 18:57", "2026-11-29T18:57:00-05:00"},
		{"reset after 21h1m53s", "2026-11-30T09:01:53-05:00"},
		{"reset after 5s.. Retrying after 6173ms...", "2026-11-29T12:00:05-05:00"},
		{"Retrying after 6173ms...", "2026-11-29T12:00:06.173-05:00"},
		{"in 2 hours 5 minutes", "2026-11-29T14:05:00-05:00"},
		{"try again in 2 days 17 hours 14 minutes", "2026-12-02T05:14:00-05:00"},
		{"try again in 1 day, 2 hours and 3 minutes", "2026-11-30T14:03:00-05:00"},
		{"[retrying in 9h #3]", "2026-11-29T21:00:00-05:00"},
		{"resets Dec 2, 7pm (Europe/Moscow)", "2026-12-02T19:00:00+03:00"},
		{"resets Dec 2 at 7:30pm", "2026-12-02T19:30:00-05:00"},
		{"resets January 3", "2027-01-03T00:00:00-05:00"},
		{"resets Nov 28, 9am", "2026-11-28T09:00:00-05:00"}, // passed yesterday, not a year to wait
		{"cycle ends on 12/17/2026.", "2026-12-17T00:00:00-05:00"},
		{"available again 2026-12-01T07:10:00Z", "2026-12-01T07:10:00Z"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			got, ok := harness.ResetTime(test.text, noon(t))
			if want := at(t, test.want); !ok || !got.Equal(want) {
				t.Errorf("ResetTime(%q) = %v, %v; want %v", test.text, got, ok, want)
			}
		})
	}
}

// Pins HAR-3.
func TestResetTime_GivesNoneForNonsense(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "resets", "resets soon", "resets 5", "try again later", "try again in a moment", "try again at 1:75 PM",
		"try again at 13:00 PM", "resets 0am", "resets 25:00", "resets 3pm (Mars/Olympus)", "resets Feb 31, 9am",
		"ends on 13/41/2026", "in 0 seconds", "the meeting is at 3pm", "limit reached|17", "retry in some hours",
		"in 99999999999999999999 hours",
	} {
		if got, ok := harness.ResetTime(text, noon(t)); ok {
			t.Errorf("ResetTime(%q) = %v, want none", text, got)
		}
	}
}

// The clock that goes back at 2am on 1 November has 1:30am twice; one of them is right, and the day is.
// Pins HAR-3.
func TestResetTime_KeepsTheWallClockOverDaylightSaving(t *testing.T) {
	t.Parallel()
	evening := time.Date(2026, 10, 31, 22, 0, 0, 0, zone(t, "America/New_York"))
	got, ok := harness.ResetTime("resets 9am", evening)
	if want := at(t, "2026-11-01T09:00:00-05:00"); !ok || !got.Equal(want) {
		t.Errorf("ResetTime = %v, %v; want %v", got, ok, want)
	}
}

// Pins HAR-3.
func TestClassify_LetsTheWaitDecideBetweenRateAndPlan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text  string
		class harness.Class
	}{
		{"You've hit your usage limit. Please try again in 2 minutes.", harness.ClassRateLimited},
		{"You've hit your usage limit. Please try again in 2 minutes 1 second.", harness.ClassUsageLimited},
		{"Rate limit exceeded: try again in 30 seconds", harness.ClassRateLimited},
		{"Rate limit exceeded: try again in 3 hours", harness.ClassUsageLimited},
		{"You've hit your usage limit.", harness.ClassUsageLimited},
		{"Claude AI usage limit reached|1749924000", harness.ClassUsageLimited}, // long past: no wait at all
	}
	for _, test := range tests {
		if got := harness.Classify(test.text, noon(t)); got.Class != test.class {
			t.Errorf("Classify(%q) = %q, want %q", test.text, got.Class, test.class)
		}
	}
}
