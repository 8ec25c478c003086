package expr

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/optimizer"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// MaxNodes is how large an expression may be (chosen: ten times the largest that anybody needed).
const MaxNodes = 500

// memoryBudget is how many list elements an evaluation may make (chosen: beyond any list of a card).
const memoryBudget = 100_000

// Scope is what the expressions of one file are compiled in: its params. An expression reads params as constants, typed
// by their values, so `params.review == 3` is an error when review is a bool. It is safe for use by several goroutines.
type Scope struct {
	params map[string]any

	mu      sync.Mutex // guards the configurations: the library's type cache is not safe for two compilations at once
	numbers *conf.Config
	general *conf.Config
}

// NewScope gives a scope with these params (nil for none). A value is nil, bool, int, float64, string, time.Time, []any
// or map[string]any of such. The map is not to be changed afterwards.
func NewScope(params map[string]any) *Scope { return &Scope{params: params} }

// builtinsOfNumbers are the functions that numbers may call.
func builtinsOfNumbers() []string {
	return []string{"min", "max", "abs", "floor", "ceil", "round", "int"}
}

// builtinsOfOthers are the functions that everything else may call: none reads a clock, none makes a text longer than
// what it was given by more than it was given (repeat, replace and reduce would).
func builtinsOfOthers() []string {
	return append(builtinsOfNumbers(), "float", "string", "len", "all", "none", "any", "one", "filter", "map", "count",
		"find", "first", "last", "join", "split", "trim", "trimPrefix", "trimSuffix", "upper", "lower",
		"indexOf", "keys", "reverse", "take", "duration")
}

// config gives the library's configuration for a kind of expression. The caller holds mu.
func (s *Scope) config(numbers bool) *conf.Config {
	if numbers {
		if s.numbers == nil {
			s.numbers = newConfig(builtinsOfNumbers())
		}
		return s.numbers
	}
	if s.general == nil {
		s.general = newConfig(builtinsOfOthers())
		s.general.Functions["duration"] = &builtin.Function{Name: "duration", Func: callDuration, Types: durationTypes()}
	}
	return s.general
}

func newConfig(allowed []string) *conf.Config {
	c := conf.New(Env{}) // not &Env{}: only of a struct does the library read a path such as card.status in one step
	c.MaxNodes = MaxNodes
	on := make(map[string]*builtin.Function, len(allowed))
	for _, name := range allowed {
		if f, ok := c.Builtins[name]; ok {
			on[name] = f
		}
	}
	for name := range c.Builtins {
		if on[name] == nil || name == "duration" {
			c.Disabled[name] = true
		}
	}
	c.Builtins = on
	return c
}

// callDuration is the expressions' duration function: the library's own knows another grammar.
func callDuration(args ...any) (any, error) {
	text, ok := deref(args[0]).(string)
	if !ok {
		return nil, ErrDuration
	}
	return ParseDuration(text)
}

// program is a compiled expression.
type program struct {
	scope    *Scope
	code     *vm.Program
	leaves   []leaf // what the expression can give
	reads    []path
	reversed bool // an order key's leading `-`, taken off
	constant bool // value is the result; code is nil
	value    any
	machines sync.Pool // of *vm.VM
}

// compileOptions say how the root of an expression is treated.
type compileOptions struct {
	numbers bool // only the functions of numbers
	key     bool // a leading `-` means descending
}

// compile parses, checks and compiles. Its error is an *Error.
func (s *Scope) compile(src string, opts compileOptions) (p *program, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if r := recover(); r != nil { // the library panics on some malformed input; a file must never end a tick
			p, err = nil, &Error{Source: src, Text: fmt.Sprintf("unreadable expression: %v", r)}
		}
	}()
	cfg := s.config(opts.numbers)
	tree, err := parser.ParseWithConfig(src, cfg)
	if err != nil {
		return nil, libraryError(src, err, cfg)
	}
	p = &program{scope: s}
	if opts.key {
		p.reversed = takeMinus(&tree.Node)
	}
	if err := checkShape(src, tree.Node, cfg); err != nil {
		return nil, err
	}
	p.reads = readsOf(tree.Node)
	foldParams(&tree.Node, s.params)
	if _, err := checker.Check(tree, cfg); err != nil {
		return nil, libraryError(src, err, cfg)
	}
	if err := checkVariables(src, tree.Node); err != nil {
		return nil, err
	}
	p.leaves = leavesOf(tree.Node)
	if value, ok := constantOf(tree.Node); ok {
		p.constant, p.value = true, value
		return p, nil
	}
	if err := optimizer.Optimize(&tree.Node, cfg); err != nil {
		return nil, libraryError(src, err, cfg)
	}
	if p.code, err = compiler.Compile(tree, cfg); err != nil {
		return nil, libraryError(src, err, cfg)
	}
	return p, nil
}

// run evaluates; pointers in the result are followed.
func (p *program) run(env *Env) (any, error) {
	if p.constant {
		return p.value, nil
	}
	machine, ok := p.machines.Get().(*vm.VM)
	if !ok {
		machine = &vm.VM{MemoryBudget: memoryBudget}
	}
	value, err := machine.Run(p.code, env)
	p.machines.Put(machine)
	if err != nil {
		return nil, runError(p.code.Source().String(), err)
	}
	return deref(value), nil
}

func runError(src string, err error) error {
	if place, ok := errors.AsType[*file.Error](err); ok {
		return &Error{Source: src, Line: place.Line, Column: place.Column + 1, Text: place.Message}
	}
	return &Error{Source: src, Text: err.Error()}
}

// deref follows the pointers that stand for a value that may be missing.
func deref(v any) any {
	switch v := v.(type) {
	case *string:
		if v == nil {
			return nil
		}
		return *v
	case *int:
		if v == nil {
			return nil
		}
		return *v
	case *time.Time:
		if v == nil {
			return nil
		}
		return *v
	}
	return v
}
