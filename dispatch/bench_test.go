package dispatch_test

import (
	"fmt"
	"testing"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
)

// BenchmarkMakePlan plans a board whose cards are all ready, under a cap of four starts, in process.
func BenchmarkMakePlan(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newWorld(b, `{name: starts, counts: starts, max: 4}`)
			for i := range n {
				w.card("todo", func(c *board.Card) { c.Priority = i % 5 })
			}
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				if p := dispatch.MakePlan(w.snap); len(p.Start) != 4 {
					b.Fatalf("started %d, want 4", len(p.Start))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/card")
		})
	}
}
