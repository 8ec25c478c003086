package workflows

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/strict"
)

// Options are what a file is loaded with. The zero value loads a file by itself.
type Options struct {
	Params  map[string]any                    // config.yaml's, over the file's, by name
	Prompts func(path string) ([]byte, error) // reads a prompt file by its path under workflows/; nil: only the built-in ones
	Known   *Known                            // names from outside the file that filters may use; nil: not checked
}

// Known are names from outside the file, for Check. A nil list is not checked.
type Known struct {
	Hosts     []string
	Executors []string
	Harnesses []string
	Models    []string
	Boards    []string

	statuses, profiles []string // of all workflows, for the caps of config.yaml
}

// pending is an expression that is compiled when it is first needed, and where to tell of its problems.
type pending struct {
	at strict.Value
	expression
}

// expression is any of the kinds of expressions.
type expression interface {
	Check() error
	Source() string
	Reads(env *expr.Env) map[string]any
}

// loader reads one file.
type loader struct {
	file    *strict.File
	scope   *expr.Scope
	opts    Options
	initial strict.Value // `initial`, for a problem that only the statuses show
	pending []pending
}

// Load reads a workflow: strict, with all problems at once (the error is then a Problems). Its expressions are not
// compiled before they are needed: Validate does that for all of them.
func Load(name, file string, src []byte, opts Options) (*Workflow, error) {
	doc, root, ok := strict.Parse(file, src)
	if !ok {
		if len(doc.Problems()) == 0 {
			return nil, Problems{{Origin: doc.Origin(), Text: "the file is empty; expected a workflow (board workflow show default prints one)"}}
		}
		return nil, doc.Problems()
	}
	l := &loader{file: doc, opts: opts}
	w := l.workflow(name, file, root)
	w.scope, w.prompts = l.scope, opts.Prompts
	l.references(w)
	if problems := doc.Problems(); len(problems) > 0 {
		return nil, problems
	}
	w.pending = l.pending
	w.Lint = append(w.Lint, lintStructure(w, opts.Known)...)
	return w, nil
}

// Check is Load and Validate, and tries the caps over many sensor values (CAP-17). Errors are Problems; what is odd but
// loads is in the workflow's Lint.
func Check(name, file string, src []byte, opts Options) (*Workflow, error) {
	w, err := Load(name, file, src, opts)
	if err != nil {
		return nil, withExpressions(err, name, file, src, opts)
	}
	if problems := w.Validate(); len(problems) > 0 {
		return nil, problems
	}
	w.Lint = append(w.Lint, lintNumbers(w.Dispatch.Capacity)...)
	w.Lint = append(w.Lint, lintParams(w)...).Sorted()
	return w, nil
}

// withExpressions adds the problems of the expressions to those of a file that does not load, so that all come at once.
func withExpressions(err error, name, file string, src []byte, opts Options) error {
	problems, isList := err.(Problems) //nolint:errorlint // Load's own type, never wrapped
	doc, root, ok := strict.Parse(file, src)
	if !isList || !ok {
		return err
	}
	l := &loader{file: doc, opts: opts}
	w := l.workflow(name, file, root)
	w.scope, w.prompts, w.pending = l.scope, opts.Prompts, l.pending
	return append(problems, w.Validate()...).Sorted()
}

// Validate compiles every expression and prompt, and says what is wrong with them. A workflow with problems starts
// nothing; what it has running is still settled.
func (w *Workflow) Validate() Problems {
	var problems Problems
	for _, p := range w.pending {
		if err := p.Check(); err != nil {
			problems = append(problems, p.at.ExprProblems(err)...)
		}
	}
	return append(problems, w.checkPrompts()...).Sorted()
}

// Mentions says whether some expression of the workflow, prompts left out, has a text such as "card.body" in it: whether
// it is worth reading. It may say yes of a text in quotes.
func (w *Workflow) Mentions(text string) bool {
	return slices.ContainsFunc(w.pending, func(p pending) bool { return strings.Contains(p.Source(), text) })
}

func (l *loader) workflow(name, file string, root strict.Value) *Workflow {
	keys := root.Keys(keysOf[Workflow]()...)
	w := &Workflow{
		File:        file,
		Version:     keys.Get("version").Int(1, 1, 1),
		Name:        keys.Get("name").Text(),
		Description: keys.Get("description").Text(),
		Initial:     keys.Get("initial").Text(),
	}
	for _, required := range []string{"version", "profiles", "initial", "statuses", "events"} {
		if !keys.Get(required).Given() {
			missing(root, required)
		}
	}
	if w.Name == "" {
		w.Name = name
	} else if w.Name != name {
		w.Lint = append(w.Lint, Problem{
			Origin: keys.Get("name").Origin(),
			Text:   fmt.Sprintf("the file is called %s, the workflow %s; boards know it by the file's name", name, w.Name),
		})
		w.Name = name
	}
	l.initial = keys.Get("initial")
	w.Params = l.params(keys.Get("params"))
	l.scope = expr.NewScope(w.Params)
	for _, field := range named(keys.Get("profiles"), "profile") {
		w.Profiles = append(w.Profiles, profile(field))
	}
	for _, field := range named(keys.Get("statuses"), "status") {
		w.Statuses = append(w.Statuses, l.status(field))
	}
	for _, field := range named(keys.Get("events"), "event") {
		w.Events = append(w.Events, l.event(field))
	}
	w.Dispatch = l.dispatch(keys.Get("dispatch"), keys.Get("events").Origin())
	return w
}

// missing tells of a required key that is not there.
func missing(v strict.Value, key string) {
	if v.Present() {
		v.Problem(key+" is missing", "")
	}
}

// named gives the entries of a map whose keys are names of things.
func named(v strict.Value, what string) []strict.Field {
	fields := v.Fields()
	for _, field := range fields {
		if !isName(field.Name) {
			field.Problem(fmt.Sprintf("%q cannot name a %s: use letters, digits, - and _", field.Name, what), "")
		}
	}
	return fields
}

// params are the file's, with config.yaml's over them.
func (l *loader) params(v strict.Value) map[string]any {
	params := make(map[string]any)
	for _, field := range v.Fields() {
		params[field.Name] = field.Any()
	}
	maps.Copy(params, l.opts.Params)
	return params
}

func profile(field strict.Field) Profile {
	keys := field.Keys(keysOf[Profile]()...)
	p := Profile{
		Name:        field.Name,
		Role:        Role(keys.Get("role").OneOf(Role("").names()...)),
		Surface:     Surface(keys.Get("surface").OneOf(Surface("").names()...)),
		Interactive: keys.Get("interactive").Bool(false),
		Permissions: Permissions(keys.Get("permissions").OneOf(Permissions("").names()...)),
		Host:        keys.Get("host").Text(),
		Executors:   keys.Get("executors").Texts(),
		Harness:     keys.Get("harness").Texts(),
		Model:       keys.Get("model").Texts(),
		MinEffort:   keys.Get("min_effort").OneOf(efforts()...),
		Keep:        keys.Get("keep").Texts(),
		Origin:      field.Key,
	}
	if !keys.Get("role").Given() {
		missing(field.Value, "role")
	}
	if capacity := keys.Get("capacity"); capacity.Given() {
		n := capacity.Int(0, expr.MaxNumber, 0)
		p.Capacity = &n
	}
	if p.Surface == "" {
		p.Surface = SurfaceHeadless
	}
	if p.Interactive && p.Surface != SurfacePane {
		keys.Get("interactive").Problem("an interactive profile needs surface: pane", "")
	}
	if p.Permissions == PermissionsAsk && !p.Interactive {
		keys.Get("permissions").Problem("permissions: ask needs interactive: true: somebody has to be there to answer", "")
	}
	if p.Permissions == "" {
		p.Permissions = PermissionsRead
		if p.Role == RoleCoder {
			p.Permissions = PermissionsEdit
		}
	}
	return p
}

// later remembers an expression for Validate.
func (l *loader) later(at strict.Value, e expression) {
	l.pending = append(l.pending, pending{at: at, expression: e})
}

// condition is an expression that is true or false; nil when it is not there.
func (l *loader) condition(v strict.Value) *expr.Bool {
	if !v.Given() {
		return nil
	}
	b := l.scope.Bool(v.ScalarText("an expression"))
	l.later(v, b)
	return b
}

// template is a text with expressions in it; nil when it is not there.
func (l *loader) template(v strict.Value) *expr.Template {
	if !v.Given() {
		return nil
	}
	t := l.scope.Template(v.ScalarText("a text or a template"))
	if _, literal := t.Literal(); !literal {
		l.later(v, t)
	}
	return t
}

// number is a whole number or an expression for one; nil when it is not there, null or empty.
func (l *loader) number(v strict.Value) *expr.Number {
	if !v.Given() {
		return nil
	}
	n := l.scope.Number(v.ScalarText("a number or an expression"))
	if n != nil {
		l.later(v, n)
	}
	return n
}

// originOr is where the first of the values that is there stands.
func originOr(values ...strict.Value) Origin {
	i := slices.IndexFunc(values, strict.Value.Present)
	if i < 0 {
		return Origin{}
	}
	return values[i].Origin()
}
