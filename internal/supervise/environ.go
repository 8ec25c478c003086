package supervise

import (
	"maps"
	"slices"
)

// variables is an environment by name.
type variables map[string]string

// over is env with other's variables in place of its own.
func (v variables) over(other map[string]string) variables {
	all := maps.Clone(v)
	maps.Copy(all, other)
	return all
}

// list is the environment as a process takes it, by name.
func (v variables) list() []string {
	pairs := make([]string, 0, len(v))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		pairs = append(pairs, name+"="+v[name])
	}
	return pairs
}
