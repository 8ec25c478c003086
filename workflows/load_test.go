package workflows_test

import (
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/workflows"
)

func TestBuiltins_AreValid(t *testing.T) {
	t.Parallel()
	for _, name := range workflows.Names() {
		src, _ := workflows.Builtin(name)
		w, err := workflows.Check(name, "workflows/"+name+".yaml", src, workflows.Options{})
		if err != nil {
			t.Errorf("%s:\n%v", name, err)
			continue
		}
		if len(w.Lint) > 0 {
			t.Errorf("%s: lint:\n%v", name, w.Lint)
		}
		if !strings.HasPrefix(string(src), "# yaml-language-server: $schema="+workflows.SchemaFile+"\n") { // WF-6
			t.Errorf("%s: the first line does not name the schema", name)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	src, _ := workflows.Builtin("default")
	for b.Loop() {
		_, _ = workflows.Load("default", "workflows/default.yaml", src, workflows.Options{})
	}
}

func BenchmarkLoadAndValidate(b *testing.B) {
	src, _ := workflows.Builtin("default")
	for b.Loop() {
		w, _ := workflows.Load("default", "workflows/default.yaml", src, workflows.Options{})
		_ = w.Validate()
	}
}
