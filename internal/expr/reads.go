package expr

import (
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// path is a value that an expression reads: a root and its fields.
type path []string

// readsOf collects the paths of an expression as written, each once. A part that is worked out ends its path.
func readsOf(root ast.Node) []path {
	var paths []path
	seen := map[string]bool{}
	var visit func(node ast.Node)
	add := func(p path) {
		if name := strings.Join(p, "."); !seen[name] {
			seen[name] = true
			paths = append(paths, p)
		}
	}
	inner := map[ast.Node]bool{} // parts of a longer path, and names of fields
	visit = func(node ast.Node) {
		if inner[node] {
			return
		}
		if p, parts := pathOf(node); p != nil {
			for _, part := range parts {
				inner[part] = true
			}
			add(p)
		}
	}
	for _, node := range outermostFirst(root) {
		visit(node)
	}
	return paths
}

// outermostFirst lists the nodes so that a node comes before its children.
func outermostFirst(root ast.Node) []ast.Node {
	var nodes []ast.Node
	ast.Walk(&root, visitor(func(node *ast.Node) { nodes = append(nodes, *node) }))
	for i, j := 0, len(nodes)-1; i < j; i, j = i+1, j-1 {
		nodes[i], nodes[j] = nodes[j], nodes[i]
	}
	return nodes
}

// pathOf is the path that a node stands for, nil when it is none, and the nodes that are part of it.
func pathOf(node ast.Node) (path, []ast.Node) {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		if isRoot(n.Value) {
			return path{n.Value}, nil
		}
	case *ast.MemberNode:
		name, ok := n.Property.(*ast.StringNode)
		owner, parts := pathOf(n.Node)
		if owner == nil {
			return nil, nil
		}
		parts = append(parts, n.Node, n.Property)
		if n.Method {
			return owner, parts
		}
		if ok {
			return append(slices.Clip(owner), name.Value), parts
		}
	}
	return nil, nil
}

func isRoot(name string) bool {
	if name == "params" {
		return true
	}
	_, ok := fieldByTag(reflect.TypeFor[Env](), name)
	return ok
}

func fieldByTag(t reflect.Type, tag string) (int, bool) {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("expr") == tag {
			return i, true
		}
	}
	return 0, false
}

// values looks the paths up. Whole roots, maps and lists are left out: they explain nothing to a person.
func (p *program) values(env *Env) map[string]any {
	values := make(map[string]any, len(p.reads))
	for _, path := range p.reads {
		if value, ok := p.scope.lookup(path, env); ok {
			values[strings.Join(path, ".")] = value
		}
	}
	return values
}

func (s *Scope) lookup(path path, env *Env) (any, bool) {
	v := reflect.ValueOf(env).Elem()
	if path[0] == "params" {
		v = reflect.ValueOf(s.params)
		path = path[1:]
	}
	for _, name := range path {
		for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		v = member(v, name)
	}
	return shownValue(v)
}

// member is a field or a key; the zero Value when there is none.
func member(v reflect.Value, name string) reflect.Value {
	switch {
	case v.Kind() == reflect.Struct:
		if i, ok := fieldByTag(v.Type(), name); ok {
			return v.Field(i)
		}
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		return v.MapIndex(reflect.ValueOf(name))
	}
	return reflect.Value{}
}

func shownValue(v reflect.Value) (any, bool) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !v.IsValid() {
		return nil, true
	}
	switch k := kindOfType(v.Type()); k {
	case kindBool, kindInt, kindFloat, kindText, kindTime:
		return v.Interface(), true
	case kindUnknown, kindNil, kindOther:
	}
	return nil, false
}
