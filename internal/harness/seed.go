package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// SeedFormat is the syntax of a seeded file.
type SeedFormat string

// The formats.
const (
	SeedJSON SeedFormat = "json" // an object, merged key by key; lists are united
	SeedTOML SeedFormat = "toml" // a table appended unless its header is there
)

// Seed is a change to a configuration file of the CLI that keeps trust and onboarding screens away (PAN-3). The caller
// reads the file, applies the seed, and replaces the file by rename under a lock, with mode 0600; an absent file is read
// as empty.
type Seed struct {
	Path   string // absolute
	Format SeedFormat
	JSON   map[string]any    // SeedJSON: what must be in the object
	Table  string            // SeedTOML: the header line, with its brackets
	Keys   map[string]string // SeedTOML: key -> value as TOML text
}

// Apply returns existing with the seed in it, and whether that differs from existing. It fails when existing is not
// readable in its format: a file that a person may have broken is not replaced.
func (s Seed) Apply(existing []byte) (content []byte, changed bool, err error) {
	switch s.Format {
	case SeedJSON:
		return s.applyJSON(existing)
	case SeedTOML:
		content, changed = s.applyTOML(existing)
		return content, changed, nil
	}
	return nil, false, fmt.Errorf("seed %s: unknown format %q", s.Path, s.Format)
}

func (s Seed) applyJSON(existing []byte) ([]byte, bool, error) {
	have := map[string]any{}
	if len(bytes.TrimSpace(existing)) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(existing))
		decoder.UseNumber() // a large number must come back as it was
		if err := decoder.Decode(&have); err != nil {
			return nil, false, fmt.Errorf("seed %s: read what is there: %w", s.Path, err)
		}
	}
	merged := merge(have, s.JSON)
	if reflect.DeepEqual(have, merged) {
		return existing, false, nil
	}
	content, err := json.MarshalIndent(merged, "", "  ")
	if err != nil {
		return nil, false, fmt.Errorf("seed %s: write: %w", s.Path, err)
	}
	return append(content, '\n'), true, nil
}

// merge lays over on top of base without changing either.
func merge(base, over map[string]any) map[string]any {
	out := maps.Clone(base)
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range over {
		switch value := value.(type) {
		case map[string]any:
			inner, _ := out[key].(map[string]any)
			out[key] = merge(inner, value)
		case []any:
			list, _ := out[key].([]any)
			out[key] = unite(list, value)
		default:
			out[key] = value
		}
	}
	return out
}

func unite(list, more []any) []any {
	out := slices.Clone(list)
	for _, item := range more {
		if !slices.ContainsFunc(out, func(have any) bool { return reflect.DeepEqual(have, item) }) {
			out = append(out, item)
		}
	}
	return out
}

// applyTOML leaves a table that is already there alone: a person may have answered otherwise.
func (s Seed) applyTOML(existing []byte) ([]byte, bool) {
	for line := range strings.Lines(string(existing)) {
		if strings.TrimSpace(line) == s.Table {
			return existing, false
		}
	}
	var out strings.Builder
	out.Write(existing)
	if len(existing) > 0 && !bytes.HasSuffix(existing, []byte("\n")) {
		out.WriteString("\n")
	}
	out.WriteString("\n" + s.Table + "\n")
	for _, key := range slices.Sorted(maps.Keys(s.Keys)) {
		out.WriteString(key + " = " + s.Keys[key] + "\n")
	}
	return []byte(out.String()), true
}
