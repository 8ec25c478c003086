package harness

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// object is a decoded JSON object whose readers never fail: a missing or differently typed key reads as zero, because a
// CLI may change a field in any release and a run must not be lost for it.
type object map[string]any

// decode reads one line as a JSON object; false for anything else.
func decode(line []byte) (object, bool) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
	if len(line) < 2 || line[0] != '{' {
		return nil, false
	}
	var o object
	if json.Unmarshal(line, &o) != nil {
		return nil, false
	}
	return o, true
}

// in follows path to an object; nil when any step is not one, and a nil object reads as empty.
func (o object) in(path ...string) object {
	for _, key := range path {
		next, ok := o[key].(map[string]any)
		if !ok {
			return nil
		}
		o = next
	}
	return o
}

func (o object) text(key string) string {
	s, _ := o[key].(string)
	return s
}

func (o object) number(key string) float64 {
	n, _ := o[key].(float64)
	return n
}

func (o object) count(key string) int64 { return int64(o.number(key)) }

func (o object) flag(key string) bool {
	b, _ := o[key].(bool)
	return b
}

// objects lists those elements of a list that are objects.
func (o object) objects(key string) []object {
	list, _ := o[key].([]any)
	out := make([]object, 0, len(list))
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

func (o object) strings(key string) []string {
	list, _ := o[key].([]any)
	out := make([]string, 0, len(list))
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// keys lists the keys, sorted.
func (o object) keys() []string { return slices.Sorted(maps.Keys(o)) }

// first gives the first of keys that holds a string with something in it.
func (o object) first(keys ...string) string {
	for _, key := range keys {
		if s := o.text(key); s != "" {
			return s
		}
	}
	return ""
}
