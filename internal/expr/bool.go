package expr

import "sync"

// Bool is an expression that is true or false. It compiles when first needed. A nil *Bool is no condition: true.
type Bool struct {
	src     string
	compile func() (*program, error)
}

// Bool takes an expression; nothing is compiled yet.
func (s *Scope) Bool(src string) *Bool {
	return &Bool{src: src, compile: sync.OnceValues(func() (*program, error) {
		p, err := s.compile(src, compileOptions{})
		if err != nil {
			return nil, err
		}
		return p, wantLeaves(src, p.leaves, kindBool, "true or false is needed here")
	})}
}

// wantLeaves is an error for the first leaf that is neither of the kind nor nil nor unknown.
func wantLeaves(src string, leaves []leaf, want kind, need string) error {
	for _, l := range leaves {
		if l.kind != want && l.kind != kindNil && l.kind != kindUnknown {
			return errorAt(src, l.at, "this is "+l.shown+"; "+need)
		}
	}
	return nil
}

// Check compiles the expression; its error is an *Error.
func (b *Bool) Check() error {
	if b == nil {
		return nil
	}
	_, err := b.compile()
	return err
}

// Source is the expression as written.
func (b *Bool) Source() string {
	if b == nil {
		return ""
	}
	return b.src
}

// Eval is the value. Nil counts as false.
func (b *Bool) Eval(env *Env) (bool, error) {
	if b == nil {
		return true, nil
	}
	p, err := b.compile()
	if err != nil {
		return false, err
	}
	value, err := p.run(env)
	if err != nil {
		return false, err
	}
	truth, ok := value.(bool)
	if !ok && value != nil {
		return false, &Error{Source: b.src, Text: "it gave " + Show(value) + "; true or false is needed here"}
	}
	return truth, nil
}

// Reads is what the expression reads, by path, with its present values (`host.memory_pressure`: "elevated"). Empty when
// it does not compile.
func (b *Bool) Reads(env *Env) map[string]any {
	if b == nil {
		return nil
	}
	return readsFrom(b.compile, env)
}

func readsFrom(compile func() (*program, error), env *Env) map[string]any {
	p, err := compile()
	if err != nil {
		return map[string]any{}
	}
	return p.values(env)
}
