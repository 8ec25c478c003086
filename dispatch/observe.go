package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/hostinfo"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/settings"
	"github.com/seed-2ddc2152/board/workflows"
)

// LaunchKeyEnv is the variable that everything a session starts carries (DSP-8).
const LaunchKeyEnv = "BOARD_LAUNCH_KEY"

// Deps is what a tick works with.
type Deps struct {
	Home     home.Home
	Store    *board.Store
	Settings *settings.Settings
	Clock    clock.Clock
	Table    process.Prober
	Sensors  func() hostinfo.Reading
	Health   func(ctx context.Context, url string) roster.Probe // asks a health URL; nil = none is asked
	Hosts    []Host                                             // where panes can be opened
	Program  string                                             // this program, absolute
	Environ  []string                                           // of the supervisors that are spawned
	PID      int
	Fail     *failpoint.Set
}

// observer reads one snapshot.
type observer struct {
	d     Deps
	o     Options
	quick bool // stored observations only: why and status (DSP-1)
	now   time.Time
	kept  map[string]string // last texts of workflows
	files []board.Observation
	seen  map[string]board.Observation
	fault []Fault
}

// Observe reads everything that a plan is made from. It writes nothing.
func Observe(ctx context.Context, d Deps, o Options, now time.Time) (Snapshot, error) {
	ob := &observer{d: d, o: o, now: now}
	s, _, err := ob.look(ctx)
	return s, err
}

func (ob *observer) look(ctx context.Context) (Snapshot, board.ViewSpec, error) {
	s := Snapshot{Now: ob.now, Options: ob.o, Runs: map[int64]RunSeen{}, Sessions: map[int64]SessionSeen{}, Facts: map[string]board.CardFacts{}}
	var err error
	if ob.kept, err = ob.d.Store.WorkflowSources(ctx); err != nil {
		return s, board.ViewSpec{}, err
	}
	boards, err := ob.d.Store.Boards(ctx)
	if err != nil {
		return s, board.ViewSpec{}, err
	}
	if err := ob.readFiles(ctx, &s, boards); err != nil {
		return s, board.ViewSpec{}, err
	}
	spec := ob.spec(s, boards)
	if s.View, err = ob.d.Store.View(ctx, spec); err != nil {
		return s, spec, err
	}
	ob.validate(&s)
	s.Host = ob.sensors()
	ob.lookAtRuns(&s)
	ob.lookAtSessions(&s)
	if err := ob.readFacts(ctx, &s, spec); err != nil {
		return s, spec, err
	}
	ob.ask(ctx, &s)
	s.Faults = append(s.Faults, ob.fault...)
	return s, spec, nil
}

// readFiles loads config, workflows and rosters. What is broken is a fact of the snapshot, not an error.
func (ob *observer) readFiles(ctx context.Context, s *Snapshot, boards []board.Board) error {
	config := withParams(ob.d.Settings.Config, ob.o.Set)
	ob.d.Settings.Config = config
	s.Home = HomeFacts{Host: config.Host, Aliases: map[string]string{}, Caps: config.Capacity, Params: config.Params, Hosts: map[string]expr.Host{}}
	for _, h := range config.Hosts {
		for _, alias := range h.Aliases {
			s.Home.Aliases[strings.ToLower(alias)] = h.Name
		}
		s.Home.Hosts[h.Name] = expr.Host{Name: h.Name, MemoryPressure: string(hostinfo.Low), MaxSessions: h.MaxSessions, Capacity: h.Capacity}
	}
	if err := ob.d.Settings.ConfigErr; err != nil {
		s.Home.Fault, s.Home.FaultKey = "config.yaml does not load: "+firstLine(err.Error()), "config.yaml"
		ob.fault = append(ob.fault, Fault{Scope: "config.yaml", Text: err.Error()})
	}
	if err := ob.goneFiles(ctx, s, boards); err != nil {
		return err
	}
	rules := ob.rules(boards)
	s.Workflows, s.Rosters = map[string]WorkflowFacts{}, map[string]RosterFacts{}
	for _, b := range boards {
		if _, done := s.Workflows[b.Workflow]; !done {
			facts := WorkflowFacts{}
			if _, err := ob.d.Settings.Workflow(b.Workflow); err != nil {
				facts.Fault = err.Error()
			}
			facts.Workflow = rules.Workflow(b.Workflow)
			s.Workflows[b.Workflow] = facts
		}
		r, err := ob.d.Settings.Roster(b.Repo)
		if err != nil {
			s.Rosters[b.Slug] = RosterFacts{Fault: err.Error()}
			continue
		}
		s.Rosters[b.Slug] = RosterFacts{Executors: r.Executors}
	}
	return nil
}

func (ob *observer) rules(boards []board.Board) board.Rules {
	var repos []string
	for _, b := range boards {
		if b.Repo != "" && !slices.Contains(repos, b.Repo) {
			repos = append(repos, b.Repo)
		}
	}
	return ob.d.Settings.Rules(ob.kept, repos...)
}

// goneFiles is DSP-15: a config.yaml or roster file that the last tick read and that is gone now. Caps never vanish silently.
func (ob *observer) goneFiles(ctx context.Context, s *Snapshot, boards []board.Board) error {
	all, err := ob.d.Store.Observations(ctx)
	if err != nil {
		return err
	}
	ob.seen = map[string]board.Observation{}
	for _, o := range all {
		ob.seen[o.Kind+" "+o.Name] = o
	}
	paths := []string{ob.d.Home.ConfigFile(), ob.d.Settings.UserRoster()}
	for _, b := range boards {
		if b.Repo != "" {
			paths = append(paths, filepath.Join(b.Repo, ".board", "roster.yaml"))
		}
	}
	for _, path := range paths {
		had := ob.seen["file "+path].State
		_, err := os.Stat(path)
		switch {
		case err == nil && had != "read":
			ob.files = append(ob.files, board.Observation{Kind: "file", Name: path, State: "read", At: board.At(ob.now)})
		case errors.Is(err, fs.ErrNotExist) && had == "read":
			text := path + " was read by the last tick and is gone now: nothing starts until it is back; " + ob.wayOut(path)
			s.Home.Fault, s.Home.FaultKey = text, path
			ob.fault = append(ob.fault, Fault{Scope: "file " + path, Text: text})
		}
	}
	return nil
}

// wayOut is what to do about a file that was taken away on purpose.
func (ob *observer) wayOut(path string) string {
	if path == ob.d.Settings.UserRoster() {
		return "board init writes another"
	}
	return "an empty file will do, if its caps may go"
}

// spec is what the plan needs of the database: a real tick reads only cards in statuses that the start event can leave.
func (ob *observer) spec(s Snapshot, boards []board.Board) board.ViewSpec {
	spec := board.ViewSpec{Now: board.At(ob.now), Card: ob.o.Only}
	if !ob.o.All {
		spec.Statuses = map[string][]string{}
		for _, b := range boards {
			if w := s.Workflows[b.Workflow].Workflow; w != nil {
				spec.Statuses[b.Slug] = w.StartableStatuses()
			}
		}
	}
	spec.Resting = countsCards(s.Home.Caps, s.Workflows)
	if window := longestWindow(s); window > 0 {
		spec.Since = board.At(ob.now.Add(-window))
	}
	for _, w := range s.Workflows {
		spec.Full = spec.Full || readsWholeCards(w.Workflow)
	}
	return spec
}

// readsWholeCards says whether a workflow may read columns of a card that a plan leaves out (DB-4).
func readsWholeCards(w *workflows.Workflow) bool {
	return w != nil && slices.ContainsFunc([]string{
		"card.title", "card.body", "card.satisfies", "card.every", "card.created_by", "card.updated_at",
		"card.evidence", "card.last_events", "card.subtasks",
	}, w.Mentions)
}

// validate compiles the expressions of workflows that have cards to start: a broken one stops all starts of its boards.
func (ob *observer) validate(s *Snapshot) {
	waits := map[string]bool{}
	for _, c := range s.View.Cards {
		waits[c.Board] = waits[c.Board] || c.CurrentRun == 0
	}
	for _, b := range s.View.Boards {
		facts := s.Workflows[b.Workflow]
		if !waits[b.Slug] || facts.Workflow == nil || facts.Fault != "" {
			continue
		}
		if err := facts.Workflow.Validate(); err != nil {
			facts.Fault = err.Error()
			s.Workflows[b.Workflow] = facts
		}
	}
}

func longestWindow(s Snapshot) time.Duration {
	var longest time.Duration
	look := func(caps []workflows.Cap) {
		for _, c := range caps {
			longest = max(longest, c.Window)
		}
	}
	look(s.Home.Caps)
	for _, w := range s.Workflows {
		if w.Workflow != nil {
			look(w.Workflow.Dispatch.Capacity)
		}
	}
	for _, r := range s.Rosters {
		for _, e := range r.Executors {
			if e.Limits.USDPerDay != nil {
				longest = max(longest, 24*time.Hour)
			}
		}
	}
	return longest
}

func (ob *observer) sensors() expr.Host {
	r := ob.d.Sensors()
	h := expr.Host{
		Name: ob.d.Settings.Config.Host, MemoryPressure: string(r.MemoryPressure), Load: r.Load, CPUs: r.CPUs,
		MemoryBytes: int(r.MemoryBytes), FreeDiskBytes: int(r.FreeDiskBytes), MaxSessions: hostinfo.DefaultMaxSessions(r.MemoryBytes),
	}
	if c := ob.d.Settings.Config.HostNamed(h.Name); c != nil {
		h.Capacity = c.Capacity
		if c.MaxSessions > 0 {
			h.MaxSessions = c.MaxSessions
		}
	}
	for _, path := range sortedKeys(ob.o.Set) {
		setHost(&h, path, ob.o.Set[path])
	}
	return h
}

// lookAtRuns asks of every open run whether its supervisor lives, how it ended, and what of it is left.
func (ob *observer) lookAtRuns(s *Snapshot) {
	sessions := map[int64]board.Session{}
	for _, x := range s.View.Sessions {
		sessions[x.ID] = x
	}
	for _, r := range s.View.Runs {
		seen := RunSeen{Lock: LockFree}
		dir := ob.d.Home.Run(r.ID)
		_, held, err := process.LockHolder(filepath.Join(dir, "lock"))
		if err != nil {
			ob.fault = append(ob.fault, Fault{Scope: "run " + itoa(r.ID), Text: err.Error()})
			seen.Unsure = true
		}
		if held {
			seen.Lock = LockHeld
		}
		if seen.Exit, err = readExit(filepath.Join(dir, "exit.json")); err != nil {
			ob.fault = append(ob.fault, Fault{Scope: "run " + itoa(r.ID), Text: err.Error()})
		}
		if x, ok := sessions[r.Session]; ok && seen.Exit == nil {
			ob.lookAtProcesses(&seen, x, r)
		}
		s.Runs[r.ID] = seen
	}
}

// lookAtProcesses finds what a session started. Where the supervisor lives only its identity is read.
func (ob *observer) lookAtProcesses(seen *RunSeen, x board.Session, r board.Run) {
	seen.Super, _ = process.ParseIdentity(x.Supervisor)
	seen.Process, _ = process.ParseIdentity(x.Process)
	if seen.Lock == LockHeld {
		if r.StopAt != 0 {
			seen.Left = ob.members(seen.Process, x.LaunchKey)
		}
		return
	}
	if ob.d.Table.Rebooted(seen.Super) {
		seen.Rebooted = true
		return
	}
	switch ob.d.Table.Check(seen.Super) {
	case process.Alive: // its folder was taken away, and the lock with it
		seen.Lock = LockHeld
		return
	case process.Unknown:
		seen.Unsure = true
		return
	case process.Dead:
	}
	seen.Left = ob.members(seen.Process, x.LaunchKey)
	if len(seen.Left) == 0 {
		seen.Last = lastLines(filepath.Join(ob.d.Home.Run(r.ID), "output.log"))
	}
}

func (ob *observer) members(root process.Identity, key string) []process.Entry {
	tree := process.Tree{Root: root, Except: []int{ob.d.PID}}
	if key != "" {
		tree.EnvKey, tree.EnvValue = LaunchKeyEnv, key
	}
	return ob.d.Table.Members(tree)
}

// readExit reads a run's exit.json; nil when there is none.
func readExit(path string) (*board.Exit, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no file is no error
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	var exit board.Exit
	if err := json.Unmarshal(text, &exit); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return &exit, nil
}

// lastLinesBytes is how much of a log is looked at for its last lines (chosen: more than a stack trace).
const lastLinesBytes = 4096

// lastLines are the last lines of a log, at most ten; "" when there is none.
func lastLines(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	buf := make([]byte, min(info.Size(), lastLinesBytes))
	if _, err := file.ReadAt(buf, info.Size()-int64(len(buf))); err != nil && len(buf) == 0 {
		return ""
	}
	lines := strings.Split(strings.ToValidUTF8(strings.TrimRight(string(buf), "\n"), "?"), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}

// lookAtSessions asks whether sessions that serve no run live.
func (ob *observer) lookAtSessions(s *Snapshot) {
	serving := map[int64]bool{}
	for _, r := range s.View.Runs {
		serving[r.Session] = true
	}
	for _, x := range s.View.Sessions {
		if serving[x.ID] {
			continue
		}
		seen := SessionSeen{}
		seen.Super, _ = process.ParseIdentity(x.Supervisor)
		harness, _ := process.ParseIdentity(x.Process)
		if x.Origin == board.Adopted {
			seen.Super = harness
		}
		switch ob.d.Table.Check(seen.Super) {
		case process.Alive:
			seen.Alive = true
		case process.Unknown:
			seen.Unsure = true
		case process.Dead:
		}
		if looks := !seen.Alive || x.StopAt != 0; looks && x.Origin == board.Dispatched && !seen.Unsure && !ob.d.Table.Rebooted(seen.Super) {
			seen.Left = ob.members(harness, x.LaunchKey)
		}
		s.Sessions[x.ID] = seen
	}
}

// readFacts reads what guards see of cards whose runs have ended, and of all cards where an expression wants it.
func (ob *observer) readFacts(ctx context.Context, s *Snapshot, spec board.ViewSpec) error {
	var ids []string
	s.Recent = map[string][]roster.EndedRun{}
	for _, r := range s.View.Runs {
		if _, over := endOf(r, s.Runs[r.ID], s.View); !over {
			continue
		}
		ids = append(ids, r.Card)
		recent, err := ob.d.Store.RecentEnds(ctx, r.Executor)
		if err != nil {
			return err
		}
		s.Recent[r.Executor] = recent
	}
	if spec.Full {
		for _, c := range s.View.Cards {
			ids = append(ids, c.ID)
		}
	}
	for _, id := range ids {
		_, _, facts, err := ob.d.Store.CardWhole(ctx, id)
		if err != nil {
			return err
		}
		s.Facts[id] = facts
	}
	return nil
}

// ask probes health URLs and pane hosts, in parallel and with time limits, and takes fingerprints of executors that are out.
func (ob *observer) ask(ctx context.Context, s *Snapshot) {
	s.Probes, s.Prints, s.Panes = map[string]roster.Probe{}, map[string]string{}, map[string]PaneHost{}
	p := newPlanner(*s)
	asked := map[string]bool{} // the answers come in beside this, under the mutex
	var mu sync.Mutex
	var wait sync.WaitGroup
	for _, b := range s.View.Boards {
		state := p.rosterState(b.Slug)
		for _, e := range state.Executors {
			if slices.ContainsFunc(state.Exclusions, func(x roster.Exclusion) bool { return x.Kind == roster.KindConfig && x.Covers(e) }) {
				s.Prints[e.ID] = ob.d.Settings.Fingerprint(e)
			}
		}
		if ob.d.Health == nil || ob.quick {
			continue
		}
		for _, e := range state.Probes() {
			if asked[e.ID] {
				continue
			}
			asked[e.ID] = true
			wait.Go(func() {
				answer := ob.d.Health(ctx, e.Health)
				mu.Lock()
				defer mu.Unlock()
				s.Probes[e.ID] = answer
			})
		}
	}
	for _, r := range s.View.Runs {
		_, ends := s.Recent[r.Executor]
		if e, ok := p.executor(r.Board, r.Executor); ok && ends {
			s.Prints[e.ID] = ob.d.Settings.Fingerprint(e)
		}
	}
	ob.askHosts(ctx, s, &mu, &wait)
	wait.Wait()
}

// sources are the workflow texts that loaded and are not those kept.
func (ob *observer) sources() map[string]string {
	fresh := ob.d.Settings.Loaded()
	maps.DeleteFunc(fresh, func(name, source string) bool { return ob.kept[name] == source })
	return fresh
}
