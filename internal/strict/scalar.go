package strict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// scalar is a scalar. Null is as if the key were not there.
func (v Value) scalar(want string) (*yaml.Node, bool) {
	if !v.Given() {
		return nil, false
	}
	node := v.resolved()
	if node.Kind != yaml.ScalarNode {
		v.wrong(want)
		return nil, false
	}
	return node, true
}

// Text is a text.
func (v Value) Text() string {
	node, ok := v.scalar("a text")
	if !ok {
		return ""
	}
	if node.ShortTag() != "!!str" {
		v.wrong("a text (put it in quotes)")
		return ""
	}
	return node.Value
}

// ScalarText is any scalar as it is written, for what may be an expression: 3, true and a text alike.
func (v Value) ScalarText(want string) string {
	node, ok := v.scalar(want)
	if !ok {
		return ""
	}
	return node.Value
}

// Texts is a list of texts, or one text.
func (v Value) Texts() []string {
	if !v.Given() {
		return nil
	}
	if v.resolved().Kind != yaml.SequenceNode {
		if text := v.Text(); text != "" {
			return []string{text}
		}
		return nil
	}
	items := v.Items()
	texts := make([]string, 0, len(items))
	for _, item := range items {
		if !item.Given() {
			item.wrong("a text")
		}
		texts = append(texts, item.Text())
	}
	return texts
}

// OneOf is a text out of a closed set; empty when it is not there.
func (v Value) OneOf(names ...string) string {
	node, ok := v.scalar("one of " + strings.Join(names, ", "))
	if !ok {
		return ""
	}
	if !slices.Contains(names, node.Value) {
		v.Problem(fmt.Sprintf("found %s; expected one of %s", v.found(), strings.Join(names, ", ")), expr.Nearest(node.Value, names))
		return ""
	}
	return node.Value
}

// Bool is true or false; def when it is not there.
func (v Value) Bool(def bool) bool {
	node, ok := v.scalar("true or false")
	if !ok {
		return def
	}
	if node.ShortTag() != "!!bool" {
		v.wrong("true or false")
		return def
	}
	return strings.EqualFold(node.Value, "true")
}

// Int is a whole number from low to high; def when it is not there.
func (v Value) Int(low, high, def int) int {
	want := fmt.Sprintf("a whole number from %d to %d", low, high)
	if low == high {
		want = strconv.Itoa(low)
	}
	node, ok := v.scalar(want)
	if !ok {
		return def
	}
	n, err := strconv.Atoi(node.Value)
	if err != nil || node.ShortTag() != "!!int" || n < low || n > high {
		v.wrong(want)
		return def
	}
	return n
}

// Float is a number from low to high; def when it is not there.
func (v Value) Float(low, high, def float64) float64 {
	want := fmt.Sprintf("a number from %g to %g", low, high)
	node, ok := v.scalar(want)
	if !ok {
		return def
	}
	n, err := strconv.ParseFloat(node.Value, 64)
	if tag := node.ShortTag(); err != nil || tag != "!!int" && tag != "!!float" || !(n >= low && n <= high) {
		v.wrong(want)
		return def
	}
	return n
}

// Duration is a duration of the one grammar; def when it is not there.
func (v Value) Duration(def time.Duration) time.Duration {
	node, ok := v.scalar("a duration such as 90s, 30 min or 1h30m")
	if !ok {
		return def
	}
	d, err := expr.ParseDuration(node.Value)
	if err != nil {
		v.wrong("a duration such as 90s, 30 min or 1h30m")
		return def
	}
	return d
}

// Any is the value as params have it: nil, bool, int, float64, string, time.Time, []any or map[string]any.
func (v Value) Any() any { return v.any(0) }

func (v Value) any(depth int) any {
	if !v.Present() || !v.count() {
		return nil
	}
	node := v.resolved()
	if depth > maxDepth {
		v.Problem("nested too deeply, or an alias that contains itself", "")
		return nil
	}
	switch node.Kind {
	case yaml.MappingNode:
		fields := v.Fields()
		m := make(map[string]any, len(fields))
		for _, field := range fields {
			m[field.Name] = field.any(depth + 1)
		}
		return m
	case yaml.SequenceNode:
		items := v.Items()
		list := make([]any, 0, len(items))
		for _, item := range items {
			list = append(list, item.any(depth+1))
		}
		return list
	case yaml.ScalarNode, yaml.DocumentNode, yaml.AliasNode:
	}
	return v.scalarAny(node)
}

func (v Value) scalarAny(node *yaml.Node) any {
	var decoded any
	if err := node.Decode(&decoded); err != nil {
		v.Problem("unreadable: "+strings.TrimPrefix(err.Error(), "yaml: "), "")
		return nil
	}
	switch value := decoded.(type) {
	case nil, bool, int, float64, string, time.Time:
		return value
	}
	v.wrong("nothing, true or false, a number or a text")
	return nil
}
