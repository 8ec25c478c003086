package expr

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Template is text with `{{ expr }}` in it. It compiles when first needed. A nil *Template is empty.
type Template struct {
	src     string
	literal bool
	compile func() ([]segment, error)
}

// segment is a piece of text, or an expression where program is not nil.
type segment struct {
	text string
	*program
}

// Template takes a text; nothing is compiled yet.
func (s *Scope) Template(src string) *Template {
	t := &Template{src: src, literal: !strings.Contains(src, "{{")}
	t.compile = sync.OnceValues(func() ([]segment, error) { return s.compileTemplate(src) })
	return t
}

func (s *Scope) compileTemplate(src string) ([]segment, error) {
	var segments []segment
	var problems []error
	for at := 0; at < len(src); {
		open := strings.Index(src[at:], "{{")
		if open < 0 {
			return append(segments, segment{text: src[at:]}), errors.Join(problems...)
		}
		if open > 0 {
			segments = append(segments, segment{text: src[at : at+open]})
		}
		start := at + open + 2
		end := closing(src, start)
		if end < 0 {
			problems = append(problems, errorAt(src, utf8.RuneCountInString(src[:start-2]), "{{ without a }}"))
			return nil, errors.Join(problems...)
		}
		p, err := s.compile(src[start:end], compileOptions{})
		if err != nil {
			problems = append(problems, inTemplate(src, start, err))
		}
		segments = append(segments, segment{program: p})
		at = end + 2
	}
	return segments, errors.Join(problems...)
}

// closing is where the `}}` of an expression that begins at start stands, -1 for nowhere. Braces in a quoted text or of a
// map do not close it.
func closing(src string, start int) int {
	depth, quote := 0, byte(0)
	for i := start; i < len(src); i++ {
		c := src[i]
		switch {
		case quote != 0:
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '}' && strings.HasPrefix(src[i:], "}}"):
			return i
		}
	}
	return -1
}

// inTemplate moves an error of an expression to its place in the template.
func inTemplate(src string, start int, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Line < 1 {
		return err
	}
	before := []rune(src[:start])
	at := len(before) + e.Column - 1
	for i, line := range strings.Split(e.Source, "\n") {
		if i >= e.Line-1 {
			break
		}
		at += utf8.RuneCountInString(line) + 1
	}
	moved := errorAt(src, at, e.Text)
	moved.Nearest = e.Nearest
	return moved
}

// Check compiles the expressions in the text. Its error is an *Error, or several joined.
func (t *Template) Check() error {
	if t == nil || t.literal {
		return nil
	}
	_, err := t.compile()
	return err
}

// Source is the text as written.
func (t *Template) Source() string {
	if t == nil {
		return ""
	}
	return t.src
}

// Literal is the text of a template without expressions.
func (t *Template) Literal() (text string, ok bool) {
	if t == nil {
		return "", true
	}
	return t.src, t.literal
}

// Pattern is the text as a glob: each `{{ expr }}` stands for `*`. Nothing is compiled.
func (t *Template) Pattern() string {
	if t == nil {
		return ""
	}
	var b strings.Builder
	rest := t.src
	for {
		text, after, found := strings.Cut(rest, "{{")
		b.WriteString(text)
		end := closing(after, 0)
		if !found || end < 0 {
			return b.String()
		}
		b.WriteByte('*')
		rest = after[end+2:]
	}
}

// Value is the value: of a single `{{ expr }}` with its type (nil for nothing), else the text.
func (t *Template) Value(env *Env) (any, error) {
	if t == nil {
		return nil, nil
	}
	if t.literal {
		return t.src, nil
	}
	segments, err := t.compile()
	if err != nil {
		return nil, err
	}
	if only := single(segments); only != nil {
		return only.run(env)
	}
	var b strings.Builder
	for _, s := range segments {
		if s.program == nil {
			b.WriteString(s.text)
			continue
		}
		value, err := s.run(env)
		if err != nil {
			return nil, err
		}
		b.WriteString(Text(value))
	}
	return b.String(), nil
}

// single is the expression of a template that is nothing else but blanks around it.
func single(segments []segment) *program {
	var only *program
	for _, s := range segments {
		switch {
		case s.program == nil && strings.TrimSpace(s.text) != "":
			return nil
		case s.program != nil && only != nil:
			return nil
		case s.program != nil:
			only = s.program
		}
	}
	return only
}

// Text is the value as text; nil is empty.
func (t *Template) Text(env *Env) (string, error) {
	value, err := t.Value(env)
	return Text(value), err
}

// Reads is what the expressions read, by path, with their present values. Empty when one does not compile.
func (t *Template) Reads(env *Env) map[string]any {
	values := map[string]any{}
	if t == nil || t.literal {
		return values
	}
	segments, err := t.compile()
	if err != nil {
		return values
	}
	for _, s := range segments {
		if s.program != nil {
			maps.Copy(values, s.values(env))
		}
	}
	return values
}

// Text writes a value as templates do: nil is empty, a time is RFC 3339, a list has commas, anything else is JSON.
func Text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case time.Time:
		return v.Format(time.RFC3339)
	case time.Duration:
		return FormatDuration(v)
	case []string:
		return strings.Join(v, ", ")
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			texts[i] = Text(deref(item))
		}
		return strings.Join(texts, ", ")
	}
	if data, err := json.Marshal(value); err == nil {
		return string(data)
	}
	return fmt.Sprint(value)
}

// Show writes a value for a message: texts quoted, nothing as nil.
func Show(value any) string {
	switch v := value.(type) {
	case nil:
		return "nil"
	case string:
		return strconv.Quote(v)
	}
	return Text(value)
}
