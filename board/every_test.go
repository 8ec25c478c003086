package board_test

import (
	"errors"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
)

// REC-1: a duration, days with a time, or a cron expression.
func TestParseEvery_FindsTheNextTime(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) // a Sunday
	for _, tt := range []struct{ text, want string }{
		{"1d", "2026-11-30T12:00:00Z"},
		{"90 min", "2026-11-29T13:30:00Z"},
		{"mon 09:00", "2026-11-30T09:00:00Z"},
		{"Mon,thursday 9:05", "2026-11-30T09:05:00Z"},
		{"sun 11:00", "2026-12-06T11:00:00Z"},
		{"daily 02:00", "2026-11-30T02:00:00Z"},
		{"weekdays 18:30", "2026-11-30T18:30:00Z"},
		{"weekends 18:30", "2026-11-29T18:30:00Z"},
		{"0 9 1 * *", "2026-12-01T09:00:00Z"},
		{" */15 * * * * ", "2026-11-29T12:15:00Z"},
	} {
		every, err := board.ParseEvery(tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if got := every.Next(from).Format(time.RFC3339); got != tt.want {
			t.Errorf("%q: next %s, want %s", tt.text, got, tt.want)
		}
	}
}

// A time of day stays that time of day when the clocks change.
func TestParseEvery_KeepsTheTimeOfDayAcrossDaylightSaving(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	every, err := board.ParseEvery("daily 09:00")
	if err != nil {
		t.Fatal(err)
	}
	next := every.Next(time.Date(2026, 3, 7, 9, 0, 0, 0, zone)) // clocks go forward in the night to the 8th
	if want := time.Date(2026, 3, 8, 9, 0, 0, 0, zone); !next.Equal(want) {
		t.Errorf("got %s, want %s", next, want)
	}
}

func TestParseEvery_RefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "sometimes", "30s", "0m", "mon 24:00", "mon 09:60", "mo 09:00", "mon,fry 09:00", "0 9 31 2 *", "* * * *", "61 * * * *", "@every 1s"} {
		if _, err := board.ParseEvery(text); !errors.Is(err, board.ErrUsage) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestParseWhen_ReadsMomentsInTheZoneOfNow(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 14*3600) // Pacific/Kiritimati
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, zone)
	for _, tt := range []struct{ text, want string }{
		{"2h", "2026-11-29T14:00:00+14:00"},
		{"2026-12-01", "2026-12-01T00:00:00+14:00"},
		{"2026-12-01 08:30", "2026-12-01T08:30:00+14:00"},
		{"2026-12-01T08:30", "2026-12-01T08:30:00+14:00"},
		{"2026-12-01T08:30Z", "2026-12-01T22:30:00+14:00"},
		{"2026-12-01T08:30:00Z", "2026-12-01T22:30:00+14:00"},
		{"12:00", "2026-11-30T12:00:00+14:00"},
		{"12:01", "2026-11-29T12:01:00+14:00"},
	} {
		at, err := board.ParseWhen(tt.text, now)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if got := at.Time().In(zone).Format(time.RFC3339); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.text, got, tt.want)
		}
	}
	for _, text := range []string{"", "someday", "2026-13-01", "25:00", "1900-01-01", "99999-01-01", "9999999999h", "-2h"} {
		if at, err := board.ParseWhen(text, now); !errors.Is(err, board.ErrUsage) {
			t.Errorf("%q: got %s, %v", text, at, err)
		}
	}
}
