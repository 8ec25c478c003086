package workflows_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/workflows"
)

// base is a small workflow for tests that change one thing; each %s is a place where they put it.
const base = `version: 1
name: w
profiles:
  coder: {role: coder}
  critic: {role: reviewer, surface: pane}
initial: todo
statuses:
  todo: {}
  doing: {run: {profile: coder}}
  review: {run: {profile: critic, session: 'reviewer-{{ card.attempt }}'}}
  done: {terminal: true}
events:
  start: [{from: todo, to: doing}]
  done: [{from: doing, by: [worker], to: done}]
  approve: [{from: review, by: ['reviewer-*'], to: done}]
`

func load(t *testing.T, src string) *workflows.Workflow {
	t.Helper()
	w, err := workflows.Check("w", "workflows/w.yaml", []byte(src), workflows.Options{})
	if err != nil {
		t.Fatalf("does not load:\n%v", err)
	}
	return w
}

func problems(t *testing.T, src string) workflows.Problems {
	t.Helper()
	_, err := workflows.Check("w", "workflows/w.yaml", []byte(src), workflows.Options{})
	var list workflows.Problems
	if !errors.As(err, &list) {
		t.Fatalf("got %v; want problems", err)
	}
	return list
}

// WF-5, WF-6.
func TestBuiltins_AreValidAndNameTheSchema(t *testing.T) {
	t.Parallel()
	for _, name := range workflows.Names() {
		src, ok := workflows.Builtin(name)
		w, err := workflows.Check(name, "workflows/"+name+".yaml", src, workflows.Options{})
		if !ok || err != nil || len(w.Lint) > 0 {
			t.Errorf("%s: found %v, problems %v, lint %v", name, ok, err, w.Lint)
		}
		if !strings.HasPrefix(string(src), "# yaml-language-server: $schema="+workflows.SchemaFile+"\n") {
			t.Errorf("%s: the first line does not name the schema", name)
		}
	}
	if got := fmt.Sprint(workflows.Names(), workflows.BuiltinPrompts()); got != "[default solo] [prompts/implementer.md prompts/reviewer.md]" {
		t.Errorf("got %s", got)
	}
	if _, ok := workflows.Builtin("nosuch"); ok {
		t.Error("there is a built-in workflow called nosuch")
	}
}

func TestLoad_ReadsTheDefaultWorkflow(t *testing.T) {
	t.Parallel()
	src, _ := workflows.Builtin("default")
	w, err := workflows.Load("default", "workflows/default.yaml", src, workflows.Options{Params: map[string]any{"max_sessions": 6}})
	if err != nil {
		t.Fatal(err)
	}
	c := w.Dispatch.Capacity[0]
	limit, ok, err := c.Max.Eval(&expr.Env{})
	if limit != 6 || !ok || err != nil {
		t.Errorf("max with config's params: got %d, %v, %v; want 6", limit, ok, err)
	}
	if w.Params["review"] != true {
		t.Errorf("params: got %v", w.Params)
	}
	line := 1 + strings.Count(string(src[:strings.Index(string(src), "max: params")]), "\n")
	if got, want := c.MaxAt.String(), fmt.Sprintf("workflows/default.yaml:%d dispatch.capacity[0].max", line); got != want {
		t.Errorf("key: got %q, want %q", got, want)
	}
	if c.Reserve == nil || !c.Reserve.Always || c.Scope[0] != workflows.ScopeHost || c.Where.Dispatch == nil || !*c.Where.Dispatch {
		t.Errorf("cap: got %+v", c)
	}
	if got := w.Status("doing").Run.Limits; got.Runtime.Hours() != 2 || got.Quiet.Minutes() != 20 || got.Start.Minutes() != 10 || got.IdleTimeout.Minutes() != 30 {
		t.Errorf("limits: got %+v", got)
	}
	if got := w.Profile("pair"); got.Surface != workflows.SurfacePane || !got.Interactive || got.Permissions != workflows.PermissionsAsk {
		t.Errorf("pair: got %+v", got)
	}
	if got := fmt.Sprintf("%v %v %v %s", w.StartableStatuses(), w.Terminal("done"), w.Terminal("review"), w.Initial); got != "[todo doing review] true false todo" {
		t.Errorf("statuses: got %s", got)
	}
}

func TestLoad_FillsInDefaults(t *testing.T) {
	t.Parallel()
	w := load(t, base)
	d := w.Dispatch
	if d.Start != "start" || d.Retry.Limit != 3 || d.Retry.LifetimeRuns != 15 || d.Story.Concurrency != 2 || d.Retry.Backoff.Factor != 2 {
		t.Errorf("got %+v", d)
	}
	if p := w.Profile("critic"); p.Permissions != workflows.PermissionsRead || w.Profile("coder").Permissions != workflows.PermissionsEdit {
		t.Errorf("got %+v", p)
	}
}

func TestLoad_TellsEveryProblemAtOnce(t *testing.T) {
	t.Parallel()
	const src = `version: 1
name: w
descrption: ten mistakes
profiles:
  coder: {role: codr}
initial: tood
statuses:
  todo: {}
  doing: {run: {profile: '{{ card.asignee }}', limits: {runtime: soon}}}
  done: {terminal: 3}
events:
  start: [{from: todo, to: dong}]
  done: [{from: doing, by: [wroker], when: card.priority == "high", to: done}]
dispatch:
  order: ['-card.prioriti']
  capacity:
    - {name: a, counts: session, max: host.load}
`
	want := []string{
		`w.yaml:3:1: unknown key "descrption"; known are version, name`, `(did you mean description?)`,
		`w.yaml:5:17: profiles.coder.role: found "codr"; expected one of planner, coder`,
		`w.yaml:6:10: initial: no status "tood" in workflow w; known are todo, doing, done (did you mean todo?)`,
		"w.yaml:9:35: statuses.doing.run.profile: card has no field asignee (did you mean assignee?)\n    {{ card.asignee }}\n            ^",
		`w.yaml:9:66: statuses.doing.run.limits.runtime: found "soon"; expected a duration such as 90s`,
		`w.yaml:10:20: statuses.done.terminal: found 3; expected true or false`,
		`w.yaml:12:28: events.start[0].to: no status "dong" in workflow w; known are todo, doing, done (did you mean doing?)`,
		`w.yaml:13:10: events.done[0]: no sender "wroker" in workflow w; known are person, board, worker (did you mean worker?)`,
		`w.yaml:13:58: events.done[0].when: invalid operation: == (mismatched types int and string)`,
		`w.yaml:15:18: dispatch.order[0]: card has no field prioriti (did you mean priority?)`,
		`w.yaml:17:25: dispatch.capacity[0].counts: found "session"; expected one of runs, cards, sessions`,
		`w.yaml:17:44: dispatch.capacity[0].max: this can be a fraction; a whole number is needed: write int(...)`,
	}
	list := problems(t, src)
	for _, text := range want {
		if !strings.Contains(list.Error(), text) {
			t.Errorf("not told: %s", text)
		}
	}
	if len(list) != 12 || t.Failed() {
		t.Errorf("got %d problems, want 12:\n%v", len(list), list)
	}
}

func TestLoad_RefusesBadInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ src, want string }{
		"empty":                {"", "w.yaml:1:1: the file is empty"},
		"blank":                {"\n# nothing\n", "the file is empty"},
		"a list":               {"- a\n", "found a list; expected a map"},
		"a text":               {"workflow\n", `found "workflow"; expected a map`},
		"no YAML":              {"a: [1\n", "not YAML"},
		"tab":                  {"version: 1\nprofiles:\n\tcoder: {}\n", "w.yaml:3:1: a tab in the indentation; YAML wants blanks"},
		"duplicate key":        {base + "initial: todo\n", `"initial" is here twice; the first is in line 6`},
		"duplicate in a map":   {strings.Replace(base, "{role: coder}", "{role: coder, role: coder}", 1), `"role" is here twice`},
		"two documents":        {base + "---\nversion: 1\n", "a second document"},
		"5 MB":                 {base + strings.Repeat("# "+strings.Repeat("x", 98)+"\n", 50_000), "at most 1048576 are read"},
		"not UTF-8":            {"version: 1\nname: \xff\xfe\n", "not YAML"},
		"control character":    {"version: 1\nname: a\x01b\n", "not YAML"},
		"unknown anchor":       {"version: *one\n", "not YAML"},
		"self alias":           {base + "params: &p {a: {b: *p}}\n", "an alias that contains itself"},
		"alias bomb":           {base + "params:\n  a: &a [x,x,x,x,x,x,x,x,x,x]\n  b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n  c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n  d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n  e: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n", "more than 100000 values"},
		"merge of a text":      {strings.Replace(base, "{role: coder}", "{<<: x, role: coder}", 1), "expected a map to merge"},
		"no statuses":          {"version: 1\nname: w\n", "statuses is missing"},
		"no version":           {strings.TrimPrefix(base, "version: 1\n"), "version is missing"},
		"newer version":        {strings.Replace(base, "version: 1", "version: 2", 1), "found 2; expected 1"},
		"odd name":             {strings.Replace(base, "todo: {}", "todo: {}\n  a/b: {}", 1), `"a/b" cannot name a status`},
		"event without list":   {base + "  cancel:\n", "an event needs a list of transitions"},
		"initial is terminal":  {strings.Replace(base, "initial: todo", "initial: done", 1), "done is terminal"},
		"terminal with run":    {strings.Replace(base, "{terminal: true}", "{terminal: true, run: {}}", 1), "cannot be run"},
		"start without run":    {strings.Replace(base, "{from: todo, to: doing}", "{from: todo, to: todo}", 1), "which has no run: it cannot be started (WF-4)"},
		"no start event":       {base + "dispatch: {start: strat}\n", `no event "strat" in workflow w; known are start, done, approve (did you mean start?)`},
		"interactive headless": {strings.Replace(base, "{role: coder}", "{role: coder, interactive: true}", 1), "needs surface: pane"},
		"ask, not interactive": {strings.Replace(base, "{role: coder}", "{role: coder, permissions: ask}", 1), "needs interactive: true"},
		"unknown prompt":       {strings.Replace(base, "{profile: coder}", "{profile: coder, prompt: prompts/implementor.md}", 1), "no such file; built in are prompts/implementer.md"},
		"prompt outside":       {strings.Replace(base, "{profile: coder}", "{profile: coder, prompt: ../../secret.md}", 1), "named by its path under workflows/"},
		"bad prompt":           {strings.Replace(base, "{profile: coder}", "{profile: coder, prompt: 'do {{ card.boddy }}'}", 1), "card has no field boddy (did you mean body?)"},
		"unknown outcome":      {strings.Replace(base, "{profile: coder}", "{profile: coder, outcomes: {crash: done}}", 1), `no outcome "crash"`},
		"outcome, no event":    {strings.Replace(base, "{profile: coder}", "{profile: coder, outcomes: {crashed: dnoe}}", 1), `no event "dnoe"`},
		"relative dir":         {strings.Replace(base, "todo: {}", "todo: {workspace: {dir: here}}", 1), "a folder is an absolute path"},
		"two actions in one":   {strings.Replace(base, "to: doing}", "to: doing, do: [{count: a, record: b}]}", 1), "an action has one key"},
		"unknown action":       {strings.Replace(base, "to: doing}", "to: doing, do: [{clos_session: worker}]}", 1), "(did you mean close_session?)"},
		"unknown slot":         {strings.Replace(base, "to: doing}", "to: doing, do: [{close_session: wrker}]}", 1), `no slot "wrker" in workflow w; known are worker, reviewer-* (did you mean worker?)`},
		"unknown column":       {strings.Replace(base, "to: doing}", "to: doing, do: [{assign: {titel: x}}]}", 1), `unknown key "titel"`},
		"unknown outcome end":  {strings.Replace(base, "to: doing}", "to: doing, do: [{end_run: complete}]}", 1), "(did you mean completed?)"},
	} {
		_, err := workflows.Check("w", "workflows/w.yaml", []byte(c.src), workflows.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v; want an error with %q", name, err, c.want)
		}
	}
}

func TestLoad_ReadsAnchorsAndMergeKeys(t *testing.T) {
	t.Parallel()
	w := load(t, strings.Replace(base, "  critic: {role: reviewer, surface: pane}\n",
		"  common: &common {role: reviewer, surface: pane, keep: [sshd]}\n  critic: {<<: *common, keep: [tmux]}\n", 1))
	p := w.Profile("critic")
	if p.Role != workflows.RoleReviewer || p.Surface != workflows.SurfacePane || fmt.Sprint(p.Keep) != "[tmux]" {
		t.Errorf("got %+v; want the merged role and surface, and its own keep", p)
	}
}

func TestLoad_PlacesProblemsInBlockScalars(t *testing.T) {
	t.Parallel()
	src := strings.Replace(base, "{run: {profile: coder}}", "\n    run:\n      profile: coder\n      prompt: |\n        Do {{ card.id }}\n        and {{ card.titel }}\n", 1)
	if got := problems(t, src).Error(); !strings.Contains(got, "card has no field titel (did you mean title?)\n    and {{ card.titel }}\n                ^") {
		t.Errorf("got\n%s", got)
	}
	src = base + "dispatch:\n  eligible: |\n    card.priority > 1 &&\n    card.prioriti < 3\n"
	if got := problems(t, src).Error(); !strings.HasPrefix(got, "workflows/w.yaml:19:10: dispatch.eligible: card has no field prioriti") {
		t.Errorf("got\n%s", got)
	}
}

func TestLoad_DoesNotCompileExpressions(t *testing.T) {
	t.Parallel()
	w, err := workflows.Load("w", "workflows/w.yaml", []byte(base+"dispatch: {eligible: card.prioriti > 1}\n"), workflows.Options{})
	if err != nil {
		t.Fatalf("Load compiles: %v", err)
	}
	if got := w.Validate(); len(got) != 1 || got[0].Nearest != "priority" {
		t.Errorf("Validate: got %v", got)
	}
}

func TestMentions_SaysWhatExpressionsRead(t *testing.T) {
	t.Parallel()
	w := load(t, base+"dispatch: {order: [card.title], eligible: 'card.labels.area != nil'}\n")
	if !w.Mentions("card.title") || !w.Mentions("card.labels") || w.Mentions("card.body") {
		t.Error("want card.title and card.labels, and not card.body")
	}
}

func TestLoad_TakesFiveHundredCaps(t *testing.T) {
	t.Parallel()
	var src strings.Builder
	src.WriteString(base + "dispatch:\n  capacity:\n")
	for i := range 500 {
		fmt.Fprintf(&src, "    - {name: cap %d, counts: runs, max: %d}\n", i, i)
	}
	if w := load(t, src.String()); len(w.Dispatch.Capacity) != 500 || w.Dispatch.Capacity[499].Index != 499 {
		t.Errorf("got %d caps", len(w.Dispatch.Capacity))
	}
}

func TestPrompt_IsAFileOrAText(t *testing.T) {
	t.Parallel()
	src := strings.Replace(base, "{profile: coder}", "{profile: coder, prompt: prompts/mine.md}", 1)
	src = strings.Replace(src, "{profile: critic,", "{profile: critic, prompt: 'Look at {{ card.id }}',", 1)
	w, err := workflows.Check("w", "workflows/w.yaml", []byte(src), workflows.Options{Prompts: func(path string) ([]byte, error) {
		if path != "prompts/mine.md" {
			return nil, errors.New("no such file")
		}
		return []byte("Do {{ card.id }}."), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	env := &expr.Env{Card: expr.Card{ID: "api-1"}}
	for status, want := range map[string]string{"doing": "Do api-1.", "review": "Look at api-1", "todo": ""} {
		prompt, err := w.Prompt(status)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := prompt.Text(env); got != want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", status, got, err, want)
		}
	}
}

// RET-4, RET-5, ROS-15, ROS-16: what the built-in prompts tell.
func TestBuiltinPrompts_TellTheCardAndHowToEnd(t *testing.T) {
	t.Parallel()
	src, _ := workflows.Builtin("default")
	w, err := workflows.Check("default", "workflows/default.yaml", src, workflows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	env := &expr.Env{
		Card: expr.Card{ID: "api-1", Title: "Parse dates", Body: "Accept ISO dates.", Owns: []string{"dates/"}},
		Run: expr.Run{
			Branch: "board/api-1", Base: "main", Workspace: "/w", Takeover: "codex stopped: usage limit",
			NotIndependent: "This review is not independent: no other executor can review.",
		},
		Attempts: []expr.Attempt{{Number: 1, Role: "coder", Status: "doing", Executor: "codex", Outcome: "timed_out", Error: "2h passed"}},
		Parents:  []expr.Parent{{ID: "api-0", Title: "Dates", Summary: "a type for dates"}},
		Comments: []expr.Comment{{By: "ann", Text: "mind the zone"}},
		Verbs:    []string{"board done", "board blocked"},
	}
	for status, want := range map[string][]string{
		"doing": {
			"api-1: Parse dates", "Accept ISO dates.", "codex stopped: usage limit", "timed_out", "2h passed", "a type for dates",
			"mind the zone", "dates/", "board done --summary", "BOARD: done", "BOARD: blocked: <why>", "board blocked",
		},
		"review": {
			"api-1: Parse dates", "Accept ISO dates.", "git diff main...board/api-1", "This review is not independent: no other executor can review. Be the stricter for it.",
			"BOARD: approve", "BOARD: changes: <why>", "timed_out", "mind the zone",
		},
	} {
		prompt, err := w.Prompt(status)
		if err != nil {
			t.Fatal(err)
		}
		text, err := prompt.Text(env)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is not in\n%s", status, part, text)
			}
		}
		bare, err := prompt.Text(&expr.Env{Card: env.Card})
		if err != nil || strings.Contains(bare, "Earlier attempts") || strings.Contains(bare, "{{") {
			t.Errorf("%s, of a first run: %v\n%s", status, err, bare)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, name := range workflows.Names() {
		src, _ := workflows.Builtin(name)
		f.Add(src)
	}
	f.Add([]byte(base))
	f.Add([]byte("a: &a {<<: *a}\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		w, err := workflows.Check("w", "w.yaml", src, workflows.Options{})
		if (w == nil) == (err == nil) {
			t.Errorf("got %v and %v", w, err)
		}
		var list workflows.Problems
		if err != nil && (!errors.As(err, &list) || len(list) == 0) {
			t.Errorf("got %T %v; want problems", err, err)
		}
		for _, p := range list {
			if p.Text == "" || p.Line < 1 || p.Column < 1 {
				t.Errorf("a problem without a place or a text: %+v", p)
			}
		}
	})
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
