package roster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Role is what an executor can serve.
type Role string

// The roles. Every role but RoleCoder is a reasoning role: it looks at work and changes none.
const (
	RolePlanner  Role = "planner"
	RoleCoder    Role = "coder"
	RoleReviewer Role = "reviewer"
	RoleJudge    Role = "judge"
	RoleVerifier Role = "verifier"
)

// Roles lists every role, in the order in which they are shown.
func Roles() []Role {
	return []Role{RolePlanner, RoleCoder, RoleReviewer, RoleJudge, RoleVerifier}
}

// Reasoning reports whether runs of the role look at work that others made.
func (r Role) Reasoning() bool { return r != RoleCoder }

// PerRole is a value for all roles, with exceptions.
type PerRole[T any] struct {
	Default T
	ByRole  map[Role]T // nil: no exceptions
}

// For returns the value for one role.
func (p PerRole[T]) For(role Role) T {
	if v, ok := p.ByRole[role]; ok {
		return v
	}
	return p.Default
}

// Cooldown says for how long a signal that names no time takes an executor out.
type Cooldown struct {
	UsageLimit time.Duration
	RateLimit  time.Duration
	Outage     time.Duration
}

// DefaultCooldown is what an entry without `cooldown` has. Chosen in the specification of the roster.
func DefaultCooldown() Cooldown {
	return Cooldown{UsageLimit: 30 * time.Minute, RateLimit: 10 * time.Minute, Outage: 5 * time.Minute}
}

// Limits bounds what an executor may use.
type Limits struct {
	USDPerDay *float64 // dollars in 24 hours; nil: no limit, 0 admits nothing
}

// Executor is one entry of the roster: a harness and a model with slots.
type Executor struct {
	ID         string
	Harness    string
	Model      string           // empty: the harness's own default
	Command    []string         // only for the harness exec
	Roles      []Role           // in the order of Roles
	Slots      int              // at least 1
	CoderSlots int              // how many of the slots coders may hold: 0..Slots
	Priority   PerRole[float64] // lower is tried first
	Effort     PerRole[string]  // empty: the harness's own default
	Flags      map[string]string
	Env        map[string]string // with each ${VAR} replaced: secret, never to be stored or printed
	Bin        string            // empty: looked up on PATH
	Health     string            // URL; empty: none
	Cooldown   Cooldown
	Account    string // executors of one account share its usage limits; empty: none
	Limits     Limits
	Unset      []string // the ${VAR} of Env that have no value: the executor is out (Tick mode only)
	Off        string   // the remark beside its `disabled: true`, which says why it is off; empty: none, or it is on
	File       string   // where the entry stands; empty: made up from PATH
	Line       int
	Position   int // its place in the roster, from 0
}

// Has reports whether the executor serves the role.
func (e Executor) Has(role Role) bool { return slices.Contains(e.Roles, role) }

// SlotsFor returns how many slots runs of the role may hold, none if the executor lacks the role.
func (e Executor) SlotsFor(role Role) int {
	switch {
	case !e.Has(role):
		return 0
	case role == RoleCoder:
		return e.CoderSlots
	}
	return e.Slots
}

// Label names a clone as it is shown: `id#n` where the executor has more than one slot, else the id.
// Clone 0 is a borrowed lease, which has no number.
func (e Executor) Label(clone int) string {
	if clone == 0 || e.Slots == 1 {
		return e.ID
	}
	return fmt.Sprintf("%s#%d", e.ID, clone)
}

// Where returns `file:line` of the entry, or "found on PATH".
func (e Executor) Where() string {
	if e.File == "" {
		return "found on PATH"
	}
	return fmt.Sprintf("%s:%d", e.File, e.Line)
}

// Secrets are the values of Env that must be in no log and no database, in the order of their names: those that look like
// secrets, by their own form or by what the variable is called.
func (e Executor) Secrets() []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		if looksSecret(name, e.Env[name]) {
			all = append(all, e.Env[name])
		}
	}
	return all
}

// Fingerprint identifies what the entry means, its secrets' values included, together with what the caller knows of its
// binary and sign-in (a path, a size and time, an account). An exclusion of kind config ends when it changes. Where the
// entry stands is no part of it. It is short enough that nothing can be read back from it.
func (e Executor) Fingerprint(evidence ...string) string {
	e.File, e.Line, e.Position = "", 0, 0
	limit := "none"
	if e.Limits.USDPerDay != nil {
		limit = fmt.Sprint(*e.Limits.USDPerDay)
	}
	e.Limits = Limits{} // its pointer would print as an address
	h := sha256.New()
	fmt.Fprintf(h, "%#v %s", e, limit) // maps print sorted by key
	for _, text := range evidence {
		h.Write([]byte{0})
		h.Write([]byte(text))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
