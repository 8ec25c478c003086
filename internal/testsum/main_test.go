package main

import (
	"strings"
	"testing"
)

func TestSummarize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in, want string
	}{
		{
			name: "a passing test says nothing of its own",
			in: `make: entering
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`,
			want: "make: entering\nok  \tp\t0.1s\n1 passed, 0 failed, 0 skipped\n",
		},
		{
			name: "a failing test is shown whole, a skipped one is named",
			in: `{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`,
			want: "    a_test.go:1: got 1, want 2\nFAIL\tp\t0.1s\nskipped: p TestB\n0 passed, 1 failed, 1 skipped\n",
		},
		{
			name: "a test that its process took along has failed",
			in: `{"Action":"output","Package":"p","Test":"TestA","Output":"panic: boom\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`,
			want: "panic: boom\nFAIL\tp\t0.1s\n0 passed, 1 failed, 0 skipped\n",
		},
		{
			name: "a package that does not build has failed",
			in: `{"Action":"build-output","ImportPath":"p","Output":"p.go:1: undefined: x\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p"}
`,
			want: "p.go:1: undefined: x\nFAIL\tp [build failed]\n0 passed, 1 failed, 0 skipped\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			if err := summarize(strings.NewReader(c.in), &got); err != nil {
				t.Fatal(err)
			}
			if got.String() != c.want {
				t.Errorf("got\n%s\nwant\n%s", got.String(), c.want)
			}
		})
	}
}
