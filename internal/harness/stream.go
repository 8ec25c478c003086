package harness

import (
	"slices"
	"strings"
	"time"
)

// Bounds on what a parser keeps, chosen so that a CLI that prints a gigabyte costs a megabyte.
const (
	maxText      = 256 << 10 // bytes of the final text
	maxEventText = 8 << 10   // bytes of Event.Text
	maxMessage   = 4 << 10   // bytes of Failure.Message
	maxTail      = 40        // lines kept of stderr, and of stdout that is not JSON
	maxDenied    = 20
	maxNotes     = 20
)

// stream is what the parsers have in common: the result as far as it is known, and the CLI's own error channel.
type stream struct {
	job     Job
	result  Result
	sawJSON bool     // at least one event was understood
	plain   []string // last lines of stdout that are not JSON: in JSON mode only the CLI itself prints such
	stderr  []string // last lines of standard error
	errors  []string // error texts of events, oldest first
	pending []byte   // text added that is not in the result yet
	retry   string   // why the CLI is trying again; "" once it got on
}

func newStream(job Job) stream {
	return stream{job: job, result: Result{Session: job.Resume}}
}

// decode reads a line of events. A line that is not JSON is kept for Finish, and is an event only when the CLI says that
// it is still trying.
func (s *stream) decode(line []byte) (object, []Event, bool) {
	if o, ok := decode(line); ok {
		s.sawJSON = true
		return o, nil, true
	}
	if text := clean(line, maxEventText); text != "" {
		s.plain = keepLast(s.plain, text)
		if stillTrying(text) {
			return nil, s.retrying(text), false
		}
	}
	return nil, nil, false
}

// Stderr keeps the last lines, and tells of retries.
func (s *stream) Stderr(line []byte) []Event {
	text := clean(line, maxEventText)
	if text == "" {
		return nil
	}
	s.stderr = keepLast(s.stderr, text)
	if stillTrying(text) {
		return s.retrying(s.withCause(text))
	}
	return nil
}

// withCause puts the line before a note of a retry in front of it where only that line says what failed.
func (s *stream) withCause(retry string) string {
	n := len(s.stderr)
	if n < 2 || Classify(retry, time.Time{}).Class != "" {
		return retry
	}
	if before := s.stderr[n-2]; Classify(before, time.Time{}).Class != "" {
		return before + " · " + retry
	}
	return retry
}

// Wants is nothing for most CLIs.
func (s *stream) Wants() []string { return nil }

func (s *stream) retrying(text string) []Event {
	s.retry = cut(text, maxEventText)
	return []Event{{Kind: EventRetrying, Text: s.retry}}
}

func (s *stream) session(id string) []Event {
	if id == "" || id == s.result.Session {
		return nil
	}
	s.result.Session = id
	return []Event{{Kind: EventSession, Session: id}}
}

func (s *stream) model(name string) []Event {
	if name == "" || name == s.result.Model {
		return nil
	}
	s.result.Model = name
	return []Event{{Kind: EventModel, Model: name}}
}

// say makes text the final text so far.
func (s *stream) say(text string) []Event {
	s.retry = ""
	if strings.TrimSpace(text) == "" {
		return nil
	}
	s.pending = s.pending[:0]
	s.result.Text = lastText(text)
	return []Event{{Kind: EventText, Text: cut(text, maxEventText)}}
}

// add appends a piece to the final text so far, for CLIs that print their text in pieces.
func (s *stream) add(text string) []Event {
	s.retry = ""
	if text == "" {
		return nil
	}
	if s.pending = append(s.pending, text...); len(s.pending) > maxText {
		s.gather()
	}
	return []Event{{Kind: EventText, Text: cut(text, maxEventText)}}
}

// gather joins the texts added since it was last asked to the final text: once for many, so that a CLI that prints a
// gigabyte in short lines is not copied a megabyte for each.
func (s *stream) gather() {
	if len(s.pending) > 0 {
		s.result.Text = lastText(s.result.Text + string(s.pending))
		s.pending = s.pending[:0]
	}
}

func (s *stream) tool(name string) []Event {
	s.retry = ""
	return []Event{{Kind: EventTool, Text: cut(name, maxEventText)}}
}

func (s *stream) denied(what string) []Event {
	if len(s.result.Denied) < maxDenied {
		s.result.Denied = append(s.result.Denied, cut(what, 200))
	}
	return []Event{{Kind: EventDenied, Text: cut(what, maxEventText)}}
}

func (s *stream) fault(text string) []Event {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	s.errors = keepLast(s.errors, cut(text, maxEventText))
	return []Event{{Kind: EventError, Text: cut(text, maxEventText)}}
}

func (s *stream) note(text string) {
	if len(s.result.Notes) < maxNotes && !slices.Contains(s.result.Notes, text) {
		s.result.Notes = append(s.result.Notes, cut(text, maxMessage))
	}
}

// spend adds to the run's own share, for CLIs that report each call by itself.
func (s *stream) spend(u Usage) []Event {
	s.result.Usage = plus(s.result.Usage, u)
	return []Event{{Kind: EventUsage, Usage: s.result.Usage}}
}

// finish completes the result. Where board itself ended the CLI amid its retries, the failure is what it was retrying:
// that, and not the silence, is what happened.
func (s *stream) finish(exit Exit, failure *Failure) Result {
	s.gather()
	r := s.result
	r.Text = strings.TrimSpace(r.Text)
	r.Verdict, r.Reason, _ = VerdictLine(r.Text)
	r.Retrying = s.retry
	if exit.Stop {
		failure = s.stopped(exit.Now)
	}
	if failure != nil {
		failure.Message = cut(failure.Message, maxMessage)
	}
	r.Failure = failure
	if s.job.Resume != "" && failure != nil && failure.Class == ClassFailed {
		r.SessionLost = s.lostSession(failure.Message)
	}
	if r.Total == (Usage{}) {
		r.Total = plus(s.job.Previous, r.Usage)
	}
	return r
}

// reLost matches what the CLIs say of a conversation that they do not have (facts, section 1, "unknown id"; gemini's and copilot's by run).
var reLost = lazily(`(?i)no conversation found with session id|no rollout found for thread|\bsession not found|` +
	`no session found matching|no saved session found with id|invalid session identifier|no matching session|session .* does not exist|` +
	`no previous sessions found for this project|no session, task, or name matched`)

// lostSession looks at the CLI's own error channel only.
func (s *stream) lostSession(message string) bool {
	for _, channel := range [][]string{{message}, s.errors, s.stderr, s.plain} {
		if slices.ContainsFunc(channel, reLost.MatchString) {
			return true
		}
	}
	return false
}

// stopped looks at the retry that was going on. A CLI that never came to work may have said why instead, as amp does when it
// asks for a sign-in.
func (s *stream) stopped(now time.Time) *Failure {
	if f := Classify(s.retry, now); f.Class != "" {
		return f.failure(s.retry)
	}
	s.gather()
	if s.retry != "" || s.sawJSON || s.result.Text != "" {
		return nil
	}
	if f := classifyLines(s.stderr, now); f != nil {
		return f
	}
	return classifyLines(s.plain, now)
}

// blame names the failure of a run that is known to have failed, from the error texts of its events, then its stderr,
// then whatever it printed outside its JSON, latest first (HAR-2).
func (s *stream) blame(exit Exit, fallback string) *Failure {
	for _, channel := range [][]string{s.errors, s.stderr, s.plain} {
		if f := classifyLines(channel, exit.Now); f != nil {
			return f
		}
	}
	if !s.sawJSON && (exit.Code == 126 || exit.Code == 127) {
		return &Failure{Class: ClassHarnessMissing, Message: s.lastWords("the program cannot be run")}
	}
	return &Failure{Class: ClassFailed, Message: s.lastWords(fallback)}
}

// lastWords is the most telling text that the CLI left, else fallback.
func (s *stream) lastWords(fallback string) string {
	for _, channel := range [][]string{s.errors, s.stderr, s.plain} {
		if len(channel) > 0 {
			return fallback + ": " + channel[len(channel)-1]
		}
	}
	return fallback
}

// classifyLines looks at lines from the last to the first. What follows a line is read with it, because a CLI may give the
// reset time on a line of its own.
func classifyLines(lines []string, now time.Time) *Failure {
	const together = 6 // lines of the longest known message, with room
	for i := range slices.Backward(lines) {
		text := strings.Join(lines[i:min(len(lines), i+together)], "\n")
		if f := Classify(text, now); f.Class != "" {
			return f.failure(lines[i])
		}
	}
	return nil
}

func (f Finding) failure(message string) *Failure {
	return &Failure{
		Class: f.Class, Message: message, ResetAt: f.ResetAt, RetryAfter: f.RetryAfter, OneModel: f.OneModel,
	}
}

// known joins a class that structured fields decided with what the text adds. The text may refine a class that a field
// cannot tell apart (429 is a rate limit, a plan's limit or an empty purse), but not overrule a definite one.
func known(class Class, text string, now time.Time) *Failure {
	found := Classify(text, now)
	vague := class == "" || class == ClassFailed || class == ClassRateLimited || class == ClassOutage
	money := class == ClassUsageLimited && found.Class == ClassQuota
	if (vague || money) && found.Class != "" {
		class = found.Class
	}
	if class == "" {
		class = ClassFailed
	}
	f := &Failure{Class: class, Message: text}
	if class == found.Class || class == ClassUsageLimited {
		f.ResetAt, f.RetryAfter, f.OneModel = found.ResetAt, found.RetryAfter, found.OneModel
	}
	return f
}

func plus(a, b Usage) Usage {
	return Usage{
		In: a.In + b.In, Out: a.Out + b.Out, Cached: a.Cached + b.Cached,
		CostMicros: a.CostMicros + b.CostMicros, Estimated: a.Estimated || b.Estimated,
	}
}

func micros(dollars float64) int64 {
	const perDollar = 1e6
	return int64(dollars*perDollar + 0.5)
}
