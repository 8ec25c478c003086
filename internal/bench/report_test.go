package bench_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/bench"
)

func TestParseGoBench_ReadsEveryUnitAndDropsProcessors(t *testing.T) {
	t.Parallel()
	got, err := bench.ParseGoBench(strings.NewReader(`goos: linux
BenchmarkClaim/10-2     	     100	    123456 ns/op	     12345 ns/claim
BenchmarkPlanCPU        	     200	      5.5 ns/op
BenchmarkBroken-2 	--- FAIL
PASS
ok  	p	1.2s
`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bench.Metrics{
		"Claim/10": {"ns/op": 123456, "ns/claim": 12345},
		"PlanCPU":  {"ns/op": 5.5},
	}
	if !maps.EqualFunc(got, want, maps.Equal[bench.Metrics, bench.Metrics]) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestReport_SaysWhatIsMetMissedAndNotMeasured(t *testing.T) {
	t.Parallel()
	starts := func(ms ...int64) []bench.Sample {
		var all []bench.Sample
		for _, m := range ms {
			all = append(all, bench.Sample{WallNS: m * 1e6, MaxRSSKiB: m * 1024})
		}
		return all
	}
	got := bench.Report(bench.Result{
		Machine: "two cores", At: "2026-12-01", Version: "v1", Starts: 4, History: 1000000, ProgramBytes: 21_000_000,
		Samples: map[string][]bench.Sample{
			"TickNoop":       starts(5, 3, 9, 4), // p25: 4
			"FloorNoop":      starts(2, 2, 2, 2),
			"TickNoop/short": starts(4, 4, 4, 4),
		},
		Benchmarks: map[string]bench.Metrics{
			"Claim/1":      {"ns/claim": 300},
			"FloorClaim/1": {"ns/claim": 200},
			"Contention":   {"worst-ms": 100, "share": 0.2, "busy": 0},
		},
	})
	for _, want := range []string{
		"1,000,000 ended runs",
		"| 4.00 | 2.00 | 2.00 | <= 1.5x | **missed** |",
		"| 4.00 | 4.00 | 1.00 | <= 1.1x | met |",
		"| TickPlan/1k | 1k cards ready, 4 may start: a tick up to its plan | not measured |",
		"| TickNoop | 5.0 MiB | <= 16 MiB | met |",
		"| bin/board | 21.0 MB | <= 20 MB | **missed** |",
		"| 300 ns/claim | 200 | 1.50 | <= 1.5x | met |",
		"| 0.2 share |  |  | >= 0.3 | **missed** |",
		"| 0 busy |  |  | 0 | met |",
		"| PlanCPU | 20 caps: 5 expressions, filters, 2 reserves; a card | not measured |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
}
