package strict

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// Value is a value of a file and the path of its key. The zero Value is a key that is not there: its readers give the
// zero of their type and tell no problem.
type Value struct {
	f    *File
	node *yaml.Node
	path string
}

// Given says whether the key is there and not null.
func (v Value) Given() bool { return v.node != nil && !isNull(v.resolved()) }

// Present says whether the key is there, be it null.
func (v Value) Present() bool { return v.node != nil }

// IsMap says whether the value is a map.
func (v Value) IsMap() bool { return v.node != nil && v.resolved().Kind == yaml.MappingNode }

// Len is how many entries a map, or items a list has; 0 for anything else.
func (v Value) Len() int {
	switch {
	case v.IsMap():
		return len(v.resolved().Content) / 2
	case v.IsList():
		return len(v.resolved().Content)
	}
	return 0
}

// IsList says whether the value is a list.
func (v Value) IsList() bool { return v.node != nil && v.resolved().Kind == yaml.SequenceNode }

// IsText says whether the value is a text.
func (v Value) IsText() bool { return v.node != nil && v.resolved().ShortTag() == "!!str" }

// Origin is where the value stands.
func (v Value) Origin() Origin {
	if v.node == nil {
		return Origin{}
	}
	return Origin{File: v.f.name, Line: v.node.Line, Column: v.node.Column, Path: v.path}
}

// Remark is the comment behind the value in its line, without its mark; empty where there is none.
func (v Value) Remark() string {
	if v.node == nil {
		return ""
	}
	return strings.TrimSpace(strings.TrimLeft(v.node.LineComment, "#"))
}

// Problem tells of a problem with the value, with the nearest of the names to what was found; empty when none is near.
func (v Value) Problem(text, nearest string) {
	v.f.Add(Problem{Origin: v.Origin(), Text: text, Nearest: nearest})
}

// ExprProblem tells what is wrong with the value as an expression: each *expr.Error in err at its place.
func (v Value) ExprProblem(err error) {
	for _, p := range v.ExprProblems(err) {
		v.f.Add(p)
	}
}

// ExprProblems are the problems of a value as an expression: each *expr.Error in err at its place.
func (v Value) ExprProblems(err error) Problems {
	problems := ExprProblems(v.Origin(), err)
	for i := range problems {
		p := &problems[i]
		p.Line, p.Column = v.f.placeIn(v.resolved(), p.Line-v.node.Line+1, p.Column-v.node.Column+1)
	}
	return problems
}

// ExprProblems are the problems of a text that begins at a place: each *expr.Error in err, its place counted from there.
func ExprProblems(at Origin, err error) Problems {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var problems Problems
		for _, one := range several.Unwrap() {
			problems = append(problems, ExprProblems(at, one)...)
		}
		return problems
	}
	var e *expr.Error
	if !errors.As(err, &e) {
		return Problems{{Origin: at, Text: err.Error()}}
	}
	if e.Line > 0 && e.Column > 0 {
		at.Line, at.Column = at.Line+e.Line-1, at.Column+e.Column-1
	}
	return Problems{{Origin: at, Text: e.Text, Nearest: e.Nearest, Snippet: e.Snippet()}}
}

func (v Value) wrong(want string) { v.Problem("found "+v.found()+"; expected "+want, "") }

// found says what the value is, for people.
func (v Value) found() string {
	node := v.resolved()
	switch node.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode, yaml.DocumentNode, yaml.AliasNode:
	}
	if isNull(node) {
		return "nothing"
	}
	text := node.Value
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "..."
	}
	if node.ShortTag() == "!!str" {
		return strconv.Quote(text)
	}
	return text
}

// resolved follows an alias.
func (v Value) resolved() *yaml.Node {
	node := v.node
	for i := 0; node.Kind == yaml.AliasNode && i < maxDepth; i++ {
		node = node.Alias
	}
	return node
}

// count bounds how many values are read.
func (v Value) count() bool {
	v.f.nodes++
	if v.f.nodes == maxNodes {
		v.Problem(fmt.Sprintf("more than %d values, aliases counted each time", maxNodes), "")
	}
	return v.f.nodes < maxNodes
}

// Field is an entry of a map.
type Field struct {
	Name string
	Key  Origin // of the name
	Value
}

// Fields are the entries of a map, in the file's order, merge keys (`<<`) worked in behind the map's own. A name that
// is there twice is a problem.
func (v Value) Fields() []Field {
	if !v.Given() {
		return nil
	}
	if v.resolved().Kind != yaml.MappingNode {
		v.wrong("a map")
		return nil
	}
	return v.fields(nil, 0)
}

func (v Value) fields(before []Field, depth int) []Field {
	node := v.resolved()
	if node.Kind != yaml.MappingNode || depth > maxDepth {
		v.wrong("a map to merge")
		return before
	}
	fields, own := before, map[string]int{}
	var merged []Value
	for i := 0; i+1 < len(node.Content) && v.count(); i += 2 {
		key, value := node.Content[i], Value{f: v.f, node: node.Content[i+1]}
		at := Value{f: v.f, node: key, path: v.path}
		name := at.resolved()
		if name.Kind != yaml.ScalarNode {
			at.wrong("a name")
			continue
		}
		if name.ShortTag() == "!!merge" {
			merged = append(merged, value)
			continue
		}
		if line, twice := own[name.Value]; twice {
			at.Problem(fmt.Sprintf("%q is here twice; the first is in line %d", name.Value, line), "")
			continue
		}
		own[name.Value] = key.Line
		if depth > 0 && slices.ContainsFunc(before, func(f Field) bool { return f.Name == name.Value }) {
			continue // the map's own entry is stronger than a merged one
		}
		value.path = join(v.path, name.Value)
		fields = append(fields, Field{Name: name.Value, Key: at.Origin(), Value: value})
	}
	for _, m := range merged {
		m.path = v.path
		if list := m.resolved(); list.Kind == yaml.SequenceNode {
			for _, item := range list.Content {
				fields = Value{f: v.f, node: item, path: v.path}.fields(fields, depth+1)
			}
			continue
		}
		fields = m.fields(fields, depth+1)
	}
	return fields
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Keys are the entries of a map whose names are known; any other name is a problem.
func (v Value) Keys(known ...string) Keys {
	keys := make(Keys, 0, len(known))
	for _, field := range v.Fields() {
		if slices.Contains(known, field.Name) {
			keys = append(keys, field)
			continue
		}
		v.f.Add(Problem{
			Origin: field.Key, Nearest: expr.Nearest(field.Name, known),
			Text: fmt.Sprintf("unknown key %q; known are %s", field.Name, strings.Join(known, ", ")),
		})
	}
	return keys
}

// Keys are the entries of a map with known names.
type Keys []Field

// Get is the value of a key; the zero Value when it is not there.
func (k Keys) Get(name string) Value {
	for i := range k {
		if k[i].Name == name {
			return k[i].Value
		}
	}
	return Value{}
}

// Items are the values of a list.
func (v Value) Items() []Value {
	if !v.Given() {
		return nil
	}
	node := v.resolved()
	if node.Kind != yaml.SequenceNode {
		v.wrong("a list")
		return nil
	}
	items := make([]Value, 0, len(node.Content))
	for i, item := range node.Content {
		if !v.count() {
			break
		}
		items = append(items, Value{f: v.f, node: item, path: fmt.Sprintf("%s[%d]", v.path, i)})
	}
	return items
}
