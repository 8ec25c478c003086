package board

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/internal/strict"
)

// Draft is a card of an import, before it has an id. Its DependsOn and Card.Parent may name other drafts.
type Draft struct {
	NewCard
	Name string // by which other drafts name it: its key, or "#3" for the third; "" = they cannot
	Line int    // where it stands in the file, from 1
}

// ParseDrafts reads cards of a file: YAML or JSON (a list of cards, or `cards:` with one; a text is a card's title), or a
// Markdown task list (`- [ ] title`; indented text below is the body, a deeper task is a subtask; what is ticked is left out).
// The form is seen from the text. Skipped is how many ticked tasks were left out. An error lists every problem.
func ParseDrafts(name string, src []byte, now time.Time) (drafts []Draft, skipped int, err error) {
	if err := checkBody(name, strings.ToValidUTF8(string(src), "\x00")); err != nil {
		return nil, 0, err
	}
	if looksLikeTasks(string(src)) {
		drafts, skipped = parseTasks(string(src))
	} else if drafts, err = parseCardFile(name, src, now); err != nil {
		return nil, 0, err
	}
	if len(drafts) == 0 && skipped == 0 {
		return nil, 0, NewProblem(ErrUsage, "board help import shows the forms", "%s holds no cards", name)
	}
	return drafts, skipped, nil
}

func taskPattern() *regexp.Regexp { return regexp.MustCompile(`^([ \t]*)[-*+] \[([ xX])\][ \t]+(.*)$`) }

func looksLikeTasks(text string) bool {
	pattern := taskPattern()
	for line := range strings.Lines(text) {
		if pattern.MatchString(strings.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}

// taskList is a Markdown task list while it is read.
type taskList struct {
	drafts []Draft
	bodies []*strings.Builder // of the drafts
	ticked int
	open   []openTask // the task that a line may belong to, and those above it
}

// openTask is a task that the lines below may belong to.
type openTask struct {
	indent int
	draft  int // index; -1 = it is ticked, and left out with its text
}

func parseTasks(text string) (drafts []Draft, skipped int) {
	pattern := taskPattern()
	list, number := taskList{}, 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, " \t\r\n")
		if m := pattern.FindStringSubmatch(line); m != nil {
			list.task(width(m[1]), m[2] != " ", strings.TrimSpace(m[3]), number)
			continue
		}
		list.text(line)
	}
	for i, body := range list.bodies {
		list.drafts[i].Card.Body = strings.TrimSpace(body.String())
	}
	return list.drafts, list.ticked
}

// task begins a task; one that is indented below another is its subtask.
func (l *taskList) task(indent int, ticked bool, title string, line int) {
	for len(l.open) > 0 && l.open[len(l.open)-1].indent >= indent {
		l.open = l.open[:len(l.open)-1]
	}
	if ticked {
		l.ticked++
		l.open = append(l.open, openTask{indent: indent, draft: -1})
		return
	}
	d := Draft{Name: fmt.Sprintf("#%d", len(l.drafts)+1), Line: line}
	d.Card.Title = title
	if len(l.open) > 0 && l.open[len(l.open)-1].draft >= 0 {
		d.Card.Parent = l.drafts[l.open[len(l.open)-1].draft].Name
	}
	l.open = append(l.open, openTask{indent: indent, draft: len(l.drafts)})
	l.drafts, l.bodies = append(l.drafts, d), append(l.bodies, &strings.Builder{})
}

// text gives a line to the task that it is indented below; one that is indented below none ends them.
func (l *taskList) text(line string) {
	indent := width(line[:len(line)-len(strings.TrimLeft(line, " \t"))])
	for len(l.open) > 0 && line != "" && indent <= l.open[len(l.open)-1].indent {
		l.open = l.open[:len(l.open)-1]
	}
	if len(l.open) == 0 || l.open[len(l.open)-1].draft < 0 {
		return
	}
	task := l.open[len(l.open)-1]
	l.bodies[task.draft].WriteString(cutIndent(line, task.indent+2) + "\n")
}

// width is how far an indentation reaches; a tab is four columns.
func width(indent string) int { return len(strings.ReplaceAll(indent, "\t", "    ")) }

func cutIndent(line string, columns int) string {
	line = strings.ReplaceAll(line, "\t", "    ")
	rest := strings.TrimLeft(line, " ")
	return line[min(columns, len(line)-len(rest)):]
}

// parseCardFile reads the YAML form.
func parseCardFile(name string, src []byte, now time.Time) ([]Draft, error) {
	file, root, ok := strict.Parse(name, src)
	if !ok {
		return nil, file.Problems().OrNil()
	}
	if root.IsMap() {
		root = root.Keys("cards").Get("cards")
	}
	var drafts []Draft
	for i, item := range root.Items() {
		d := readDraft(item, now)
		d.Line = item.Origin().Line
		if d.Name = d.Card.Key; d.Name == "" {
			d.Name = fmt.Sprintf("#%d", i+1)
		}
		drafts = append(drafts, d)
	}
	return drafts, file.Problems().OrNil()
}

func readDraft(v strict.Value, now time.Time) Draft {
	var d Draft
	if !v.IsMap() {
		d.Card.Title = v.Text()
		return d
	}
	keys := v.Keys("title", "body", "priority", "assignee", "host", "model", "effort", "parent", "depends_on", "owns", "satisfies",
		"labels", "workspace", "not_before", "every", "max_runs", "key", "pause")
	text := func(key string) string { return keys.Get(key).Text() }
	c := &d.Card
	c.Title, c.Body, c.Assignee, c.Host, c.Model = text("title"), text("body"), text("assignee"), text("host"), text("model")
	c.Effort, c.Parent, c.Workspace, c.Every, c.Key = text("effort"), text("parent"), text("workspace"), text("every"), text("key")
	c.Priority = keys.Get("priority").Int(-maxPriority, maxPriority, 0)
	c.MaxRuns = keys.Get("max_runs").Int(1, maxPriority, 0)
	c.Owns, c.Satisfies = keys.Get("owns").Texts(), scalars(keys.Get("satisfies"))
	d.DependsOn = scalars(keys.Get("depends_on"))
	d.Pause = keys.Get("pause").Bool(false)
	for _, f := range keys.Get("labels").Fields() {
		if c.Labels == nil {
			c.Labels = Labels{}
		}
		c.Labels[f.Name] = f.ScalarText("a text")
	}
	if at := keys.Get("not_before"); at.Given() {
		when, err := ParseWhen(at.ScalarText("a time"), now)
		if err != nil {
			at.Problem(err.Error(), "")
		}
		c.NotBefore = when
	}
	if err := c.Check(); err != nil {
		v.Problem(err.Error(), "")
	}
	return d
}

// scalars is a list of texts or numbers, or one.
func scalars(v strict.Value) []string {
	if !v.IsList() {
		if !v.Given() {
			return nil
		}
		return []string{v.ScalarText("a text")}
	}
	var all []string
	for _, item := range v.Items() {
		all = append(all, item.ScalarText("a text"))
	}
	return all
}
