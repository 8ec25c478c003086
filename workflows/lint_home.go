package workflows

import (
	"fmt"
	"slices"
)

// LintHome tells what is odd about the caps of config.yaml (CAP-17), which are about every workflow of the home: a status or
// profile that none of them has, a name that a cap of one of them has too.
func LintHome(caps []Cap, all []*Workflow, known *Known) Problems {
	here := Known{}
	if known != nil {
		here = *known
	}
	owners := map[string]string{}
	for _, w := range all {
		for i := range w.Statuses {
			here.statuses = append(here.statuses, w.Statuses[i].Name)
		}
		for i := range w.Profiles {
			here.profiles = append(here.profiles, w.Profiles[i].Name)
		}
		for i := range w.Dispatch.Capacity {
			owners[w.Dispatch.Capacity[i].Name] = w.Name
		}
	}
	slices.Sort(here.statuses)
	slices.Sort(here.profiles)
	here.statuses, here.profiles = slices.Compact(here.statuses), slices.Compact(here.profiles)
	var problems Problems
	for i := range caps {
		c := &caps[i]
		problems = append(problems, LintCap(c, &here)...)
		if owner, both := owners[c.Name]; both {
			problems = append(problems, Problem{
				Origin: c.Origin,
				Text:   fmt.Sprintf("workflow %s has a cap %q too: a hold or a pause cannot tell them apart", owner, c.Name),
			})
		}
	}
	return append(problems, lintNumbers(caps)...).Sorted()
}
