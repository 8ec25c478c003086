package harness

import "time"

// EventKind says what a line of output meant.
type EventKind string

// The kinds.
const (
	EventSession  EventKind = "session"  // Session names the conversation
	EventModel    EventKind = "model"    // Model is what answers
	EventText     EventKind = "text"     // Text is what the agent said
	EventTool     EventKind = "tool"     // Text is a tool that the agent uses
	EventDenied   EventKind = "denied"   // Text is a tool use that the permissions refused
	EventUsage    EventKind = "usage"    // Usage is this run's share so far
	EventRetrying EventKind = "retrying" // Text is why the CLI tries again by itself; ends nothing, shown by `board why`
	EventLimit    EventKind = "limit"    // Text and Until say which plan limit the CLI has met; ends nothing by itself
	EventError    EventKind = "error"    // Text is an error that the CLI printed; Finish says whether it counted
	EventFinal    EventKind = "final"    // the CLI says it is done, whether or not its process ends (RET-8)
	EventOther    EventKind = "other"    // a well-formed event of no interest but for being progress
)

// Event is one thing that a CLI said.
type Event struct {
	Kind    EventKind
	Text    string // at most 8 KiB, valid UTF-8
	Session string
	Model   string
	Usage   Usage
	Until   time.Time // zero when unknown
}

// Progress reports whether the event shows the agent at work, so that the quiet limit starts anew (SUP-3). A CLI that
// only retries is not at work.
func (e Event) Progress() bool { return e.Kind != EventRetrying && e.Kind != EventLimit }
