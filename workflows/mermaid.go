package workflows

import (
	"fmt"
	"strings"
)

// Mermaid is the workflow as a Mermaid state diagram: an arrow for each transition, with its event, its senders and its
// conditions. A status whose name is no word of Mermaid's is written with an underscore for the odd letters.
func Mermaid(w *Workflow) string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	for i := range w.Statuses {
		s := &w.Statuses[i]
		fmt.Fprintf(&b, "    state \"%s\" as %s\n", s.label(), node(s.Name))
	}
	fmt.Fprintf(&b, "    [*] --> %s\n", node(w.Initial))
	for _, e := range w.Events {
		for i := range e.Transitions {
			t := &e.Transitions[i]
			for _, from := range w.sources(t) {
				fmt.Fprintf(&b, "    %s --> %s: %s\n", node(from), t.target(from), t.label(e.Name))
			}
		}
	}
	for i := range w.Statuses {
		if w.Statuses[i].Terminal {
			fmt.Fprintf(&b, "    %s --> [*]\n", node(w.Statuses[i].Name))
		}
	}
	return b.String()
}

// node makes a status's name one word of Mermaid's.
func node(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '-' || c == '.' {
			return '_'
		}
		return c
	}, name)
}

func (s *Status) label() string {
	if s.Run == nil {
		return s.Name
	}
	profile := "card.assignee"
	if s.Run.Profile != nil {
		profile = s.Run.Profile.Source()
	}
	return quiet(fmt.Sprintf("%s (%s in %s)", s.Name, profile, s.Run.Session.Source()))
}

// sources are the statuses that a transition leaves, in the file's order.
func (w *Workflow) sources(t *Transition) []string {
	var names []string
	for _, name := range statusNames(w) {
		if w.leaves(t, name) {
			names = append(names, name)
		}
	}
	return names
}

// target is the status that a transition leads to; of a template, the status it leaves, since the answer is the card's.
func (t *Transition) target(from string) string {
	if to, literal := t.To.Literal(); literal && to != "" {
		return node(to)
	}
	return node(from)
}

func (t *Transition) label(event string) string {
	var text strings.Builder
	text.WriteString(event)
	if len(t.By) > 0 {
		text.WriteString(" by " + strings.Join(t.By, ", "))
	}
	if t.When != nil {
		text.WriteString(" when " + t.When.Source())
	}
	for _, r := range t.Require {
		text.WriteString(", requires " + r.Expr.Source())
	}
	if _, literal := t.To.Literal(); !literal {
		text.WriteString(" to " + t.To.Source())
	}
	return quiet(text.String())
}

// quiet takes out what ends a label in Mermaid.
func quiet(text string) string {
	return strings.NewReplacer("{{ ", "", " }}", "", "{{", "", "}}", "", `"`, "'", "\n", " ", ";", ",", ":", " ", "#", "").Replace(text)
}
