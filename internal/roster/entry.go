package roster

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/seed-2ddc2152/board/internal/expr"
)

// DefaultPriority is what an entry without `priority` has.
const DefaultPriority = 1.0

// keyDefault is the key of a per-role mapping that stands for every role not named.
const keyDefault = "default"

// reader reads the keys of one entry and collects what is wrong with them.
type reader struct {
	entry
	sources  Sources
	values   map[string]*yaml.Node
	problems Problems
}

// decode reads one entry whole (ROS-1).
func (s Sources) decode(e entry) (Executor, Problems) {
	r := &reader{entry: e, sources: s, values: map[string]*yaml.Node{}}
	r.keys()
	x := Executor{File: e.file, Line: e.line}
	x.ID = r.identity()
	x.Roles = r.roles()
	x.Harness, x.Command = r.harness(x.Roles)
	x.Model = r.text("model")
	x.Slots = r.slots()
	x.CoderSlots = r.coderSlots(x.Slots)
	x.Priority = PerRole[float64]{Default: DefaultPriority}
	perRole(r, "priority", &x.Priority, r.priority)
	perRole(r, "effort", &x.Effort, r.effort)
	x.Flags = r.flags()
	x.Env, x.Unset = r.env()
	x.Bin = r.text("bin")
	x.Health = r.health()
	x.Cooldown = r.cooldown()
	x.Account = r.text("account")
	x.Limits = r.limits()
	return x, r.problems
}

func (r *reader) wrong(node *yaml.Node, format string, args ...any) {
	name := "executor"
	if r.id != "" {
		name = fmt.Sprintf("executor %q", r.id)
	}
	r.problems = append(r.problems, Problem{File: r.file, Line: node.Line, Text: name + ": " + fmt.Sprintf(format, args...)})
}

// keys finds the value of each key, and those keys that are unknown or repeated.
func (r *reader) keys() {
	known := []string{
		"id", "harness", "model", "command", "roles", "slots", "coder_slots", "priority", "effort", "flags", "env",
		"bin", "health", "cooldown", "account", "limits", "disabled",
	}
	for _, p := range pairsOf(r.node, 0) {
		key := p.key.Value
		if !slices.Contains(known, key) {
			r.wrong(p.key, "unknown key %q%s", key, hint(key, known))
			continue
		}
		if _, repeated := r.values[key]; repeated {
			r.wrong(p.key, "key %s is given twice", key)
		}
		if value := resolve(p.value); !isNull(value) {
			r.values[key] = value
		}
	}
	if node, ok := r.values["disabled"]; ok && node.Tag != "!!bool" {
		r.wrong(node, "disabled: found %s, expected true or false", kindOf(node))
	}
}

// at returns the node that a problem with the key points to.
func (r *reader) at(key string) *yaml.Node {
	if node, ok := r.values[key]; ok {
		return node
	}
	return &yaml.Node{Line: r.line}
}

// text returns a plain value; empty if the key is not given.
func (r *reader) text(key string) string {
	node, ok := r.values[key]
	if !ok {
		return ""
	}
	if node.Kind != yaml.ScalarNode {
		r.wrong(node, "%s: found %s, expected a text", key, kindOf(node))
		return ""
	}
	return node.Value
}

// texts returns a list of plain values.
func (r *reader) texts(key string) []*yaml.Node {
	node, ok := r.values[key]
	if !ok {
		return nil
	}
	if node.Kind != yaml.SequenceNode {
		r.wrong(node, "%s: found %s, expected a list", key, kindOf(node))
		return nil
	}
	var list []*yaml.Node
	for _, item := range node.Content {
		item = resolve(item)
		if item.Kind != yaml.ScalarNode {
			r.wrong(item, "%s: found %s, expected a text", key, kindOf(item))
			continue
		}
		list = append(list, item)
	}
	return list
}

// inside returns the pairs of a mapping.
func (r *reader) inside(key string) []pair {
	node, ok := r.values[key]
	if !ok {
		return nil
	}
	if node.Kind != yaml.MappingNode {
		r.wrong(node, "%s: found %s, expected a mapping", key, kindOf(node))
		return nil
	}
	return r.plain(key, node)
}

// plain returns the pairs of a mapping whose values are plain, and finds repeated keys.
func (r *reader) plain(key string, node *yaml.Node) []pair {
	var list []pair
	seen := map[string]bool{}
	for _, p := range pairsOf(node, 0) {
		p.value = resolve(p.value)
		switch {
		case seen[p.key.Value]:
			r.wrong(p.key, "%s: key %s is given twice", key, p.key.Value)
		case p.value.Kind != yaml.ScalarNode:
			r.wrong(p.value, "%s: %s: found %s, expected a plain value", key, p.key.Value, kindOf(p.value))
		default:
			list = append(list, p)
		}
		seen[p.key.Value] = true
	}
	return list
}

func (r *reader) identity() string {
	id := r.text("id")
	switch {
	case id == "":
		r.wrong(r.at("id"), "id is empty; every executor needs one")
	case !validID(id):
		r.wrong(r.at("id"), "id %q: expected a-z, 0-9, '.', '_' and '-', a letter or digit first", id)
	}
	for _, line := range r.twice {
		r.wrong(&yaml.Node{Line: line}, "listed twice in this file; first at line %d", r.line)
	}
	return id
}

func validID(id string) bool {
	for i, c := range []byte(id) {
		plain := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !plain && (i == 0 || !strings.ContainsRune("._-", rune(c))) {
			return false
		}
	}
	return id != ""
}

func (r *reader) roles() []Role {
	given := map[Role]bool{}
	for _, node := range r.texts("roles") {
		role := Role(node.Value)
		if !slices.Contains(Roles(), role) {
			r.wrong(node, "unknown role %q%s", node.Value, hint(node.Value, roleNames()))
			continue
		}
		given[role] = true
	}
	var list []Role
	for _, role := range Roles() {
		if given[role] {
			list = append(list, role)
		}
	}
	if len(list) == 0 {
		r.wrong(r.at("roles"), "takes no role; roles are %s", strings.Join(roleNames(), ", "))
	}
	return list
}

func roleNames() []string {
	var names []string
	for _, role := range Roles() {
		names = append(names, string(role))
	}
	return names
}

func (r *reader) harness(roles []Role) (name string, command []string) {
	name = r.text("harness")
	var names []string
	for _, h := range r.sources.Harnesses {
		names = append(names, h.Name)
	}
	at := slices.Index(names, name)
	switch {
	case name == "":
		r.wrong(r.at("harness"), "has no harness; known are %s", strings.Join(names, ", "))
	case at < 0:
		r.wrong(r.at("harness"), "unknown harness %q%s", name, hint(name, names))
	case r.sources.Harnesses[at].APIOnly && slices.Contains(roles, RoleCoder):
		r.wrong(r.at("roles"), "harness %s is an API without tools and cannot be a coder", name)
	}
	for _, node := range r.texts("command") {
		command = append(command, node.Value)
	}
	_, given := r.values["command"]
	switch {
	case name == harnessExec && (len(command) == 0 || command[0] == ""):
		r.wrong(r.at("command"), `harness exec needs a command, such as ["sh", "-c", "make agent"]`)
	case name != harnessExec && name != "" && given:
		r.wrong(r.at("command"), "command is only for the harness exec; harness %s takes bin and flags", name)
	}
	return name, command
}

func (r *reader) slots() int {
	node, ok := r.values["slots"]
	if !ok {
		return 1
	}
	n, ok := whole(node)
	if !ok || n < 1 {
		r.wrong(node, "slots: found %s, expected a whole number of at least 1", kindOf(node))
		return 1
	}
	return n
}

func (r *reader) coderSlots(slots int) int {
	node, ok := r.values["coder_slots"]
	if !ok {
		return slots
	}
	n, ok := whole(node)
	if !ok || n < 0 || n > slots {
		r.wrong(node, "coder_slots: found %s, expected a whole number from 0 to slots (%d)", kindOf(node), slots)
		return slots
	}
	return n
}

func whole(node *yaml.Node) (int, bool) {
	if node.Tag != "!!int" {
		return 0, false
	}
	n, err := strconv.ParseInt(node.Value, 10, 32)
	return int(n), err == nil
}

// perRole reads a value for all roles, or a mapping of roles.
func perRole[T any](r *reader, key string, into *PerRole[T], read func(*yaml.Node) (T, bool)) {
	node, ok := r.values[key]
	if !ok {
		return
	}
	if node.Kind != yaml.MappingNode {
		if value, ok := read(node); ok {
			into.Default = value
		}
		return
	}
	into.ByRole = map[Role]T{}
	for _, p := range r.plain(key, node) {
		name := p.key.Value
		known := append(roleNames(), keyDefault)
		if !slices.Contains(known, name) {
			r.wrong(p.key, "%s: unknown key %q%s", key, name, hint(name, known))
			continue
		}
		value, ok := read(p.value)
		switch {
		case !ok:
		case name == keyDefault:
			into.Default = value
		default:
			into.ByRole[Role(name)] = value
		}
	}
}

func (r *reader) priority(node *yaml.Node) (float64, bool) {
	n, err := strconv.ParseFloat(node.Value, 64)
	if node.Kind != yaml.ScalarNode || err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		r.wrong(node, "priority: found %s, expected a number", kindOf(node))
		return 0, false
	}
	return n, true
}

func (r *reader) effort(node *yaml.Node) (string, bool) {
	if node.Kind != yaml.ScalarNode || !slices.Contains(Efforts(), node.Value) {
		r.wrong(node, "effort: found %s, expected one of %s", kindOf(node), strings.Join(Efforts(), ", "))
		return "", false
	}
	return node.Value, true
}

func (r *reader) flags() map[string]string {
	pairs := r.inside("flags")
	if len(pairs) == 0 {
		return nil
	}
	flags := map[string]string{}
	for _, p := range pairs {
		flags[p.key.Value] = p.value.Value
	}
	return flags
}

func (r *reader) health() string {
	url := r.text("health")
	if url == "" {
		return ""
	}
	for _, scheme := range []string{"http://", "https://"} {
		if rest, ok := strings.CutPrefix(url, scheme); ok && rest != "" && rest[0] != '/' && !strings.ContainsAny(url, " \t\n") {
			return url
		}
	}
	r.wrong(r.at("health"), "health: found %q, expected a URL such as http://127.0.0.1:8080/health", url)
	return ""
}

func (r *reader) cooldown() Cooldown {
	c := DefaultCooldown()
	into := map[string]*time.Duration{"usage_limit": &c.UsageLimit, "rate_limit": &c.RateLimit, "outage": &c.Outage}
	for _, p := range r.inside("cooldown") {
		target, ok := into[p.key.Value]
		if !ok {
			r.wrong(p.key, "cooldown: unknown key %q%s", p.key.Value, hint(p.key.Value, []string{"usage_limit", "rate_limit", "outage"}))
			continue
		}
		d, err := expr.ParseDuration(p.value.Value)
		if err != nil {
			r.wrong(p.value, "cooldown: %s: %v", p.key.Value, err)
			continue
		}
		*target = d
	}
	return c
}

func (r *reader) limits() Limits {
	var limits Limits
	for _, p := range r.inside("limits") {
		if p.key.Value != "usd_per_day" {
			r.wrong(p.key, "limits: unknown key %q%s", p.key.Value, hint(p.key.Value, []string{"usd_per_day"}))
			continue
		}
		usd, err := strconv.ParseFloat(p.value.Value, 64)
		if err != nil || !(usd >= 0) || math.IsInf(usd, 0) {
			r.wrong(p.value, "limits: usd_per_day: found %s, expected dollars, 0 or more", kindOf(p.value))
			continue
		}
		limits.USDPerDay = &usd
	}
	return limits
}
