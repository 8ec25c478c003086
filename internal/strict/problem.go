// Package strict reads YAML files that people edit: every key and type is checked, all problems come at once, and each
// has its place and, for a misspelt name, the nearest valid one. It knows no particular file.
package strict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Origin is where a key stands. Its text is what a hold shows: "workflows/default.yaml:41 dispatch.capacity[0].max".
type Origin struct {
	File   string
	Line   int    // from 1; 0 when the whole file is meant
	Column int    // in characters, from 1
	Path   string // of the key from the file's root
}

// String is "file:line path".
func (o Origin) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s:%d %s", o.File, o.Line, o.Path))
}

// Problem is one thing wrong with a file.
type Problem struct {
	Origin
	Text    string // what was found and what was expected, in one line
	Nearest string // the nearest valid name; empty when none is close
	Snippet string // the expression with a caret under the place, in two lines; empty for none
}

// String is "file:line:column: key: text", with the nearest name, and the snippet below.
func (p Problem) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: ", p.File, max(p.Line, 1), max(p.Column, 1))
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Text)
	if p.Nearest != "" {
		b.WriteString(" (did you mean " + p.Nearest + "?)")
	}
	if p.Snippet != "" {
		b.WriteString("\n" + p.Snippet)
	}
	return b.String()
}

// Problems is everything wrong with a file. As an error it has one problem a line.
type Problems []Problem

// Error is all problems, one a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

// Sorted puts problems in the order of their places.
func (p Problems) Sorted() Problems {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return p
}

// OrNil is the problems as an error, nil when there are none.
func (p Problems) OrNil() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
