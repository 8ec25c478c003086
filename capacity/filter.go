package capacity

// Filter narrows. Each list that is given must match, by one of its globs (`*` any text, `?` one character); each
// boolean that is given must be equal. What lacks a given key does not match. The zero value matches everything.
type Filter struct {
	Board, Card, Status, Profile, Executor, Harness, Model, Host, Slot, Role, Surface []string
	// Label holds "name" (the card has that label) or "name=value".
	Label []string
	// Workspace is for caps made by the program.
	Workspace []string

	Story    *bool // is or belongs to a story
	Dispatch *bool
	Borrowed *bool // for caps made by the program
}

// Match reports whether the entry passes.
func (f *Filter) Match(e *Entry) bool { return false }

// Empty reports whether no key is given.
func (f *Filter) Empty() bool { return false }
