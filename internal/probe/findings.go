package probe

import (
	"context"
	"strings"

	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// Finding is an agent on PATH, for the roster that `board init` writes.
type Finding struct {
	roster.Drafted
	Version string // "" = it told none
}

// Findings looks at every known agent on PATH, in the order in which the roster is to have them. One is on where it can tell
// that it is signed in and nothing else is wrong with it: another may send code to a cloud that nobody chose.
func (p Prober) Findings(ctx context.Context) ([]Finding, error) {
	sources := roster.Sources{LookPath: func(name string) (string, error) { return process.LookPath(name, "", p.Environ) }}
	reports, err := p.Check(ctx, sources.OnPath())
	if err != nil {
		return nil, err
	}
	list := make([]Finding, 0, len(reports))
	for _, r := range reports {
		list = append(list, Finding{Drafted: roster.Drafted{Harness: r.Harness, Off: offBecause(r)}, Version: r.Version})
	}
	return list, nil
}

// offBecause is why an executor is written as disabled; "" where it is on.
func offBecause(r Report) string {
	switch {
	case len(r.Problems) > 0:
		texts := make([]string, len(r.Problems))
		for i, problem := range r.Problems {
			texts[i] = problem.Text
		}
		return strings.Join(texts, "; ")
	case r.SignIn == harness.SignedIn:
		return ""
	}
	off := "it cannot be told whether it is signed in"
	if r.SignInText != "" {
		off += " (" + r.SignInText + ")"
	}
	return off
}
