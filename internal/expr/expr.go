// Package expr compiles and evaluates the expressions of workflows: booleans, whole numbers, order keys and templates,
// over the typed environment Env, and reads the one duration grammar.
//
// An expression does no I/O, reads no clock but Env.Now, and is bounded in time and memory: it may walk a list once,
// never a list of lists, and cannot make a range. The library is github.com/expr-lang/expr; nothing else here imports it.
package expr

// Scope is what the expressions of one file are compiled in: its params. An expression reads params as constants, typed
// by their values, so `params.review == 3` is an error when review is a bool. It is safe for use by several goroutines.
type Scope struct {
	params map[string]any
}

// NewScope gives a scope with these params (nil for none). A value is nil, bool, int, float64, string, time.Time, []any
// or map[string]any of such. The map is not to be changed afterwards.
func NewScope(params map[string]any) *Scope { return &Scope{params: params} }

// Error is an expression that does not compile or cannot be evaluated.
type Error struct {
	Source string // the expression
	Column int    // in characters, from 1; 0 when unknown
	Text   string // what was found and what was expected
}

// Error is the text, with a caret under the place in the expression.
func (e *Error) Error() string { return e.Text }

// Bool is an expression that is true or false. It compiles when first needed.
type Bool struct{ src string }

// Bool takes an expression; nothing is compiled yet.
func (s *Scope) Bool(src string) *Bool { return &Bool{src: src} }

// Check compiles the expression and says what is wrong with it.
func (b *Bool) Check() error { return nil }

// Source is the expression as written.
func (b *Bool) Source() string { return b.src }

// Eval is the value. Nil counts as false. A nil *Bool is true: no condition.
func (b *Bool) Eval(env *Env) (bool, error) { return true, nil }

// Reads is what the expression reads, by path, with its present values (`host.memory_pressure`: "elevated").
func (b *Bool) Reads(env *Env) map[string]any { return nil }

// Number is an expression for a whole number from 0 to MaxNumber, or nil for no limit. It compiles when first needed.
type Number struct{ src string }

// MaxNumber is the largest number that a cap may have (chosen: no home runs a million sessions).
const MaxNumber = 1_000_000

// Number takes an expression; nothing is compiled yet. An empty text is nil.
func (s *Scope) Number(src string) *Number { return &Number{src: src} }

// Fixed is the number n, without an expression.
func Fixed(n int) *Number { return &Number{} }

// Check compiles the expression and says what is wrong with it.
func (n *Number) Check() error { return nil }

// Source is the expression as written.
func (n *Number) Source() string { return n.src }

// Eval is the value. ok is false when there is none (nil, or empty): no cap. A nil *Number has none. An error, a value out of range or
// one that is not a whole number is an error.
func (n *Number) Eval(env *Env) (value int, ok bool, err error) { return 0, false, nil }

// Constant is the value of a number written without an expression.
func (n *Number) Constant() (value int, ok bool) { return 0, false }

// Reads is what the expression reads, by path, with its present values.
func (n *Number) Reads(env *Env) map[string]any { return nil }

// Key is an order key. It compiles when first needed.
type Key struct{ src string }

// Key takes an expression; a leading `-` is descending.
func (s *Scope) Key(src string) *Key { return &Key{src: src} }

// Check compiles the expression and says what is wrong with it.
func (k *Key) Check() error { return nil }

// Source is the expression as written.
func (k *Key) Source() string { return k.src }

// Descending says whether larger values come first.
func (k *Key) Descending() bool { return false }

// Eval is the value to sort by.
func (k *Key) Eval(env *Env) (Value, error) { return Value{}, nil }

// Value is what an order key gave: nothing, a bool, a number, a text or a time.
type Value struct{}

// Compare is negative when a sorts before b by this key (its direction included), positive after, 0 for equal. Unlike
// kinds sort by kind: nothing, bools, numbers, texts, times.
func (k *Key) Compare(a, b Value) int { return 0 }

// Template is text with `{{ expr }}` in it. It compiles when first needed.
type Template struct{ src string }

// Template takes a text; nothing is compiled yet.
func (s *Scope) Template(src string) *Template { return &Template{src: src} }

// Check compiles the expressions in the text and says everything that is wrong with them.
func (t *Template) Check() error { return nil }

// Source is the text as written.
func (t *Template) Source() string { return t.src }

// Value is the value: of a single `{{ expr }}` with its type (nil for nothing), else the text.
func (t *Template) Value(env *Env) (any, error) { return nil, nil }

// Text is the value as text; nil is empty. A nil *Template is empty.
func (t *Template) Text(env *Env) (string, error) { return "", nil }

// Literal is the text of a template without expressions.
func (t *Template) Literal() (text string, ok bool) { return "", false }

// Reads is what the expressions read, by path, with their present values.
func (t *Template) Reads(env *Env) map[string]any { return nil }
