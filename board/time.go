package board

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Time is a moment as the board stores it: Unix milliseconds, in SQL an integer and in JSON RFC 3339. The zero value is
// "none": NULL in SQL and null in JSON. It is eight bytes, since a plan holds several for each of 100,000 cards. This file
// is the only place that converts.
type Time int64

// At is the board's time of t, cut to the millisecond; the zero time is "none".
func At(t time.Time) Time {
	if t.IsZero() {
		return 0
	}
	return Time(t.UnixMilli())
}

// Time is the moment in UTC; the zero time for none.
func (t Time) Time() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(t)).UTC()
}

// IsZero says whether there is none.
func (t Time) IsZero() bool { return t == 0 }

// Add is the moment d later.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }

// Sub is how long after u it is.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t-u) * time.Millisecond }

// Scan reads a NULL or an integer of Unix milliseconds.
func (t *Time) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*t = 0
	case int64:
		*t = Time(v)
	default:
		return fmt.Errorf("a time column holds %T, not Unix milliseconds", src)
	}
	return nil
}

// Value writes Unix milliseconds, or NULL for none.
func (t Time) Value() (driver.Value, error) {
	if t == 0 {
		return nil, nil
	}
	return int64(t), nil
}

// String is RFC 3339 with milliseconds in UTC; empty for none.
func (t Time) String() string {
	if t == 0 {
		return ""
	}
	return t.Time().Format("2006-01-02T15:04:05.000Z07:00")
}

// UnmarshalJSON reads RFC 3339, or null for none.
func (t *Time) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*t = 0
		return nil
	}
	at, err := time.Parse(`"`+time.RFC3339Nano+`"`, string(text))
	if err != nil {
		return fmt.Errorf("read a time: %w", err)
	}
	*t = At(at)
	return nil
}

// MarshalJSON writes RFC 3339, or null for none.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}

// Strings is a list of words kept as a JSON array.
type Strings []string

// Scan reads a JSON array.
func (s *Strings) Scan(src any) error {
	var list []string
	odd, err := scanJSON(src, &list, "[]")
	if *s = list; odd != "" {
		*s = Strings{odd}
	}
	return err
}

// odd is the column's text where it is no list of texts; else empty.
func (s Strings) odd() string {
	if len(s) == 0 {
		return ""
	}
	return oddText(s[0])
}

// Value writes a JSON array; nil is the empty one. What could not be read is written as it was.
func (s Strings) Value() (driver.Value, error) {
	if text := s.odd(); text != "" {
		return text, nil
	}
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
	var all map[string]string
	odd, err := scanJSON(src, &all, "{}")
	if *l = all; odd != "" {
		*l = Labels{odd: ""}
	}
	return err
}

func (l Labels) odd() string {
	for name := range l {
		if text := oddText(name); text != "" {
			return text
		}
	}
	return ""
}

// Value writes a JSON object; nil is the empty one. What could not be read is written as it was.
func (l Labels) Value() (driver.Value, error) {
	if text := l.odd(); text != "" {
		return text, nil
	}
	if len(l) == 0 {
		return "{}", nil
	}
	b, err := json.Marshal(map[string]string(l))
	return string(b), err
}

// oddMark begins a text that stands for a column which another program wrote in a form that is not read here. One odd row
// must not keep the others from being read, and is not to be lost when its card is saved. No text of a card has a NUL.
const oddMark = "\x00"

// oddText is what a text stands for that begins with oddMark; empty for any other text.
func oddText(s string) string {
	text, ok := strings.CutPrefix(s, oddMark)
	if !ok {
		return ""
	}
	return text
}

// scanJSON reads a column's document. One of another form is given as odd, marked by oddMark.
func scanJSON(src, into any, empty string) (odd string, err error) {
	text, ok := src.(string)
	if !ok {
		return "", fmt.Errorf("a JSON column holds %T, not text", src)
	}
	if text == empty {
		return "", nil
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		odd = oddMark + text // the card is held alone, by name; the rest goes on
	}
	return odd, nil
}

// Counters are what the workflow's `count` actions have counted on a card, kept as a JSON object.
type Counters map[string]int

// Scan reads a JSON object.
func (c *Counters) Scan(src any) error {
	var all map[string]int
	odd, err := scanJSON(src, &all, "{}")
	if *c = all; odd != "" {
		*c = Counters{odd: 0}
	}
	return err
}

func (c Counters) odd() string {
	for name := range c {
		if text := oddText(name); text != "" {
			return text
		}
	}
	return ""
}

// Value writes a JSON object; nil is the empty one. What could not be read is written as it was.
func (c Counters) Value() (driver.Value, error) {
	if text := c.odd(); text != "" {
		return text, nil
	}
	if len(c) == 0 {
		return "{}", nil
	}
	b, err := json.Marshal(map[string]int(c))
	return string(b), err
}

// JSON is a document that only people read, kept as text. The zero value is the empty object.
type JSON string

// Scan reads a text.
func (j *JSON) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a JSON column holds %T, not text", src)
	}
	*j = JSON(text)
	return nil
}

// Value writes the text.
func (j JSON) Value() (driver.Value, error) {
	if j == "" {
		return "{}", nil
	}
	return string(j), nil
}

// MarshalJSON gives the document itself.
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == "" {
		return []byte("{}"), nil
	}
	if !json.Valid([]byte(j)) {
		return json.Marshal(string(j)) // what another program wrote oddly is shown as it is
	}
	return []byte(j), nil
}

// UnmarshalJSON keeps the document.
func (j *JSON) UnmarshalJSON(text []byte) error {
	*j = JSON(text)
	return nil
}
