package expr

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// ParseValue reads what a person writes after `=` (`--set params.review=false`): nothing or null is nil, else a bool, a
// whole number, a fraction or a text. Quotes make a text of anything.
func ParseValue(text string) any {
	switch text {
	case "", "null", "nil", "~":
		return nil
	case "true":
		return true
	case "false":
		return false
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return f
	}
	if n := len(text); n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		return text[1 : n-1]
	}
	return text
}

// Set changes the value at a path such as `host.memory_pressure` or `card.labels.area`, for what-if questions (DSP-11).
// Nothing or null makes a value that may be missing nil. Params are no part of an Env: they go into Options.Params.
func (e *Env) Set(path, text string) error {
	names := strings.Split(path, ".")
	v := reflect.ValueOf(e).Elem()
	shown := "an expression"
	for i, name := range names {
		if v.Kind() == reflect.Map && i == len(names)-1 {
			return setKey(v, name, text, path)
		}
		field, ok := -1, false
		if v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]() {
			field, ok = fieldByTag(v.Type(), name)
		}
		if !ok {
			return unknownPath(v, shown, name)
		}
		v, shown = v.Field(field), strings.Join(names[:i+1], ".")
	}
	return setValue(v, text, path)
}

func unknownPath(v reflect.Value, shown, name string) error {
	e := &Error{Text: fmt.Sprintf("%s has no field %q", shown, name)}
	if v.Kind() == reflect.Struct {
		e.Nearest = Nearest(name, fieldNames(v.Type()))
	}
	return e
}

func setKey(m reflect.Value, key, text, path string) error {
	value := reflect.New(m.Type().Elem()).Elem()
	if err := setValue(value, text, path); err != nil {
		return err
	}
	changed := reflect.MakeMap(m.Type()) // the map may be another environment's too
	for _, k := range m.MapKeys() {
		changed.SetMapIndex(k, m.MapIndex(k))
	}
	changed.SetMapIndex(reflect.ValueOf(key), value)
	m.Set(changed)
	return nil
}

func setValue(v reflect.Value, text, path string) error {
	value := ParseValue(text)
	if v.Kind() == reflect.Pointer {
		if value == nil {
			v.SetZero()
			return nil
		}
		fresh := reflect.New(v.Type().Elem())
		if err := setValue(fresh.Elem(), text, path); err != nil {
			return err
		}
		v.Set(fresh)
		return nil
	}
	want := ""
	switch k := kindOfType(v.Type()); k {
	case kindText:
		v.SetString(strings.Trim(text, `"'`))
	case kindBool:
		if truth, ok := value.(bool); ok {
			v.SetBool(truth)
			break
		}
		want = "true or false"
	case kindInt:
		if n, ok := value.(int); ok {
			v.SetInt(int64(n))
			break
		}
		want = "a whole number"
	case kindFloat:
		f, err := strconv.ParseFloat(text, 64)
		v.SetFloat(f)
		if err != nil {
			want = "a number"
		}
	case kindTime:
		t, err := time.Parse(time.RFC3339, text)
		v.Set(reflect.ValueOf(t))
		if err != nil {
			want = "a time such as 2026-12-01T08:00:00Z"
		}
	case kindUnknown, kindNil, kindOther:
		want = "one field of it: lists and whole roots cannot be set"
	}
	if want != "" {
		return &Error{Text: fmt.Sprintf("set %s: found %q; expected %s", path, text, want)}
	}
	return nil
}
