package capacity_test

import (
	"fmt"
	"testing"

	"github.com/seed-2ddc2152/board/capacity"
)

// twentyCaps is the set of PlanCPU: 20 caps, of which 5 are expressions, most with filters, 2 with reserves.
func twentyCaps() []capacity.Cap {
	expression := func(n int64) capacity.Limiter {
		return capacity.Limiter{Of: func(c *capacity.Candidate) capacity.Limit {
			return capacity.Limit{N: n + int64(len(c.Env.(string)))}
		}}
	}
	var caps []capacity.Cap
	scopes := []capacity.Dimension{
		capacity.Home, capacity.Host, capacity.Profile, capacity.Board,
		capacity.Harness, capacity.Model, capacity.Executor, capacity.Role,
	}
	for i := range 20 {
		c := capacity.Cap{
			Name: fmt.Sprintf("cap %d", i), Counts: capacity.Sessions,
			Scope: []capacity.Dimension{scopes[i%len(scopes)]}, Max: capacity.Fixed(50_000),
		}
		switch {
		case i < 5:
			c.Max = expression(50_000)
		case i < 10:
			c.Where = capacity.Filter{Dispatch: new(true), Model: []string{"claude-*"}}
		case i < 15:
			c.Counts, c.Unless = capacity.Runs, capacity.Filter{Status: []string{"review"}}
		}
		if i == 15 || i == 17 {
			c.Scope = []capacity.Dimension{capacity.Home}
			c.Reserve = &capacity.Reserve{For: capacity.Filter{Status: []string{"review"}}, Slots: capacity.Fixed(1)}
		}
		caps = append(caps, c)
	}
	return caps
}

func candidates(n int) []capacity.Candidate {
	models := []string{"claude-opus-4-5", "claude-sonnet-4-5"}
	all := make([]capacity.Candidate, n)
	for i := range all {
		all[i] = capacity.Candidate{Env: "x", Entry: capacity.Entry{
			Card: fmt.Sprintf("api-%d", i), Board: "api", Status: "doing", Slot: "worker", Role: "coder",
			Profile: "coder", Executor: "opus", Harness: "claude", Model: models[i/64%2], Host: "base",
			Surface: "headless", Dispatch: true, Counts: capacity.CountsStart,
		}}
		if i%16 == 0 {
			all[i].Status, all[i].Slot, all[i].Role = "review", "reviewer", "reviewer"
		}
	}
	return all
}

// BenchmarkAdmit is the capacity part of PlanCPU: one operation is one card under 20 caps.
func BenchmarkAdmit(b *testing.B) {
	all := candidates(10_000)
	b.Run("room", func(b *testing.B) {
		l := capacity.New(twentyCaps(), capacity.State{Held: entries(all[:20]), Waiting: all[20:]})
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, ok := l.Admit(&all[20+i%(len(all)-20)]); !ok {
				b.Fatal("held")
			}
		}
	})
	b.Run("full", func(b *testing.B) {
		caps := twentyCaps()
		caps[10].Max = capacity.Fixed(20)
		l := capacity.New(caps, capacity.State{Held: entries(all[:40]), Waiting: all[40:]})
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			l.Admit(&all[40+i%(len(all)-40)])
		}
	})
	b.Run("take", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l := capacity.New(twentyCaps(), capacity.State{Held: entries(all[:20]), Waiting: all[20:]})
			for i := range all[20:120] {
				if _, ok := l.Admit(&all[20+i]); ok {
					l.Take(&all[20+i])
				}
			}
		}
	})
}

// BenchmarkNew counts 1,000 held cards under 20 caps.
func BenchmarkNew(b *testing.B) {
	held := entries(candidates(1000))
	b.ReportAllocs()
	for b.Loop() {
		capacity.New(twentyCaps(), capacity.State{Held: held})
	}
}

func entries(all []capacity.Candidate) []capacity.Entry {
	held := make([]capacity.Entry, len(all))
	for i := range all {
		held[i] = all[i].Entry
	}
	return held
}
