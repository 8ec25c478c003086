package bench_test

import (
	"testing"

	"github.com/seed-2ddc2152/board/internal/bench"
	"github.com/seed-2ddc2152/board/workflows"
)

func TestWorkflow_HasNoProblem(t *testing.T) {
	t.Parallel()
	w, err := workflows.Check("default", "workflows/default.yaml", []byte(bench.Workflow(4)), workflows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Lint) > 0 {
		t.Errorf("lint: %v", w.Lint)
	}
}
