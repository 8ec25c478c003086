package workflows

import (
	"fmt"
	"strings"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// Lane is how a run in a status is executed.
type Lane struct {
	Profile *Profile
	Slot    string
}

// Fault is a workflow that gives no answer for a card: the key to change, and why.
type Fault struct {
	Key  Origin
	Text string
}

// Error is the key and the text.
func (f *Fault) Error() string { return f.Key.String() + ": " + f.Text }

// Lane works out the profile and the slot of a run of the card in a status; the status is the one it would run in. The
// error is a *Fault.
func (w *Workflow) Lane(status string, env *expr.Env) (Lane, error) {
	s := w.Status(status)
	if s == nil {
		return Lane{}, &Fault{
			Key:  Origin{File: w.File, Line: 1, Column: 1, Path: "statuses"},
			Text: fmt.Sprintf("no status %q in workflow %s", status, w.Name),
		}
	}
	if s.Run == nil {
		return Lane{}, &Fault{Key: s.Origin, Text: fmt.Sprintf("status %s has no run: it cannot be started", status)}
	}
	p, err := w.laneProfile(s.Run, env)
	if err != nil {
		return Lane{}, err
	}
	slot, err := s.Run.Session.Text(env)
	if err != nil {
		return Lane{}, &Fault{Key: s.Run.SessionOrigin, Text: expr.Message(err)}
	}
	if slot = strings.TrimSpace(slot); !isName(slot) {
		return Lane{}, &Fault{
			Key:  s.Run.SessionOrigin,
			Text: fmt.Sprintf("session gives %q; a slot is a name of letters, digits, - and _", slot),
		}
	}
	return Lane{Profile: p, Slot: slot}, nil
}

// laneProfile is the profile that `profile` names, else the card's assignee.
func (w *Workflow) laneProfile(r *Run, env *expr.Env) (*Profile, error) {
	name, err := r.Profile.Text(env)
	if err != nil {
		return nil, &Fault{Key: r.ProfileOrigin, Text: expr.Message(err)}
	}
	name = strings.TrimSpace(name)
	if name == "" && env.Card.Assignee != nil {
		name = *env.Card.Assignee
	}
	if name == "" {
		return nil, &Fault{Key: r.ProfileOrigin, Text: "profile gives nothing and the card has no assignee; known are " +
			strings.Join(profileNames(w), ", ")}
	}
	p := w.Profile(name)
	if p == nil {
		text := fmt.Sprintf("no profile %q in workflow %s", name, w.Name)
		if near := expr.Nearest(name, profileNames(w)); near != "" {
			text += " (did you mean " + near + "?)"
		}
		return nil, &Fault{Key: r.ProfileOrigin, Text: text}
	}
	return p, nil
}
