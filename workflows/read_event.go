package workflows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/strict"
)

func (l *loader) event(field strict.Field) Event {
	e := Event{Name: field.Name, Origin: field.Key}
	if !field.Given() || field.IsList() && field.Len() == 0 {
		field.Problem("an event needs a list of transitions", "")
	}
	for _, item := range field.Items() {
		e.Transitions = append(e.Transitions, l.transition(item))
	}
	return e
}

func (l *loader) transition(v strict.Value) Transition {
	keys := v.Keys(keysOf[Transition]()...)
	t := Transition{
		From:     keys.Get("from").Texts(),
		By:       keys.Get("by").Texts(),
		When:     l.condition(keys.Get("when")),
		To:       l.template(keys.Get("to")),
		Progress: keys.Get("progress").Bool(false),
		Origin:   v.Origin(),
		WhenAt:   originOr(keys.Get("when"), v),
		ToAt:     originOr(keys.Get("to"), v),
	}
	for _, item := range keys.Get("require").Items() {
		t.Require = append(t.Require, l.requirement(item))
	}
	for _, item := range keys.Get("do").Items() {
		if action, ok := l.action(item); ok {
			t.Do = append(t.Do, action)
		}
	}
	return t
}

func (l *loader) requirement(v strict.Value) Requirement {
	keys := v.Keys(keysOf[Requirement]()...)
	for _, required := range []string{"expr", "message"} {
		if !keys.Get(required).Given() {
			missing(v, required)
		}
	}
	return Requirement{Expr: l.condition(keys.Get("expr")), Message: l.template(keys.Get("message")), Origin: originOr(keys.Get("expr"), v)}
}

// action is a map of one key, the kind.
func (l *loader) action(v strict.Value) (Action, bool) {
	fields := v.Keys(ActionKind("").names()...)
	if len(fields) != 1 {
		if len(fields) > 1 || v.IsMap() && v.Len() == 0 {
			v.Problem("an action has one key, one of "+strings.Join(ActionKind("").names(), ", "), "")
		}
		return Action{}, false
	}
	value := fields[0].Value
	a := Action{Kind: ActionKind(fields[0].Name), Origin: value.Origin()}
	switch a.Kind {
	case ActionEndRun:
		a.Value = l.template(value)
		if _, literal := a.Value.Literal(); literal {
			value.OneOf(append(outcomes(), verdicts()...)...)
		}
	case ActionCloseSession, ActionForgetSession, ActionRecord, ActionNotify:
		if a.Value = l.template(value); a.Value == nil {
			value.Problem(string(a.Kind)+" needs a value", "")
		}
	case ActionCount:
		a.Value = l.scope.Template(counter(value))
	case ActionReset:
		a.Counters = value.Texts()
		if len(a.Counters) == 0 {
			value.Problem("reset needs a list of counters", "")
		}
	case ActionAssign:
		a.Fields = l.assign(value)
	case ActionMerge:
		if !value.Bool(false) {
			value.Problem("merge is true, or left out", "")
		}
	}
	return a, true
}

func counter(v strict.Value) string {
	name := v.Text()
	if name != "" && !isName(name) || !v.Given() {
		v.Problem("a counter is a name of letters, digits, - and _", "")
	}
	return name
}

func (l *loader) assign(v strict.Value) []ActionField {
	var fields []ActionField
	for _, field := range v.Keys(assignable()...) {
		value := l.template(field.Value)
		switch {
		case !field.Given():
			value = l.scope.Template("{{ nil }}")
		case !field.IsText():
			value = l.scope.Template("{{ " + field.ScalarText("a value") + " }}") // a number stays one
		}
		fields = append(fields, ActionField{Name: field.Name, Value: value, Origin: field.Origin()})
	}
	if v.IsMap() && v.Len() == 0 {
		v.Problem("assign names the fields to set: "+strings.Join(assignable(), ", "), "")
	}
	return fields
}

// references checks every name in the file that means something defined elsewhere in it.
func (l *loader) references(w *Workflow) {
	r := references{w: w, statuses: statusNames(w), events: eventNames(w), slots: slotPatterns(w), add: l.file.Add}
	if w.Initial != "" {
		r.known(l.initial.Origin(), "status", w.Initial, r.statuses)
		if w.Terminal(w.Initial) {
			l.initial.Problem(w.Initial+" is terminal; a card begins in a status that it can leave", "")
		}
	}
	for i := range w.Statuses {
		r.status(&w.Statuses[i])
	}
	for _, e := range w.Events {
		for i := range e.Transitions {
			r.transition(&e.Transitions[i])
		}
	}
	if len(w.Events) > 0 {
		r.known(w.Dispatch.StartAt, "event", w.Dispatch.Start, r.events)
		r.startsRun()
	}
	r.caps()
}

// references checks names against what the file defines.
type references struct {
	w                       *Workflow
	statuses, events, slots []string
	add                     func(Problem)
}

func (r *references) known(at Origin, what, name string, names []string) {
	if name != "" && !slices.Contains(names, name) {
		r.unknown(at, what, name, names)
	}
}

func (r *references) unknown(at Origin, what, name string, names []string) {
	r.add(Problem{
		Origin: at, Nearest: expr.Nearest(name, names),
		Text: fmt.Sprintf("no %s %q in workflow %s; known are %s", what, name, r.w.Name, strings.Join(names, ", ")),
	})
}

func (r *references) status(s *Status) {
	if s.Run == nil {
		return
	}
	if name, literal := s.Run.Profile.Literal(); literal && name != "" {
		r.known(s.Run.ProfileOrigin, "profile", name, profileNames(r.w))
	}
	for _, o := range s.Run.Outcomes {
		r.known(o.Origin, "event", o.Event, r.events)
		r.known(o.Origin, "outcome", o.Outcome, append(outcomes(), verdicts()...))
	}
}

func (r *references) transition(t *Transition) {
	for _, from := range t.From {
		r.known(t.Origin, "status", from, r.statuses)
	}
	if to, literal := t.To.Literal(); literal && t.To != nil {
		r.known(t.ToAt, "status", to, r.statuses)
	}
	for _, by := range t.By {
		r.sender(t.Origin, by)
	}
	for _, a := range t.Do {
		if a.Kind != ActionCloseSession && a.Kind != ActionForgetSession {
			continue
		}
		if slot, literal := a.Value.Literal(); literal && !r.hasSlot(slot) {
			r.unknown(a.Origin, "slot", slot, r.slots)
		}
	}
}

func (r *references) sender(at Origin, by string) {
	if by != ByPerson && by != ByBoard && !r.hasSlot(by) {
		r.unknown(at, "sender", by, append([]string{ByPerson, ByBoard}, r.slots...))
	}
}

func (r *references) hasSlot(glob string) bool {
	return slices.ContainsFunc(r.slots, func(slot string) bool { return globsOverlap(glob, slot) })
}

// startsRun checks that the start event leads to statuses that can be run (WF-4).
func (r *references) startsRun() {
	start := r.w.Event(r.w.Dispatch.Start)
	if start == nil {
		return
	}
	for _, t := range start.Transitions {
		targets := t.From
		if to, literal := t.To.Literal(); t.To != nil {
			if !literal {
				continue
			}
			targets = []string{to}
		}
		for _, name := range targets {
			if s := r.w.Status(name); s != nil && s.Run == nil {
				r.add(Problem{Origin: t.Origin, Text: fmt.Sprintf("%s starts a card in status %s, which has no run: it cannot be started (WF-4)", start.Name, name)})
			}
		}
	}
}

func statusNames(w *Workflow) []string {
	names := make([]string, len(w.Statuses))
	for i := range w.Statuses {
		names[i] = w.Statuses[i].Name
	}
	return names
}

func eventNames(w *Workflow) []string {
	names := make([]string, len(w.Events))
	for i := range w.Events {
		names[i] = w.Events[i].Name
	}
	return names
}

func profileNames(w *Workflow) []string {
	names := make([]string, len(w.Profiles))
	for i := range w.Profiles {
		names[i] = w.Profiles[i].Name
	}
	return names
}

// slotPatterns are the slots that the statuses use, as globs: what a template works out is `*`.
func slotPatterns(w *Workflow) []string {
	var slots []string
	for i := range w.Statuses {
		if w.Statuses[i].Run == nil {
			continue
		}
		slot := strings.TrimSpace(w.Statuses[i].Run.Session.Pattern())
		if !slices.Contains(slots, slot) {
			slots = append(slots, slot)
		}
	}
	return slots
}
