package expr

import (
	"errors"
	"reflect"
	"strings"

	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
)

// Error is an expression that does not compile or cannot be evaluated.
type Error struct {
	Source  string // the expression
	Line    int    // in the expression, from 1; 0 when unknown
	Column  int    // in characters, from 1; 0 when unknown
	Text    string // what was found and what was expected
	Nearest string // the nearest valid name; empty when none is close
}

// Error is the text, and below it the expression with a caret under the place.
func (e *Error) Error() string {
	if snippet := e.Snippet(); snippet != "" {
		return e.Message() + "\n" + snippet
	}
	return e.Message()
}

// Message is the text with the nearest name, in one line.
func (e *Error) Message() string {
	if e.Nearest != "" {
		return e.Text + " (did you mean " + e.Nearest + "?)"
	}
	return e.Text
}

// Message is an error in one line: an *Error without its snippet.
func Message(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message()
	}
	return err.Error()
}

// Snippet is the line of the expression with a caret under the place, indented by four; empty when the place is unknown.
func (e *Error) Snippet() string {
	lines := strings.Split(e.Source, "\n")
	if e.Line < 1 || e.Column < 1 || e.Line > len(lines) {
		return ""
	}
	line := strings.ReplaceAll(lines[e.Line-1], "\t", " ")
	return "    " + line + "\n    " + strings.Repeat(" ", e.Column-1) + "^"
}

// errorAt is an error at a place of the expression, counted in characters from 0.
func errorAt(src string, at int, text string) *Error {
	place := (&file.Error{Location: file.Location{From: at, To: at}}).Bind(file.NewSource(src))
	return &Error{Source: src, Line: place.Line, Column: place.Column + 1, Text: text}
}

// libraryError puts the library's message into the words of expressions, with the nearest name.
func libraryError(src string, err error, cfg *conf.Config) *Error {
	var place *file.Error
	if !errors.As(err, &place) {
		return &Error{Source: src, Text: err.Error()}
	}
	e := &Error{Source: src, Line: place.Line, Column: place.Column + 1, Text: place.Message}
	if place.Message == "unexpected token EOF" {
		e.Text = "the expression ends too early"
		return e
	}
	if name, ok := strings.CutPrefix(place.Message, "unknown name "); ok {
		e.Text = "unknown name " + name
		e.Nearest = Nearest(name, append(rootNames(), functionNames(cfg)...))
		return e
	}
	if owner, name, ok := cutUnknownField(place.Message); ok {
		root, fields := fieldsOfType(owner)
		e.Text = root + " has no field " + name
		e.Nearest = Nearest(name, fields)
		return e
	}
	e.Text = strings.NewReplacer("*expr.", "", "expr.", "", "[]interface {}", "list", "map[string]interface {}", "map",
		"interface {}", "any", "float64", "float", "map[string]*string", "map", "*string", "string").Replace(e.Text)
	return e
}

// cutUnknownField takes the library's "type expr.Card has no field prioriti" apart.
func cutUnknownField(message string) (owner, name string, ok bool) {
	rest, ok := strings.CutPrefix(message, "type ")
	if !ok {
		return "", "", false
	}
	for _, word := range []string{" has no field ", " has no method "} {
		if owner, name, ok := strings.Cut(rest, word); ok {
			return strings.TrimPrefix(strings.TrimPrefix(owner, "*"), "expr."), name, true
		}
	}
	return "", "", false
}

// fieldsOfType gives the root (or list element) whose Go type has this name as expressions call it, and its fields.
func fieldsOfType(name string) (shown string, fields []string) {
	env := reflect.TypeFor[Env]()
	for field := range env.Fields() {
		t := field.Type
		if t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Name() == name && t.Kind() == reflect.Struct {
			return strings.ToLower(name), fieldNames(t)
		}
	}
	if name == "Subtask" {
		return "subtask", fieldNames(reflect.TypeFor[Subtask]())
	}
	return name, nil
}

func fieldNames(t reflect.Type) []string {
	names := make([]string, 0, t.NumField())
	for field := range t.Fields() {
		if tag := field.Tag.Get("expr"); tag != "" {
			names = append(names, tag)
		}
	}
	return names
}

func rootNames() []string { return append(fieldNames(reflect.TypeFor[Env]()), "params") }

func functionNames(cfg *conf.Config) []string {
	if cfg.Functions["duration"] == nil {
		return builtinsOfNumbers()
	}
	return builtinsOfOthers()
}
