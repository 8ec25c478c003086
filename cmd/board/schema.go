package main

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/board"
)

func schemaCommand() command {
	return command{
		args: "VERB [WORD]", min: 1, max: 2,
		about:    "The JSON Schema of what a verb prints with --json; `board schema error` is that of a failure.",
		examples: []string{"board schema dispatch", "board schema roster pause"},
		run:      runSchema,
	}
}

func runSchema(_ context.Context, c *call) error {
	if len(c.args) == 1 && c.args[0] == "error" {
		return c.out.document(schemaDocument("a failure", failure{}))
	}
	table, cmd := verbs(), command{}
	for i, word := range c.args {
		v, ok := findVerb(table, word)
		if !ok {
			return board.NewProblem(board.ErrNotFound, didYouMean(word, documented(table), "verbs with a schema"), "there is no verb %q", strings.Join(c.args[:i+1], " "))
		}
		cmd = v.command()
		table = cmd.subs
	}
	name := "board " + strings.Join(c.args, " ")
	if cmd.document == nil {
		return board.NewProblem(board.ErrNotFound, "verbs with a schema: "+strings.Join(documented(verbs()), ", "), "%s prints no JSON document of one form", name)
	}
	return c.out.document(schemaDocument(name+" --json", cmd.document))
}

// documented are the verbs that print a document.
func documented(table []verb) []string {
	var names []string
	for _, v := range table {
		if v.command().document != nil {
			names = append(names, v.name)
		}
	}
	return names
}

func schemaDocument(title string, document any) map[string]any {
	schema := schemaOf(reflect.TypeOf(document))
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = title
	return schema
}

// schemaOf is the schema of a type as encoding/json writes its values.
func schemaOf(t reflect.Type) map[string]any {
	switch {
	case t == reflect.TypeFor[board.Time]():
		return map[string]any{"type": []string{"string", "null"}, "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() != reflect.Pointer && t.Implements(reflect.TypeFor[json.Marshaler]()):
		return map[string]any{} // any value
	}
	switch kind := t.Kind(); kind { //nolint:exhaustive // the kinds that documents have; any other is a value of any form
	case reflect.Pointer:
		inner := schemaOf(t.Elem())
		if name, ok := inner["type"].(string); ok {
			inner["type"] = []string{name, "null"}
		}
		return inner
	case reflect.Struct:
		return structSchema(t)
	case reflect.Slice, reflect.Array:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	default:
		if kind >= reflect.Int && kind <= reflect.Uint64 {
			return map[string]any{"type": "integer"}
		}
		return map[string]any{}
	}
}

func structSchema(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, field := range reflect.VisibleFields(t) {
		tag := field.Tag.Get("json")
		name, rest, _ := strings.Cut(tag, ",")
		if !field.IsExported() || tag == "-" || (field.Anonymous && name == "") {
			continue
		}
		if len(field.Index) > 1 && properties[field.Name] != nil {
			continue // an outer field of that name is the one that is written
		}
		if name == "" {
			name = field.Name
		}
		properties[name] = schemaOf(field.Type)
		if !strings.Contains(rest, "omit") {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	return map[string]any{"type": "object", "properties": properties, "required": slices.Compact(required)}
}
