package expr

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
)

// checkShape refuses what would make an expression unbounded or let it see more than its roots.
func checkShape(src string, root ast.Node, cfg *conf.Config) *Error {
	var found *Error
	refuse := func(node ast.Node, text string) {
		if found == nil {
			found = errorAt(src, node.Location().From, text)
		}
	}
	walks := 0
	visit := func(node *ast.Node) {
		switch n := (*node).(type) {
		case *ast.IdentifierNode:
			if n.Value == "$env" {
				refuse(n, "$env is not available: name a root, such as card")
			}
		case *ast.BinaryNode:
			if n.Operator == ".." {
				refuse(n, "ranges (..) are not available: an expression may only walk lists that exist")
			}
		case *ast.BuiltinNode:
			if names := functionNames(cfg); !slices.Contains(names, n.Name) {
				refuse(n, "unknown name "+n.Name+"; the functions are "+strings.Join(names, ", "))
			}
			walks += walksInWalk(n)
		case *ast.VariableDeclaratorNode:
			if n.Name == "params" {
				refuse(n, "params is a root and cannot be declared")
			}
		}
	}
	ast.Walk(&root, visitor(visit))
	if walks > 0 {
		refuse(root, "a list may not be walked inside the walk of another: it could take for ever")
	}
	return found
}

// walksInWalk counts the walks over lists inside the predicate of a walk.
func walksInWalk(node *ast.BuiltinNode) int {
	walks := 0
	for _, arg := range node.Arguments {
		predicate, ok := arg.(*ast.PredicateNode)
		if !ok {
			continue
		}
		ast.Walk(&predicate.Node, visitor(func(inner *ast.Node) {
			if _, ok := (*inner).(*ast.PredicateNode); ok {
				walks++
			}
		}))
	}
	return walks
}

// checkVariables refuses variables that hold joined text: each could be several times as long as the one before it.
func checkVariables(src string, root ast.Node) error {
	var found error
	ast.Walk(&root, visitor(func(node *ast.Node) {
		variable, ok := (*node).(*ast.VariableDeclaratorNode)
		if !ok || found != nil {
			return
		}
		ast.Walk(&variable.Value, visitor(func(inner *ast.Node) {
			k := kindOf((*inner).Nature())
			joins := k == kindText || k == kindUnknown
			switch n := (*inner).(type) {
			case *ast.BinaryNode:
				joins = joins && n.Operator == "+"
			case *ast.BuiltinNode:
				joins = joins && (n.Name == "join" || n.Name == "string")
			default:
				joins = false
			}
			if joins && found == nil {
				found = errorAt(src, (*inner).Location().From, "a variable cannot hold joined text: join it where it is used")
			}
		}))
	}))
	return found
}
