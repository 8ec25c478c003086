package roster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/strict"
)

// Bounds and defaults of an entry.
const (
	DefaultPriority = 1.0       // from the specification of the roster
	maxPriority     = 100_000   // either way; chosen: nobody needs more ranks
	maxSlots        = 1_000_000 // chosen: as the largest cap
	maxUSD          = 100_000   // a day; chosen: a slip of the pen beyond
)

// keyDefault is the key of a per-role map that stands for every role not named.
const keyDefault = "default"

// decode reads one entry whole; what is wrong is told to its file (ROS-1).
func (s Sources) decode(e entry) Executor {
	keys := e.value.Keys(
		"id", "harness", "model", "command", "roles", "slots", "coder_slots", "priority", "effort", "flags", "env",
		"bin", "health", "cooldown", "account", "limits", "disabled",
	)
	origin := e.value.Origin()
	x := Executor{ID: e.id, File: origin.File, Line: origin.Line}
	e.checkID()
	x.Roles = readRoles(e, keys.Get("roles"))
	x.Harness = s.readHarness(e, keys, x.Roles)
	x.Command = readCommand(e, keys.Get("command"), x.Harness)
	x.Model = keys.Get("model").ScalarText("the name of a model")
	x.Slots = keys.Get("slots").Int(1, maxSlots, 1)
	x.CoderSlots = keys.Get("coder_slots").Int(0, x.Slots, x.Slots)
	x.Priority = readPerRole(keys.Get("priority"), DefaultPriority, func(v strict.Value) float64 {
		return v.Float(-maxPriority, maxPriority, DefaultPriority)
	})
	x.Effort = readPerRole(keys.Get("effort"), "", func(v strict.Value) string { return v.OneOf(Efforts()...) })
	x.Flags = readFlags(keys.Get("flags"))
	x.Env, x.Unset = s.readEnv(keys.Get("env"))
	x.Bin = keys.Get("bin").Text()
	x.Health = readHealth(keys.Get("health"))
	x.Cooldown = readCooldown(keys.Get("cooldown"))
	x.Account = keys.Get("account").ScalarText("the name of an account")
	x.Limits = readLimits(keys.Get("limits"))
	return x
}

// at returns the value that a problem points to: the key's, or the entry where the key is not given.
func (e entry) at(value strict.Value) strict.Value {
	if value.Present() {
		return value
	}
	return e.value
}

func (e entry) checkID() {
	id := e.fields.Get("id")
	switch {
	case e.id == "":
		e.at(id).Problem("the id is empty; every executor needs one", "")
	case !validID(e.id):
		e.at(id).Problem(fmt.Sprintf("id %q; expected a-z, 0-9, '.', '_' and '-', a letter or digit first", e.id), "")
	}
	for _, again := range e.twice {
		again.Problem(fmt.Sprintf("listed twice in this file; first in line %d", e.value.Origin().Line), "")
	}
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

func readRoles(e entry, value strict.Value) []Role {
	var given []string
	for _, item := range value.Items() {
		name := item.ScalarText("a role")
		given = append(given, name)
		if name != "" && !slices.Contains(roleNames(), name) {
			item.Problem(fmt.Sprintf("unknown role %q", name)+hint(roleNames()), expr.Nearest(name, roleNames()))
		}
	}
	var list []Role
	for _, role := range Roles() {
		if slices.Contains(given, string(role)) {
			list = append(list, role)
		}
	}
	if len(list) == 0 {
		e.at(value).Problem("takes no role"+hint(roleNames()), "")
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

func (s Sources) readHarness(e entry, keys strict.Keys, roles []Role) string {
	value := keys.Get("harness")
	name := value.ScalarText("the name of a harness")
	var names []string
	for _, h := range s.Harnesses {
		names = append(names, h.Name)
	}
	at := slices.Index(names, name)
	switch {
	case name == "":
		e.at(value).Problem("has no harness"+hint(names), "")
	case at < 0:
		value.Problem(fmt.Sprintf("unknown harness %q", name)+hint(names), expr.Nearest(name, names))
	case s.Harnesses[at].APIOnly && slices.Contains(roles, RoleCoder):
		keys.Get("roles").Problem("harness "+name+" is an API without tools and cannot be a coder", "")
	}
	return name
}

func readCommand(e entry, value strict.Value, harness string) []string {
	var command []string
	for _, item := range value.Items() {
		command = append(command, item.ScalarText("a text"))
	}
	switch {
	case harness == harnessExec && (len(command) == 0 || command[0] == ""):
		e.at(value).Problem(`harness exec needs a command, such as ["sh", "-c", "make agent"]`, "")
	case harness != harnessExec && harness != "" && value.Present():
		value.Problem("command is only for the harness exec; others take bin and flags", "")
	}
	return command
}

// readPerRole reads a value for all roles, or a map of roles.
func readPerRole[T any](value strict.Value, byDefault T, read func(strict.Value) T) PerRole[T] {
	p := PerRole[T]{Default: byDefault}
	if _, isMap := value.Any().(map[string]any); !isMap {
		if value.Present() {
			p.Default = read(value)
		}
		return p
	}
	p.ByRole = make(map[Role]T)
	for _, field := range value.Keys(append(roleNames(), keyDefault)...) {
		if field.Name == keyDefault {
			p.Default = read(field.Value)
			continue
		}
		p.ByRole[Role(field.Name)] = read(field.Value)
	}
	return p
}

func readFlags(value strict.Value) map[string]string {
	var flags map[string]string
	for _, field := range value.Fields() {
		if flags == nil {
			flags = map[string]string{}
		}
		flags[field.Name] = field.ScalarText("a text")
	}
	return flags
}

func readHealth(value strict.Value) string {
	url := value.Text()
	if url == "" {
		return ""
	}
	for _, scheme := range []string{"http://", "https://"} {
		rest, ok := strings.CutPrefix(url, scheme)
		if ok && rest != "" && rest[0] != '/' && !strings.ContainsAny(url, " \t\n") {
			return url
		}
	}
	value.Problem(fmt.Sprintf("found %q; expected a URL such as http://127.0.0.1:8080/health", url), "")
	return ""
}

func readCooldown(value strict.Value) Cooldown {
	byDefault := DefaultCooldown()
	keys := value.Keys("usage_limit", "rate_limit", "outage")
	read := func(key string, fallback time.Duration) time.Duration { return keys.Get(key).Duration(fallback) }
	return Cooldown{
		UsageLimit: read("usage_limit", byDefault.UsageLimit),
		RateLimit:  read("rate_limit", byDefault.RateLimit),
		Outage:     read("outage", byDefault.Outage),
	}
}

func readLimits(value strict.Value) Limits {
	usd := value.Keys("usd_per_day").Get("usd_per_day")
	if !usd.Present() {
		return Limits{}
	}
	dollars := usd.Float(0, maxUSD, 0)
	return Limits{USDPerDay: &dollars}
}
