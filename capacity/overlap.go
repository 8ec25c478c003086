package capacity

import "slices"

// excludes reports that nothing which the filter matches can be under the cap, as far as names tell: their keys ask for
// different values, or unless takes all of it out.
func (c *Cap) excludes(f *Filter) bool {
	return disjoint(&c.Where, f) || (!c.Unless.Empty() && covers(&c.Unless, f))
}

// disjoint reports that no entry can match both.
func disjoint(a, b *Filter) bool {
	if opposed(a.Story, b.Story) || opposed(a.Dispatch, b.Dispatch) || opposed(a.Borrowed, b.Borrowed) {
		return true
	}
	others := b.keys()
	for i, globs := range a.keys() {
		if len(globs) > 0 && len(others[i]) > 0 && !slices.ContainsFunc(globs, func(g string) bool {
			return slices.ContainsFunc(others[i], func(o string) bool { return mayMeet(g, o) })
		}) {
			return true
		}
	}
	return false
}

// covers reports that all that b matches is matched by a too.
func covers(a, b *Filter) bool {
	if !implied(a.Story, b.Story) || !implied(a.Dispatch, b.Dispatch) || !implied(a.Borrowed, b.Borrowed) {
		return false
	}
	if len(a.Label) > 0 {
		return false // a card has many labels: one name says nothing of another
	}
	narrower := b.keys()
	for i, globs := range a.keys() {
		if len(globs) == 0 {
			continue
		}
		if len(narrower[i]) == 0 || slices.ContainsFunc(narrower[i], func(n string) bool {
			return !slices.ContainsFunc(globs, func(g string) bool { return g == n || (!isGlob(n) && glob(g, n)) })
		}) {
			return false
		}
	}
	return true
}

// keys are the lists of which an entry has one value each, in a fixed order.
func (f *Filter) keys() [12][]string {
	return [...][]string{
		f.Board, f.Card, f.Status, f.Profile, f.Executor, f.Harness,
		f.Model, f.Host, f.Slot, f.Role, f.Surface, f.Workspace,
	}
}

// mayMeet reports whether one text could match both; of two globs it is not known, and assumed.
func mayMeet(a, b string) bool {
	switch {
	case !isGlob(a):
		return glob(b, a)
	case !isGlob(b):
		return glob(a, b)
	}
	return true
}

func opposed(a, b *bool) bool { return a != nil && b != nil && *a != *b }

func implied(a, b *bool) bool { return a == nil || (b != nil && *a == *b) }
