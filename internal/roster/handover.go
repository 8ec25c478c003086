package roster

import (
	"fmt"
	"strings"
)

// How often a card may move in one status before such an ending counts as a failure (ROS-17, ROS-18).
const (
	MaxHandovers = 2 // of a coder
	MaxMoves     = 1 // of a reasoning run
)

// Step is what becomes of a card whose run ended.
type Step string

// The steps.
const (
	StepOutcome   Step = "outcome"   // the executor is not to blame: the outcome's own rules decide
	StepLater     Step = "later"     // the same session goes on at Effect.NotBefore
	StepHandover  Step = "handover"  // the next tick starts a coder on the next executor, in the same workspace
	StepElsewhere Step = "elsewhere" // the next tick starts the reasoning run on another executor
	StepFailure   Step = "failure"   // counts as a failure with backoff; any eligible executor may serve
	StepPerson    Step = "person"    // the card is held for a person
)

// NextAfter decides the step after an ending. moves counts the handovers of a coder, or the moves of another role, that
// the card has had in its present status.
func NextAfter(role Role, effect Effect, moves int) Step {
	switch {
	case effect.AskPerson != "":
		return StepPerson
	case effect.Exclude == nil && !effect.NotBefore.IsZero():
		return StepLater
	case effect.Exclude == nil:
		return StepOutcome
	case role == RoleCoder && moves < MaxHandovers:
		return StepHandover
	case role != RoleCoder && moves < MaxMoves:
		return StepElsewhere
	}
	return StepFailure
}

// HandoverRef names the ref that keeps the state of a card's workspace at its n-th handover, from 1.
func HandoverRef(card string, n int) string {
	return fmt.Sprintf("refs/board/%s/handover-%d", card, n)
}

// Stopped is a run that an executor could not go on with.
type Stopped struct {
	Executor string // as its label
	Outcome  string
	Reason   string // empty: only the outcome is known
	Ref      string // keeps the state that it left; empty: none
}

func (s Stopped) why() string {
	return withReason(strings.ReplaceAll(s.Outcome, "_", " "), oneLine(s.Reason))
}

// TakeoverNote is put before the prompt of an executor that carries on with another's work (ROS-16).
func TakeoverNote(s Stopped) string {
	var b strings.Builder
	fmt.Fprintf(&b, "You take over this work from %s, which had to stop (%s).\n", s.Executor, s.why())
	b.WriteString("Its changes are in the working tree, finished or not. Look at them first (git status, git diff, git log), ")
	b.WriteString("keep what is right, and carry on from there; do not start again.\n")
	if s.Ref != "" {
		fmt.Fprintf(&b, "The state it left is kept as %s.\n", s.Ref)
	}
	return b.String()
}

// Interim is a run that another executor had while one was away.
type Interim struct {
	Executor string
	Outcome  string
	Summary  string // empty: it left none
}

// ReturnNote is put before the prompt of an executor that goes on with its own earlier session (ROS-16).
func ReturnNote(own Stopped, meanwhile []Interim) string {
	var b strings.Builder
	fmt.Fprintf(&b, "You go on with your own earlier work, which had to stop (%s).\n", own.why())
	if len(meanwhile) == 0 {
		b.WriteString("Nobody else worked on it meanwhile. ")
	} else {
		b.WriteString("Meanwhile others worked on it:\n")
	}
	for _, run := range meanwhile {
		fmt.Fprintf(&b, "- %s, %s\n", run.Executor, withReason(strings.ReplaceAll(run.Outcome, "_", " "), oneLine(run.Summary)))
	}
	b.WriteString("Look at the working tree first (git status, git diff), since it may differ from what you remember, and carry on.\n")
	return b.String()
}
