package dispatch

import (
	"path"
	"strconv"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// globMatch is the match of slots: `*` stands for any text. A pattern that is none matches nothing.
func globMatch(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return ok && err == nil
}
