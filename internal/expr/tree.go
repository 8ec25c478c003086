package expr

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"
)

func durationTypes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[func(string) time.Duration]()}
}

// visitor calls a function for every node, children first.
type visitor func(node *ast.Node)

// Visit is the library's callback.
func (v visitor) Visit(node *ast.Node) { v(node) }

// takeMinus takes a leading `-` off the root and says whether there was one.
func takeMinus(root *ast.Node) bool {
	minus, ok := (*root).(*ast.UnaryNode)
	if ok && minus.Operator == "-" {
		*root = minus.Node
		return true
	}
	return false
}

// foldParams puts the values of params in place of their paths. A path through a missing key is nil, and so is one that
// an expression takes from a params map with a key it works out.
func foldParams(root *ast.Node, params map[string]any) {
	ast.Walk(root, visitor(func(node *ast.Node) {
		switch n := (*node).(type) {
		case *ast.IdentifierNode:
			if n.Value == "params" {
				ast.Patch(node, &ast.ConstantNode{Value: nonNil(params)})
			}
		case *ast.MemberNode:
			foldMember(node, n)
		case *ast.ChainNode:
			if _, ok := constantOf(n.Node); ok {
				*node = n.Node
			}
		}
	}))
}

func nonNil(params map[string]any) map[string]any {
	if params == nil {
		return map[string]any{}
	}
	return params
}

func foldMember(node *ast.Node, member *ast.MemberNode) {
	if _, ok := member.Node.(*ast.NilNode); ok {
		ast.Patch(node, &ast.NilNode{})
		return
	}
	owner, ok := member.Node.(*ast.ConstantNode)
	if !ok {
		if fromParams(member.Node) && !member.Optional {
			member.Optional = true
			ast.Patch(node, &ast.ChainNode{Node: member})
		}
		return
	}
	key, ok := constantOf(member.Property)
	if !ok {
		return
	}
	fields, isMap := owner.Value.(map[string]any)
	name, isText := key.(string)
	if isMap && isText {
		ast.Patch(node, constantNode(fields[name]))
		return
	}
	items, isList := owner.Value.([]any)
	index, isInt := key.(int)
	if isList && isInt && index >= 0 && index < len(items) {
		ast.Patch(node, constantNode(items[index]))
	}
}

// fromParams says whether a node takes something out of a params map by a key that is worked out.
func fromParams(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.ConstantNode:
		return true
	case *ast.MemberNode:
		return fromParams(n.Node)
	case *ast.ChainNode:
		return fromParams(n.Node)
	}
	return false
}

func constantNode(value any) ast.Node {
	switch v := value.(type) {
	case nil:
		return &ast.NilNode{}
	case bool:
		return &ast.BoolNode{Value: v}
	case int:
		return &ast.IntegerNode{Value: v}
	case float64:
		return &ast.FloatNode{Value: v}
	case string:
		return &ast.StringNode{Value: v}
	}
	return &ast.ConstantNode{Value: value}
}

// constantOf is the value of a node that is a constant.
func constantOf(node ast.Node) (any, bool) {
	switch n := node.(type) {
	case *ast.NilNode:
		return nil, true
	case *ast.BoolNode:
		return n.Value, true
	case *ast.IntegerNode:
		return n.Value, true
	case *ast.FloatNode:
		return n.Value, true
	case *ast.StringNode:
		return n.Value, true
	case *ast.ConstantNode:
		return n.Value, true
	}
	return nil, false
}

// leaf is one thing that an expression can give.
type leaf struct {
	at      int // its place, in characters from 0
	kind    kind
	shown   string // its type, for people
	literal string // of a text constant
}

// kind is what is known of a leaf's type.
type kind uint8

const (
	kindUnknown kind = iota // known only when it is evaluated
	kindNil
	kindBool
	kindInt
	kindFloat
	kindText
	kindTime
	kindOther
)

// leavesOf gives what a checked expression can give: the branches of conditionals and of `??`, and the arguments of min,
// max and abs, whose own type the library takes from the first argument alone.
func leavesOf(node ast.Node) []leaf {
	switch n := node.(type) {
	case *ast.ConditionalNode:
		return append(leavesOf(n.Exp1), leavesOf(n.Exp2)...)
	case *ast.SequenceNode:
		return leavesOf(n.Nodes[len(n.Nodes)-1])
	case *ast.VariableDeclaratorNode:
		return leavesOf(n.Expr)
	case *ast.ChainNode:
		return leavesOf(n.Node)
	case *ast.BinaryNode:
		if n.Operator == "??" {
			left := slices.DeleteFunc(leavesOf(n.Left), func(l leaf) bool { return l.kind == kindNil })
			return append(left, leavesOf(n.Right)...)
		}
	case *ast.BuiltinNode:
		if n.Name == "min" || n.Name == "max" || n.Name == "abs" {
			var leaves []leaf
			for _, arg := range n.Arguments {
				leaves = append(leaves, leavesOf(arg)...)
			}
			return leaves
		}
	}
	text, _ := node.(*ast.StringNode)
	l := leaf{at: node.Location().From, kind: kindOf(node.Nature())}
	l.shown = shownKind(l.kind, node.Nature())
	if text != nil {
		l.literal = text.Value
	}
	return []leaf{l}
}

func kindOf(n *nature.Nature) kind {
	if n.Nil {
		return kindNil
	}
	if n.Type == nil {
		return kindUnknown
	}
	return kindOfType(n.Type)
}

func kindOfType(t reflect.Type) kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return kindTime
	case t == reflect.TypeFor[time.Duration]():
		return kindOther
	}
	switch t.Kind() { //nolint:exhaustive // the rest is kindOther
	case reflect.Interface:
		return kindUnknown
	case reflect.Bool:
		return kindBool
	case reflect.Int, reflect.Int64:
		return kindInt
	case reflect.Float64:
		return kindFloat
	case reflect.String:
		return kindText
	}
	return kindOther
}

func shownKind(k kind, n *nature.Nature) string {
	switch k {
	case kindUnknown:
		return "any"
	case kindNil:
		return "nil"
	case kindBool:
		return "a bool"
	case kindInt:
		return "a whole number"
	case kindFloat:
		return "a fraction (float)"
	case kindText:
		return "a text"
	case kindTime:
		return "a time"
	case kindOther:
	}
	switch n.Kind { //nolint:exhaustive // the rest is named by its type
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a map"
	}
	return "a " + strings.ToLower(n.Type.Name())
}
