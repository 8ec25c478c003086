package capacity_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/seed-2ddc2152/board/capacity"
)

var update = flag.Bool("update", false, "rewrite the answers of testdata/*.yaml")

// scenario is one document of a scenario file: facts, caps and steps in, decisions out. The ids are those of the
// capacity scenarios, A to F.
type scenario struct {
	ID    string
	Says  string
	Site  siteText
	Caps  []capText
	Cards []cardText
	Past  []runText
	// Waiting names steps by position: what could start now but for caps.
	Waiting []stepText
	Steps   []stepText

	Holds   []string // answer: what the cards hold
	Answers []string // answer: one line a step
	Usage   []string // answer: groups in use at the end
}

type siteText struct {
	Home            string
	Aliases, Models map[string]string
}

type laneText struct {
	Slot, Role, Profile, Executor, Harness, Model, Surface, Host string
	Borrowed                                                     bool
}

type cardText struct {
	ID, Status, Host, Model, Story string
	Labels                         map[string]string
	Initial, Terminal, Archived    bool
	Lane                           laneText
	Run                            *runText
	Sessions                       []sessionText
}

type runText struct {
	ID, Session int64
	laneText    `yaml:",inline"`
	Card        string        // of a past run
	Started     time.Duration // ago
	Ended       time.Duration // ago; 0: open
	Dollars     *float64
}

type sessionText struct {
	ID       int64
	laneText `yaml:",inline"`
	Seen     string
	State    capacity.SessionState
	Adopted  bool
	Gone     bool
	Unsure   bool
	Stopping bool
	Idle     time.Duration // since
}

// stepText asks for one start and, where it is admitted, takes it; or begins another tick.
type stepText struct {
	Tick     bool // begin another tick from the same facts
	Card     string
	Status   string
	laneText `yaml:",inline"`
	CardHost string `yaml:"card_host"`
}

type capText struct {
	Name          string
	File          string
	Line          int
	Counts        capacity.Kind
	Scope         []capacity.Dimension
	Where, Unless filterText
	Place         capacity.Place
	Window        time.Duration
	Assume        float64
	Max           limitText
	Boards        []string
	Paused        bool
	Reserve       *struct {
		For   filterText
		Slots limitText
		When  capacity.When
	}
}

type filterText struct {
	Board, Card, Status, Profile, Executor, Harness, Model, Host, Slot, Role, Surface, Label []string
	Story, Dispatch                                                                          *bool
}

// limitText is a number, nothing, or a stand-in for an expression: by the candidate's profile or host.
type limitText struct {
	N       *int64
	Fault   string
	Profile map[string]int64
	Host    map[string]int64
	Else    *int64
}

func (l *limitText) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&l.N)
	}
	type plain limitText
	return node.Decode((*plain)(l))
}

func (l limitText) limiter(unit int64) capacity.Limiter {
	number := func(n *int64) capacity.Limit {
		if n == nil {
			return capacity.Limit{None: true}
		}
		return capacity.Limit{N: *n * unit}
	}
	switch {
	case l.Fault != "":
		return capacity.Limiter{Of: func(*capacity.Candidate) capacity.Limit { return capacity.Limit{Fault: l.Fault} }}
	case l.Profile != nil || l.Host != nil:
		return capacity.Limiter{Of: func(c *capacity.Candidate) capacity.Limit {
			if n, ok := l.Profile[c.Profile]; ok {
				return capacity.Limit{N: n * unit}
			}
			if n, ok := l.Host[c.Host]; ok {
				return capacity.Limit{N: n * unit}
			}
			return number(l.Else)
		}}
	}
	return capacity.Limiter{Const: number(l.N)}
}

func (f filterText) filter(s capacity.Site) capacity.Filter {
	return s.NormalFilter(capacity.Filter{
		Board: f.Board, Card: f.Card, Status: f.Status, Profile: f.Profile, Executor: f.Executor, Harness: f.Harness,
		Model: f.Model, Host: f.Host, Slot: f.Slot, Role: f.Role, Surface: f.Surface, Label: f.Label,
		Story: f.Story, Dispatch: f.Dispatch,
	})
}

func (l laneText) lane() capacity.Lane {
	return capacity.Lane{
		Slot: l.Slot, Role: l.Role, Profile: l.Profile, Executor: l.Executor, Harness: l.Harness, Model: l.Model,
		Surface: l.Surface, Host: l.Host, Borrowed: l.Borrowed,
	}
}

func (r runText) facts() capacity.RunFacts {
	f := capacity.RunFacts{ID: r.ID, Session: r.Session, Lane: r.lane(), StartedAt: now.Add(-r.Started)}
	if r.Ended > 0 {
		f.EndedAt = now.Add(-r.Ended)
	}
	if r.Dollars != nil {
		f.CostMicros, f.CostKnown = int64(*r.Dollars*1e6), true
	}
	return f
}

func (c cardText) facts() capacity.CardFacts {
	f := capacity.CardFacts{
		ID: c.ID, Board: boardOf(c.ID), Status: c.Status, Host: c.Host, Model: c.Model, Story: c.Story,
		Labels: c.Labels, Initial: c.Initial, Terminal: c.Terminal, Archived: c.Archived, Lane: c.Lane.lane(),
	}
	if c.Run != nil {
		run := c.Run.facts()
		f.Run = &run
	}
	for _, s := range c.Sessions {
		f.Sessions = append(f.Sessions, capacity.SessionFacts{
			ID: s.ID, Lane: s.lane(), ModelSeen: s.Seen, Adopted: s.Adopted, State: s.State, Gone: s.Gone,
			Unsure: s.Unsure, Stopping: s.Stopping, IdleSince: now.Add(-s.Idle),
		})
	}
	return f
}

func (c capText) cap(s capacity.Site) capacity.Cap {
	unit := int64(1)
	if c.Counts == capacity.Spend {
		unit = 1_000_000
	}
	k := capacity.Cap{
		Name: c.Name, Source: capacity.Source{File: c.File, Line: c.Line}, Counts: c.Counts, Scope: c.Scope,
		Where: c.Where.filter(s), Unless: c.Unless.filter(s), Place: c.Place, Window: c.Window,
		AssumeMicros: int64(c.Assume * 1e6), Max: c.Max.limiter(unit), Boards: c.Boards, Paused: c.Paused,
	}
	if c.Reserve != nil {
		k.Reserve = &capacity.Reserve{
			For: c.Reserve.For.filter(s), Slots: c.Reserve.Slots.limiter(1), When: c.Reserve.When,
		}
	}
	return k
}

func boardOf(card string) string {
	board, _, _ := strings.Cut(card, "-")
	return board
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("scenario files: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			runFile(t, file)
		})
	}
}

func runFile(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	nodes := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var s scenario
		//nolint:musttag // yaml.v3 takes the fields' names in lower case, and refuses others
		if err := decoder.Decode(&s); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: after the scenarios above: %v", file, err)
		}
		var node yaml.Node
		if err := nodes.Decode(&node); err != nil {
			t.Fatal(err)
		}
		got := s.run()
		for _, answer := range []struct {
			key       string
			got, want []string
		}{{"holds", got.Holds, s.Holds}, {"answers", got.Answers, s.Answers}, {"usage", got.Usage, s.Usage}} {
			if !*update && !slices.Equal(answer.got, answer.want) {
				t.Errorf("%s %s\n%s:\n got  %s\n want %s", s.ID, s.Says, answer.key,
					strings.Join(answer.got, "\n      "), strings.Join(answer.want, "\n      "))
			}
			setList(node.Content[0], answer.key, answer.got)
		}
		if err := encoder.Encode(&node); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// setList puts a list of texts under the key of a YAML mapping, and takes an empty one away.
func setList(mapping *yaml.Node, key string, lines []string) {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content = slices.Delete(mapping.Content, i, i+2)
			break
		}
	}
	if len(lines) == 0 {
		return
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, line := range lines {
		list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: line})
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, list)
}

func (s scenario) run() scenario {
	var answer scenario
	site := capacity.Site{HomeHost: s.Site.Home, Aliases: s.Site.Aliases, Models: s.Site.Models}
	if site.HomeHost == "" {
		site.HomeHost = "base"
	}
	var cards []capacity.CardFacts
	for _, c := range s.Cards {
		cards = append(cards, c.facts())
	}
	site.Defaults = capacity.DefaultModels(cards)
	state := capacity.State{Now: now}
	for _, c := range cards {
		state.Held = append(state.Held, site.Entries(c)...)
	}
	for _, e := range state.Held {
		answer.Holds = append(answer.Holds, entryLine(e))
	}
	for _, r := range s.Past {
		state.Past = append(state.Past, site.EndedRun(capacity.CardFacts{ID: r.Card, Board: boardOf(r.Card)}, r.facts()))
	}
	for _, w := range s.Waiting {
		state.Waiting = append(state.Waiting, s.candidate(site, w))
	}
	var caps []capacity.Cap
	for _, c := range s.Caps {
		caps = append(caps, c.cap(site))
	}
	ledger := capacity.New(caps, state)
	for _, step := range s.Steps {
		if step.Tick {
			ledger = capacity.New(caps, state)
			answer.Answers = append(answer.Answers, "another tick")
			continue
		}
		c := s.candidate(site, step)
		answer.Answers = append(answer.Answers, stepLine(ledger, &c))
	}
	for _, u := range ledger.Usage(func(e capacity.Entry) *capacity.Candidate { return &capacity.Candidate{Entry: e} }) {
		answer.Usage = append(answer.Usage, usageLine(u))
	}
	return answer
}

func (s scenario) candidate(site capacity.Site, step stepText) capacity.Candidate {
	facts := capacity.CardFacts{ID: step.Card, Board: boardOf(step.Card)}
	for _, c := range s.Cards {
		if c.ID == step.Card {
			facts = c.facts()
		}
	}
	if step.CardHost != "" {
		facts.Host = step.CardHost
	}
	return capacity.Candidate{Entry: site.Candidate(facts, step.lane(), step.Status)}
}

// stepLine asks, takes what is admitted, and says what was decided: the headline, the other caps that block, and the
// idle session that would be closed.
func stepLine(l *capacity.Ledger, c *capacity.Candidate) string {
	line := fmt.Sprintf("%s %s in %s on %s: ", c.Card, c.Slot, c.Status, c.Host)
	headline, ok := l.Admit(c)
	all := l.Explain(c)
	if ok != (len(all) == 0) || (!ok && all[0].Cap != headline.Cap) {
		return fmt.Sprintf("%sAdmit says %v %q, Explain %v", line, ok, headline.Cap, all)
	}
	if ok {
		l.Take(c)
		return line + "admitted"
	}
	var texts []string
	for _, r := range all {
		texts = append(texts, refusalText(r))
	}
	line += "held by " + strings.Join(texts, ", and by ")
	if idle, ok := l.IdleToClose(c); ok {
		line += fmt.Sprintf("; close session %d", idle.Session)
	}
	return line
}

func refusalText(r capacity.Refusal) string {
	text := r.Cap
	if r.Source.File != "" {
		text += fmt.Sprintf(" (%s:%d)", r.Source.File, r.Source.Line)
	}
	if r.Group != "" {
		text += " in " + r.Group
	}
	switch {
	case r.Paused:
		return text + " paused"
	case r.Fault != "":
		return text + " fault: " + r.Fault
	}
	text += fmt.Sprintf(" %s/%s", amount(r.Counts, r.Count), amount(r.Counts, r.Max))
	if r.Reserved > 0 {
		text += fmt.Sprintf(" less %d kept", r.Reserved)
	}
	return text + holdersText(r.Holders)
}

func usageLine(u capacity.Usage) string {
	limit := amount(u.Counts, u.Max.N)
	if u.Max.None {
		limit = "none"
	}
	if u.Max.Fault != "" {
		limit = "fault"
	}
	text := fmt.Sprintf("%s: %s of %s", strings.TrimSuffix(u.Cap+" in "+u.Group, " in "), amount(u.Counts, u.Used), limit)
	if u.Reserved > 0 {
		text += fmt.Sprintf(", %d kept", u.Reserved)
	}
	if len(u.Assumed) > 0 {
		text += fmt.Sprintf(", assumed for runs %v", u.Assumed)
	}
	return text + holdersText(u.Holders)
}

func holdersText(holders []capacity.Holder) string {
	var all []string
	for _, h := range holders {
		all = append(all, strings.TrimSuffix(h.Card+" "+h.Slot, " "))
	}
	if len(all) == 0 {
		return ""
	}
	return " [" + strings.Join(all, ", ") + "]"
}

func amount(k capacity.Kind, n int64) string {
	if k == capacity.Spend {
		return "$" + capacity.Dollars(n)
	}
	return fmt.Sprint(n)
}

func entryLine(e capacity.Entry) string {
	var kinds []string
	for _, k := range kindsInOrder {
		if e.Counts.Has(k) {
			kinds = append(kinds, string(k))
		}
	}
	fields := []string{e.Card, e.Slot, "counts", strings.Join(kinds, "+"), "on", e.Host}
	for _, f := range []struct{ name, value string }{
		{"profile", e.Profile}, {"harness", e.Harness}, {"model", e.Model},
	} {
		if f.value != "" {
			fields = append(fields, f.name, f.value)
		}
	}
	flags := map[string]bool{"dispatched": e.Dispatch, "idle": e.Idle, "stopping": e.Stopping}
	for _, flag := range slices.Sorted(maps.Keys(flags)) {
		if flags[flag] {
			fields = append(fields, flag)
		}
	}
	return strings.Join(slices.DeleteFunc(fields, func(f string) bool { return f == "" }), " ")
}

var kindsInOrder = []capacity.Kind{
	capacity.Runs, capacity.Cards, capacity.Sessions, capacity.Turns, capacity.Starts, capacity.Spend,
}

// now is the instant at which every test of this package takes place.
var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
