package capacity

import (
	"slices"
	"strings"
)

// Filter narrows. Each list that is given must match, by one of its globs (`*` any text, `?` one byte); each
// boolean that is given must be equal. What lacks a given key does not match. The zero value matches everything. Hosts
// are compared as normalised names (Site.NormalFilter).
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
func (f *Filter) Match(e *Entry) bool {
	return agrees(f.Dispatch, e.Dispatch) && agrees(f.Story, e.Story != "") && agrees(f.Borrowed, e.Borrowed) &&
		passes(f.Status, e.Status) && passes(f.Slot, e.Slot) && passes(f.Role, e.Role) &&
		passes(f.Executor, e.Executor) && passes(f.Harness, e.Harness) && passes(f.Model, e.Model) &&
		passes(f.Profile, e.Profile) && passes(f.Host, e.Host) && passes(f.Surface, e.Surface) &&
		passes(f.Board, e.Board) && passes(f.Card, e.Card) && passes(f.Workspace, e.Workspace) &&
		passesLabel(f.Label, e.Labels)
}

// Empty reports whether no key is given.
func (f *Filter) Empty() bool {
	return f.Dispatch == nil && f.Story == nil && f.Borrowed == nil && !f.readsCard() &&
		len(f.Board)+len(f.Status)+len(f.Profile)+len(f.Executor)+len(f.Harness)+len(f.Model)+len(f.Host)+
			len(f.Slot)+len(f.Role)+len(f.Surface) == 0
}

// readsCard reports whether the filter tells apart cards that share a class.
func (f *Filter) readsCard() bool { return len(f.Card)+len(f.Label)+len(f.Workspace) > 0 }

func agrees(want *bool, have bool) bool { return want == nil || *want == have }

func passes(globs []string, value string) bool {
	if len(globs) == 0 {
		return true
	}
	return value != "" && slices.ContainsFunc(globs, func(g string) bool { return glob(g, value) })
}

func passesLabel(globs []string, labels map[string]string) bool {
	if len(globs) == 0 {
		return true
	}
	for name, value := range labels { // any one will do: the order does not show
		for _, g := range globs {
			wantName, wantValue, valued := strings.Cut(g, "=")
			if glob(wantName, name) && (!valued || glob(wantValue, value)) {
				return true
			}
		}
	}
	return false
}

func isGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?") }

// glob matches `*` with any text, `?` with one byte. It is no path pattern: model names have slashes. A failed match
// goes back to the last star only, so the cost is at most len(pattern) x len(text).
func glob(pattern, text string) bool {
	p, t := 0, 0
	star, resume := -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, resume = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			resume++
			p, t = star+1, resume
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
