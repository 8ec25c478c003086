package capacity

import "strings"

// between separates the values of a combination in a group's key; no name has it.
const between = "\x00"

// scoped reports whether the cap has more than the one group of the home.
func (c *Cap) scoped() bool {
	return len(c.Scope) > 0 && (len(c.Scope) > 1 || c.Scope[0] != Home)
}

// groupKey tells the groups of the cap apart. For a single dimension it is the value itself, and costs nothing.
func (c *Cap) groupKey(e *Entry) string {
	if !c.scoped() {
		return ""
	}
	if len(c.Scope) == 1 {
		return e.value(c.Scope[0])
	}
	values := make([]string, len(c.Scope))
	for i, d := range c.Scope {
		values[i] = e.value(d)
	}
	return strings.Join(values, between)
}

// groupPerCard reports whether cards that share a class may be in different groups.
func (c *Cap) groupPerCard() bool {
	for _, d := range c.Scope {
		if d == Story || d == Workspace {
			return true
		}
	}
	return false
}

func groupName(key string) string { return strings.ReplaceAll(key, between, "/") }

func (e *Entry) value(d Dimension) string {
	if field := e.field(d); field != nil {
		return *field
	}
	return ""
}

// field is where the entry has its value of the dimension; nil for the home, which has no values to tell apart.
func (e *Entry) field(d Dimension) *string {
	switch d {
	case Home:
		return nil
	case Board:
		return &e.Board
	case Host:
		return &e.Host
	case Profile:
		return &e.Profile
	case Executor:
		return &e.Executor
	case Harness:
		return &e.Harness
	case Model:
		return &e.Model
	case Slot:
		return &e.Slot
	case Role:
		return &e.Role
	case Story:
		return &e.Story
	case Workspace:
		return &e.Workspace
	}
	return nil
}
