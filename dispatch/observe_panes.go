package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/tmux"
)

// Host is a machine on which panes are opened. It is asked once a tick, about all of the home's sessions there together
// (LIV-2).
type Host interface {
	// Name is the host's name, normalised.
	Name() string
	// Look says whether the host can take panes now, which of the programs it lacks, and what it shows. Without programs (nil)
	// no pane is to be opened, and only what is left of earlier ones is of interest.
	Look(ctx context.Context, programs []string) PaneHost
	// Open runs `board supervise RUN` in a window of its own and says where, for people. Nothing runs where the address is
	// empty; an error beside an address is of the person's own terminal window.
	Open(ctx context.Context, w PaneWindow) (address string, err error)
	// Bury takes a pane away whose program has ended. One that is gone already is no error.
	Bury(ctx context.Context, pane tmux.Identity) error
}

// programOf is the program that an executor runs, as a host is asked about it.
func programOf(e roster.Executor) string {
	if e.Bin != "" {
		return e.Bin
	}
	if len(e.Command) > 0 {
		return e.Command[0]
	}
	if h, ok := harness.Lookup(e.Harness); ok {
		return h.Facts().Binary
	}
	return ""
}

// askHosts asks each host at once, where there is anything to ask. What only tells uses what a tick has stored (DSP-1).
func (ob *observer) askHosts(ctx context.Context, s *Snapshot, mu *sync.Mutex, wait *sync.WaitGroup) {
	var programs []string
	if usesPanes(*s) {
		programs = panePrograms(s.Rosters)
	}
	for _, h := range ob.d.Hosts {
		if ob.quick {
			s.Panes[h.Name()] = storedHost(ob.seen["host "+h.Name()])
			continue
		}
		wait.Go(func() {
			answer := h.Look(ctx, programs)
			mu.Lock()
			defer mu.Unlock()
			s.Panes[h.Name()] = answer
		})
	}
}

// panePrograms are the programs of all executors, each once, by name.
func panePrograms(all map[string]RosterFacts) []string {
	programs := []string{}
	for _, slug := range sortedKeys(all) {
		for _, e := range all[slug].Executors {
			if program := programOf(e); program != "" && !slices.Contains(programs, program) {
				programs = append(programs, program)
			}
		}
	}
	slices.Sort(programs)
	return programs
}

// hostData is what is stored of a host's answer beside its state.
type hostData struct {
	Tmux    bool     `json:"tmux"`
	Missing []string `json:"missing,omitempty"`
	Text    string   `json:"text,omitempty"`
}

// The states of a host as they are stored.
const (
	hostUp   = "up"
	hostDown = "down"
)

// storedHost is a host as a tick last saw it. One that was never asked is taken to be well: the next tick finds out.
func storedHost(o board.Observation) PaneHost {
	if o.State == "" {
		return PaneHost{Answered: true, Tmux: true}
	}
	var data hostData
	if err := json.Unmarshal([]byte(o.Data), &data); err != nil {
		return PaneHost{Text: fmt.Sprintf("what was stored of it does not read: %v", err)}
	}
	return PaneHost{Answered: o.State == hostUp, Tmux: data.Tmux, Missing: data.Missing, Text: data.Text}
}

// hostsSeen are the hosts whose answers differ from those stored.
func (t *tick) hostsSeen() ([]board.Observation, error) {
	if !usesPanes(t.snap) {
		return nil, nil // nothing was asked that a later look could use
	}
	var out []board.Observation
	for _, name := range sortedKeys(t.snap.Panes) {
		answer := t.snap.Panes[name]
		state := hostUp
		if !answer.Answered {
			state = hostDown
		}
		data, err := json.Marshal(hostData{Tmux: answer.Tmux, Missing: answer.Missing, Text: answer.Text})
		if err != nil {
			return nil, fmt.Errorf("write what was seen of host %s: %w", name, err)
		}
		if had := t.ob.seen["host "+name]; had.State != state || had.Data != board.JSON(data) {
			out = append(out, board.Observation{Kind: "host", Name: name, State: state, Data: board.JSON(data), At: board.At(t.now)})
		}
	}
	return out, nil
}
