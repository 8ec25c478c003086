package harness

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// State is what an interactive agent is doing.
type State string

// The states.
const (
	StateBusy    State = "busy"
	StateIdle    State = "idle"    // its turn has ended; it waits for a prompt
	StateWaiting State = "waiting" // it waits for a person's answer to Look.Question
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
	State    State
	Question string // what a waiting agent asks; "" unless StateWaiting
	Needs    string // the text of a trust, sign-in or onboarding screen, which only a person may answer; "" for none (PAN-3)
	Session  string // "" when not told
	Limit    string // the line of a plan limit that the CLI waits out by itself; "" for none
	Dismiss  string // key, in tmux's words, to send before anything is pasted; "" for none
}

// Watch reads an interactive pane of the harness called name. A harness that has no interactive mode is StateUnknown.
func Watch(name string, pane Pane) Look {
	look := Look{State: StateUnknown}
	switch name {
	case "claude":
		look = watchClaude(pane)
	case "codex":
		look = watchCodex(pane)
	case "opencode":
		look = watchOpencode(pane)
	default:
		return look
	}
	if look.Needs = needsPerson(name, pane.Text); look.Needs != "" {
		look.State, look.Question = StateWaiting, ""
	}
	return look
}

// watchClaude prefers the state that the process publishes over what its screen looks like.
func watchClaude(pane Pane) Look {
	look := Look{State: StateUnknown}
	foot := footer(pane.Text)
	for line := range strings.SplitSeq(foot, "\n") {
		if strings.HasPrefix(line, "⚠") && strings.Contains(line, "limit reached") {
			look.Limit = line
		}
	}
	switch {
	case strings.Contains(foot, "Esc to cancel") && strings.Contains(foot, "1. Yes"):
		look.State, look.Question = StateWaiting, question(foot)
	case strings.Contains(foot, "esc to interrupt"):
		look.State = StateBusy
	case reCrunched.MatchString(foot), strings.Contains(foot, "(shift+tab to cycle)"), strings.Contains(foot, "? for shortcuts"):
		look.State = StateIdle
	}
	published, ok := decode(pane.StateFile)
	if !ok {
		return look
	}
	look.Session = published.text("sessionId")
	switch published.text("status") {
	case "busy":
		look.State, look.Question = StateBusy, ""
	case "idle":
		look.State, look.Question = StateIdle, ""
	case "waiting":
		look.State = StateWaiting
		if look.Question == "" {
			look.Question = published.text("waitingFor")
		}
	}
	return look
}

var (
	reCrunched = lazily(`(?m)^✻ \S+ for (?:\d+[hms] ?)+(?:$|· done)`)
	reWorked   = lazily(`Worked for (?:\d+[hms] ?)+`)
	reCost     = lazily(`\(\d+%\) · \$\d`)
	reSleeping = lazily(`.*\[retrying in [^\]]*\]`)
)

// watchCodex reads the pane's title first, in which codex publishes its state.
func watchCodex(pane Pane) Look {
	look := Look{State: StateUnknown}
	foot := footer(pane.Text)
	if strings.Contains(foot, "Approaching rate limits") && strings.Contains(foot, "Switch to") {
		look.Dismiss = "Escape"
	}
	first, _ := utf8.DecodeRuneInString(pane.Title)
	switch {
	case strings.HasPrefix(pane.Title, "[ ! ]"), strings.HasPrefix(pane.Title, "[ . ]"),
		strings.Contains(foot, "Would you like to run the following command?"):
		look.State, look.Question = StateWaiting, question(foot)
	case first >= '\u2800' && first <= '\u28ff', strings.Contains(foot, "esc to interrupt"):
		look.State = StateBusy
	case strings.Contains(pane.Title, " | "), reWorked.MatchString(foot), strings.Contains(foot, "? for shortcuts"):
		look.State = StateIdle
	}
	return look
}

func watchOpencode(pane Pane) Look {
	look := Look{State: StateUnknown}
	foot := footer(pane.Text)
	if m := reSleeping.FindString(foot); m != "" {
		look.Limit = strings.TrimSpace(m)
	}
	switch {
	case strings.Contains(foot, "△ Permission required"):
		look.State, look.Question = StateWaiting, question(foot)
	case strings.Contains(foot, "esc interrupt"), look.Limit != "":
		look.State = StateBusy
	case reCost.MatchString(foot), strings.Contains(foot, "ctrl+p commands"):
		look.State = StateIdle
	}
	return look
}

// footer is the last lines of a screen that have something in them: what stands above may be the agent's own words.
func footer(text string) string {
	const most = 14 // lines; the tallest question measured has 11
	var lines []string
	for line := range strings.Lines(text) {
		if line = clean([]byte(line), 400); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// question is the part of a footer that begins where the agent asks.
func question(foot string) string {
	for _, start := range []string{"Do you want", "Would you like", "△ Permission required"} {
		if i := strings.Index(foot, start); i >= 0 {
			return cut(foot[i:], 600)
		}
	}
	return cut(foot, 600)
}

// needsPerson recognises a screen by two phrases that stand on it together, so that an agent's talk about one is not taken
// for it. It gives the screen's text, or "".
func needsPerson(name, text string) string {
	var screens [][2]string
	switch name {
	case "claude":
		screens = [][2]string{
			{"trust", "No, exit\n"},
			{"Detected a custom API key", "use this API key"},
			{"Select login method", "account"},
			{"Paste code here", "Browser"},
			{"Choose the text style", "/theme"},
			{"Unable to connect to Anthropic services", "api.anthropic.com"},
		}
	case "codex":
		screens = [][2]string{{"trust", "1. Trust and continue"}, {"Sign in with ChatGPT", "API key"}}
	case "opencode":
		screens = [][2]string{{"Add credential", "Select provider"}}
	}
	foot := footer(text) + "\n"
	for _, s := range screens {
		if strings.Contains(strings.ToLower(foot), strings.ToLower(s[0])) && strings.Contains(foot, s[1]) {
			return cut(strings.TrimSpace(foot), 1000)
		}
	}
	return ""
}

// StateFile is the path of the file in which the harness called name publishes the state of its process pid, for
// Pane.StateFile; "" when it has none. A file of a process that is gone says nothing.
func StateFile(name string, job Job, pid int) string {
	if name != "claude" {
		return ""
	}
	return job.folder("CLAUDE_CONFIG_DIR", ".claude") + "/sessions/" + strconv.Itoa(pid) + ".json"
}

// TranscriptPath is the glob pattern of the record of a conversation; "" when the harness called name has none that can
// be read as lines.
func TranscriptPath(name string, job Job, session string) string {
	switch {
	case session == "":
		return ""
	case name == "claude":
		return job.folder("CLAUDE_CONFIG_DIR", ".claude") + "/projects/*/" + session + ".jsonl"
	case name == "codex":
		return codex{}.rollout(job, session)
	}
	return ""
}

// Transcript is what a conversation's own record says of its last turn.
type Transcript struct {
	State   State // StateBusy, StateIdle or StateUnknown
	Session string
	Model   string
	Text    string // the agent's last message
	Usage   Usage  // totals of the conversation, as Result.Total
	Failure *Failure
}

// ParseTranscript reads the file that TranscriptPath named, whole: claude's totals are the sum of its lines.
func ParseTranscript(name string, data []byte, now time.Time) Transcript {
	switch name {
	case "claude":
		return parseClaudeTranscript(data, now)
	case "codex":
		return ParseRollout(data, now)
	}
	return Transcript{State: StateUnknown}
}
