package roster

import (
	"fmt"
	"slices"
)

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
	Disabled  []Executor // entries with `disabled: true`: ID, Harness, Model, File and Line only
	Files     []string   // what was read; empty: made up from PATH
}

// Load merges the documents, narrows the result and checks what is left (ROS-1). Its error is a Problems.
func Load(s Sources) (*Roster, error) {
	if s.Harnesses == nil {
		s.Harnesses = KnownHarnesses()
	}
	documents := s.documents()
	if len(documents) == 0 {
		return s.fromPath()
	}
	roster := &Roster{}
	var problems Problems
	var entries []entry
	for _, document := range documents {
		roster.Files = append(roster.Files, document.Path)
		listed, found := readDocument(document)
		problems = append(problems, found...)
		entries = merge(entries, listed)
	}
	unreadable := len(problems) > 0
	entries, roster.Disabled = enabled(entries)
	entries, found := s.narrow(entries, roster.Disabled)
	problems = append(problems, found...)
	for position, e := range entries {
		executor, found := s.decode(e)
		executor.Position = position
		roster.Executors = append(roster.Executors, executor)
		problems = append(problems, found...)
	}
	if len(entries) == 0 && !unreadable {
		problems = append(problems, Problem{File: documents[len(documents)-1].Path, Text: "no executor left to run with"})
	}
	if len(problems) > 0 {
		return nil, problems.sorted(roster.Files)
	}
	return roster, nil
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
	var problems Problems
	found := s.OnPath()
	for _, id := range s.Narrow {
		if !slices.ContainsFunc(found, func(e Executor) bool { return e.ID == id }) {
			problems = append(problems, Problem{Text: unknownID(id, ids(found))})
		}
	}
	for _, e := range found {
		if len(s.Narrow) == 0 || slices.Contains(s.Narrow, e.ID) {
			e.Position = len(roster.Executors)
			roster.Executors = append(roster.Executors, e)
		}
	}
	if len(roster.Executors) == 0 {
		problems = append(problems, Problem{
			Text: "no executor left to run with: there is no roster file, and none of the known harnesses is on PATH",
		})
	}
	if len(problems) > 0 {
		return nil, problems
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
		disabled = append(disabled, Executor{
			ID: e.id, Harness: e.scalar("harness"), Model: e.scalar("model"), File: e.file, Line: e.line,
		})
	}
	return kept, disabled
}

// narrow keeps the entries whose ids are asked for, in the order of the files.
func (s Sources) narrow(entries []entry, disabled []Executor) ([]entry, Problems) {
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
		if slices.Contains(known, id) {
			continue
		}
		problem := Problem{Text: unknownID(id, known)}
		if at := slices.IndexFunc(disabled, func(e Executor) bool { return e.ID == id }); at >= 0 {
			off := disabled[at]
			problem = Problem{File: off.File, Line: off.Line, Text: fmt.Sprintf("executor %q is asked for (BOARD_EXECUTORS, --executors) and is disabled here", id)}
		}
		problems = append(problems, problem)
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

// Nearest returns the id in the roster that a mistyped one most likely means; empty: none is close.
func (r Roster) Nearest(id string) string { return nearest(id, ids(r.Executors)) }

func unknownID(id string, known []string) string {
	return fmt.Sprintf("no executor %q to keep (BOARD_EXECUTORS, --executors)%s", id, hint(id, known))
}

func ids(executors []Executor) []string {
	var list []string
	for _, e := range executors {
		list = append(list, e.ID)
	}
	return list
}
