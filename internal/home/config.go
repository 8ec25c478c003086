package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/strict"
	"github.com/seed-2ddc2152/board/workflows"
)

// Config is config.yaml.
type Config struct {
	Host          string          // this machine's name, normalised; default its hostname
	Hosts         []HostConfig    // other machines, in the file's order
	Capacity      []workflows.Cap // hold every start in the home
	Params        map[string]any  // override workflow params by name
	Retention     Retention
	EnvFile       string // absolute; empty for none
	Prices        string // absolute; empty for none
	Notify        []Sink
	Poke          bool     // a supervisor runs a tick when its run ends; default true
	WindowCommand []string // opens a terminal window on this host; empty for none
	Database      string   // empty: board.db
	Exists        bool     // whether there is a file
}

// HostConfig is another machine.
type HostConfig struct {
	Name        string // normalised
	SSH         string // user@host
	Aliases     []string
	MaxSessions int               // 0: worked out from its memory
	Capacity    *int              // `host.capacity`
	Repos       map[string]string // board -> path there
}

// Retention is how long things are kept. Zero keeps for ever.
type Retention struct {
	Runs   time.Duration // default 365d
	Logs   time.Duration // default 30d
	Events time.Duration // default 365d
}

// Sink is where notices go: exactly one of Command, Webhook and File is set.
type Sink struct {
	Command  []string
	Webhook  string
	File     string   // absolute
	Events   []string // kinds; empty: every kind
	Template string   // empty: the built-in text
}

const day = 24 * time.Hour

// DefaultConfig is what a home without a config.yaml has. hostname is this machine's own.
func DefaultConfig(hostname string) *Config {
	return &Config{
		Host: shortHost(hostname), Poke: true,
		Retention: Retention{Runs: 365 * day, Logs: 30 * day, Events: 365 * day},
	}
}

// LoadConfig reads config.yaml; a missing or empty file is DefaultConfig. All problems come at once, as
// workflows.Problems. hostname is this machine's own, for where the file has no `host`.
func LoadConfig(h Home, hostname string, look Lookup) (*Config, error) {
	src, err := os.ReadFile(h.ConfigFile())
	if errors.Is(err, fs.ErrNotExist) {
		return DefaultConfig(hostname), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read config: %w", err)
	}
	return ParseConfig(h, src, hostname, look)
}

// ParseConfig is LoadConfig of a text.
func ParseConfig(h Home, src []byte, hostname string, look Lookup) (*Config, error) {
	c := DefaultConfig(hostname)
	c.Exists = true
	file, root, ok := strict.Parse("config.yaml", src)
	if ok {
		r := configReader{home: h, look: look}
		r.read(root, c)
	}
	if err := file.Problems().OrNil(); err != nil {
		return nil, err
	}
	return c, nil
}

// configReader reads config.yaml.
type configReader struct {
	home Home
	look Lookup
}

func (r configReader) read(root strict.Value, c *Config) {
	keys := root.Keys("host", "hosts", "capacity", "params", "retention", "env_file", "prices", "notify", "poke", "window_command", "database")
	if host := keys.Get("host"); host.Given() {
		c.Host = hostName(host)
	}
	hosts := keys.Get("hosts").Fields()
	for _, field := range hosts {
		c.Hosts = append(c.Hosts, r.host(field))
	}
	if params, ok := keys.Get("params").Any().(map[string]any); ok {
		c.Params = params
	} else if keys.Get("params").Given() {
		keys.Get("params").Problem("expected a map of names and values", "")
	}
	c.Capacity = workflows.ReadCaps(keys.Get("capacity"), expr.NewScope(c.Params))
	retention := keys.Get("retention").Keys("runs", "logs", "events")
	c.Retention = Retention{
		Runs:   retention.Get("runs").Duration(c.Retention.Runs),
		Logs:   retention.Get("logs").Duration(c.Retention.Logs),
		Events: retention.Get("events").Duration(c.Retention.Events),
	}
	c.EnvFile = r.path(keys.Get("env_file"))
	c.Prices = r.path(keys.Get("prices"))
	for _, item := range keys.Get("notify").Items() {
		c.Notify = append(c.Notify, r.sink(item))
	}
	c.Poke = keys.Get("poke").Bool(true)
	c.WindowCommand = words(keys.Get("window_command"))
	if database := keys.Get("database"); database.Given() {
		if c.Database = database.Text(); !strings.HasPrefix(c.Database, "postgres://") && !strings.HasPrefix(c.Database, "postgresql://") {
			database.Problem("expected postgres://...; leave it out for the home's board.db", "")
		}
	}
	checkNames(hosts, c)
}

// checkNames tells of one name for two machines.
func checkNames(hosts []strict.Field, c *Config) {
	owner := map[string]string{c.Host: "this machine", "localhost": "this machine"}
	for i, field := range hosts {
		for _, name := range append([]string{c.Hosts[i].Name}, c.Hosts[i].Aliases...) {
			if other, taken := owner[name]; taken && other != c.Hosts[i].Name {
				field.Problem(fmt.Sprintf("%s is also a name of %s", name, other), "")
			}
			owner[name] = c.Hosts[i].Name
		}
	}
}

func (r configReader) host(field strict.Field) HostConfig {
	keys := field.Keys("ssh", "aliases", "max_sessions", "capacity", "repos")
	h := HostConfig{
		Name:        cleanHost(field.Name),
		SSH:         keys.Get("ssh").Text(),
		MaxSessions: keys.Get("max_sessions").Int(0, expr.MaxNumber, 0),
		Repos:       map[string]string{},
	}
	if strings.HasPrefix(h.SSH, "-") || strings.ContainsAny(h.SSH, " \t\n") {
		keys.Get("ssh").Problem("expected user@host: one word that does not begin with -", "")
	}
	for _, alias := range keys.Get("aliases").Texts() {
		h.Aliases = append(h.Aliases, cleanHost(alias))
	}
	if capacity := keys.Get("capacity"); capacity.Given() {
		n := capacity.Int(0, expr.MaxNumber, 0)
		h.Capacity = &n
	}
	for _, repo := range keys.Get("repos").Fields() {
		h.Repos[repo.Name] = repo.Text()
	}
	return h
}

func (r configReader) sink(v strict.Value) Sink {
	keys := v.Keys("command", "webhook", "file", "events", "template")
	s := Sink{
		Command:  words(keys.Get("command")),
		Webhook:  keys.Get("webhook").Text(),
		File:     r.path(keys.Get("file")),
		Events:   keys.Get("events").Texts(),
		Template: keys.Get("template").Text(),
	}
	given := 0
	for _, kind := range []string{"command", "webhook", "file"} {
		if keys.Get(kind).Given() {
			given++
		}
	}
	if given != 1 && v.IsMap() {
		v.Problem("a sink has exactly one of command, webhook and file", "")
	}
	if s.Webhook != "" && !strings.HasPrefix(s.Webhook, "http://") && !strings.HasPrefix(s.Webhook, "https://") {
		keys.Get("webhook").Problem("expected http://... or https://...", "")
	}
	if s.Template != "" {
		if err := expr.NewScope(nil).Template(s.Template).Check(); err != nil {
			keys.Get("template").ExprProblem(err)
		}
	}
	return s
}

// words are a command: a list of words, or one text that is split at blanks.
func words(v strict.Value) []string {
	if v.IsText() {
		return strings.Fields(v.Text())
	}
	return slices.DeleteFunc(v.Texts(), func(word string) bool { return word == "" })
}

// path makes a path absolute; a relative one stands in the home.
func (r configReader) path(v strict.Value) string {
	text := v.Text()
	if text == "" {
		return ""
	}
	path, err := r.look.Expand(text, r.home.Dir)
	if err != nil {
		v.Problem(err.Error(), "")
	}
	return path
}

// hostName is the name of this machine.
func hostName(v strict.Value) string {
	name := cleanHost(v.Text())
	if name == "" || name == "localhost" || strings.ContainsAny(name, " \t/@") {
		v.Problem("expected this machine's name: one word, and not localhost", "")
	}
	return name
}

// cleanHost makes a name lower case, without blanks around it and a trailing dot.
func cleanHost(name string) string {
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), ".")
}

// shortHost is a name without its domain. An address keeps its dots.
func shortHost(name string) string {
	name = cleanHost(name)
	first, _, _ := strings.Cut(name, ".")
	if first == "" || strings.Trim(name, "0123456789.") == "" || strings.Contains(name, ":") {
		return name
	}
	return first
}

// NormaliseHost makes the spellings of one machine one name: upper case, a trailing dot and the domain do not count,
// `localhost` and the empty name are this machine, and an alias is its host. A name that nobody configured is itself,
// without its domain.
func (c *Config) NormaliseHost(name string) string {
	full := cleanHost(name)
	if full == "" || full == "localhost" || full == "127.0.0.1" || full == "::1" {
		return c.Host
	}
	short := shortHost(full)
	if h := c.exactly(full); h != nil {
		return h.Name
	}
	if full == c.Host || short == shortHost(c.Host) {
		return c.Host
	}
	if h := c.roughly(short); h != nil {
		return h.Name
	}
	return short
}

// HostNamed gives a configured machine by any of its spellings; nil when there is none.
func (c *Config) HostNamed(name string) *HostConfig {
	full := cleanHost(name)
	if h := c.exactly(full); h != nil {
		return h
	}
	return c.roughly(shortHost(full))
}

// exactly gives the machine of this name or alias.
func (c *Config) exactly(name string) *HostConfig {
	for i := range c.Hosts {
		if c.Hosts[i].Name == name || slices.Contains(c.Hosts[i].Aliases, name) {
			return &c.Hosts[i]
		}
	}
	return nil
}

// roughly gives the machine that is called so when domains do not count.
func (c *Config) roughly(short string) *HostConfig {
	if h := c.exactly(short); h != nil {
		return h
	}
	for i := range c.Hosts {
		if shortHost(c.Hosts[i].Name) == short {
			return &c.Hosts[i]
		}
	}
	return nil
}
