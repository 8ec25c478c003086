package expr_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/expr"
)

func sample() *expr.Env {
	capacity := 4
	host := "far"
	created := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	return &expr.Env{
		Now: created.Add(10 * time.Hour),
		Card: expr.Card{
			ID: "api-1", Status: "todo", Priority: 3, Host: &host, CreatedAt: created, ReadySince: &created,
			Labels: expr.Texts(map[string]string{"area": "ui"}), Counters: map[string]int{"rounds": 2}, Attempt: 2,
		},
		Host:     expr.Host{Name: "base", MemoryPressure: "elevated", Load: 1.5, CPUs: 8, MaxSessions: 3, Capacity: &capacity},
		Run:      expr.Run{Local: true, Slot: "worker"},
		Attempts: []expr.Attempt{{Number: 1, Outcome: "failed"}, {Number: 2, Outcome: "quiet"}},
	}
}

func params() map[string]any {
	return map[string]any{
		"none": nil, "empty": "", "review": true, "five": 5, "half": 0.9, "word": "many",
		"hosts": map[string]any{"far": map[string]any{"capacity": 2}}, "people": []any{"ann", "bob"},
	}
}

func TestBool_Evaluates(t *testing.T) {
	t.Parallel()
	scope := expr.NewScope(params())
	for src, want := range map[string]bool{
		`!(run.local && host.memory_pressure == "critical")`: true,
		`params.review`:                              true,
		`params.none`:                                false, // nil counts as false
		`params.missing`:                             false,
		`params.five > card.priority`:                true,
		`card.assignee == nil`:                       true,
		`(card.assignee ?? "coder") == "coder"`:      true,
		`card.host == "far"`:                         true,
		`card.labels.area == "ui"`:                   true,
		`card.labels.team == nil`:                    true, // a missing label is nil
		`(card.labels["team"] ?? "core") == "core"`:  true,
		`card.counters.rounds == 2`:                  true,
		`now - card.created_at > duration("9 h")`:    true,
		`now - card.ready_since > duration("1d")`:    false,
		`now.Hour() >= 18`:                           true,
		`"ann" in params.people`:                     true,
		`any(attempts, .outcome == "failed")`:        true,
		`params.hosts?.[card.host]?.capacity == 2`:   true,
		`params.hosts[host.name].capacity == nil`:    true, // a path through a missing key is nil
		`params.hosts.near.capacity == nil`:          true,
		`params.nothing.at.all == nil`:               true,
		`card.title matches "^$" and not (1 > 2)`:    true,
		`event.reason != ""`:                         false,
		`card.status in ["todo", "doing"]`:           true,
		`let x = card.priority; x == 3`:              true,
		`lane.capacity == nil && host.capacity == 4`: true,
	} {
		got, err := scope.Bool(src).Eval(sample())
		if err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", src, got, err, want)
		}
	}
}

func TestBool_RefusesAtLoad(t *testing.T) {
	t.Parallel()
	scope := expr.NewScope(params())
	for _, c := range []struct{ src, want string }{
		{`card.prioriti > 1`, "card has no field prioriti (did you mean priority?)"},
		{`crad.priority > 1`, "unknown name crad (did you mean card?)"},
		{`card.priority == "high"`, "mismatched types int and string"},
		{`params.review == 3`, "mismatched types bool and int"},
		{`host.memory_presure == "low"`, "host has no field memory_presure (did you mean memory_pressure?)"},
		{`card.priority`, "this is a whole number; true or false is needed here"},
		{`params.review ? 1 : true`, "this is a whole number; true or false is needed here"},
		{`card.priority >`, "the expression ends too early"},
		{``, "the expression ends too early"},
		{`all(1..1000000, # > 0)`, "ranges (..) are not available"},
		{`replace(card.body, "", card.body) == ""`, "unknown name replace"},
		{`let a = card.body + card.body; let b = a + a; b == ""`, "a variable cannot hold joined text"},
		{`let a = join(card.owns, ""); a == ""`, "a variable cannot hold joined text"},
		{`let params = 1; params == 1`, "params is a root"},
		{`any(attempts, any(comments, true))`, "a list may not be walked inside the walk of another"},
		{`reduce(attempts, #acc, 1) == 1`, "unknown name reduce"},
		{`now() > card.created_at`, "is not callable"},
		{`$env["card"] == nil`, "$env is not available"},
		{`repeat("x", 1000000) == ""`, "unknown name repeat"},
		{`attempts[0].outcme == ""`, "attempt has no field outcme (did you mean outcome?)"},
		{strings.Repeat("true && ", 600) + "true", "exceeds maximum allowed nodes"},
	} {
		err := scope.Bool(c.src).Check()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: got %v; want an error with %q", c.src, err, c.want)
		}
	}
}

func TestError_HasACaretUnderThePlace(t *testing.T) {
	t.Parallel()
	err := expr.NewScope(nil).Bool(`card.title == "é" && card.prioriti > 1`).Check()
	var e *expr.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %T %v; want an *expr.Error", err, err)
	}
	want := "card has no field prioriti (did you mean priority?)\n" +
		"    card.title == \"é\" && card.prioriti > 1\n" +
		"                              ^"
	if e.Error() != want || e.Column != 27 {
		t.Errorf("got column %d and\n%s\nwant column 27 and\n%s", e.Column, e.Error(), want)
	}
}

// The table of traps of 02 "Numbers".
func TestNumber_Traps(t *testing.T) {
	t.Parallel()
	scope := expr.NewScope(params())
	const unlimited = -1
	for src, want := range map[string]int{
		`4`:                                     4,
		`0`:                                     0,
		`1000000`:                               1_000_000,
		``:                                      unlimited,
		`params.none`:                           unlimited,
		`params.missing`:                        unlimited,
		`params.empty`:                          unlimited,
		`params.five`:                           5,
		`params.none ?? host.max_sessions`:      3,
		`params.five ?? host.max_sessions`:      5,
		`params.missing ?? host.max_sessions`:   3,
		`lane.capacity ?? params.five`:          5,
		`lane.capacity`:                         unlimited,
		`host.capacity`:                         4,
		`params.hosts?.[card.host]?.capacity`:   2,
		`params.hosts?.[host.name]?.capacity`:   unlimited, // C11
		`params.none?.[host.name]?.capacity`:    unlimited,
		`int(host.cpus / 2)`:                    4,
		`int(host.load)`:                        1,
		`int(ceil(host.load))`:                  2,
		`max(1, host.cpus - 6)`:                 2,
		`host.memory_pressure == "low" ? 4 : 1`: 1,
		`card.priority > 9 ? 1 : nil`:           unlimited,
		`now.Hour() >= 22 || now.Hour() < 7 ? 8 : 2`: 2,
		`int(0.9)`: 0,
	} {
		got, ok, err := scope.Number(src).Eval(sample())
		if !ok {
			got = unlimited
		}
		if err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", src, got, err, want)
		}
	}
}

func TestNumber_RefusesAtLoad(t *testing.T) {
	t.Parallel()
	scope := expr.NewScope(params())
	for src, want := range map[string]string{
		`0.9`:                           "write int(...)",
		`params.half`:                   "write int(...)",
		`1/0`:                           "write int(...)",
		`host.load`:                     "write int(...)",
		`host.cpus / 2`:                 "write int(...)",
		`host.cpus/2`:                   "write int(...)",
		`ceil(host.load)`:               "write int(...)",
		`round(host.load)`:              "write int(...)",
		`max(1, host.load)`:             "write int(...)",
		`card.priority > 1 ? 2 : 0.5`:   "write int(...)",
		`card.priority > 1 ? 2 : "two"`: "this is a text; a whole number is needed here",
		`params.word ?? host.cpus`:      "this is a text",
		`params.word`:                   "this is a text",
		`params.review`:                 "this is a bool",
		`params.hosts`:                  "a whole number is needed here",
		`card.created_at`:               "this is a time",
		`host.cpu`:                      "host has no field cpu (did you mean cpus?)",
		`len(card.owns)`:                "unknown name len",
		`sum(card.satisfies)`:           "unknown name sum",
		`count(attempts, true)`:         "unknown name count",
		`-1`:                            "it gave -1; a number from 0 to 1000000",
		`1000001`:                       "it gave 1000001",
		`5 % 0`:                         "integer divide by zero",
		`lane.capasity ?? 3`:            "lane has no field capasity (did you mean capacity?)",
		`many`:                          "unknown name many",
		`2 sessions`:                    "unexpected token",
	} {
		err := scope.Number(src).Check()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want an error with %q", src, err, want)
		}
	}
}

// CAP-5: never admit on a fault.
func TestNumber_FaultsWhenEvaluated(t *testing.T) {
	t.Parallel()
	scope := expr.NewScope(map[string]any{"hosts": map[string]any{"base": "many", "far": -2, "half": 0.5, "big": 2_000_000}})
	for src, want := range map[string]string{
		`int(host.cpus / (host.cpus - 8))`:              "a number from 0 to 1000000 is needed here",
		`host.cpus % (host.cpus - 8)`:                   "integer divide by zero",
		`host.cpus - 20`:                                "it gave -12",
		`lane.capacity + 1`:                             "invalid operation",
		`params.hosts?.[host.name]`:                     `it gave "many"; a whole number is needed here`,
		`params.hosts?.[card.host]`:                     "it gave -2",
		`params.hosts?.[host.name == "" ? "" : "half"]`: "it gave 0.5",
		`params.hosts?.[host.name == "" ? "" : "big"]`:  "it gave 2000000",
		`int(card.title)`:                               "",
	} {
		number := scope.Number(src)
		if err := number.Check(); err != nil {
			t.Errorf("%s: does not compile: %v", src, err)
			continue
		}
		got, ok, err := number.Eval(sample())
		if err == nil || ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v, %v; want an error with %q", src, got, ok, err, want)
		}
	}
}

func TestNumber_NilHasNoLimit(t *testing.T) {
	t.Parallel()
	var none *expr.Number
	if _, ok, err := none.Eval(sample()); ok || err != nil || none.Check() != nil || none.Source() != "" {
		t.Errorf("a nil number: ok %v, err %v; want no limit", ok, err)
	}
	if n, ok := expr.Fixed(3).Constant(); n != 3 || !ok {
		t.Errorf("Fixed(3).Constant() = %d, %v", n, ok)
	}
	if n, ok := expr.NewScope(params()).Number("params.five + 1").Constant(); ok {
		t.Errorf("an unfolded sum is a constant: %d", n)
	}
}

func TestReads_NamesValuesThatWereRead(t *testing.T) {
	t.Parallel()
	scope := expr.NewScope(params())
	got := scope.Bool(`!(run.local && host.memory_pressure == "critical") && params.five > 1 && card.labels.area != nil && now.Hour() > 1 && params.hosts?.[card.host] != nil`).Reads(sample())
	want := map[string]any{
		"run.local": true, "host.memory_pressure": "elevated", "params.five": 5, "card.labels.area": "ui",
		"now": sample().Now, "card.host": "far",
	}
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for path, value := range want {
		if got[path] != value {
			t.Errorf("%s: got %v, want %v", path, got[path], value)
		}
	}
	if got := scope.Number(`params.none ?? host.max_sessions`).Reads(sample()); len(got) != 2 || got["params.none"] != nil || got["host.max_sessions"] != 3 {
		t.Errorf("got %v, want params.none nil and host.max_sessions 3", got)
	}
}

func TestKey_Orders(t *testing.T) {
	t.Parallel()
	early, late := sample(), sample()
	late.Card.CreatedAt = late.Card.CreatedAt.Add(time.Hour)
	late.Card.Priority = 7
	late.Card.Status = "review"
	assignee := "zoe"
	late.Card.Assignee = &assignee
	scope := expr.NewScope(nil)
	for src, want := range map[string]int{
		`card.created_at`:                  -1,
		`-card.created_at`:                 1,
		`card.priority`:                    -1,
		`-card.priority`:                   1,
		` - card.priority`:                 1,
		`-(card.priority * 1.5)`:           1,
		`-card.priority + 20`:              1, // no leading minus: the sum itself
		`card.status == "review" ? 0 : 1`:  1,
		`card.status`:                      1,
		`card.assignee`:                    -1, // nothing sorts first
		`card.id`:                          0,
		`card.priority > 5`:                -1,
		`card.priority > 5 ? 0.5 : 1`:      1,
		`card.assignee ?? card.created_at`: 1, // a text before a time
	} {
		key := scope.Key(src)
		a, errA := key.Eval(early)
		b, errB := key.Eval(late)
		if err := errors.Join(errA, errB); err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got, back := key.Compare(a, b), key.Compare(b, a); got != want || back != -want {
			t.Errorf("%s: got %d and back %d, want %d", src, got, back, want)
		}
	}
	for src, want := range map[string]string{
		`card.owns`:      "an order key is a number",
		`-card.prioriti`: "did you mean priority?",
		`card`:           "an order key is a number",
	} {
		if err := scope.Key(src).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", src, err, want)
		}
	}
}

func TestTemplate_KeepsTheTypeOfASingleExpression(t *testing.T) {
	t.Parallel()
	scope := expr.NewScope(params())
	for src, want := range map[string]any{
		`{{ card.priority }}`:                     3,
		` {{ params.review }} `:                   true,
		`{{ card.assignee ?? "coder" }}`:          "coder",
		`{{ card.assignee }}`:                     nil,
		`{{ card.host }}`:                         "far",
		`reviewer-{{ card.attempt }}`:             "reviewer-2", // WF-7
		`{{ card.priority }}{{ card.host }}`:      "3far",
		`no expression`:                           "no expression",
		``:                                        "",
		`{{ {"a": {"b": "}}"}}["a"]["b"] }}!`:     "}}!",
		`{{ "{{" }} {{ '}}' }}`:                   "{{ }}",
		`{{ card.created_at }} `:                  sample().Card.CreatedAt,
		`at {{ card.created_at }}`:                "at 2026-03-01T08:00:00Z",
		`by {{ card.assignee }}.`:                 "by .",
		`{{ params.people }} and {{ host.load }}`: "ann, bob and 1.5",
		`x{{ join(map(attempts, string(.number) + ":" + .outcome), "\n") }}`: "x1:failed\n2:quiet",
	} {
		got, err := scope.Template(src).Value(sample())
		if err != nil || got != want {
			t.Errorf("%s: got %#v, %v; want %#v", src, got, err, want)
		}
	}
}

func TestTemplate_TellsAllThatIsWrongWithItsPlaces(t *testing.T) {
	t.Parallel()
	err := expr.NewScope(nil).Template("é {{ card.titel }}\nand {{ crad.id }} {{").Check()
	if err == nil {
		t.Fatal("a template with three mistakes compiled")
	}
	for _, want := range []string{
		"card has no field titel (did you mean title?)\n    é {{ card.titel }}\n              ^",
		"unknown name crad (did you mean card?)\n    and {{ crad.id }} {{\n           ^",
		"{{ without a }}",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got\n%v\nwant it to have\n%s", err, want)
		}
	}
}

func TestTemplate_TellsWhatItIs(t *testing.T) {
	t.Parallel()
	scope := expr.NewScope(params())
	slot := scope.Template("reviewer-{{ card.attempt }}-{{ params.five }}")
	if _, literal := slot.Literal(); literal || slot.Pattern() != "reviewer-*-*" || slot.Source() != "reviewer-{{ card.attempt }}-{{ params.five }}" {
		t.Errorf("got literal %v, pattern %q", literal, slot.Pattern())
	}
	if got := slot.Reads(sample()); len(got) != 2 || got["card.attempt"] != 2 || got["params.five"] != 5 {
		t.Errorf("reads: got %v", got)
	}
	if text, err := slot.Text(sample()); text != "reviewer-2-5" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	plain := scope.Template("worker")
	if text, literal := plain.Literal(); !literal || text != "worker" || plain.Pattern() != "worker" || plain.Check() != nil {
		t.Errorf("got %q, literal %v", text, literal)
	}
	var none *expr.Template
	if text, err := none.Text(sample()); text != "" || err != nil || none.Source() != "" || none.Pattern() != "" || none.Check() != nil {
		t.Errorf("a nil template: got %q, %v", text, err)
	}
}

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "30 min": 30 * time.Minute, "1.5h": 90 * time.Minute, "1h30m": 90 * time.Minute,
		"7d": 168 * time.Hour, "2d": 48 * time.Hour, "500ms": 500 * time.Millisecond, "1.5 s": 1500 * time.Millisecond,
		" 1 h 30 min ": 90 * time.Minute, "2 weeks": 336 * time.Hour, "0s": 0, "1H": time.Hour, "365d": 8760 * time.Hour,
	} {
		got, err := expr.ParseDuration(text)
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
		if back, err := expr.ParseDuration(expr.FormatDuration(got)); err != nil || back != got {
			t.Errorf("%q: written as %q it reads as %v, %v", text, expr.FormatDuration(got), back, err)
		}
	}
	for _, text := range []string{
		"soon", "-1h", "5", "", " ", "h", "1h-30m", "30m1h", "1h1h", "1.5.5s", "1 fortnight", "1h 30", "+1h", "1e3s",
		"300000d", "99999999999999999999h", ".s", "NaNs", "1h,30m", "٣s",
	} {
		if got, err := expr.ParseDuration(text); !errors.Is(err, expr.ErrDuration) {
			t.Errorf("%q: got %v, %v; want ErrDuration", text, got, err)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"todo", "doing", "review", "done", "cancelled"}
	for name, want := range map[string]string{
		"reviw": "review", "dnoe": "done", "Doing": "doing", "canceled": "cancelled", "xyz": "", "": "", "rev": "review",
	} {
		if got := expr.Nearest(name, names); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestExpressions_ServeManyGoroutines(t *testing.T) {
	t.Parallel()
	scope := expr.NewScope(params())
	condition, key := scope.Bool(`card.priority > 1 && any(attempts, .outcome == "failed")`), scope.Key(`card.priority + 1`)
	done := make(chan error, 8)
	for range 8 {
		go func() {
			var first error
			for range 200 {
				ok, err := condition.Eval(sample())
				if _, keyErr := key.Eval(sample()); err == nil && keyErr != nil {
					err = keyErr
				}
				if err == nil && !ok {
					err = errors.New("got false")
				}
				first = errors.Join(first, err)
			}
			done <- first
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// CAP-5: whatever is written, a number is a whole one in range, or an error.
func FuzzNumber(f *testing.F) {
	for _, src := range []string{
		"4", "params.none ?? host.max_sessions", "int(host.cpus / 2)", `host.memory_pressure == "low" ? 4 : nil`,
		"params.hosts?.[card.host]?.capacity", "max(1, min(host.cpus, 3))", "let x = 1; x + 2", "-1", "1 / 0", "card.owns[0:1]",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		scope := expr.NewScope(params())
		number, condition, template := scope.Number(src), scope.Bool(src), scope.Template(src)
		n, ok, err := number.Eval(sample())
		if n < 0 || n > expr.MaxNumber || ok && err != nil {
			t.Errorf("%q: got %d, %v, %v", src, n, ok, err)
		}
		number.Reads(sample())
		_, _ = condition.Eval(sample())
		_, _ = template.Text(sample())
		key := scope.Key(src)
		if v, err := key.Eval(sample()); err == nil && key.Compare(v, v) != 0 {
			t.Errorf("%q: a value is not equal to itself", src)
		}
	})
}

func BenchmarkBool(b *testing.B) {
	condition, env := expr.NewScope(params()).Bool(`!(run.local && host.memory_pressure == "critical")`), sample()
	for b.Loop() {
		_, _ = condition.Eval(env)
	}
}

func BenchmarkNumber(b *testing.B) {
	number, env := expr.NewScope(params()).Number(`params.none ?? host.max_sessions`), sample()
	for b.Loop() {
		_, _, _ = number.Eval(env)
	}
}

func BenchmarkKeyColumn(b *testing.B) {
	key, env := expr.NewScope(nil).Key(`-card.priority`), sample()
	for b.Loop() {
		_, _ = key.Eval(env)
	}
}

func BenchmarkKeyExpression(b *testing.B) {
	key, env := expr.NewScope(nil).Key(`card.status == "review" ? 0 : 1`), sample()
	for b.Loop() {
		_, _ = key.Eval(env)
	}
}

func BenchmarkCompile(b *testing.B) {
	scope := expr.NewScope(params())
	for b.Loop() {
		_ = scope.Bool(`!(run.local && host.memory_pressure == "critical")`).Check()
	}
}

func BenchmarkFirstCompile(b *testing.B) {
	for b.Loop() {
		_ = expr.NewScope(nil).Bool(`!(run.local && host.memory_pressure == "critical")`).Check()
	}
}
