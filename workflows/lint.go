package workflows

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// lintStructure tells of caps that load but hardly mean what they say (CAP-17), without evaluating anything.
func lintStructure(w *Workflow, known *Known) Problems {
	var problems Problems
	if len(w.Statuses) > 0 && !slices.ContainsFunc(w.Statuses, func(s Status) bool { return s.Terminal }) {
		problems = append(problems, Problem{Origin: w.Statuses[0].Origin, Text: "no status is terminal: no card ever ends"})
	}
	for i := range w.Dispatch.Capacity {
		c := &w.Dispatch.Capacity[i]
		problems = append(problems, lintProfiles(w, c)...)
		problems = append(problems, lintRuns(w, c)...)
		problems = append(problems, LintCap(c, known)...)
	}
	return problems
}

// LintCap tells what is odd about one cap, of a workflow or of config.yaml.
func LintCap(c *Cap, known *Known) Problems {
	var problems Problems
	if c.Unless.covers(&c.Where) {
		problems = append(problems, Problem{Origin: c.Origin, Text: fmt.Sprintf("cap %q can match nothing: unless takes out all that where lets in", c.Name)})
	}
	if c.Reserve != nil {
		if key := c.Where.excludes(&c.Reserve.For); key != "" {
			problems = append(problems, Problem{
				Origin: c.Reserve.Origin,
				Text:   fmt.Sprintf("the reserve of cap %q is for cards that the cap cannot hold: where and for share no %s", c.Name, key),
			})
		}
	}
	return append(problems, lintNames(c, known)...)
}

// lintReserve tells of a reserve that its cap has no room for.
func lintReserve(c *Cap) Problems {
	limit, hasLimit := c.Max.Constant()
	slots, hasSlots := c.Reserve.Slots.Constant()
	if !hasLimit || !hasSlots || slots < limit || slots == 0 {
		return nil
	}
	return Problems{{
		Origin: c.Reserve.SlotsAt,
		Text:   fmt.Sprintf("the reserve of cap %q is %d of %d places; at most %d are kept (CAP-7)", c.Name, slots, limit, max(limit-1, 0)),
	}}
}

// lintNames tells of filter values that nothing outside the file is called.
func lintNames(c *Cap, known *Known) Problems {
	if known == nil {
		return nil
	}
	var problems Problems
	names := map[string][]string{
		"host": known.Hosts, "executor": known.Executors, "harness": known.Harnesses, "model": known.Models, "board": known.Boards,
		"status": known.statuses, "profile": known.profiles,
	}
	for _, f := range c.filters() {
		for _, k := range f.lists() {
			list := names[k.key]
			for _, value := range k.values {
				if list != nil && !slices.ContainsFunc(list, func(name string) bool { return globsOverlap(value, name) }) {
					problems = append(problems, Problem{
						Origin: f.at(k.key), Nearest: expr.Nearest(value, list),
						Text: fmt.Sprintf("no %s is called %q; there are %s", k.key, value, orNone(list)),
					})
				}
			}
		}
	}
	return problems
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// covers says whether f matches all that g matches, as far as their keys tell; an empty f covers nothing.
func (f *Filter) covers(g *Filter) bool {
	if f.Empty() {
		return false
	}
	for _, k := range f.lists() {
		wanted := g.values(k.key)
		inside := func(value string) bool {
			return slices.ContainsFunc(k.values, func(glob string) bool {
				return glob == value || matchGlob(glob, value) && !strings.ContainsAny(value, "*?")
			})
		}
		if len(wanted) == 0 || !allOf(wanted, inside) {
			return false
		}
	}
	return sameFlag(f.Dispatch, g.Dispatch) && sameFlag(f.Story, g.Story)
}

func allOf(values []string, holds func(string) bool) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return !holds(v) })
}

// sameFlag says whether a given flag is given the same in the other.
func sameFlag(f, g *bool) bool { return f == nil || g != nil && *f == *g }

// excludes is a key by which nothing matches both filters, empty for none.
func (f *Filter) excludes(g *Filter) string {
	for _, k := range f.lists() {
		others := g.values(k.key)
		if k.key == "label" || len(others) == 0 {
			continue // a card has many labels
		}
		shared := slices.ContainsFunc(k.values, func(a string) bool {
			return slices.ContainsFunc(others, func(b string) bool { return globsOverlap(a, b) })
		})
		if !shared {
			return k.key
		}
	}
	if f.Dispatch != nil && g.Dispatch != nil && *f.Dispatch != *g.Dispatch {
		return "dispatch"
	}
	if f.Story != nil && g.Story != nil && *f.Story != *g.Story {
		return "story"
	}
	return ""
}

// lintProfiles tells of a cap whose profile, role and surface no profile has together.
func lintProfiles(w *Workflow, c *Cap) Problems {
	fits := func(values []string, value string) bool {
		return len(values) == 0 || slices.ContainsFunc(values, func(glob string) bool { return matchGlob(glob, value) })
	}
	some := slices.ContainsFunc(w.Profiles, func(p Profile) bool {
		return fits(c.Where.Profile, p.Name) && fits(c.Where.Role, string(p.Role)) && fits(c.Where.Surface, string(p.Surface))
	})
	if some || len(w.Profiles) == 0 {
		return nil
	}
	return Problems{{Origin: c.Origin, Text: fmt.Sprintf("cap %q can match nothing: no profile has this profile, role and surface together", c.Name)}}
}

// lintRuns tells of a cap on runs in statuses that cannot be run.
func lintRuns(w *Workflow, c *Cap) Problems {
	switch c.Counts {
	case CountsCards, CountsSessions, CountsTurns, "":
		return nil
	case CountsRuns, CountsStarts, CountsSpend:
	}
	for i := range w.Statuses {
		s := &w.Statuses[i]
		named := len(c.Where.Status) == 0 || slices.ContainsFunc(c.Where.Status, func(glob string) bool { return matchGlob(glob, s.Name) })
		if named && s.Run != nil {
			return nil
		}
	}
	return Problems{{Origin: c.Origin, Text: fmt.Sprintf("cap %q can match nothing: it counts %s, and none of its statuses has a run", c.Name, c.Counts)}}
}

// lintNumbers tries the numbers of caps over many sensor values, and tells of those that give no number for some.
func lintNumbers(caps []Cap) Problems {
	var problems Problems
	for i := range caps {
		c := &caps[i]
		try := func(n *expr.Number, at Origin) {
			if text := firstFault(n); text != "" {
				problems = append(problems, Problem{Origin: at, Text: text})
			}
		}
		try(c.Max, c.MaxAt)
		if c.Reserve != nil {
			try(c.Reserve.Slots, c.Reserve.SlotsAt)
			problems = append(problems, lintReserve(c)...)
		}
		if c.Burst != nil {
			try(c.Burst.To, c.Burst.Origin)
		}
	}
	return problems
}

// firstFault tries a number over the grid and says for which values it first fails; empty for none.
func firstFault(n *expr.Number) string {
	if _, constant := n.Constant(); n == nil || constant {
		return ""
	}
	for _, env := range sensorGrid() {
		_, _, err := n.Eval(env)
		if err == nil {
			continue
		}
		reads := n.Reads(env)
		values := make([]string, 0, len(reads))
		for _, path := range slices.Sorted(maps.Keys(reads)) {
			values = append(values, path+" = "+expr.Show(reads[path]))
		}
		text, _, _ := strings.Cut(err.Error(), "\n")
		return fmt.Sprintf("with %s %s; such a cap holds what it applies to (CAP-5)", strings.Join(values, ", "), text)
	}
	return ""
}

// lintParams tells of params that expressions read and that look like a misspelt one. (Any other missing param is nil,
// and may come from config.yaml.)
func lintParams(w *Workflow) Problems {
	var problems Problems
	names := slices.Sorted(maps.Keys(w.Params))
	for _, p := range w.pending {
		for _, path := range slices.Sorted(maps.Keys(p.Reads(&expr.Env{}))) {
			parts := strings.Split(path, ".")
			if parts[0] != "params" || len(parts) < 2 || slices.Contains(names, parts[1]) {
				continue
			}
			if near := expr.Nearest(parts[1], names); near != "" {
				problems = append(problems, Problem{Origin: p.at.Origin(), Nearest: near, Text: fmt.Sprintf("no param is called %s: it reads as nil", parts[1])})
			}
		}
	}
	return problems
}

// sensorGrid are environments with the values that sensors and cards can have, from one end to the other.
func sensorGrid() []*expr.Env {
	one, many := 1, 16
	text := "x"
	var grid []*expr.Env
	for _, pressure := range []string{"low", "elevated", "critical"} {
		for _, load := range []float64{0, 0.5, 64} {
			for _, cpus := range []int{1, 3, 128} {
				for _, capacity := range []*int{nil, &one, &many} {
					grid = append(grid, &expr.Env{Host: expr.Host{
						Name: "base", MemoryPressure: pressure, Load: load, CPUs: cpus, MemoryBytes: cpus << 30,
						FreeDiskBytes: (cpus - 1) << 34, MaxSessions: min(cpus, 8), Capacity: capacity,
					}, Lane: expr.Lane{Capacity: capacity}})
				}
			}
		}
	}
	for i, env := range grid {
		env.Now = env.Now.AddDate(2026, i%12, i%28).Add(time.Duration(i%24) * time.Hour)
		env.Card.Priority, env.Tick.Started, env.Tick.LocalStarted = i%21-10, i%7, i%5
		env.Card.Attempt, env.Run.Local = 1+i%4, i%2 == 0
		if i%2 == 0 {
			env.Card.Host, env.Card.Assignee, env.Card.Model = &text, &text, &text
		}
	}
	return grid
}
