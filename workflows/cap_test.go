package workflows_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/strict"
	"github.com/seed-2ddc2152/board/workflows"
)

func withCaps(caps ...string) string {
	return base + "dispatch:\n  capacity:\n    - " + strings.Join(caps, "\n    - ") + "\n"
}

func TestCaps_ReadEveryKey(t *testing.T) {
	t.Parallel()
	w := load(t, withCaps(
		`{name: a, counts: sessions, scope: [host, model], where: {model: claude-opus-*, status: [doing, review], dispatch: true, label: area=ui}, unless: {story: false}, max: 2, place: card}`,
		`{name: b, counts: spend, window: 1d, max: 20, assume_usd: 2.5}`,
		`{name: c, counts: starts, window: 1h, max: '', scope: board}`,
		`{name: d, counts: runs, max: null, burst: {to: 9, when: now.Hour() < 7}, reserve: {for: {role: reviewer}, slots: 1}}`))
	caps := w.Dispatch.Capacity
	a, b, c, d := caps[0], caps[1], caps[2], caps[3]
	if fmt.Sprintf("%v %v %v %v %v %v %s", a.Scope, a.Where.Model, a.Where.Status, *a.Where.Dispatch, *a.Unless.Story, a.Where.Label, a.Place) !=
		"[host model] [claude-opus-*] [doing review] true false [area=ui] card" {
		t.Errorf("a: got %+v", a)
	}
	if b.Window.Hours() != 24 || b.AssumeUSD != 2.5 || b.Place != workflows.PlaceSlot || fmt.Sprint(b.Scope) != "[home]" || !b.Where.Empty() {
		t.Errorf("b: got %+v", b)
	}
	if c.Max != nil || d.Max != nil || c.AssumeUSD != 1 { // C8: null and empty are no cap
		t.Errorf("c, d: got %v, %v; want no cap", c.Max, d.Max)
	}
	if d.Reserve.Always || fmt.Sprint(d.Reserve.For.Role) != "[reviewer]" || d.Burst.When.Source() != "now.Hour() < 7" {
		t.Errorf("d: got %+v", d)
	}
	if got := b.MaxAt.String(); got != "workflows/w.yaml:19 dispatch.capacity[1].max" {
		t.Errorf("key: got %s", got)
	}
}

// Scenarios C8, C10, C11.
func TestCaps_MaxIsWorkedOutForTheLane(t *testing.T) {
	t.Parallel()
	w := load(t, withCaps(
		"{name: a, counts: runs, scope: profile, max: 'lane.capacity ?? params.x'}",
		"{name: b, counts: runs, scope: host, max: 'params.hosts?.[card.host]?.capacity'}",
		"{name: c, counts: runs, max: params.missing}")+
		"params: {x: 5, hosts: {far: {capacity: 3}}}\n")
	two, far, near := 2, "far", "near"
	for _, c := range []struct {
		cap  int
		env  expr.Env
		want int // -1: no cap
	}{
		{0, expr.Env{Lane: expr.Lane{Capacity: &two}}, 2},
		{0, expr.Env{}, 5},
		{1, expr.Env{Card: expr.Card{Host: &far}}, 3},
		{1, expr.Env{Card: expr.Card{Host: &near}}, -1},
		{1, expr.Env{}, -1},
		{2, expr.Env{}, -1},
	} {
		got, ok, err := w.Dispatch.Capacity[c.cap].Max.Eval(&c.env)
		if !ok {
			got = -1
		}
		if got != c.want || err != nil {
			t.Errorf("cap %d: got %d, %v; want %d", c.cap, got, err, c.want)
		}
	}
}

// L7, CAP-17: what is wrong is an error.
func TestCaps_RefuseBadInput(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`{name: a, counts: runs, maximum: 1}`:                                            `unknown key "maximum"`,
		`{counts: runs, max: 1}`:                                                         "name is missing",
		`{name: a, max: 1}`:                                                              "counts is missing",
		`{name: a, counts: runs, max: -1}`:                                               "it gave -1",
		`{name: a, counts: runs, max: 1000001}`:                                          "it gave 1000001",
		`{name: a, counts: runs, max: [1]}`:                                              "found a list; expected a number or an expression",
		`{name: a, counts: runs, max: two}`:                                              "unknown name two",
		`{name: a, counts: runs, scope: []}`:                                             "a scope is one of home, board",
		`{name: a, counts: runs, scope: [host, host]}`:                                   "host is here twice",
		`{name: a, counts: runs, window: 1h}`:                                            "window means nothing for counts: runs",
		`{name: a, counts: spend, max: 1}`:                                               "window is missing",
		`{name: a, counts: starts, window: 0s}`:                                          "longer than nothing",
		`{name: a, counts: runs, place: card}`:                                           "place means nothing for counts: runs",
		`{name: a, counts: starts, reserve: {for: {}, slots: 1}}`:                        "reserve means nothing for counts: starts",
		`{name: a, counts: runs, reserve: {slots: 1}}`:                                   "for is missing",
		`{name: a, counts: runs, scope: model, reserve: {for: {role: coder}, slots: 1}}`: "home, board, host or profile; found model (CAP-7)",
		`{name: a, counts: runs, where: {status: reviw}}`:                                `no status "reviw" in workflow w; known are todo, doing, review, done (did you mean review?)`,
		`{name: a, counts: runs, unless: {profile: codr}}`:                               `no profile "codr"`,
		`{name: a, counts: runs, where: {slot: reviwer}}`:                                `no slot "reviwer"`,
		`{name: a, counts: runs, where: {role: [coder, tester]}}`:                        `no role "tester"`,
		`{name: a, counts: runs, where: {surface: window}}`:                              `no surface "window"`,
		`{name: a, counts: runs, where: {status: []}}`:                                   "an empty list matches nothing",
		`{name: a, counts: runs, where: {dispatch: maybe}}`:                              "expected true or false",
		`{name: a, counts: runs, burst: {when: true}}`:                                   "to is missing",
		"{name: a, counts: runs}\n    - {name: a, counts: cards}":                        `a second cap "a"; the first is in line 18`,
	} {
		if got := problems(t, withCaps(src)).Error(); !strings.Contains(got, want) || !strings.Contains(got, "w.yaml:") {
			t.Errorf("%s: got\n%s\nwant %q", src, got, want)
		}
	}
}

// CAP-17: what is odd loads and is told.
func TestCaps_AreLinted(t *testing.T) {
	t.Parallel()
	known := &workflows.Known{Hosts: []string{"base", "far"}, Executors: []string{"opus", "sonnet"}}
	for src, want := range map[string]string{
		`{name: a, counts: sessions, where: {dispatch: true}, unless: {dispatch: true}, max: 1}`:                                       "can match nothing: unless takes out",
		`{name: a, counts: runs, where: {status: [doing]}, unless: {status: [do*]}, max: 1}`:                                           "can match nothing: unless takes out",
		`{name: a, counts: runs, where: {profile: coder, role: reviewer}, max: 1}`:                                                     "no profile has this profile, role and surface together",
		`{name: a, counts: starts, where: {status: [todo, done]}, max: 1}`:                                                             "none of its statuses has a run",
		`{name: a, counts: runs, max: 2, reserve: {for: {status: review}, slots: 2}}`:                                                  "the reserve of cap \"a\" is 2 of 2 places; at most 1 are kept",
		`{name: a, counts: runs, where: {status: doing}, max: 2, reserve: {for: {status: review}, slots: 1}}`:                          "where and for share no status", // E17
		`{name: a, counts: runs, max: host.cpus - 2}`:                                                                                  "with host.cpus = 1 it gave -1",
		`{name: a, counts: runs, max: int(10 / host.load)}`:                                                                            "with host.load = 0 it gave",
		`{name: a, counts: runs, max: lane.capacity + 1}`:                                                                              "with lane.capacity = nil",
		`{name: a, counts: runs, where: {executor: opsu}, max: 1}`:                                                                     `no executor is called "opsu"; there are opus, sonnet`,
		`{name: a, counts: runs, where: {host: fra}, max: 1}`:                                                                          `no host is called "fra"; there are base, far`,
		`{name: a, counts: runs, where: {host: f*, executor: '*', model: whatever}, unless: {status: review}, max: 1}`:                 "",
		`{name: a, counts: sessions, where: {dispatch: true}, unless: {dispatch: true, status: review}, max: 'max(1, host.cpus - 2)'}`: "",
		`{name: a, counts: runs, max: 'host.memory_pressure == "low" ? params.x ?? host.max_sessions : 1'}`:                            "",
	} {
		w, err := workflows.Check("w", "workflows/w.yaml", []byte(withCaps(src)), workflows.Options{Known: known})
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := w.Lint.Error(); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q; want %q", src, got, want)
		}
	}
}

func TestLint_TellsOfMisspeltParams(t *testing.T) {
	t.Parallel()
	w := load(t, withCaps(`{name: a, counts: runs, max: 'params.max_sesions ?? 3'}`, `{name: b, counts: runs, max: params.other}`)+"params: {max_sessions: 2}\n")
	if got := w.Lint.Error(); len(w.Lint) != 1 || !strings.Contains(got, "no param is called max_sesions: it reads as nil (did you mean max_sessions?)") {
		t.Errorf("got %q", got)
	}
}

func TestReadCaps_ReadsThoseOfConfig(t *testing.T) {
	t.Parallel()
	file, root, ok := strict.Parse("config.yaml", []byte("capacity:\n  - {name: all, counts: runs, max: params.all}\n  - {name: bad, counts: runs, max: host.load}\n"))
	if !ok {
		t.Fatal(file.Problems())
	}
	caps := workflows.ReadCaps(root.Keys("capacity").Get("capacity"), expr.NewScope(map[string]any{"all": 3}))
	if n, _ := caps[0].Max.Constant(); n != 3 || caps[0].MaxAt.String() != "config.yaml:2 capacity[0].max" {
		t.Errorf("got %d at %s", n, caps[0].MaxAt)
	}
	if got := file.Problems().Error(); !strings.Contains(got, "config.yaml:3:") || !strings.Contains(got, "write int(...)") {
		t.Errorf("got %q", got)
	}
}

// CAP-17: the caps of config.yaml are judged by what all workflows of the home have.
func TestLintHome_JudgesTheCapsOfConfigByAllWorkflows(t *testing.T) {
	t.Parallel()
	known := &workflows.Known{Hosts: []string{"base", "far"}, Executors: []string{"opus"}}
	w := load(t, withCaps(`{name: mine, counts: runs, max: 3}`))
	for src, want := range map[string]string{
		`{name: a, counts: runs, where: {status: reviw}, max: 1}`:                                `no status is called "reviw"; there are doing, done, review, todo (did you mean review?)`,
		`{name: a, counts: runs, where: {profile: codr}, max: 1}`:                                `no profile is called "codr"`,
		`{name: a, counts: runs, unless: {host: fra}, max: 1}`:                                   `no host is called "fra"`,
		`{name: a, counts: runs, max: 2, reserve: {for: {status: review}, slots: 3}}`:            "at most 1 are kept",
		`{name: a, counts: sessions, where: {dispatch: true}, unless: {dispatch: true}, max: 2}`: "can match nothing",
		`{name: a, counts: runs, max: host.cpus - 4}`:                                            "with host.cpus = 1 it gave -3",
		`{name: mine, counts: runs, max: 2}`:                                                     `workflow w has a cap "mine" too`,
		`{name: a, counts: runs, where: {status: do*, executor: opus}, max: 2}`:                  "",
	} {
		file, root, ok := strict.Parse("config.yaml", []byte("capacity:\n  - "+src+"\n"))
		if !ok {
			t.Fatal(file.Problems())
		}
		caps := workflows.ReadCaps(root.Keys("capacity").Get("capacity"), expr.NewScope(nil))
		got := workflows.LintHome(caps, []*workflows.Workflow{w}, known).Error()
		if want == "" && got != "" || !strings.Contains(got, want) || want != "" && !strings.Contains(got, "config.yaml:2") {
			t.Errorf("%s: got %q; want %q", src, got, want)
		}
	}
}
