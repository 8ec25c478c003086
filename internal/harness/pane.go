package harness

// State is what an interactive agent is doing.
type State string

// The states.
const (
	StateBusy    State = "busy"
	StateIdle    State = "idle"    // its turn has ended; it waits for a prompt
	StateWaiting State = "waiting" // it waits for a person's answer
	StateUnknown State = "unknown"
)

// Pane is what can be seen of an interactive agent from outside.
type Pane struct {
	Title     string
	Text      string // the visible screen, as tmux capture-pane prints it
	StateFile []byte // content of the file that StateFile named; nil when there is none
}

// Look is what was seen.
type Look struct {
	State   State
	Needs   string // what a person must do, with the screen's own words; "" when nothing (PAN-3)
	Session string // "" when not told
	Limit   string // the line of a plan limit that the CLI shows while it waits by itself; "" for none
}

// Watch reads an interactive pane of the harness called name.
func Watch(name string, pane Pane) Look { return Look{State: StateUnknown} }

// StateFile is the path of the file in which the harness called name publishes the state of its process pid, for
// Pane.StateFile; "" when it has none. A file of a process that is gone says nothing.
func StateFile(name string, job Job, pid int) string { return "" }

// Transcript is what a conversation's own record says of its last turn.
type Transcript struct {
	State   State // StateBusy, StateIdle or StateUnknown
	Session string
	Model   string
	Text    string // the agent's last message
	Usage   Usage  // totals of the conversation, as Result.Total
	Failure *Failure
}

// TranscriptPath is the glob pattern of the record of a conversation; "" when the harness called name has none that can
// be read as lines.
func TranscriptPath(name string, job Job, session string) string { return "" }
