package board

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sqlite "modernc.org/sqlite"
)

// Query runs one statement that a person wrote and hands each row to the caller: the columns' names, and values that are
// nil, int64, float64, string or []byte. It reads only: what could write, here or to another file, is ErrUsage, as is what
// SQLite does not understand. The context ends it at any row.
func (s *Store) Query(ctx context.Context, query string, each func(columns []string, values []any) error) (err error) {
	if err := checkQuery(query); err != nil {
		return err
	}
	rows, err := s.db.QueryxContext(ctx, query)
	if err != nil {
		return s.explainQuery(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return s.explainQuery(err)
	}
	for rows.Next() {
		values, err := rows.SliceScan()
		if err != nil {
			return s.explainQuery(err)
		}
		if err := each(columns, values); err != nil {
			return err
		}
	}
	return s.explainQuery(rows.Err())
}

// checkQuery lets through one statement that reads. A database opened to read refuses writes to itself, but not to a file
// that ATTACH or VACUUM INTO names.
func checkQuery(query string) error {
	words := statementWords(query)
	if len(words) == 0 {
		return NewProblem(ErrUsage, "board sql lists the views", "the query is empty")
	}
	if !slices.Contains([]string{"select", "with", "values", "explain", "pragma"}, words[0]) {
		return NewProblem(ErrUsage, "board's own verbs change things", "the query begins with %q: only reading is possible (SELECT, WITH, VALUES, EXPLAIN, PRAGMA)", words[0])
	}
	if at := slices.Index(words, ";"); at >= 0 && at < len(words)-1 {
		return NewProblem(ErrUsage, "", "there is more than one statement in the query")
	}
	return nil
}

// statementWords are a query's words in lower case, and its semicolons, without comments and quoted texts.
func statementWords(query string) []string {
	var words []string
	for rest := query; rest != ""; {
		switch c := rest[0]; {
		case strings.HasPrefix(rest, "--"):
			rest = after(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			rest = after(rest[2:], "*/")
		case c == '\'' || c == '"' || c == '`':
			rest = after(rest[1:], string(c)) // a doubled quote is two texts side by side, which is the same here
		case c == '[':
			rest = after(rest, "]")
		case c == ';':
			words, rest = append(words, ";"), rest[1:]
		case isWordByte(c):
			n := 1
			for n < len(rest) && isWordByte(rest[n]) {
				n++
			}
			words, rest = append(words, strings.ToLower(rest[:n])), rest[n:]
		default:
			rest = rest[1:]
		}
	}
	return words
}

func after(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	return rest
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// SQLite's codes for what a person's statement can be refused for (its result codes 1 and 8).
const (
	sqliteError    = 1 // it is not understood
	sqliteReadOnly = 8 // it writes
)

// explainQuery is explain for a statement that a person wrote.
func (s *Store) explainQuery(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) && e.Code() == sqliteReadOnly {
		return NewProblem(ErrUsage, "board's own verbs change things", "query: it writes, and only reading is possible")
	}
	if errors.As(err, &e) && e.Code() == sqliteError {
		return NewProblem(ErrUsage, "board sql lists the views and their columns", "query: %s", strings.TrimSuffix(e.Error(), fmt.Sprintf(" (%d)", e.Code())))
	}
	return s.explain(err)
}
