package expr

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// MaxNumber is the largest number that a cap may have (chosen: no home runs a million sessions).
const MaxNumber = 1_000_000

// Number is an expression for a whole number from 0 to MaxNumber, or nil for no limit. It compiles when first needed.
// A nil *Number is nil.
//
// A fraction is never made whole silently: where the library would turn 0.9 into 0, and 1/0 into the smallest number,
// an expression that can give a fraction does not compile, and says to write int(...).
type Number struct {
	src     string
	fixed   bool
	value   int
	compile func() (*program, error)
}

// Fixed is the number n, without an expression.
func Fixed(n int) *Number { return &Number{src: strconv.Itoa(n), fixed: true, value: n} }

// Number takes an expression; nothing is compiled yet. An empty text is nil; digits never reach the library.
func (s *Scope) Number(src string) *Number {
	text := strings.TrimSpace(src)
	if text == "" {
		return nil
	}
	if n, err := strconv.Atoi(text); err == nil {
		return Fixed(n)
	}
	return &Number{src: src, compile: sync.OnceValues(func() (*program, error) { return s.compileNumber(src) })}
}

func (s *Scope) compileNumber(src string) (*program, error) {
	p, err := s.compile(src, compileOptions{numbers: true})
	if err != nil {
		return nil, err
	}
	for _, l := range p.leaves {
		switch l.kind {
		case kindInt, kindNil, kindUnknown:
			continue
		case kindFloat:
			return nil, errorAt(src, l.at, "this can be a fraction; a whole number is needed: write int(...)")
		case kindText:
			if l.literal == "" && p.constant {
				continue // a param that is an empty text: no limit
			}
		case kindBool, kindTime, kindOther:
		}
		return nil, errorAt(src, l.at, "this is "+l.shown+"; a whole number is needed here")
	}
	return p, nil
}

// Check compiles the expression; its error is an *Error. A plain number out of range is one too.
func (n *Number) Check() error {
	if n == nil {
		return nil
	}
	if n.fixed {
		_, _, err := n.inRange(n.value)
		return err
	}
	p, err := n.compile()
	if err == nil && p.constant {
		_, _, err = n.whole(p.value)
	}
	return err
}

// Source is the expression as written.
func (n *Number) Source() string {
	if n == nil {
		return ""
	}
	return n.src
}

// Eval is the value; ok is false when there is none (nil, or an empty text): no limit. Anything but a whole number from
// 0 to MaxNumber is an error.
func (n *Number) Eval(env *Env) (value int, ok bool, err error) {
	if n == nil {
		return 0, false, nil
	}
	if n.fixed {
		return n.inRange(n.value)
	}
	p, err := n.compile()
	if err != nil {
		return 0, false, err
	}
	result, err := p.run(env)
	if err != nil {
		return 0, false, err
	}
	return n.whole(result)
}

func (n *Number) whole(result any) (value int, ok bool, err error) {
	switch v := result.(type) {
	case nil:
		return 0, false, nil
	case int:
		return n.inRange(v)
	case int64:
		return n.inRange(int(v))
	case string:
		if v == "" {
			return 0, false, nil
		}
	}
	return 0, false, &Error{Source: n.src, Text: "it gave " + Show(result) + "; a whole number is needed here"}
}

func (n *Number) inRange(v int) (value int, ok bool, err error) {
	if v < 0 || v > MaxNumber {
		return 0, false, &Error{Source: n.src, Text: fmt.Sprintf("it gave %d; a number from 0 to %d is needed here", v, MaxNumber)}
	}
	return v, true, nil
}

// Constant is the value of a number that reads nothing but params; ok is false when it reads more, is nil or is wrong.
func (n *Number) Constant() (value int, ok bool) {
	if n == nil {
		return 0, false
	}
	if !n.fixed {
		p, err := n.compile()
		if err != nil || !p.constant {
			return 0, false
		}
	}
	value, ok, err := n.Eval(&Env{})
	return value, ok && err == nil
}

// Reads is what the expression reads, by path, with its present values. Empty when it does not compile.
func (n *Number) Reads(env *Env) map[string]any {
	if n == nil || n.fixed {
		return nil
	}
	return readsFrom(n.compile, env)
}
