package worker

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Redactor takes secrets out of what is kept of a session: logs, results, the worker's own words (SUP-7). The zero value takes
// out none.
type Redactor struct {
	secrets []string // the longest first: one may be a part of another
}

// redacted stands where a secret stood.
const redacted = "***"

// secretBytes is the least length of what is taken out: a shorter word stands in any text.
const secretBytes = 8

// NewRedactor takes out these secrets. Those that are too short to be told from other words are left.
func NewRedactor(secrets ...string) Redactor {
	all := slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(s) < secretBytes })
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return Redactor{secrets: slices.Compact(all)}
}

// Longest is the length of the longest secret, in bytes; 0 for none.
func (r Redactor) Longest() int {
	if len(r.secrets) == 0 {
		return 0
	}
	return len(r.secrets[0])
}

// Bytes is data without the secrets. Where there are none it is data itself.
func (r Redactor) Bytes(data []byte) []byte {
	for _, s := range r.secrets {
		if bytes.Contains(data, []byte(s)) {
			data = bytes.ReplaceAll(data, []byte(s), []byte(redacted))
		}
	}
	return data
}

// Text is text without the secrets.
func (r Redactor) Text(text string) string {
	for _, s := range r.secrets {
		text = strings.ReplaceAll(text, s, redacted)
	}
	return text
}

// request is a request whose words are without the secrets, its own token among them. The token itself stays: it says whose
// the request is.
func (r Redactor) request(q Request) Request {
	r = NewRedactor(append([]string{q.Token}, r.secrets...)...)
	for _, text := range []*string{&q.Reason, &q.Kind, &q.Summary, &q.Text, &q.Name} {
		*text = r.Text(*text)
	}
	if q.Subtask != nil {
		task := *q.Subtask
		task.Title, task.Body = r.Text(task.Title), r.Text(task.Body)
		q.Subtask = &task
	}
	return q
}
