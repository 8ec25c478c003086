package roster

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/strict"
)

// Problem is one thing that is wrong with a roster file.
type Problem = strict.Problem

// Problems is everything that is wrong with the files of a roster.
type Problems = strict.Problems

// document is a roster file that is being read.
type document struct {
	file   *strict.File
	path   string
	listed []entry
}

// entry is one item of `executors:`. What it says is not a problem before merging and narrowing have kept it.
type entry struct {
	id       string // empty: none
	value    strict.Value
	fields   strict.Keys
	disabled bool
	twice    []strict.Value // the ids of later entries with the same one in the same file
}

// readDocument reads the entries of a file.
func readDocument(d Document) document {
	data := d.Data
	if json.Valid(data) {
		// JSON may be indented with tabs, YAML may not. Inside JSON's texts a tab is always escaped.
		data = bytes.ReplaceAll(data, []byte("\t"), []byte(" "))
	}
	file, root, ok := strict.Parse(d.Path, data)
	read := document{file: file, path: d.Path}
	if !ok {
		return read
	}
	for _, item := range root.Keys("executors").Get("executors").Items() {
		if _, isMap := item.Any().(map[string]any); !isMap {
			item.Problem("expected an executor: a map with id and harness", "")
			continue
		}
		read.listed = add(read.listed, newEntry(item))
	}
	return read
}

func newEntry(value strict.Value) entry {
	e := entry{value: value, fields: value.Fields()}
	e.id = e.fields.Get("id").ScalarText("an id")
	e.disabled = e.fields.Get("disabled").Bool(false)
	return e
}

// add appends an entry, or notes that its id is there already. A repeated id is disabled only if each of its entries is.
func add(entries []entry, e entry) []entry {
	at := slices.IndexFunc(entries, func(have entry) bool { return e.id != "" && have.id == e.id })
	if at < 0 {
		return append(entries, e)
	}
	entries[at].twice = append(entries[at].twice, e.fields.Get("id"))
	entries[at].disabled = entries[at].disabled && e.disabled
	return entries
}

// problems returns what is wrong with the file's frame and with the entries that were kept, which are named by their id.
func (d document) problems(kept []entry) Problems {
	var list Problems
	told := map[Problem]bool{} // an entry is read twice: for its id, and whole once it is kept
	for _, p := range d.file.Problems() {
		item, key, _ := strings.Cut(p.Path, ".")
		about := func(e entry) bool { return e.covers(d.path, item) }
		at := slices.IndexFunc(kept, about)
		if told[p] || at < 0 && slices.ContainsFunc(d.listed, about) {
			continue
		}
		told[p] = true
		if at >= 0 && kept[at].id != "" {
			p.Path = strings.TrimSuffix("executor "+kept[at].id+": "+key, ": ")
		}
		list = append(list, p)
	}
	return list
}

// covers reports whether a path in a file, as far as the item of the list, is that of the entry.
func (e entry) covers(file, item string) bool {
	same := func(v strict.Value) bool {
		at, _, _ := strings.Cut(v.Origin().Path, ".")
		return v.Origin().File == file && at == item
	}
	return same(e.value) || slices.ContainsFunc(e.twice, same)
}

// hint is the end of a problem's text about a name that is not known: the known ones, if there are any.
func hint(known []string) string {
	if len(known) == 0 {
		return ""
	}
	return "; there is " + strings.Join(known, ", ")
}

// Nearest returns the id in the roster that a mistyped one most likely means; empty: none is close.
func (r Roster) Nearest(id string) string { return expr.Nearest(id, ids(r.Executors)) }
