package workflows

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// SchemaFile is what the first line of a workflow names, so that editors complete its keys (WF-6).
const SchemaFile = "workflow.schema.json"

// keysOf are the keys of the file's map that a type stands for, in the order of its fields.
func keysOf[T any]() []string {
	t := reflect.TypeFor[T]()
	keys := make([]string, 0, t.NumField())
	for field := range t.Fields() {
		if key := field.Tag.Get("yaml"); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// Schema is the JSON Schema of workflow files, generated from the types of this package.
func Schema() []byte {
	schema := structSchema(reflect.TypeFor[Workflow]())
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "Board workflow"
	data, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic(err) // maps of texts and lists always marshal
	}
	return append(data, '\n')
}

type object = map[string]any

func structSchema(t reflect.Type) object {
	properties := object{}
	var required []string
	for field := range t.Fields() {
		key := field.Tag.Get("yaml")
		if key == "" {
			continue
		}
		property := fieldSchema(field)
		if doc := field.Tag.Get("doc"); doc != "" {
			property["description"] = doc
		}
		properties[key] = property
		if field.Tag.Get("want") == "required" {
			required = append(required, key)
		}
	}
	schema := object{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

func fieldSchema(field reflect.StructField) object {
	if names := field.Tag.Get("enum"); names != "" {
		if field.Type.Kind() == reflect.Int {
			return object{"const": 1}
		}
		return object{"enum": strings.Split(names, ",")}
	}
	return typeSchema(field.Type)
}

// typeSchema is the schema of a key by the Go type that holds it.
func typeSchema(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[*expr.Bool]():
		return object{"type": []string{"string", "boolean"}}
	case reflect.TypeFor[*expr.Number]():
		return object{"type": []string{"integer", "string", "null"}}
	case reflect.TypeFor[*expr.Template](), reflect.TypeFor[*expr.Key]():
		return object{"type": "string"}
	case reflect.TypeFor[time.Duration]():
		return object{"type": "string", "pattern": `^\s*([0-9.]+ *[A-Za-z]+ *)+$`, "examples": []string{"90s", "30 min", "1h30m"}}
	case reflect.TypeFor[Workspace]():
		kinds := []string{string(WorkspaceWorktree), string(WorkspaceRepo), string(WorkspaceScratch)}
		dir := object{"type": "object", "additionalProperties": false, "required": []string{"dir"}, "properties": object{"dir": object{"type": "string"}}}
		return object{"oneOf": []any{object{"enum": kinds}, dir}}
	case reflect.TypeFor[[]Outcome]():
		return object{"type": "object", "additionalProperties": object{"type": "string"}}
	case reflect.TypeFor[Action]():
		return actionSchema()
	case reflect.TypeFor[Filter]():
		return structSchema(t)
	}
	return kindSchema(t)
}

func kindSchema(t reflect.Type) object {
	if set, ok := reflect.TypeAssert[closedSet](reflect.New(t).Elem()); ok {
		return object{"enum": set.names()}
	}
	switch t.Kind() { //nolint:exhaustive // the rest holds no key of a file
	case reflect.Pointer:
		return typeSchema(t.Elem())
	case reflect.Struct:
		return structSchema(t)
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Map:
		return object{"type": "object"}
	case reflect.Slice:
		return listSchema(t.Elem())
	}
	return object{"type": "string"}
}

// listSchema is a list; of things that have a name in the file it is a map by that name, and of words it may be one word.
func listSchema(elem reflect.Type) object {
	item := typeSchema(elem)
	switch elem {
	case reflect.TypeFor[Profile](), reflect.TypeFor[Status]():
		return object{"type": "object", "additionalProperties": item}
	case reflect.TypeFor[Event]():
		transitions := object{"type": "array", "items": structSchema(reflect.TypeFor[Transition]())}
		return object{"type": "object", "additionalProperties": transitions}
	}
	list := object{"type": "array", "items": item}
	if elem.Kind() == reflect.String {
		return object{"oneOf": []any{item, list}}
	}
	return list
}

func actionSchema() object {
	properties := object{}
	for _, name := range ActionKind("").names() {
		properties[name] = object{"type": "string"}
	}
	fields := object{}
	for _, name := range assignable() {
		fields[name] = object{"type": []string{"string", "integer", "null"}}
	}
	words := object{"type": "array", "items": object{"type": "string"}}
	properties[string(ActionAssign)] = object{"type": "object", "additionalProperties": false, "properties": fields}
	properties[string(ActionReset)] = object{"oneOf": []any{object{"type": "string"}, words}}
	properties[string(ActionMerge)] = object{"const": true}
	properties[string(ActionEndRun)] = object{"type": "string", "examples": slices.Concat(outcomes(), verdicts())}
	return object{"type": "object", "additionalProperties": false, "minProperties": 1, "maxProperties": 1, "properties": properties}
}
