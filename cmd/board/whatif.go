package main

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
)

// whatIf reads --set: a known key, and a value as YAML has it.
func whatIf(pairs []string) (map[string]any, error) {
	set := map[string]any{}
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, board.NewProblem(board.ErrUsage, "--set host.memory_pressure=critical", "--set %q: expected KEY=VALUE", pair)
		}
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			return nil, board.NewProblem(board.ErrUsage, "", "--set %s: %q is no value", key, text)
		}
		if err := checkWhatIf(key, value); err != nil {
			return nil, err
		}
		set[key] = value
	}
	return set, nil
}

// checkWhatIf says whether a what-if value can be what its key means.
func checkWhatIf(key string, value any) error {
	expected := ""
	switch _, isInt := value.(int); {
	case strings.HasPrefix(key, "params.") && len(key) > len("params."):
	case key == "host.memory_pressure":
		if value != "low" && value != "elevated" && value != "critical" {
			expected = "low, elevated or critical"
		}
	case key == "host.load":
		if _, isFloat := value.(float64); !isInt && !isFloat {
			expected = "a number"
		}
	case slices.Contains(dispatch.SetPaths(), key):
		if !isInt {
			expected = "a whole number"
		}
	default:
		return board.NewProblem(board.ErrUsage, didYouMean(key, append(dispatch.SetPaths(), "params.NAME"), "keys"), "--set: unknown key %q", key)
	}
	if expected != "" {
		return board.NewProblem(board.ErrUsage, "", "--set %s: expected %s, found %v", key, expected, value)
	}
	return nil
}
