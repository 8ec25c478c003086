package roster

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/strict"
)

// ErrNobody means that there is no roster file, and nothing to make a roster of.
var ErrNobody = errors.New(
	"no executor left to run with: there is no roster file, and none of the known harnesses is on PATH")

// AllDisabledError means that the files hold entries, and every one of them is disabled: a home begins so where no agent is
// signed in. It is a Problems too.
type AllDisabledError struct {
	Problems
	Entries []Executor // as Roster.Disabled
}

// Unwrap gives the Problems.
func (e *AllDisabledError) Unwrap() error { return e.Problems }

// Mode says what an unset ${VAR} means.
type Mode int

// The modes of Load.
const (
	Check Mode = iota // a problem
	Tick              // that executor alone is out, kind config
)

// Document is one roster file.
type Document struct {
	Path string // as problems name it
	Data []byte
}

// Sources is what a roster is made of.
type Sources struct {
	User   *Document // nil: no such file
	Repo   *Document // over User; nil: no such file, or not accepted
	Only   *Document // BOARD_ROSTER is a path: that file alone
	None   bool      // BOARD_ROSTER=none: as without any file
	Narrow []string  // keep these ids; empty: all
	Mode   Mode

	Lookup    func(name string) (string, bool)     // the value of ${NAME}; nil: none is set
	LookPath  func(program string) (string, error) // finds a program on PATH; nil: none is there
	Harnesses []HarnessInfo                        // those that an entry may name; nil: KnownHarnesses
}

// Roster is who may serve runs.
type Roster struct {
	Executors []Executor // in the order of the files, numbered by Position
	Disabled  []Executor // entries with `disabled: true`: ID, Harness, Model, Command, Bin, Off, File and Line only
	Files     []string   // what was read; empty: made up from PATH
}

// Load merges the documents, narrows the result and checks what is left (ROS-1). What is wrong in files is a Problems,
// all of it at once.
func Load(s Sources) (*Roster, error) {
	if s.Harnesses == nil {
		s.Harnesses = KnownHarnesses()
	}
	sources := s.documents()
	if len(sources) == 0 {
		return s.fromPath()
	}
	roster := &Roster{}
	var documents []document
	var entries []entry
	for _, source := range sources {
		roster.Files = append(roster.Files, source.Path)
		read := readDocument(source)
		documents = append(documents, read)
		entries = merge(entries, read.listed)
	}
	entries, roster.Disabled = enabled(entries)
	entries, problems := s.narrow(entries, roster)
	for position, e := range entries {
		executor := s.decode(e)
		executor.Position = position
		roster.Executors = append(roster.Executors, executor)
	}
	for _, d := range documents {
		problems = append(problems, d.problems(entries)...)
	}
	if len(entries) == 0 && len(problems) == 0 {
		return nil, roster.nobodyLeft()
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return roster, nil
}

// nobodyLeft is the error of files that leave no executor.
func (r Roster) nobodyLeft() error {
	const text = "no executor left to run with"
	if len(r.Disabled) == 0 {
		return Problems{r.problem(text)}
	}
	return &AllDisabledError{Problems: Problems{r.problem(text + ": every entry is disabled")}, Entries: r.Disabled}
}

// problem makes one that is about the files as a whole.
func (r Roster) problem(text string) Problem {
	return Problem{Origin: strict.Origin{File: r.Files[len(r.Files)-1]}, Text: text}
}

// documents returns those that count, the lower one first.
func (s Sources) documents() []Document {
	var list []Document
	switch {
	case s.None:
	case s.Only != nil:
		list = append(list, *s.Only)
	default:
		for _, document := range []*Document{s.User, s.Repo} {
			if document != nil {
				list = append(list, *document)
			}
		}
	}
	return list
}

// fromPath makes the roster that stands for no file at all.
func (s Sources) fromPath() (*Roster, error) {
	roster := &Roster{}
	var wrong []error
	found := s.OnPath()
	for _, id := range s.Narrow {
		if !slices.Contains(ids(found), id) {
			wrong = append(wrong, errors.New(unknownID(id, ids(found))))
		}
	}
	for _, e := range found {
		if len(s.Narrow) == 0 || slices.Contains(s.Narrow, e.ID) {
			e.Position = len(roster.Executors)
			roster.Executors = append(roster.Executors, e)
		}
	}
	if len(roster.Executors) == 0 {
		wrong = append(wrong, ErrNobody)
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return roster, nil
}

// OnPath makes one executor with one slot and all roles of each known harness that LookPath finds.
func (s Sources) OnPath() []Executor {
	var found []Executor
	if s.LookPath == nil {
		return nil
	}
	known := s.Harnesses
	if known == nil {
		known = KnownHarnesses()
	}
	for _, h := range known {
		if h.Program == "" {
			continue
		}
		if _, err := s.LookPath(h.Program); err != nil {
			continue
		}
		found = append(found, Executor{
			ID: h.Name, Harness: h.Name, Roles: Roles(), Slots: 1, CoderSlots: 1,
			Priority: PerRole[float64]{Default: DefaultPriority}, Cooldown: DefaultCooldown(), Position: len(found),
		})
	}
	return found
}

// merge lays entries of a higher document over those of a lower one: the same id replaces the whole entry in its place.
func merge(lower, higher []entry) []entry {
	merged := slices.Clone(lower)
	for _, e := range higher {
		at := slices.IndexFunc(lower, func(have entry) bool { return have.id != "" && have.id == e.id })
		if at < 0 {
			merged = append(merged, e)
			continue
		}
		merged[at] = e
	}
	return merged
}

// enabled takes the disabled entries out.
func enabled(entries []entry) (kept []entry, disabled []Executor) {
	for _, e := range entries {
		if !e.disabled {
			kept = append(kept, e)
			continue
		}
		origin := e.value.Origin()
		disabled = append(disabled, Executor{
			ID: e.id, File: origin.File, Line: origin.Line, Off: e.fields.Get("disabled").Remark(),
			Harness: e.fields.Get("harness").ScalarText("a text"), Model: e.fields.Get("model").ScalarText("a text"),
			Command: e.fields.Get("command").Texts(), Bin: e.fields.Get("bin").Text(),
		})
	}
	return kept, disabled
}

// narrow keeps the entries whose ids are asked for, in the order of the files.
func (s Sources) narrow(entries []entry, roster *Roster) ([]entry, Problems) {
	if len(s.Narrow) == 0 {
		return entries, nil
	}
	var problems Problems
	var kept []entry
	var known []string
	for _, e := range entries {
		known = append(known, e.id)
		if e.id != "" && slices.Contains(s.Narrow, e.id) {
			kept = append(kept, e)
		}
	}
	for _, id := range s.Narrow {
		off := slices.IndexFunc(roster.Disabled, func(e Executor) bool { return e.ID == id })
		switch {
		case slices.Contains(known, id):
		case off >= 0:
			entry := roster.Disabled[off]
			problems = append(problems, Problem{
				Origin: strict.Origin{File: entry.File, Line: entry.Line},
				Text:   fmt.Sprintf("executor %q is asked for (BOARD_EXECUTORS, --executors) and is disabled here", id),
			})
		default:
			p := roster.problem(unknownID(id, known))
			p.Nearest = expr.Nearest(id, known)
			problems = append(problems, p)
		}
	}
	return kept, problems
}

// Find returns the executor with the id.
func (r Roster) Find(id string) (Executor, bool) {
	at := slices.IndexFunc(r.Executors, func(e Executor) bool { return e.ID == id })
	if at < 0 {
		return Executor{}, false
	}
	return r.Executors[at], true
}

func unknownID(id string, known []string) string {
	return fmt.Sprintf("no executor %q to keep (BOARD_EXECUTORS, --executors)%s", id, hint(known))
}

func ids(executors []Executor) []string {
	var list []string
	for _, e := range executors {
		list = append(list, e.ID)
	}
	return list
}
