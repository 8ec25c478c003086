package dispatch

import (
	"fmt"
	"maps"
	"strings"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/home"
)

// SetPaths are the what-if values that a dry run takes besides `params.<name>` (DSP-11).
func SetPaths() []string {
	return []string{"host.memory_pressure", "host.load", "host.cpus", "host.memory_bytes", "host.free_disk_bytes", "host.max_sessions", "host.capacity"}
}

// setHost sets one what-if value of the home host; SetPaths lists the paths.
func setHost(h *expr.Host, path string, value any) {
	n, _ := value.(int)
	f, isFloat := value.(float64)
	if !isFloat {
		f = float64(n)
	}
	switch path {
	case "host.memory_pressure":
		h.MemoryPressure = fmt.Sprint(value)
	case "host.load":
		h.Load = f
	case "host.cpus":
		h.CPUs = n
	case "host.memory_bytes":
		h.MemoryBytes = n
	case "host.free_disk_bytes":
		h.FreeDiskBytes = n
	case "host.max_sessions":
		h.MaxSessions = n
	case "host.capacity":
		h.Capacity = &n
	}
}

// withParams is a configuration with what-if params in it, which override those of workflows too. Its caps are compiled
// anew, since an expression takes params as constants.
func withParams(config *home.Config, set map[string]any) *home.Config {
	params := maps.Clone(config.Params)
	changed := false
	for _, path := range sortedKeys(set) {
		if name, ok := strings.CutPrefix(path, "params."); ok {
			params = setParam(params, strings.Split(name, "."), set[path])
			changed = true
		}
	}
	if !changed {
		return config
	}
	out := *config
	out.Params = params
	scope := expr.NewScope(params)
	out.Capacity = nil
	for _, c := range config.Capacity {
		c.Max = scope.Number(c.Max.Source())
		if c.Reserve != nil {
			reserve := *c.Reserve
			reserve.Slots = scope.Number(reserve.Slots.Source())
			c.Reserve = &reserve
		}
		out.Capacity = append(out.Capacity, c)
	}
	return &out
}

// setParam gives a copy of params with the value at a path: `hosts.far.capacity` is inside the param `hosts`.
func setParam(params map[string]any, path []string, value any) map[string]any {
	params = maps.Clone(params)
	if params == nil {
		params = map[string]any{}
	}
	if len(path) == 1 {
		params[path[0]] = value
		return params
	}
	inner, _ := params[path[0]].(map[string]any) // what is no map is replaced by one
	params[path[0]] = setParam(inner, path[1:], value)
	return params
}
