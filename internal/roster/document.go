package roster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// entry is one item of `executors:` as it stands in a file. What it says is not checked before merging and narrowing.
type entry struct {
	id       string // empty: none, or no text
	file     string
	line     int
	disabled bool
	twice    []int // lines of later entries with the same id in the same file
	node     *yaml.Node
}

// maxMergeDepth bounds `<<:` inside `<<:`, so that a mapping which merges itself ends. Chosen: nobody nests so deep.
const maxMergeDepth = 8

// readDocument reads the entries of a file. The problems are those of its frame: what is inside an entry comes later.
func readDocument(document Document) ([]entry, Problems) {
	root, problem := parseYAML(document)
	if problem != nil {
		return nil, Problems{*problem}
	}
	if root == nil {
		return nil, nil
	}
	at := func(node *yaml.Node, text string) Problem {
		return Problem{File: document.Path, Line: node.Line, Text: text}
	}
	if root.Kind != yaml.MappingNode {
		return nil, Problems{at(root, "found "+kindOf(root)+", expected a mapping with the key executors")}
	}
	var problems Problems
	var entries []entry
	for _, p := range pairsOf(root, 0) {
		if p.key.Value != "executors" {
			problems = append(problems, at(p.key, fmt.Sprintf("unknown key %q; a roster has the one key executors", p.key.Value)))
			continue
		}
		list := resolve(p.value)
		if list.Kind != yaml.SequenceNode && !isNull(list) {
			problems = append(problems, at(list, "executors: found "+kindOf(list)+", expected a list"))
			continue
		}
		for _, item := range list.Content {
			node := resolve(item)
			if node.Kind != yaml.MappingNode {
				problems = append(problems, at(item, "found "+kindOf(node)+", expected an executor: a mapping with id and harness"))
				continue
			}
			entries = add(entries, newEntry(document.Path, item.Line, node))
		}
	}
	return entries, problems
}

func newEntry(file string, line int, node *yaml.Node) entry {
	e := entry{file: file, line: line, node: node}
	e.id = e.scalar("id")
	e.disabled = e.scalar("disabled") == "true"
	return e
}

// add appends an entry, or notes that its id is there already. A repeated id is disabled only if each of its entries is.
func add(entries []entry, e entry) []entry {
	for i, have := range entries {
		if e.id != "" && have.id == e.id {
			entries[i].twice = append(entries[i].twice, e.line)
			entries[i].disabled = have.disabled && e.disabled
			return entries
		}
	}
	return append(entries, e)
}

// scalar returns the plain value of a key; empty if there is none.
func (e entry) scalar(key string) string {
	for _, p := range pairsOf(e.node, 0) {
		if value := resolve(p.value); p.key.Value == key && value.Kind == yaml.ScalarNode && !isNull(value) {
			return value.Value
		}
	}
	return ""
}

// parseYAML returns the root of the one document in the file; nil if it is empty.
func parseYAML(document Document) (*yaml.Node, *Problem) {
	data := document.Data
	if json.Valid(data) {
		// JSON may be indented with tabs, YAML may not. Inside JSON's texts a tab is always escaped.
		data = bytes.ReplaceAll(data, []byte("\t"), []byte(" "))
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var root, second yaml.Node
	err := decoder.Decode(&root)
	if errors.Is(err, io.EOF) {
		return nil, nil //nolint:nilnil // an empty file is no problem and has no root
	}
	if err != nil {
		return nil, &Problem{File: document.Path, Line: brokenLine(data), Text: "not readable as YAML: " + yamlText(err)}
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, &Problem{File: document.Path, Line: second.Line, Text: "a second document in the file; a roster is one"}
	}
	node := resolve(root.Content[0])
	if isNull(node) {
		return nil, nil //nolint:nilnil // as above
	}
	return node, nil
}

// maxPrefixes bounds the search of brokenLine. Chosen: no person writes a roster of so many lines.
const maxPrefixes = 2000

// brokenLine returns the line at which a text stops being YAML: the one after the longest run of lines that is. (The
// library's own line is often that of the enclosing list, and counted from 0 in errors of its parser.)
func brokenLine(data []byte) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	for n := min(len(lines), maxPrefixes) - 1; n > 0; n-- {
		var node yaml.Node
		if yaml.Unmarshal(bytes.Join(lines[:n], nil), &node) == nil {
			return n + 1
		}
	}
	return 1
}

// yamlText takes the library's prefix and line out of its error.
func yamlText(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if _, rest, ok := strings.Cut(text, ": "); ok && strings.HasPrefix(text, "line ") {
		return rest
	}
	return text
}

// pair is one key of a mapping.
type pair struct{ key, value *yaml.Node }

// pairsOf returns the pairs of a mapping in their order, those of `<<:` last and only where the key is not given.
func pairsOf(node *yaml.Node, depth int) []pair {
	var own, merged []pair
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Tag != "!!merge" {
			own = append(own, pair{key, value})
			continue
		}
		sources := []*yaml.Node{value}
		if list := resolve(value); list.Kind == yaml.SequenceNode {
			sources = list.Content
		}
		for _, source := range sources {
			if from := resolve(source); from.Kind == yaml.MappingNode && depth < maxMergeDepth {
				merged = append(merged, pairsOf(from, depth+1)...)
			}
		}
	}
	given := map[string]bool{}
	for _, p := range own {
		given[p.key.Value] = true
	}
	for _, p := range merged {
		if !given[p.key.Value] {
			given[p.key.Value] = true
			own = append(own, p)
		}
	}
	return own
}

// resolve follows an alias to its anchor.
func resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

func isNull(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.Tag == "!!null" }

// kindOf says what was found, for a problem.
func kindOf(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case isNull(node):
		return "nothing"
	}
	return strconv.Quote(node.Value)
}
