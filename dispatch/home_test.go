package dispatch_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/hostinfo"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/settings"
)

// place is a real home in a temporary folder: its files, its database, and a clock that the test advances. Supervisors are
// /bin/true: a claim is made and launched, and nobody comes for it.
type place struct {
	tb    testing.TB
	home  home.Home
	clock *clock.Fake
	store *board.Store
	// sensors is called when a tick has read its rows and has claimed nothing yet: what it does is what another process
	// did meanwhile.
	sensors func()
	memory  hostinfo.MemoryPressure
	program string
	alive   process.Liveness
	hosts   []dispatch.Host
	health  func(ctx context.Context, url string) roster.Probe // nil: no health URL is asked
}

// newPlace is a home with the board api, two executors of two slots, and these caps in its workflow.
func newPlace(tb testing.TB, caps ...string) *place {
	tb.Helper()
	p := &place{
		tb: tb, home: home.Home{Dir: tb.TempDir()}, clock: clock.NewFake(noon), memory: hostinfo.Low, program: "/bin/true",
		sensors: func() {}, alive: process.Unknown,
	}
	p.write("workflows/test.yaml", withCaps(caps...))
	p.write("roster.yaml", `executors:
  - {id: a, harness: exec, command: ["true"], roles: [coder, reviewer], slots: 2}
  - {id: b, harness: exec, command: ["true"], roles: [coder, reviewer], slots: 2}
`)
	var err error
	if p.store, err = board.Create(tb.Context(), p.home.DB(), p.home.WriteLock()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = p.store.Close() })
	p.addBoard("api", 1)
	return p
}

func withCaps(caps ...string) string {
	if len(caps) == 0 {
		return workflowHead
	}
	return workflowHead + "  capacity:\n    - " + strings.Join(caps, "\n    - ") + "\n"
}

func (p *place) write(name, text string) {
	p.tb.Helper()
	path := filepath.Join(p.home.Dir, name)
	if err := home.MkdirAll(filepath.Dir(path)); err != nil {
		p.tb.Fatal(err)
	}
	if err := home.WriteFile(path, []byte(text)); err != nil {
		p.tb.Fatal(err)
	}
}

func (p *place) addBoard(slug string, weight int) {
	p.tb.Helper()
	if err := p.store.AddBoard(p.tb.Context(), p.now(), board.Board{Slug: slug, Name: slug, Workflow: "test", Weight: weight}, "ada"); err != nil {
		p.tb.Fatal(err)
	}
}

func (p *place) now() board.Time { return board.At(p.clock.Now()) }

// card adds a card to the board api; later ones are younger.
func (p *place) card(status string, change ...func(*board.Card)) string {
	p.tb.Helper()
	p.clock.Advance(1e6)
	n := board.NewCard{Card: board.Card{Board: "api", Title: "a card", Status: status, ReadySince: p.now()}, Actor: "ada"}
	for _, f := range change {
		f(&n.Card)
	}
	c, _, err := p.store.AddCard(p.tb.Context(), p.now(), n)
	if err != nil {
		p.tb.Fatal(err)
	}
	return c.ID
}

// deps are those of one process: its own handle of the database, its own reading of the files.
func (p *place) deps(store *board.Store) dispatch.Deps {
	env := map[string]string{"BOARD_ROSTER": filepath.Join(p.home.Dir, "roster.yaml"), "HOME": p.home.Dir}
	return dispatch.Deps{
		Home: p.home, Store: store, Clock: p.clock, Table: table{p.alive}, Program: p.program, PID: os.Getpid(), Hosts: p.hosts, Health: p.health,
		Settings: settings.LoadForTick(settings.Options{
			Home: p.home, Hostname: "base", Mode: roster.Tick, Trusted: func(string) bool { return false },
			Env:      func(name string) (string, bool) { v, ok := env[name]; return v, ok },
			LookPath: func(string) (string, error) { return "/bin/true", nil },
		}),
		Sensors: func() hostinfo.Reading {
			p.sensors()
			return hostinfo.Reading{Name: "base", MemoryPressure: p.memory, CPUs: 2, MemoryBytes: 8 << 30}
		},
	}
}

func (p *place) open() *board.Store {
	p.tb.Helper()
	store, err := board.Open(context.Background(), p.home.DB(), p.home.WriteLock())
	if err != nil {
		p.tb.Fatal(err)
	}
	p.tb.Cleanup(func() { _ = store.Close() })
	return store
}

func (p *place) tick(change ...func(*dispatch.TickOptions)) dispatch.Report {
	p.tb.Helper()
	return p.tickOn(p.store, change...)
}

func (p *place) tickOn(store *board.Store, change ...func(*dispatch.TickOptions)) dispatch.Report {
	p.tb.Helper()
	o := dispatch.TickOptions{NoLock: true, Options: dispatch.Options{All: true, Explain: true}}
	for _, f := range change {
		f(&o)
	}
	r, err := dispatch.Tick(p.tb.Context(), p.deps(store), o)
	if err != nil {
		p.tb.Fatal(err)
	}
	return r
}

func (p *place) dry(set map[string]any) dispatch.Report {
	p.tb.Helper()
	r, err := dispatch.DryRun(p.tb.Context(), p.deps(p.store), dispatch.Options{Set: set}, p.clock.Now())
	if err != nil {
		p.tb.Fatal(err)
	}
	return r
}

// meanwhile does something once, when the next tick has read its rows and has claimed nothing.
func (p *place) meanwhile(do func()) {
	p.sensors = func() {
		p.sensors = func() {} // what is done meanwhile may be a tick itself
		do()
	}
}

// begins is the supervisor that came for a run: it has a session now.
func (p *place) begins(run int64, change ...func(*board.Session)) {
	p.tb.Helper()
	r := p.run(run)
	x := board.Session{
		ID: run, Card: r.Card, Board: r.Board, Slot: r.Slot, Role: r.Role, Profile: r.Profile, Origin: board.Dispatched, Harness: r.Harness,
		Executor: r.Executor, Host: r.Host, Surface: r.Surface, State: board.SessionBusy, FirstRun: run, LastRun: run, StartedAt: p.now(), LastSeenAt: p.now(),
		SecretHash: board.SecretHash(fmt.Sprint("secret of ", run)), LaunchKey: fmt.Sprint("key of ", run),
	}
	for _, f := range change {
		f(&x)
	}
	if _, err := p.store.Begin(p.tb.Context(), p.now(), run, x); err != nil {
		p.tb.Fatal(err)
	}
}

// exits leaves the exit.json of a run.
func (p *place) exits(run int64, exit board.Exit) {
	p.tb.Helper()
	text, err := json.Marshal(exit)
	if err != nil {
		p.tb.Fatal(err)
	}
	p.write(filepath.Join("runs", fmt.Sprint(run), "exit.json"), string(text))
}

func (p *place) run(id int64) board.Run {
	p.tb.Helper()
	r, err := p.store.Run(p.tb.Context(), id)
	if err != nil {
		p.tb.Fatal(err)
	}
	return r
}

func (p *place) view() *board.View {
	p.tb.Helper()
	v, err := p.store.View(p.tb.Context(), board.ViewSpec{Now: p.now()})
	if err != nil {
		p.tb.Fatal(err)
	}
	return v
}

// startedIn and heldIn look into a report.
func startedIn(r dispatch.Report) []string {
	ids := []string{}
	for _, s := range r.Started {
		ids = append(ids, s.Card)
	}
	return ids
}

func heldIn(tb testing.TB, r dispatch.Report, card string) dispatch.Held {
	tb.Helper()
	for _, h := range r.Held {
		if h.Card == card {
			return h
		}
	}
	tb.Fatalf("%s is not held; the report is %+v", card, r)
	return dispatch.Held{}
}

// table is a process table that says the same of every process, and has nothing in it.
type table struct{ all process.Liveness }

func (t table) Check(process.Identity) process.Liveness     { return t.all }
func (table) Rebooted(process.Identity) bool                { return false }
func (table) FindByEnv(string, string) []process.Entry      { return nil }
func (table) Members(process.Tree) []process.Entry          { return nil }
func (table) Signal(process.Identity, syscall.Signal) error { return nil }

// sql changes rows behind everybody's back.
func (p *place) sql(text string) {
	p.tb.Helper()
	db, err := sql.Open("sqlite", p.home.DB())
	if err != nil {
		p.tb.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(p.tb.Context(), text); err != nil {
		p.tb.Fatal(err)
	}
}
