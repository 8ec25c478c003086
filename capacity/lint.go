package capacity

import (
	"fmt"
	"slices"
	"strconv"
)

// Problem is what is wrong with a cap as it is written (CAP-17). Text names what was found and what would do.
type Problem struct {
	Cap    string
	Source Source
	Key    string // the cap's key that is wrong: "where.status", "reserve", ...
	Value  string // the value in question, for a caller who knows near names; empty: the whole key
	Text   string
}

// Known are the names that exist, by which Lint judges filters. An empty list judges nothing.
type Known struct {
	Boards, Statuses, Profiles, Executors, Harnesses, Models, Hosts, Slots, Roles []string
}

// Lint reports caps that can match nothing, names that nobody has, reserves that cannot be, and names given twice, in
// the order of the caps. What needs an expression's value is judged for constants only.
func Lint(caps []Cap, known Known) []Problem {
	var all []Problem
	seen := map[string]bool{}
	for i := range caps {
		c := &caps[i]
		report := func(key, value, format string, args ...any) {
			all = append(all, Problem{c.Name, c.Source, key, value, fmt.Sprintf(format, args...)})
		}
		if seen[c.Name] {
			report("name", c.Name, "two caps are named %q; a pause and a hold could not tell them apart", c.Name)
		}
		seen[c.Name] = true
		if !c.Unless.Empty() && covers(&c.Unless, &c.Where) {
			report("unless", "", "unless takes out all that where lets in: the cap holds nothing")
		}
		known.lint("where", &c.Where, report)
		known.lint("unless", &c.Unless, report)
		c.lintAmounts(report)
		if c.Reserve != nil {
			known.lint("reserve.for", &c.Reserve.For, report)
			c.lintReserve(report)
		}
	}
	return all
}

type reporter func(key, value, format string, args ...any)

func (c *Cap) lintAmounts(report reporter) {
	if c.Counts == Spend && c.Window <= 0 {
		report("window", "", "a cap on spend needs a window, such as 24h")
	}
	if c.Window > 0 && c.Counts != Spend && c.Counts != Starts {
		report("window", "", "a window belongs to starts or spend; %s are counted as they are at the moment", c.Counts)
	}
	if c.Place != "" && c.Counts != Sessions && c.Counts != Turns {
		report("place", string(c.Place), "place belongs to sessions or turns; %s have no slots", c.Counts)
	}
	if limit := c.Max.Const; c.Max.Of == nil && !limit.None && limit.N < 0 {
		report("max", strconv.FormatInt(limit.N, 10), "max is below 0; 0 holds everything")
	}
}

func (c *Cap) lintReserve(report reporter) {
	r := c.Reserve
	for _, d := range c.Scope {
		if d != Home && d != Board && d != Host && d != Profile {
			report("reserve", string(d), "a reserve works with the scopes home, board, host and profile, "+
				"which are known before an executor is picked; this cap has %s", d)
		}
	}
	if !c.hasPlaces() && c.Counts != Starts {
		report("reserve", "", "a reserve keeps places, and %s has none", c.Counts)
	}
	if c.excludes(&r.For) {
		report("reserve.for", "", "the cap applies to nothing that the reserve is for: nothing is kept")
	}
	if c.Max.Of != nil || r.Slots.Of != nil || c.Max.Const.None || r.Slots.Const.None {
		return
	}
	if slots := r.Slots.Const.N; slots >= c.Max.Const.N {
		report("reserve.slots", strconv.FormatInt(slots, 10),
			"slots are %d and max is %d; at most max - 1 are kept", slots, c.Max.Const.N)
	}
}

// lint reports the filter's values that none of the known names matches.
func (k *Known) lint(key string, f *Filter, report reporter) {
	for _, list := range []struct {
		name         string
		globs, known []string
	}{
		{"board", f.Board, k.Boards},
		{"status", f.Status, k.Statuses},
		{"profile", f.Profile, k.Profiles},
		{"executor", f.Executor, k.Executors},
		{"harness", f.Harness, k.Harnesses},
		{"model", f.Model, k.Models},
		{"host", f.Host, k.Hosts},
		{"slot", f.Slot, k.Slots},
		{"role", f.Role, k.Roles},
		{"surface", f.Surface, []string{headless, pane}},
	} {
		for _, g := range list.globs {
			matches := func(name string) bool { return glob(g, name) }
			if len(list.known) > 0 && !slices.ContainsFunc(list.known, matches) {
				report(key+"."+list.name, g, "no %s is called %q", list.name, g)
			}
		}
	}
}
