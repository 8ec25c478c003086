package roster_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/roster"
)

// sources returns the sources of one user file, with a small set of harnesses and no environment.
func sources(text string) roster.Sources {
	return roster.Sources{User: document("user.yaml", text), Harnesses: harnesses()}
}

func document(path, text string) *roster.Document {
	return &roster.Document{Path: path, Data: []byte(text)}
}

func harnesses() []roster.HarnessInfo {
	return []roster.HarnessInfo{
		{Name: "claude", Program: "claude"},
		{Name: "codex", Program: "codex"},
		{Name: "cursor", Program: "cursor-agent"},
		{Name: "exec"},
		{Name: "openai-api", APIOnly: true},
	}
}

func lookup(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
}

func load(t *testing.T, s roster.Sources) *roster.Roster {
	t.Helper()
	r, err := roster.Load(s)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return r
}

// problems returns what Load finds wrong, one a line.
func problems(t *testing.T, s roster.Sources) []string {
	t.Helper()
	_, err := roster.Load(s)
	var found roster.Problems
	if !errors.As(err, &found) {
		t.Fatalf("got error %v, want Problems", err)
	}
	return strings.Split(found.Error(), "\n")
}

func wantProblem(t *testing.T, s roster.Sources, want string) {
	t.Helper()
	found := problems(t, s)
	if len(found) != 1 || !strings.Contains(found[0], want) {
		t.Errorf("got problems\n%s\nwant one with %q", strings.Join(found, "\n"), want)
	}
}

func idsOf(executors []roster.Executor) string {
	var ids []string
	for _, e := range executors {
		ids = append(ids, e.ID)
	}
	return strings.Join(ids, " ")
}

// ROS-1; scenarios 1 and 2.
func TestLoad_ReportsEveryProblemAtOnceWithItsLine(t *testing.T) {
	t.Parallel()
	text := `executors:
  - harness: claude
    roles: [coder]
  - id: Big
    roles: [codr]
  - {id: a, harness: claud, roles: [judge, coder], slots: 0}
  - id: b
    harness: claude
    roles: [coder]
    slots: 2
    coder_slots: 3
    cooldown: {outage: soon, usage: 1h}
    priority: {codder: 1, judge: high}
    effort: {coder: hugh}
    env: {K: "${SECRET}", OPENAI_API_KEY: abcdefghijklmnop}
    colour: red
  - {id: c, harness: exec, roles: [coder]}
  - {id: d, harness: openai-api, roles: [coder, judge]}
  - {id: c, harness: exec, roles: [coder], command: [make]}
`
	want := []string{
		`user.yaml:2:5: executors[0]: the id is empty; every executor needs one`,
		`user.yaml:4:9: executor Big: id: id "Big"; expected a-z, 0-9, '.', '_' and '-', a letter or digit first`,
		`user.yaml:4:5: executor Big: has no harness; there is claude, codex, cursor, exec, openai-api`,
		`user.yaml:5:12: executor Big: roles: takes no role; there is planner, coder, reviewer, judge, verifier`,
		`user.yaml:5:13: executor Big: roles[0]: unknown role "codr"; there is planner, coder, reviewer, judge, verifier (did you mean coder?)`,
		`user.yaml:6:22: executor a: harness: unknown harness "claud"; there is claude, codex, cursor, exec, openai-api (did you mean claude?)`,
		`user.yaml:6:59: executor a: slots: found 0; expected a whole number from 1 to 1000000`,
		`user.yaml:11:18: executor b: coder_slots: found 3; expected a whole number from 0 to 2`,
		`user.yaml:12:24: executor b: cooldown.outage: found "soon"; expected a duration such as 90s, 30 min or 1h30m`,
		`user.yaml:12:30: executor b: cooldown: unknown key "usage"; known are usage_limit, rate_limit, outage (did you mean usage_limit?)`,
		`user.yaml:13:16: executor b: priority: unknown key "codder"; known are planner, coder, reviewer, judge, verifier, default (did you mean coder?)`,
		`user.yaml:13:34: executor b: priority.judge: found "high"; expected a number from -100000 to 100000`,
		`user.yaml:14:21: executor b: effort.coder: found "hugh"; expected one of off, minimal, low, medium, high, xhigh, max (did you mean high?)`,
		`user.yaml:15:14: executor b: env.K: ${SECRET} is not set`,
		`user.yaml:15:43: executor b: env.OPENAI_API_KEY: looks like a secret written out; put it into the environment or env_file and write ${OPENAI_API_KEY}`,
		`user.yaml:16:5: executor b: unknown key "colour"; known are id, harness, model, command, roles, slots, coder_slots, priority, effort, flags, env, bin, health, cooldown, account, limits, disabled`,
		`user.yaml:17:5: executor c: harness exec needs a command, such as ["sh", "-c", "make agent"]`,
		`user.yaml:18:41: executor d: roles: harness openai-api is an API without tools and cannot be a coder`,
		`user.yaml:19:10: executor c: id: listed twice in this file; first in line 17`,
	}
	got := problems(t, sources(text))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLoad_ReadsAWholeEntry(t *testing.T) {
	t.Parallel()
	text := `executors:
  - id: opus
    harness: claude
    model: claude-opus-4-5
    roles: [reviewer, planner, coder]
    slots: 3
    coder_slots: 2
    priority: {default: 1, reviewer: 0}
    effort: {default: high, reviewer: medium}
    flags: {max-turns: "80", literal: "${WORK_ANTHROPIC_KEY}"}
    env: {ANTHROPIC_API_KEY: "${WORK_ANTHROPIC_KEY}", PORT: 8080}
    bin: /opt/claude/bin/claude
    health: http://127.0.0.1:8080/health
    cooldown: {usage_limit: 1h, rate_limit: 90s}
    account: max-plan-1
    limits: {usd_per_day: 40}
`
	s := sources(text)
	s.Lookup = lookup(map[string]string{"WORK_ANTHROPIC_KEY": "s3cret"})
	e := load(t, s).Executors[0]
	check := func(what string, got, want any) {
		if got != want {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	check("id", e.ID, "opus")
	check("model", e.Model, "claude-opus-4-5")
	check("roles", len(e.Roles), 3)
	check("first role", e.Roles[0], roster.RolePlanner)
	check("slots", e.Slots, 3)
	check("coder slots", e.CoderSlots, 2)
	check("priority of a reviewer", e.Priority.For(roster.RoleReviewer), 0.0)
	check("priority of a coder", e.Priority.For(roster.RoleCoder), 1.0)
	check("effort of a reviewer", e.Effort.For(roster.RoleReviewer), "medium")
	check("a flag", e.Flags["max-turns"], "80")
	check("a flag stays literal", e.Flags["literal"], "${WORK_ANTHROPIC_KEY}") // scenario 10
	check("a variable", e.Env["ANTHROPIC_API_KEY"], "s3cret")
	check("a number", e.Env["PORT"], "8080")
	check("bin", e.Bin, "/opt/claude/bin/claude")
	check("health", e.Health, "http://127.0.0.1:8080/health")
	check("cooldown", e.Cooldown, roster.Cooldown{UsageLimit: time.Hour, RateLimit: 90 * time.Second, Outage: 5 * time.Minute})
	check("account", e.Account, "max-plan-1")
	check("limit", *e.Limits.USDPerDay, 40.0)
	check("where", e.Where(), "user.yaml:2")
	check("label", e.Label(2), "opus#2")
}

// ROS-1; scenarios 14 and 15.
func TestLoad_GivesDefaultsToWhatIsNotSaid(t *testing.T) {
	t.Parallel()
	text := `executors:
  - {id: a, harness: claude, roles: [coder, reviewer], slots: 4}
  - {id: b, harness: claude, roles: [coder, reviewer], priority: {coder: 1, default: 5}, effort: {reviewer: high}}
  - {id: c, harness: claude, roles: [judge], priority: 3}
`
	r := load(t, sources(text))
	a, b, c := r.Executors[0], r.Executors[1], r.Executors[2]
	if a.CoderSlots != 4 || a.Priority.For(roster.RoleJudge) != 1 || a.Cooldown != roster.DefaultCooldown() || a.Limits.USDPerDay != nil {
		t.Errorf("a: got %+v", a)
	}
	if b.Priority.For(roster.RoleCoder) != 1 || b.Priority.For(roster.RoleReviewer) != 5 {
		t.Errorf("b: got priority %+v, want coder 1 and reviewer 5", b.Priority)
	}
	if b.Effort.For(roster.RoleReviewer) != "high" || b.Effort.For(roster.RoleCoder) != "" {
		t.Errorf("b: got effort %+v, want only the reviewer's", b.Effort)
	}
	if b.Label(1) != "b" || c.Priority.For(roster.RoleJudge) != 3 {
		t.Errorf("got label %s and priority %v", b.Label(1), c.Priority)
	}
}

// ROS-1; scenario 3.
func TestLoad_RefusesOneIDTwiceInAFile(t *testing.T) {
	t.Parallel()
	text := "executors:\n- {id: a, harness: claude, roles: [judge]}\n- {id: a, harness: claude, roles: [judge]}\n"
	wantProblem(t, sources(text), `user.yaml:3:8: executor a: id: listed twice in this file; first in line 2`)
}

// Scenarios 4 and 5.
func TestLoad_MergesTheRepositoryOverTheUser(t *testing.T) {
	t.Parallel()
	s := sources(`executors:
  - {id: a, harness: claude, roles: [coder]}
  - {id: b, harness: claude, model: old, roles: [coder], slots: 3}
  - {id: gone, harness: nonsense}
`)
	s.Repo = document("repo.yaml", `executors:
  - {id: c, harness: codex, roles: [judge]}
  - {id: b, harness: codex, roles: [reviewer]}
  - {id: gone, disabled: true}
`)
	r := load(t, s)
	if got := idsOf(r.Executors); got != "a b c" {
		t.Fatalf("got %s, want a b c", got)
	}
	b := r.Executors[1]
	if b.Harness != "codex" || b.Model != "" || b.Slots != 1 || b.File != "repo.yaml" || b.Position != 1 {
		t.Errorf("got b %+v, want the repository's entry whole", b)
	}
	if got := idsOf(r.Disabled); got != "gone" {
		t.Errorf("got disabled %q, want gone", got)
	}
}

// Scenarios 6, 7 and 8.
func TestLoad_NarrowsInTheOrderOfTheFile(t *testing.T) {
	t.Parallel()
	s := sources(`executors:
  - {id: a, harness: claude, roles: [coder]}
  - {id: b, harness: claude, roles: [coder]}
  - {id: c, harness: nonsense, slots: -1}
  - {id: off, harness: claude, roles: [coder], disabled: true}
`)
	s.Narrow = []string{"b", "a"}
	if got := idsOf(load(t, s).Executors); got != "a b" {
		t.Errorf("got %s, want a b", got)
	}
	s.Narrow = []string{"a", "zebra"}
	wantProblem(t, s, `no executor "zebra" to keep`)
	s.Narrow = []string{"a", "off"}
	wantProblem(t, s, `user.yaml:5:1: executor "off" is asked for (BOARD_EXECUTORS, --executors) and is disabled here`)
}

// Scenario 9.
func TestLoad_RefusesARosterWithNobodyLeft(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"all disabled": "executors:\n- {id: a, harness: claude, roles: [coder], disabled: true}\n",
		"empty list":   "executors: []\n",
		"no key":       "{}\n",
		"empty file":   "# nothing\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantProblem(t, sources(text), "user.yaml:1:1: no executor left to run with")
		})
	}
}

// ROS-1; scenario 10.
func TestLoad_AnUnsetVariableIsAProblemInACheckAndOneExecutorOutInATick(t *testing.T) {
	t.Parallel()
	s := sources(`executors:
  - {id: a, harness: claude, roles: [coder], env: {K: "x-${SECRET}-${OTHER}"}}
  - {id: b, harness: claude, roles: [coder]}
`)
	found := problems(t, s)
	if len(found) != 2 || !strings.Contains(found[0], "${SECRET} is not set") || !strings.Contains(found[1], "${OTHER} is not set") {
		t.Errorf("got problems %q, want one for SECRET and one for OTHER", found)
	}
	s.Mode = roster.Tick
	r := load(t, s)
	if got := strings.Join(r.Executors[0].Unset, " "); got != "OTHER SECRET" {
		t.Errorf("got unset %q, want OTHER SECRET", got)
	}
	state := roster.State{Executors: r.Executors}
	offers, _ := state.Offers(roster.Want{Role: roster.RoleCoder})
	if len(offers) != 1 || offers[0].Executor.ID != "b" {
		t.Errorf("got offers %v, want b alone", offers)
	}
	out, isOut := state.OutOf(r.Executors[0])
	if !isOut || out.Code != roster.RefusedConfig || !strings.Contains(out.Text, "${SECRET}") {
		t.Errorf("got %+v, want out of kind config naming SECRET", out)
	}
}

// ROS-1.
func TestLoad_RefusesSecretsWrittenOutAndQuotesNone(t *testing.T) {
	t.Parallel()
	for env, secret := range map[string]bool{
		`{OPENAI_API_KEY: abcdef123456}`:        true,
		`{DB_PASSWORD: hunter2}`:                true,
		`{ANY: sk-ant-api03-abcdefghijkl}`:      true,
		`{ANY: ghp_abcdefghijklmnop}`:           true,
		`{URL: "https://me:hunter2@host/x"}`:    true,
		`{K: "${A:-hunter2hunter2}"}`:           true, // no reference that is known here
		`{OPENAI_API_KEY: "${A}"}`:              false,
		`{OPENAI_API_KEY: none}`:                false,
		`{MAX_TOKENS: "4096"}`:                  false,
		`{SSH_KEY: /home/me/.ssh/id}`:           false,
		`{OPENAI_BASE_URL: "http://127.0.0.1"}`: false,
		`{AUTHOR: "git@host"}`:                  false,
	} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			s := sources("executors:\n- {id: a, harness: claude, roles: [coder], env: " + env + "}\n")
			s.Lookup = lookup(map[string]string{"A": "value"})
			_, err := roster.Load(s)
			if (err != nil) != secret {
				t.Fatalf("got error %v, want one: %v", err, secret)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the problem quotes the secret: %v", err)
			}
		})
	}
}

// Scenario 11.
func TestLoad_NamesTheLineOfWhatIsNotYAML(t *testing.T) {
	t.Parallel()
	wantProblem(t, sources("executors:\n  - id: a\n   harness: x\n"), "not YAML")
	wantProblem(t, sources("executors: []\n---\nexecutors: []\n"), "user.yaml:2:1: a second document")
	wantProblem(t, sources("- a\n"), "user.yaml:1:1: found a list; expected a map")
	wantProblem(t, sources("executors: claude\n"), `user.yaml:1:12: executors: found "claude"; expected a list`)
	wantProblem(t, sources("executors:\n- claude\n"), `user.yaml:2:3: executors[0]: expected an executor`)
	wantProblem(t, sources("executor: []\n"), `unknown key "executor"`)
}

func TestLoad_FindsWrongKinds(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		"model: [a]":                       "executor a: model: found a list; expected the name of a model",
		"flags: x":                         `flags: found "x"; expected a map`,
		"flags: {a: [b]}":                  "flags.a: found a list; expected a text",
		"command: [make]":                  "command is only for the harness exec",
		"slots: 1.5":                       "slots: found 1.5; expected a whole number",
		"slots: many":                      `slots: found "many"; expected a whole number`,
		"coder_slots: -1":                  "coder_slots: found -1",
		"disabled: maybe":                  `disabled: found "maybe"; expected true or false`,
		"health: 127.0.0.1":                "expected a URL",
		"limits: {usd_per_day: -1}":        "usd_per_day: found -1; expected a number from 0",
		"limits: {usd_per_day: .nan}":      "usd_per_day: found .nan; expected a number from 0",
		"limits: {eur: 1}":                 `limits: unknown key "eur"`,
		"priority: .inf":                   "priority: found .inf; expected a number",
		"priority: [1]":                    "priority: found a list; expected a number",
		"env: {1X: y}":                     `"1X" is no name of a variable`,
		"cooldown: {outage: -1h}":          "outage: found \"-1h\"; expected a duration",
		`cooldown: {outage: "5"}`:          "outage: found \"5\"; expected a duration",
		"cooldown: {outage: {unit: hour}}": "outage: found a map; expected a duration",
		"model: a\n  model: b":             `"model" is here twice`,
		"flags: {a: b, a: c}":              `flags: "a" is here twice`,
		"priority: {coder: 1, coder: 2}":   `priority: "coder" is here twice`,
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			wantProblem(t, sources("executors:\n- id: a\n  harness: claude\n  roles: [coder]\n  "+field+"\n"), want)
		})
	}
}

// Scenario 13.
func TestLoad_ReadsTheOneDurationGrammar(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"2h": 2 * time.Hour, "30 min": 30 * time.Minute, "1.5 s": 1500 * time.Millisecond, "500ms": 500 * time.Millisecond,
		"2d": 48 * time.Hour, "1h30m": 90 * time.Minute,
	} {
		r := load(t, sources("executors:\n- {id: a, harness: claude, roles: [coder], cooldown: {outage: "+text+"}}\n"))
		if got := r.Executors[0].Cooldown.Outage; got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// ROS-1; scenario 12.
func TestLoad_LetsAnAPIJudgeButNotCode(t *testing.T) {
	t.Parallel()
	load(t, sources("executors:\n- {id: a, harness: openai-api, roles: [judge]}\n"))
	wantProblem(t, sources("executors:\n- {id: a, harness: openai-api, roles: [coder]}\n"), "cannot be a coder")
}

func TestLoad_AcceptsJSONWithTabs(t *testing.T) {
	t.Parallel()
	r := load(t, sources("{\n\t\"executors\": [\n\t\t{\"id\": \"a\", \"harness\": \"claude\", \"roles\": [\"coder\"], \"flags\": {\"x\": \"a\\tb\"}}\n\t]\n}\n"))
	if got := r.Executors[0]; got.ID != "a" || got.Flags["x"] != "a\tb" || got.Line != 3 {
		t.Errorf("got %+v", got)
	}
}

func TestLoad_ReadsAnchorsAndMergedKeys(t *testing.T) {
	t.Parallel()
	r := load(t, sources(`executors:
  - &base {id: a, harness: claude, roles: [coder], slots: 2}
  - <<: *base
    id: b
`))
	if got := r.Executors[1]; got.ID != "b" || got.Harness != "claude" || got.Slots != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestLoad_WithoutAnyFileTakesWhatIsOnPATH(t *testing.T) {
	t.Parallel()
	s := roster.Sources{
		User: document("user.yaml", "executors: []"), None: true, Harnesses: harnesses(),
		LookPath: func(program string) (string, error) {
			if program == "claude" || program == "cursor-agent" {
				return "/bin/" + program, nil
			}
			return "", errors.New("not found")
		},
	}
	r := load(t, s)
	if got := idsOf(r.Executors); got != "claude cursor" {
		t.Fatalf("got %s, want claude cursor", got)
	}
	if e := r.Executors[1]; e.Slots != 1 || len(e.Roles) != len(roster.Roles()) || e.Position != 1 || e.Where() != "found on PATH" {
		t.Errorf("got %+v, want one slot and all roles", e)
	}
	s.Narrow = []string{"cursor"}
	if got := idsOf(load(t, s).Executors); got != "cursor" {
		t.Errorf("narrowed: got %s, want cursor", got)
	}
	s.Narrow = []string{"codex"}
	if _, err := roster.Load(s); err == nil || !strings.Contains(err.Error(), `no executor "codex" to keep`) {
		t.Errorf("narrowed to what is not there: got %v", err)
	}
	s.Narrow, s.LookPath = nil, nil
	if _, err := roster.Load(s); !errors.Is(err, roster.ErrNobody) {
		t.Errorf("nothing on PATH: got %v, want ErrNobody", err)
	}
}

func TestFingerprint_ChangesWithTheEntryItsSecretsAndTheEvidence(t *testing.T) {
	t.Parallel()
	text := func(slots, indent string) string {
		return indent + "executors:\n- {id: a, harness: claude, roles: [coder], slots: " + slots + ", env: {K: \"${V}\"}}\n"
	}
	mark := func(text, value string, evidence ...string) string {
		s := sources(text)
		s.Lookup = lookup(map[string]string{"V": value})
		return load(t, s).Executors[0].Fingerprint(evidence...)
	}
	same := mark(text("1", ""), "v", "bin 1")
	for name, got := range map[string]string{
		"a slot":     mark(text("2", ""), "v", "bin 1"),
		"a secret":   mark(text("1", ""), "w", "bin 1"),
		"the binary": mark(text("1", ""), "v", "bin 2"),
	} {
		if got == same {
			t.Errorf("%s changed and the fingerprint did not", name)
		}
	}
	if mark(text("1", "# moved down\n"), "v", "bin 1") != same {
		t.Error("the fingerprint changed with the line of the entry")
	}
}

func TestNearest_FindsAMistypedID(t *testing.T) {
	t.Parallel()
	r := load(t, sources("executors:\n- {id: opus, harness: claude, roles: [coder]}\n"))
	if got := r.Nearest("opsu"); got != "" && got != "opus" {
		t.Errorf("got %q", got)
	}
	if got := r.Nearest("opu"); got != "opus" {
		t.Errorf("got %q, want opus", got)
	}
	if got := r.Nearest("gemini"); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}
