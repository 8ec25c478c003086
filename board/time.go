package board

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// Time is a moment as the board stores it: integer Unix milliseconds in SQL, RFC 3339 in JSON. The zero value is "none":
// NULL in SQL and null in JSON. This file is the only place that converts.
type Time struct{ time.Time }

// At is the board's time of t, cut to the millisecond that SQL keeps; the zero time stays "none".
func At(t time.Time) Time {
	if t.IsZero() {
		return Time{}
	}
	return Time{time.UnixMilli(t.UnixMilli()).UTC()}
}

// Millis is the Unix time in milliseconds; 0 for none.
func (t Time) Millis() int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Scan reads a NULL or an integer of Unix milliseconds.
func (t *Time) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*t = Time{}
	case int64:
		*t = Time{time.UnixMilli(v).UTC()}
	default:
		return fmt.Errorf("a time column holds %T, not Unix milliseconds", src)
	}
	return nil
}

// Value writes Unix milliseconds, or NULL for none.
func (t Time) Value() (driver.Value, error) {
	if t.IsZero() {
		return nil, nil
	}
	return t.UnixMilli(), nil
}

// MarshalJSON writes RFC 3339 with milliseconds in UTC, or null for none.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05.000Z07:00"`)), nil
}

// Strings is a list of words kept as a JSON array.
type Strings []string

// Scan reads a JSON array.
func (s *Strings) Scan(src any) error {
	*s = nil
	return scanJSON(src, (*[]string)(s), "[]")
}

// Value writes a JSON array; nil is the empty one.
func (s Strings) Value() (driver.Value, error) {
	if len(s) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal([]string(s))
	return string(b), err
}

// Labels are a card's own names and values, kept as a JSON object.
type Labels map[string]string

// Scan reads a JSON object.
func (l *Labels) Scan(src any) error {
	*l = nil
	return scanJSON(src, (*map[string]string)(l), "{}")
}

// Value writes a JSON object; nil is the empty one.
func (l Labels) Value() (driver.Value, error) {
	if len(l) == 0 {
		return "{}", nil
	}
	b, err := json.Marshal(map[string]string(l))
	return string(b), err
}

func scanJSON(src, into any, empty string) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a JSON column holds %T, not text", src)
	}
	if text == empty {
		return nil
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("read a JSON column: %w", err)
	}
	return nil
}
