package expr

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// Key is an order key: an expression whose value cards are sorted by. It compiles when first needed.
type Key struct {
	src     string
	compile func() (keyProgram, error)
}

type keyProgram struct {
	column     []int // of a key that is a plain column: its field in Env, read without the library
	descending bool
	*program
}

// Key takes an expression; a leading `-` is descending. Nothing is compiled yet.
func (s *Scope) Key(src string) *Key {
	return &Key{src: src, compile: sync.OnceValues(func() (keyProgram, error) { return s.compileKey(src) })}
}

func (s *Scope) compileKey(src string) (keyProgram, error) {
	if column, descending := plainColumn(src); column != nil {
		return keyProgram{column: column, descending: descending}, nil
	}
	p, err := s.compile(src, compileOptions{key: true})
	if err != nil {
		return keyProgram{}, err
	}
	for _, l := range p.leaves {
		if l.kind == kindOther {
			return keyProgram{}, errorAt(src, l.at, "this is "+l.shown+"; an order key is a number, a text, true or false, or a time")
		}
	}
	return keyProgram{program: p, descending: p.reversed}, nil
}

// plainColumn is the field of a key such as `-card.priority`, nil for anything more.
func plainColumn(src string) (field []int, descending bool) {
	text, descending := strings.CutPrefix(strings.TrimSpace(src), "-")
	root, name, ok := strings.Cut(strings.TrimSpace(text), ".")
	if !ok {
		return nil, false
	}
	env := reflect.TypeFor[Env]()
	i, ok := fieldByTag(env, root)
	if !ok || env.Field(i).Type.Kind() != reflect.Struct {
		return nil, false
	}
	j, ok := fieldByTag(env.Field(i).Type, name)
	if !ok || kindOfType(env.Field(i).Type.Field(j).Type) == kindOther {
		return nil, false
	}
	return []int{i, j}, descending
}

// Check compiles the expression; its error is an *Error.
func (k *Key) Check() error {
	_, err := k.compile()
	return err
}

// Source is the expression as written.
func (k *Key) Source() string { return k.src }

// Reads is what the expression reads, by path, with its present values. Empty when it does not compile, and for a plain
// column.
func (k *Key) Reads(env *Env) map[string]any {
	p, err := k.compile()
	if err != nil || p.program == nil {
		return map[string]any{}
	}
	return p.values(env)
}

// Descending says whether larger values come first. A key that does not compile is not.
func (k *Key) Descending() bool {
	p, err := k.compile()
	return err == nil && p.descending
}

// Eval is the value to sort by.
func (k *Key) Eval(env *Env) (Value, error) {
	p, err := k.compile()
	if err != nil {
		return Value{}, err
	}
	if p.column != nil {
		return valueOf(reflect.ValueOf(env).Elem().Field(p.column[0]).Field(p.column[1])), nil
	}
	result, err := p.run(env)
	if err != nil {
		return Value{}, err
	}
	v := valueOf(reflect.ValueOf(result))
	if v.kind == kindOther {
		return Value{}, &Error{Source: k.src, Text: "it gave " + Show(result) + "; an order key is a number, a text, true or false, or a time"}
	}
	return v, nil
}

// Value is what an order key gave: nothing, a bool, a number, a text or a time. The zero Value is nothing.
type Value struct {
	kind  kind
	whole int64 // of a bool, a whole number, a time (Unix microseconds)
	float float64
	text  string
}

func valueOf(v reflect.Value) Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case !v.IsValid():
		return Value{}
	case v.CanInt():
		return Value{kind: kindInt, whole: v.Int(), float: float64(v.Int())}
	case v.CanFloat():
		return Value{kind: kindFloat, float: v.Float()}
	case v.Kind() == reflect.String:
		return Value{kind: kindText, text: v.String()}
	case v.Kind() == reflect.Bool:
		truth := int64(0)
		if v.Bool() {
			truth = 1
		}
		return Value{kind: kindBool, whole: truth}
	}
	if t, ok := reflect.TypeAssert[time.Time](v); ok {
		return Value{kind: kindTime, whole: t.UnixMicro()}
	}
	return Value{kind: kindOther}
}

// class puts unlike values in an order: nothing, bools, numbers, texts, times.
func (v Value) class() int {
	switch v.kind {
	case kindUnknown, kindNil, kindOther:
		return 0
	case kindBool:
		return 1
	case kindInt, kindFloat:
		return 2
	case kindText:
		return 3
	case kindTime:
		return 4
	}
	return 0
}

// Compare is negative when a card with a sorts before one with b by this key, its direction included; positive after; 0
// for equal. Unlike kinds sort by kind: nothing, bools, numbers, texts, times.
func (k *Key) Compare(a, b Value) int {
	order := a.compare(b)
	if k.Descending() {
		return -order
	}
	return order
}

// Ranks are whole numbers in the order of the values, the key's direction included: equal ones for equal values, a lower one
// for a value that sorts before. Sorting many cards by them is cheaper than by Compare.
func (k *Key) Ranks(values []Value) []int64 {
	ranks := make([]int64, len(values))
	if !wholeAlike(values) {
		k.rankBySorting(values, ranks)
		return ranks
	}
	sign := int64(1)
	if k.Descending() {
		sign = -1
	}
	for i := range values {
		ranks[i] = sign * values[i].whole
	}
	return ranks
}

// wholeAlike says whether all values are bools, all whole numbers or all times.
func wholeAlike(values []Value) bool {
	for i := range values {
		switch values[i].kind {
		case kindBool, kindInt, kindTime:
			if values[i].kind != values[0].kind || values[i].whole == math.MinInt64 { // which has no negative
				return false
			}
		case kindUnknown, kindNil, kindFloat, kindText, kindOther:
			return false
		}
	}
	return true
}

func (k *Key) rankBySorting(values []Value, ranks []int64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return k.Compare(values[a], values[b]) })
	for n, i := range order {
		if n > 0 {
			ranks[i] = ranks[order[n-1]]
			if k.Compare(values[order[n-1]], values[i]) != 0 {
				ranks[i]++
			}
		}
	}
}

func (v Value) compare(w Value) int {
	if c := cmp.Compare(v.class(), w.class()); c != 0 {
		return c
	}
	switch {
	case v.kind == kindText:
		return strings.Compare(v.text, w.text)
	case v.kind == kindFloat || w.kind == kindFloat:
		return cmp.Compare(v.float, w.float)
	}
	return cmp.Compare(v.whole, w.whole)
}
