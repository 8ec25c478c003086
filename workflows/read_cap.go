package workflows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/strict"
)

// capReader reads caps, of a workflow or of config.yaml.
type capReader struct {
	numbers    func(strict.Value) *expr.Number
	conditions func(strict.Value) *expr.Bool
}

// ReadCaps reads the `capacity` list of config.yaml. Its params are the scope's. The expressions are compiled at once;
// problems are the file's.
func ReadCaps(v strict.Value, scope *expr.Scope) []Cap {
	l := &loader{scope: scope}
	reader := capReader{numbers: l.number, conditions: l.condition}
	caps := reader.caps(v)
	for _, p := range l.pending {
		if err := p.Check(); err != nil {
			p.at.ExprProblem(err)
		}
	}
	return caps
}

func (r capReader) caps(v strict.Value) []Cap {
	items := v.Items()
	caps := make([]Cap, 0, len(items))
	for i, item := range items {
		c := r.cap(item)
		c.Index = i
		if first := slices.IndexFunc(caps, func(other Cap) bool { return other.Name == c.Name && c.Name != "" }); first >= 0 {
			item.Problem(fmt.Sprintf("a second cap %q; the first is in line %d", c.Name, caps[first].Origin.Line), "")
		}
		caps = append(caps, c)
	}
	return caps
}

func (r capReader) cap(v strict.Value) Cap {
	keys := v.Keys(keysOf[Cap]()...)
	c := Cap{
		Name:      keys.Get("name").Text(),
		Counts:    Counts(keys.Get("counts").OneOf(Counts("").names()...)),
		Scope:     scopes(keys.Get("scope")),
		Where:     filter(keys.Get("where")),
		Unless:    filter(keys.Get("unless")),
		Max:       r.numbers(keys.Get("max")),
		Place:     Place(keys.Get("place").OneOf(Place("").names()...)),
		Reserve:   r.reserve(keys.Get("reserve")),
		Window:    keys.Get("window").Duration(0),
		Burst:     r.burst(keys.Get("burst")),
		AssumeUSD: keys.Get("assume_usd").Float(0, 1_000_000, 1),
		Origin:    v.Origin(),
		MaxAt:     originOr(keys.Get("max"), v),
	}
	if c.Place == "" {
		c.Place = PlaceSlot
	}
	for _, required := range []string{"name", "counts"} {
		if !keys.Get(required).Given() {
			missing(v, required)
		}
	}
	c.checkKeys(v, keys)
	return c
}

// checkKeys tells of keys that mean nothing for what the cap counts.
func (c *Cap) checkKeys(v strict.Value, keys strict.Keys) {
	only := func(key string, counts ...Counts) {
		if keys.Get(key).Given() && c.Counts != "" && !slices.Contains(counts, c.Counts) {
			keys.Get(key).Problem(fmt.Sprintf("%s means nothing for counts: %s", key, c.Counts), "")
		}
	}
	only("window", CountsStarts, CountsSpend)
	only("assume_usd", CountsSpend)
	only("place", CountsSessions, CountsTurns)
	only("reserve", CountsRuns, CountsCards, CountsSessions, CountsTurns)
	only("burst", CountsRuns, CountsCards, CountsSessions, CountsTurns)
	if window := keys.Get("window"); c.Counts == CountsSpend && !window.Given() {
		missing(v, "window")
	} else if window.Given() && c.Window == 0 {
		window.Problem("the window must be longer than nothing", "")
	}
	early := []Scope{ScopeHome, ScopeBoard, ScopeHost, ScopeProfile}
	for _, s := range c.Scope {
		if c.Reserve != nil && s != "" && !slices.Contains(early, s) {
			keys.Get("reserve").Problem(fmt.Sprintf("a reserve needs a scope that is known before an executor is picked: "+
				"home, board, host or profile; found %s (CAP-7)", s), "")
		}
	}
}

// scopes is one word or a list.
func scopes(v strict.Value) []Scope {
	if !v.Given() {
		return []Scope{ScopeHome}
	}
	items := []strict.Value{v}
	if v.IsList() {
		items = v.Items()
	}
	var list []Scope
	for _, item := range items {
		s := Scope(item.OneOf(Scope("").names()...))
		if slices.Contains(list, s) && s != "" {
			item.Problem(fmt.Sprintf("%s is here twice", s), "")
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		v.Problem("a scope is one of "+strings.Join(Scope("").names(), ", ")+", or a list of them", "")
	}
	return list
}

func (r capReader) reserve(v strict.Value) *Reserve {
	if !v.Given() {
		return nil
	}
	keys := v.Keys(keysOf[Reserve]()...)
	for _, required := range []string{"for", "slots"} {
		if !keys.Get(required).Present() {
			missing(v, required)
		}
	}
	return &Reserve{
		For:     filter(keys.Get("for")),
		Slots:   r.numbers(keys.Get("slots")),
		Always:  keys.Get("when").OneOf("waiting", "always") == "always",
		Origin:  v.Origin(),
		SlotsAt: originOr(keys.Get("slots"), v),
	}
}

func (r capReader) burst(v strict.Value) *Burst {
	if !v.Given() {
		return nil
	}
	keys := v.Keys(keysOf[Burst]()...)
	if !keys.Get("to").Given() {
		missing(v, "to")
	}
	return &Burst{To: r.numbers(keys.Get("to")), When: r.conditions(keys.Get("when")), Origin: v.Origin()}
}

func filter(v strict.Value) Filter {
	keys := v.Keys(keysOf[Filter]()...)
	flag := func(name string) *bool {
		if !keys.Get(name).Given() {
			return nil
		}
		value := keys.Get(name).Bool(false)
		return &value
	}
	list := func(name string) []string {
		v := keys.Get(name)
		values := v.Texts()
		if v.Given() && len(values) == 0 && v.IsList() {
			v.Problem("an empty list matches nothing; leave the key out to match everything", "")
		}
		return values
	}
	f := Filter{
		Board: list("board"), Card: list("card"), Status: list("status"), Profile: list("profile"),
		Executor: list("executor"), Harness: list("harness"), Model: list("model"), Host: list("host"),
		Slot: list("slot"), Role: list("role"), Surface: list("surface"), Label: list("label"),
		Dispatch: flag("dispatch"), Story: flag("story"),
	}
	for _, field := range keys {
		f.origins = append(f.origins, keyOrigin{field.Name, field.Origin()})
	}
	return f
}

// keyOrigin is where a key of a filter stands.
type keyOrigin struct {
	key string
	at  Origin
}

// keyValues is a key of a filter and its alternatives.
type keyValues struct {
	key    string
	values []string
}

// lists are the keys of a filter whose values are texts, those that are given.
func (f *Filter) lists() []keyValues {
	all := []keyValues{
		{"board", f.Board},
		{"card", f.Card},
		{"status", f.Status},
		{"profile", f.Profile},
		{"executor", f.Executor},
		{"harness", f.Harness},
		{"model", f.Model},
		{"host", f.Host},
		{"slot", f.Slot},
		{"role", f.Role},
		{"surface", f.Surface},
		{"label", f.Label},
	}
	return slices.DeleteFunc(all, func(k keyValues) bool { return len(k.values) == 0 })
}

// values are the alternatives of a key, nil when it is not given.
func (f *Filter) values(key string) []string {
	for _, k := range f.lists() {
		if k.key == key {
			return k.values
		}
	}
	return nil
}

// at is where a key stands.
func (f *Filter) at(key string) Origin {
	for _, o := range f.origins {
		if o.key == key {
			return o.at
		}
	}
	return Origin{}
}

// caps checks the filters' names of things that the file defines.
func (r *references) caps() {
	names := map[string][]string{
		"status": r.statuses, "profile": profileNames(r.w), "slot": r.slots,
		"role": Role("").names(), "surface": Surface("").names(),
	}
	for i := range r.w.Dispatch.Capacity {
		for _, f := range r.w.Dispatch.Capacity[i].filters() {
			for _, k := range f.lists() {
				known, ok := names[k.key]
				if !ok {
					continue
				}
				for _, value := range k.values {
					if !slices.ContainsFunc(known, func(name string) bool { return globsOverlap(value, name) }) {
						r.unknown(f.at(k.key), k.key, value, known)
					}
				}
			}
		}
	}
}

// filters are all filters of a cap.
func (c *Cap) filters() []*Filter {
	list := []*Filter{&c.Where, &c.Unless}
	if c.Reserve != nil {
		list = append(list, &c.Reserve.For)
	}
	return list
}
