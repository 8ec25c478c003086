package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/settings"
)

// rosterDocument is what `board roster --json` prints.
type rosterDocument struct {
	Executors []pricedSeat `json:"executors"`
	Disabled  []seatOff    `json:"disabled"` // entries that are off
}

// pricedSeat is an executor with what it has cost.
type pricedSeat struct {
	seat
	SpentUSD float64 `json:"spent_usd"` // in the last 24 hours, as far as it is known
	Unpriced int     `json:"unpriced"`  // runs that ended in the last 24 hours and told no cost
}

// seat is an executor as documents show it.
type seat struct {
	Executor   string             `json:"executor"`
	Harness    string             `json:"harness"`
	Model      string             `json:"model"` // "" = the harness's own choice
	Roles      []roster.Role      `json:"roles"`
	Slots      int                `json:"slots"`
	Used       int                `json:"used"`
	CoderSlots int                `json:"coder_slots"`
	CoderUsed  int                `json:"coder_used"`
	Priority   map[string]float64 `json:"priority"` // "default", and roles that have another one
	In         bool               `json:"in"`       // in the round
	Out        string             `json:"out"`      // why not, and until when; "" = in the round
	OutKind    string             `json:"out_kind"` // paused (by hand), until, health or config; "" = in the round
	Until      board.Time         `json:"until"`    // when it is back; null = in the round, or unknown
	Reason     string             `json:"reason"`   // as it was given when it went out
	Leases     []seatLease        `json:"leases"`
	USDPerDay  *float64           `json:"usd_per_day"` // its limit; null = none
	ReadOnly   harness.Grade      `json:"read_only"`   // how well it keeps from writing
	Unproven   bool               `json:"unproven"`    // its harness is written from documentation only
	Account    string             `json:"account"`
	Where      string             `json:"where"` // file:line of its entry
}

// seatLease is a slot that is held, and by which card.
type seatLease struct {
	Card     string         `json:"card"`
	Slot     string         `json:"slot"`
	Role     roster.Role    `json:"role"`
	Label    string         `json:"label"`    // the executor, with #clone where it has several slots
	Clone    int            `json:"clone"`    // 0 = borrowed
	Borrowed bool           `json:"borrowed"` // beside the lease of the card's own worker; takes no slot
	Because  roster.Because `json:"because"`  // why the run is not independent; "" = it is
	Idle     bool           `json:"idle"`     // its session waits for the next run
	Run      int64          `json:"run"`
	Since    board.Time     `json:"since"`
}

// seatOff is an entry of the roster that is switched off.
type seatOff struct {
	Executor string `json:"executor"`
	Harness  string `json:"harness"`
	Model    string `json:"model"`
	Why      string `json:"why"` // the remark beside its disabled: true; "" = none
	Where    string `json:"where"`
}

func rosterCommand() command {
	return command{
		about: "Who serves runs: each executor's harness, model, roles, slots and priority, whether it is in the round or out until when and " +
			"why, which cards hold its slots, and what it has spent in the last 24 hours. `read only` says how well its harness keeps a run " +
			"that may only read from writing; `unproven` is a harness that nobody has run yet.",
		examples: []string{
			"board roster",
			"board roster check                    # does each one really run? spends nothing",
			`board roster pause opus --for 2h --reason "my own work first"`,
		},
		document: rosterDocument{},
		run:      runRoster,
		subs: []verb{
			{"check", groupHome, "prove that executors run", rosterCheckCommand},
			{"pause", groupHome, "take an executor out by hand", rosterPauseCommand},
			{"resume", groupHome, "put it back, whatever took it out", rosterResumeCommand},
		},
	}
}

func runRoster(ctx context.Context, c *call) error {
	d, err := c.seats(ctx)
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.document(d)
	}
	t := table{head: []string{"executor", "harness", "model", "roles", ">used", ">coders", ">priority", "read only", ">cost 24 h", "state"}, stretch: 3}
	t.style = func(column int, cell string) style {
		if column == 9 && cell != inTheRound {
			return yellow
		}
		return plain
	}
	for _, s := range d.Executors {
		t.add(s.Executor, s.harness(), s.Model, s.roles(), fmt.Sprintf("%d/%d", s.Used, s.Slots), fmt.Sprintf("%d/%d", s.CoderUsed, s.CoderSlots),
			s.priority(), string(s.ReadOnly), s.spent(), s.state(c.out))
	}
	c.out.table(t)
	for _, s := range d.Executors {
		if !s.In {
			c.out.folded(0, s.Executor+" is "+s.Out)
		}
	}
	c.out.section("leases", 3, func(t *table) {
		for _, s := range d.Executors {
			for _, l := range s.Leases {
				t.add(l.Card, l.Label, string(l.Role), l.what(), "run "+strconv.FormatInt(l.Run, 10), span(c.out.now.Sub(l.Since.Time())))
			}
		}
	})
	c.tellDisabled(d.Disabled, len(d.Executors))
	return nil
}

// tellDisabled lists the entries that are off, and what to do next where no entry is on.
func (c *call) tellDisabled(off []seatOff, on int) {
	if c.out.quiet {
		return
	}
	c.out.section("disabled", 3, func(t *table) {
		for _, e := range off {
			t.add(e.Executor, e.Harness, short(e.Where, c.getenv("HOME")), e.Why)
		}
	})
	if on == 0 {
		c.out.remark("nobody works yet: take `disabled` out of an entry (board roster check NAME says what it lacks), or add one of your own")
	}
}

const inTheRound = "in the round"

func (s seat) harness() string {
	if s.Unproven {
		return s.Harness + " (unproven)"
	}
	return s.Harness
}

func (s seat) roles() string {
	if len(s.Roles) == len(roster.Roles()) {
		return "all"
	}
	names := make([]string, len(s.Roles))
	for i, role := range s.Roles {
		names[i] = string(role)
	}
	return strings.Join(names, ",")
}

// priority is the number for all roles, then the roles that have another one.
func (s seat) priority() string {
	parts := []string{number(s.Priority["default"])}
	for _, role := range roster.Roles() {
		if p, ok := s.Priority[string(role)]; ok {
			parts = append(parts, string(role)+" "+number(p))
		}
	}
	return strings.Join(parts, ", ")
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// spent is what it cost in the last 24 hours; a + says that some runs told no cost, a ? that none did.
func (s pricedSeat) spent() string {
	text := ""
	switch {
	case s.SpentUSD > 0 || s.USDPerDay != nil:
		text = fmt.Sprintf("$%.2f", s.SpentUSD)
		if s.Unpriced > 0 {
			text += "+"
		}
	case s.Unpriced > 0:
		text = "?"
	}
	if s.USDPerDay != nil {
		text += " of $" + number(*s.USDPerDay)
	}
	return text
}

func (s seat) state(p *printer) string {
	switch {
	case s.In:
		return inTheRound
	case s.OutKind == string(roster.RefusedPaused):
		return "paused"
	case !s.Until.IsZero():
		return "out until " + p.clockTime(s.Until)
	}
	return "out"
}

// what says what a lease is for, beside its role.
func (l seatLease) what() string {
	parts := []string{l.Slot}
	if l.Borrowed {
		parts = append(parts, "borrowed")
	}
	if l.Because != "" {
		parts = append(parts, "not independent ("+string(l.Because)+")")
	}
	if l.Idle {
		parts = append(parts, "idle")
	}
	return strings.Join(parts, ", ")
}

// spendWindow is what `spent` looks back at: that of limits.usd_per_day.
const spendWindow = 24 * time.Hour

const microsOfUSD = 1e6

// seats are the executors of the board that the verb is about, or of all boards, and the entries that are disabled.
func (c *call) seats(ctx context.Context) (rosterDocument, error) {
	d := rosterDocument{Executors: []pricedSeat{}, Disabled: []seatOff{}}
	store, err := c.read(ctx)
	if err != nil {
		return d, err
	}
	boards, err := c.boardsAbout(ctx, store)
	if err != nil {
		return d, err
	}
	t, err := c.ticker(store)
	if err != nil {
		return d, err
	}
	deps := t.deps(ctx)
	for _, b := range boards { // a broken roster is told here, not as a fault among others
		_, off, err := entriesOf(deps.Settings, b.Repo)
		if err != nil {
			return d, err
		}
		d.Disabled = withOff(d.Disabled, off)
	}
	snapshot, _, err := dispatch.Look(ctx, deps, dispatch.Options{})
	if err != nil {
		return d, err
	}
	spent, err := store.Spent(ctx, c.now().Add(-spendWindow))
	if err != nil {
		return d, err
	}
	for _, b := range boards {
		for _, standing := range dispatch.Standings(snapshot, b.Slug) {
			if !slices.ContainsFunc(d.Executors, func(s pricedSeat) bool { return s.Executor == standing.ID }) {
				cost := spent[standing.ID]
				d.Executors = append(d.Executors, pricedSeat{seat: seatOf(standing), SpentUSD: float64(cost.CostMicros) / microsOfUSD, Unpriced: cost.Unknown})
			}
		}
	}
	return d, nil
}

// entriesOf are the entries of a repository's roster that are on, and those that are off. That all are off is no error to
// somebody who looks: a home begins so where no agent is signed in.
func entriesOf(s *settings.Settings, repo string) (on, off []roster.Executor, err error) {
	r, err := s.Roster(repo)
	if all := (*roster.AllDisabledError)(nil); errors.As(err, &all) {
		return nil, all.Entries, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return r.Executors, r.Disabled, nil
}

// withOff adds entries that are off, each id once.
func withOff(list []seatOff, off []roster.Executor) []seatOff {
	for _, e := range off {
		if !slices.ContainsFunc(list, func(x seatOff) bool { return x.Executor == e.ID }) {
			list = append(list, seatOff{Executor: e.ID, Harness: e.Harness, Model: e.Model, Why: e.Off, Where: e.Where()})
		}
	}
	return list
}

// boardsAbout are the board that --board or the working directory names, else all.
func (c *call) boardsAbout(ctx context.Context, store *board.Store) ([]board.Board, error) {
	boards, err := store.Boards(ctx)
	if err != nil {
		return nil, err
	}
	if slug := c.flags.String("board"); slug != "" {
		b, err := boardNamed(boards, slug)
		return []board.Board{b}, err
	}
	if b, ok := boardOfFolder(boards, workingFolder()); ok {
		return []board.Board{b}, nil
	}
	return boards, nil
}

func seatOf(s roster.Standing) seat {
	out := seat{
		Executor: s.ID, Harness: s.Harness, Model: s.Model, Roles: s.Roles, Slots: s.Use.Slots, Used: s.Use.Used, CoderSlots: s.Use.CoderSlots,
		CoderUsed: s.Use.CoderUsed, Priority: map[string]float64{"default": s.Priority.Default}, In: s.Out == nil, Leases: []seatLease{},
		USDPerDay: s.Limits.USDPerDay, Account: s.Account, Where: s.Where(),
	}
	for role, priority := range s.Priority.ByRole {
		out.Priority[string(role)] = priority
	}
	if h, ok := harness.Lookup(s.Harness); ok {
		out.ReadOnly, out.Unproven = h.Facts().ReadOnly, h.Facts().Unproven
	}
	if s.Out != nil {
		out.Out, out.OutKind, out.Until, out.Reason = s.Out.Text, string(s.Out.Code), board.At(s.Out.Until), s.Out.Reason
	}
	for _, l := range s.Leases {
		out.Leases = append(out.Leases, seatLease{
			Card: l.Card, Slot: l.Slot, Role: l.Role, Label: s.Label(l.Clone), Clone: l.Clone,
			Borrowed: l.Borrowed(), Because: l.Because, Idle: l.Idle, Run: l.Run, Since: board.At(l.Taken),
		})
	}
	return out
}

// pausedSeat is what `board roster pause --json` prints.
type pausedSeat struct {
	Executor string     `json:"executor"`
	Until    board.Time `json:"until"` // null = until it is resumed
	Reason   string     `json:"reason"`
	Already  bool       `json:"already"` // it was paused before; this one counts
	Running  []run      `json:"running"` // runs that go on
}

func rosterPauseCommand() command {
	return command{
		args: "EXECUTOR", min: 1, max: 1,
		about:    "Takes an executor out of the round by hand: nothing starts on it, until board roster resume or until the time is over. What runs there goes on.",
		examples: []string{"board roster pause opus", `board roster pause opus --for 2h --reason "my own work first"`},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "for", Usage: "the `DURATION` after which it is back by itself; default until it is resumed"},
			reasonFlag(),
		},
		document: pausedSeat{},
		run:      rosterPause,
	}
}

func rosterPause(ctx context.Context, c *call) error {
	p := board.Pause{Kind: board.PauseExecutor, Target: c.args[0], Reason: c.flags.String("reason"), Actor: c.actor()}
	length, err := c.durationFlag("for")
	if err != nil {
		return err
	}
	if c.flags.IsSet("for") {
		p.Until = c.now().Add(length)
	}
	store, err := c.write(ctx)
	if err != nil {
		return err
	}
	if _, err := c.executorNamed(ctx, store, p.Target); err != nil {
		return err
	}
	done, err := store.Pause(ctx, c.now(), board.PauseRequest{Pause: p})
	if err != nil {
		return err
	}
	d := pausedSeat{Executor: p.Target, Until: p.Until, Reason: p.Reason, Already: done.Already, Running: append([]run{}, done.Running...)}
	if c.out.json {
		return c.out.document(d)
	}
	until := "until board roster resume " + p.Target
	if !p.Until.IsZero() {
		until = "until " + c.out.clockTime(p.Until)
	}
	c.out.line("%s is out %s", p.Target, until)
	if n := len(d.Running); n > 0 {
		c.out.remark("what runs there goes on: %d", n)
	}
	return nil
}

// resumedSeat is what `board roster resume --json` prints.
type resumedSeat struct {
	Executor string `json:"executor"`
	Paused   bool   `json:"paused"`   // it was out by hand
	Excluded int    `json:"excluded"` // what else kept it out, and is lifted
}

func rosterResumeCommand() command {
	return command{
		args: "EXECUTOR", min: 1, max: 1,
		about:    "Puts an executor back into the round, whatever took it out: a pause by hand, a limit, an outage, a sign-in.",
		examples: []string{"board roster resume opus"},
		document: resumedSeat{},
		run:      rosterResume,
	}
}

func rosterResume(ctx context.Context, c *call) error {
	store, err := c.write(ctx)
	if err != nil {
		return err
	}
	e, err := c.executorNamed(ctx, store, c.args[0])
	if err != nil {
		return err
	}
	done, err := store.Resume(ctx, c.now(), board.ResumeRequest{Kind: board.PauseExecutor, Target: e.ID, Account: e.Account, Actor: c.actor()})
	if err != nil {
		return err
	}
	d := resumedSeat{Executor: e.ID, Paused: done.Paused, Excluded: done.Excluded}
	switch {
	case c.out.json:
		return c.out.document(d)
	case d.Paused || d.Excluded > 0:
		c.out.line("%s is in the round again", e.ID)
	default:
		c.out.line("%s was not out: nothing was changed", e.ID)
	}
	return nil
}

// executorNamed finds an executor in the rosters of the home's boards. One that left the roster while something keeps it out
// can still be spoken of, so that what keeps it out can be taken away.
func (c *call) executorNamed(ctx context.Context, store *board.Store, id string) (roster.Executor, error) {
	s, err := c.settings(ctx)
	if err != nil {
		return roster.Executor{}, err
	}
	boards, err := store.Boards(ctx)
	if err != nil {
		return roster.Executor{}, err
	}
	var names []string
	for _, repo := range append(repos(boards), "") {
		on, off, err := entriesOf(s, repo)
		if err != nil {
			return roster.Executor{}, err
		}
		for _, e := range slices.Concat(on, off) {
			if e.ID == id {
				return e, nil
			}
			if !slices.Contains(names, e.ID) {
				names = append(names, e.ID)
			}
		}
	}
	pauses, err := store.Pauses(ctx, c.now())
	if err != nil {
		return roster.Executor{}, err
	}
	if slices.ContainsFunc(pauses, func(p board.Pause) bool { return p.Kind == board.PauseExecutor && p.Target == id }) {
		return roster.Executor{ID: id}, nil
	}
	return roster.Executor{}, board.NewProblem(board.ErrNotFound, didYouMean(id, names, "executors"), "there is no executor %q", id)
}
