package workflows_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/seed-2ddc2152/board/workflows"
)

// WF-6: the schema accepts what loads, and knows every key.
func TestSchema_AcceptsTheBuiltins(t *testing.T) {
	t.Parallel()
	schema := decodeSchema(t)
	for _, name := range workflows.Names() {
		src, _ := workflows.Builtin(name)
		if got := check(schema, decodeYAML(t, src), name); len(got) > 0 {
			t.Errorf("%s:\n%s", name, strings.Join(got, "\n"))
		}
	}
}

func TestSchema_RefusesWhatDoesNotLoad(t *testing.T) {
	t.Parallel()
	schema := decodeSchema(t)
	for _, c := range [][2]string{
		{"role: coder", "role: codr"},
		{"initial: todo", "inital: todo"},
		{"{terminal: true}", "{terminal: 3}"},
		{"version: 1", "version: 2"},
		{"by: [worker], ", "by: [worker], too: x, "},
		{"{profile: coder}", "{limits: {runtime: 5}}"},
	} {
		src := strings.Replace(base, c[0], c[1], 1)
		if got := check(schema, decodeYAML(t, []byte(src)), "w"); src == base || len(got) == 0 {
			t.Errorf("%s: the schema accepts it", c[1])
		}
	}
}

func decodeSchema(t *testing.T) map[string]any {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal(workflows.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

func decodeYAML(t *testing.T, src []byte) any {
	t.Helper()
	var doc any
	if err := yaml.Unmarshal(src, &doc); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// check is as much of JSON Schema as the workflows' schema uses.
func check(schema map[string]any, doc any, path string) []string {
	if options, ok := schema["oneOf"].([]any); ok {
		var all []string
		for _, option := range options {
			problems := check(option.(map[string]any), doc, path)
			if len(problems) == 0 {
				return nil
			}
			all = append(all, problems...)
		}
		return all
	}
	if constant, ok := schema["const"]; ok && fmt.Sprint(constant) != fmt.Sprint(doc) {
		return []string{fmt.Sprintf("%s: %v is not %v", path, doc, constant)}
	}
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, doc) {
		return []string{fmt.Sprintf("%s: %v is not one of %v", path, doc, enum)}
	}
	_, isNumber := doc.(float64)
	if want, ok := schema["type"]; ok && !strings.Contains(fmt.Sprint(want), typeName(doc)) && (want != "number" || !isNumber) {
		return []string{fmt.Sprintf("%s: %v is no %v", path, doc, want)}
	}
	var problems []string
	if list, ok := doc.([]any); ok {
		for i, item := range list {
			problems = append(problems, check(schema["items"].(map[string]any), item, fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	fields, _ := doc.(map[string]any)
	required, _ := schema["required"].([]any)
	for _, key := range required {
		if _, ok := fields[key.(string)]; !ok && fields != nil {
			problems = append(problems, fmt.Sprintf("%s: no %v", path, key))
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for key, value := range fields {
		if property, ok := properties[key].(map[string]any); ok {
			problems = append(problems, check(property, value, path+"."+key)...)
		} else if other, ok := schema["additionalProperties"].(map[string]any); ok {
			problems = append(problems, check(other, value, path+"."+key)...)
		} else if schema["additionalProperties"] == false {
			problems = append(problems, fmt.Sprintf("%s: unknown key %s", path, key))
		}
	}
	return problems
}

func typeName(doc any) string {
	switch doc := doc.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case float64:
		if doc == float64(int(doc)) {
			return "integer"
		}
		return "number"
	}
	return "unknown"
}

// WF-5: each built-in has a picture. Run with UPDATE=1 to rewrite them.
func TestMermaid_DrawsTheBuiltins(t *testing.T) {
	t.Parallel()
	for _, name := range workflows.Names() {
		src, _ := workflows.Builtin(name)
		w, err := workflows.Load(name, name+".yaml", src, workflows.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, golden := workflows.Mermaid(w), "testdata/"+name+".mermaid"
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || got != string(want) {
			t.Errorf("%s: %v; got\n%s\nwant\n%s", name, err, got, want)
		}
	}
}
