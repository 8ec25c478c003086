package roster

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a roster.
type Problem struct {
	File string // empty: about no file
	Line int    // 0: about the whole file
	Text string
}

// String returns the problem with its place, as `file:line: text`.
func (p Problem) String() string {
	switch {
	case p.File == "":
		return p.Text
	case p.Line == 0:
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// Problems is every problem of a roster, in the order of the files and lines.
type Problems []Problem

// Error lists the problems, one a line.
func (p Problems) Error() string {
	lines := make([]string, 0, len(p))
	for _, problem := range p {
		lines = append(lines, problem.String())
	}
	return strings.Join(lines, "\n")
}

// sorted orders problems by file, as the files were read, and line; those about no file come last.
func (p Problems) sorted(files []string) Problems {
	rank := func(problem Problem) int {
		if at := slices.Index(files, problem.File); at >= 0 {
			return at
		}
		return len(files)
	}
	slices.SortStableFunc(p, func(a, b Problem) int {
		if by := rank(a) - rank(b); by != 0 {
			return by
		}
		return a.Line - b.Line
	})
	return p
}

// hint offers the nearest of the known names, or lists them where none is near.
func hint(name string, known []string) string {
	if near := nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	if len(known) == 0 {
		return ""
	}
	return "; there is " + strings.Join(known, ", ")
}

// nearest returns the known name with the fewest edits from name, if these are few for its length; else "".
func nearest(name string, known []string) string {
	best, fewest := "", max(1, len(name)/3)+1
	for _, candidate := range known {
		if d := edits(strings.ToLower(name), candidate); d < fewest {
			best, fewest = candidate, d
		}
	}
	return best
}

// edits counts the bytes to insert, delete or replace between two texts.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
