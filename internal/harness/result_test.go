package harness_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// Pins HAR-4.
func TestShare_IsTheDifferenceOfTotals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                  string
		previous, total, want harness.Usage
	}{
		{"started", harness.Usage{}, harness.Usage{In: 5, Out: 2}, harness.Usage{In: 5, Out: 2}},
		{
			"resumed",
			harness.Usage{In: 5, Out: 2, Cached: 1, CostMicros: 10},
			harness.Usage{In: 9, Out: 2, Cached: 4, CostMicros: 25},
			harness.Usage{In: 4, Cached: 3, CostMicros: 15},
		},
		{"counted anew", harness.Usage{In: 50, Out: 20}, harness.Usage{In: 9, Out: 2}, harness.Usage{In: 9, Out: 2}},
	}
	for _, test := range tests {
		if got := harness.Share(test.previous, test.total); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// Pins RET-4.
func TestVerdictLine_ReadsTheLastLineOnly(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text    string
		verdict harness.Verdict
		reason  string
	}{
		{"BOARD: done", harness.VerdictDone, ""},
		{"All good.\n\nBOARD: approve\n\n", harness.VerdictApprove, ""},
		{"BOARD: approve: nothing to add", harness.VerdictApprove, "nothing to add"},
		{"x\r\nBOARD: changes: no test: for zero\r\n", harness.VerdictChanges, "no test: for zero"},
		{"BOARD: blocked: which database?", harness.VerdictBlocked, "which database?"},
		{"**BOARD: done**", harness.VerdictDone, ""},
		{"`BOARD: Done.`", harness.VerdictDone, ""},
		{"", "", ""},
		{"BOARD: done\nand more", "", ""},
		{"BOARD: changes", "", ""},
		{"BOARD: blocked: ", "", ""},
		{"BOARD: done / BOARD: approve", "", ""},
		{"BOARD: doneish", "", ""},
		{"board: done", "", ""},
		{"I would say BOARD: approve", "", ""},
		{"BOARD: move 12", "", ""},
	}
	for _, test := range tests {
		verdict, reason, ok := harness.VerdictLine(test.text)
		if verdict != test.verdict || reason != test.reason || ok != (test.verdict != "") {
			t.Errorf("VerdictLine(%q) = %q, %q, %v; want %q, %q", test.text, verdict, reason, ok, test.verdict, test.reason)
		}
	}
}

func TestParseResultFile_ReadsEveryKeyAndKeepsTheRest(t *testing.T) {
	t.Parallel()
	got, note := harness.ParseResultFile([]byte(`{"summary":"text","verdict":"changes","reason":"why","session":"id","model":"m",
		"tokens":{"in":1,"out":2,"cached":3},"cost_usd":0.01,"turns":3,"ticket":{"n":7},
		"error":{"class":"usage_limited","message":"limit","reset_at":"2026-12-01T07:10:00Z","retry_after":"90s"}}`), noon(t))
	want := harness.Result{
		Text: "text", Verdict: harness.VerdictChanges, Reason: "why", Session: "id", Model: "m",
		Usage: harness.Usage{In: 1, Out: 2, Cached: 3, CostMicros: 10_000}, Turns: 3,
		Failure: &harness.Failure{
			Class: harness.ClassUsageLimited, Message: "limit", ResetAt: at(t, "2026-12-01T07:10:00Z"), RetryAfter: 90 * time.Second,
		},
		Metadata: map[string]any{"ticket": map[string]any{"n": 7.0}},
	}
	if note != "" || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%+v), note %q; want %+v", got, got.Failure, note, want)
	}
}

func TestParseResultFile_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	tests := []struct{ data, note string }{
		{``, "unexpected end"},
		{`{"summary":`, "unexpected end"},
		{`[1]`, "cannot unmarshal array"},
		{`{"turns":"three"}`, "turns"},
		{`{"verdict":"maybe"}`, `verdict "maybe"`},
		{`{"turns":-1}`, "negative"},
		{`{"error":{"class":"tired"}}`, `error.class "tired"`},
		{`{"summary":"` + strings.Repeat("x", harness.MaxResultFile) + `"}`, "larger than 1048576 bytes"},
	}
	for _, test := range tests {
		got, note := harness.ParseResultFile([]byte(test.data), noon(t))
		if !strings.Contains(note, test.note) || !reflect.DeepEqual(got, harness.Result{}) {
			t.Errorf("ParseResultFile(%.40q) = %+v, note %q; want nothing and a note with %q", test.data, got, note, test.note)
		}
	}
}

func TestParseResultFile_LeavesOutATimeThatDoesNotReadAndKeepsTheError(t *testing.T) {
	t.Parallel()
	for data, problem := range map[string]string{
		`{"error":{"class":"usage_limited","message":"limit","retry_after":"soon"}}`: "error.retry_after",
		`{"error":{"class":"usage_limited","message":"limit","retry_after":"-90s"}}`: "error.retry_after",
		`{"error":{"class":"usage_limited","message":"limit","reset_at":"7pm"}}`:     "error.reset_at",
	} {
		got, note := harness.ParseResultFile([]byte(data), noon(t))
		want := &harness.Failure{Class: harness.ClassUsageLimited, Message: "limit"}
		if !strings.Contains(note, problem) || !reflect.DeepEqual(got.Failure, want) {
			t.Errorf("ParseResultFile(%s) = %+v, note %q; want %+v and a note with %q", data, got.Failure, note, want, problem)
		}
	}
}

func TestPrices_EstimateOnlyWhereTheCLIGivesNoCost(t *testing.T) {
	t.Parallel()
	prices := harness.DefaultPrices().With(harness.Prices{
		Date: "2026-11-29", Models: map[string]harness.Price{"own*": {In: 1, Out: 2, Cached: 0.5}, "own-big": {In: 10}},
	})
	used := harness.Usage{In: 1000, Out: 100, Cached: 10}
	tests := []struct {
		model string
		usage harness.Usage
		want  int64
		known bool
	}{
		{"own-small", used, 1205, true},
		{"own-big", used, 10_000, true},
		{"nobody", used, 0, false},
		{"own-small", harness.Usage{In: 5, CostMicros: 7}, 7, true},
	}
	for _, test := range tests {
		got, ok := prices.Estimate(test.usage, test.model)
		if got.CostMicros != test.want || ok != test.known || got.Estimated != (test.want != test.usage.CostMicros) {
			t.Errorf("%s: %+v, %v; want %d, %v", test.model, got, ok, test.want, test.known)
		}
	}
	if prices.Date != "2026-11-29" || harness.DefaultPrices().Date == "" {
		t.Errorf("dates %q and %q", prices.Date, harness.DefaultPrices().Date)
	}
}
