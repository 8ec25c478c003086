package expr

import (
	"strings"
	"unicode/utf8"
)

// Nearest is the name most like a misspelt one, empty when none is close: at most a third of its letters differ, or it
// begins like it. Of equals the first.
func Nearest(name string, names []string) string {
	best, bestCost := "", utf8.RuneCountInString(name)/3+1
	lower := strings.ToLower(name)
	for _, candidate := range names {
		cost := distance(lower, strings.ToLower(candidate), bestCost)
		if cost < bestCost {
			best, bestCost = candidate, cost
		}
	}
	if best != "" || len(name) < 3 {
		return best
	}
	for _, candidate := range names {
		if strings.HasPrefix(candidate, lower) || len(candidate) >= 3 && strings.HasPrefix(lower, candidate) {
			return candidate
		}
	}
	return ""
}

// distance is how many letters have to be put in, left out, changed or swapped with their neighbour to make a into b; it
// gives limit when it is at least that.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) >= limit || len(y)-len(x) >= limit {
		return limit
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			change := last[j-1]
			if x[i-1] != y[j-1] {
				change++
			}
			row[j] = min(last[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(y)], limit)
}
