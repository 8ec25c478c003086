package board

import (
	"maps"
	"slices"
)

// CardEdit is what a person changes of a card; nil fields stay as they are.
type CardEdit struct {
	Title     *string
	Body      *string
	Priority  *int
	Assignee  *string // "" = the workflow's choice; another one resets the row of failures (RET-1)
	Host      *string
	Model     *string
	Effort    *string
	Parent    *string
	Owns      *Strings
	Satisfies *Strings
	Workspace *string
	NotBefore *Time // zero = at once
	Every     *string
	MaxRuns   *int
	Label     map[string]string // set
	Unlabel   []string          // taken away
}

// Apply gives the card as edited, and the names of the fields that differ then, in the order of CardEdit.
func (e CardEdit) Apply(c Card, now Time) (Card, []string) {
	var changed []string
	note := func(name string, differs bool) {
		if differs {
			changed = append(changed, name)
		}
	}
	note("title", set(&c.Title, e.Title))
	note("body", set(&c.Body, e.Body))
	note("priority", set(&c.Priority, e.Priority))
	if set(&c.Assignee, e.Assignee) {
		note("assignee", true)
		c.Failures = 0
	}
	note("host", set(&c.Host, e.Host))
	note("model", set(&c.Model, e.Model))
	note("effort", set(&c.Effort, e.Effort))
	note("parent", set(&c.Parent, e.Parent))
	note("owns", setList(&c.Owns, e.Owns))
	note("satisfies", setList(&c.Satisfies, e.Satisfies))
	note("workspace", set(&c.Workspace, e.Workspace))
	if set(&c.NotBefore, e.NotBefore) {
		note("not_before", true)
		c.ReadySince = max(now, c.NotBefore)
	}
	note("every", set(&c.Every, e.Every))
	note("max_runs", set(&c.MaxRuns, e.MaxRuns))
	labels := e.labels(c.Labels)
	note("labels", !maps.Equal(labels, c.Labels))
	c.Labels = labels
	return c, changed
}

func (e CardEdit) labels(had Labels) Labels {
	labels := maps.Clone(had)
	if labels == nil {
		labels = Labels{}
	}
	maps.Copy(labels, e.Label)
	for _, name := range e.Unlabel {
		delete(labels, name)
	}
	return labels
}

// set takes over a value that is given, and says whether it is another.
func set[T comparable](field, value *T) bool {
	if value == nil || *field == *value {
		return false
	}
	*field = *value
	return true
}

func setList(field, value *Strings) bool {
	if value == nil || slices.Equal(*field, *value) {
		return false
	}
	*field = *value
	return true
}

// Empty says whether the edit asks for nothing.
func (e CardEdit) Empty() bool {
	return e.Title == nil && e.Body == nil && e.Priority == nil && e.Assignee == nil && e.Host == nil && e.Model == nil &&
		e.Effort == nil && e.Parent == nil && e.Owns == nil && e.Satisfies == nil && e.Workspace == nil && e.NotBefore == nil &&
		e.Every == nil && e.MaxRuns == nil && len(e.Label) == 0 && len(e.Unlabel) == 0
}
