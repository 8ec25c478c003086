package workflows

import (
	"path"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/internal/strict"
)

// The defaults of limits (02, Keys).
const (
	defaultStart       = 10 * time.Minute
	defaultIdleTimeout = 30 * time.Minute
)

func (l *loader) status(field strict.Field) Status {
	keys := field.Keys(keysOf[Status]()...)
	s := Status{
		Name:        field.Name,
		Description: keys.Get("description").Text(),
		Terminal:    keys.Get("terminal").Bool(false),
		Workspace:   workspace(keys.Get("workspace")),
		Origin:      field.Key,
	}
	if run := keys.Get("run"); run.Given() {
		s.Run = l.run(run)
		if s.Terminal {
			run.Problem("a terminal status ends its card: it cannot be run", "")
		}
	}
	return s
}

// workspace is `worktree`, `repo`, `scratch`, or `dir: PATH`.
func workspace(v strict.Value) Workspace {
	kinds := []string{string(WorkspaceWorktree), string(WorkspaceRepo), string(WorkspaceScratch)}
	if !v.Given() {
		return Workspace{}
	}
	if !v.IsMap() {
		return Workspace{Kind: WorkspaceKind(v.OneOf(kinds...))}
	}
	dir := v.Keys("dir").Get("dir")
	if text := dir.Text(); text != "" {
		if !path.IsAbs(text) && !strings.HasPrefix(text, "~/") {
			dir.Problem("a folder is an absolute path, or begins with ~/", "")
		}
		return Workspace{Kind: WorkspaceDir, Dir: text}
	}
	missing(v, "dir")
	return Workspace{}
}

func (l *loader) run(v strict.Value) *Run {
	keys := v.Keys(keysOf[Run]()...)
	limits := keys.Get("limits").Keys(keysOf[Limits]()...)
	r := &Run{
		Profile: l.template(keys.Get("profile")),
		Session: l.template(keys.Get("session")),
		Prompt:  keys.Get("prompt").ScalarText("a text, or a file under workflows/"),
		Limits: Limits{
			Runtime:     limits.Get("runtime").Duration(0),
			Quiet:       limits.Get("quiet").Duration(0),
			Start:       limits.Get("start").Duration(defaultStart),
			IdleTimeout: limits.Get("idle_timeout").Duration(defaultIdleTimeout),
		},
		Origin:        v.Origin(),
		ProfileOrigin: originOr(keys.Get("profile"), v),
		SessionOrigin: originOr(keys.Get("session"), v),
		PromptOrigin:  originOr(keys.Get("prompt"), v),
	}
	if r.Session == nil {
		r.Session = l.scope.Template("worker")
	}
	if slot, literal := r.Session.Literal(); literal && !isName(slot) {
		keys.Get("session").Problem("a slot is a name of letters, digits, - and _", "")
	}
	for _, field := range keys.Get("outcomes").Fields() {
		r.Outcomes = append(r.Outcomes, Outcome{Outcome: field.Name, Event: field.Text(), Origin: field.Key})
	}
	return r
}

func (l *loader) dispatch(v strict.Value, events Origin) Dispatch {
	keys := v.Keys(keysOf[Dispatch]()...)
	retry := keys.Get("retry").Keys(keysOf[Retry]()...)
	backoff := retry.Get("backoff").Keys(keysOf[Backoff]()...)
	story := keys.Get("story").Keys(keysOf[Story]()...)
	d := Dispatch{
		Start:      keys.Get("start").Text(),
		StartAt:    events,
		Eligible:   l.condition(keys.Get("eligible")),
		EligibleAt: keys.Get("eligible").Origin(),
		Aging:      aging(keys.Get("aging")),
		Retry: Retry{
			Limit:        retry.Get("limit").Int(0, 1000, 3),
			LifetimeRuns: retry.Get("lifetime_runs").Int(1, 100_000, 15),
			Backoff: Backoff{
				First:  backoff.Get("first").Duration(time.Minute),
				Factor: backoff.Get("factor").Float(1, 100, 2),
				Max:    backoff.Get("max").Duration(30 * time.Minute),
				Jitter: backoff.Get("jitter").Float(0, 1, 0.2),
			},
			LimitAt:    originOr(retry.Get("limit"), keys.Get("retry"), v),
			LifetimeAt: originOr(retry.Get("lifetime_runs"), keys.Get("retry"), v),
		},
		Story: Story{
			Concurrency:   story.Get("concurrency").Int(1, 1000, 2),
			ConcurrencyAt: originOr(story.Get("concurrency"), keys.Get("story"), v),
		},
	}
	if d.Start == "" {
		d.Start = "start"
	} else {
		d.StartAt = keys.Get("start").Origin()
	}
	for _, item := range keys.Get("order").Items() {
		key := l.scope.Key(item.ScalarText("an order key"))
		l.later(item, key)
		d.Order = append(d.Order, key)
		d.OrderAt = append(d.OrderAt, item.Origin())
	}
	reader := capReader{numbers: l.number, conditions: l.condition}
	d.Capacity = reader.caps(keys.Get("capacity"))
	return d
}

func aging(v strict.Value) Aging {
	keys := v.Keys(keysOf[Aging]()...)
	a := Aging{Per: keys.Get("per").Duration(0), Max: keys.Get("max").Int(0, 1_000_000, 0)}
	for _, required := range []string{"per", "max"} {
		if !keys.Get(required).Given() {
			missing(v, required)
		}
	}
	return a
}
