package capacity_test

import (
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/seed-2ddc2152/board/capacity"
)

// scenario is one document of a scenario file: facts, caps and steps in, decisions out. The ids are those of the
// capacity scenarios, A to F.
type scenario struct {
	ID    string
	Says  string
	Site  siteText
	Caps  []capText
	Cards []cardText
	Past  []runText
	// Waiting are starts that could be made now but for caps.
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

// now is the instant at which every test of this package takes place.
var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
