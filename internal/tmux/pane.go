package tmux

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Identity addresses one pane for as long as its tmux server lives. It is what a session's row stores.
type Identity struct {
	Socket  string // path of the server's socket
	Session string // tmux's id of the session it was opened in, "$1"; informative: a pane can be moved
	Window  string // tmux's id of the window it was opened in, "@1"; informative
	Pane    string // tmux's id of the pane, "%1"

	// PID is the process that the pane was opened with, on the pane's host. It tells this pane from a later one with
	// the same id. 0 skips that check, for a pane that was named by a person.
	PID int
}

// Pane is one pane as tmux sees it at this moment.
type Pane struct {
	Identity
	SessionName string
	WindowName  string
	Title       string // what the program set; the host's name where it set none
	Dead        bool   // the program has ended and the pane remains

	// ExitCode is that of a dead pane's program. It is -1 while the program lives, where a signal ended it, and where
	// tmux has seen the terminal close but has not yet reaped the process, which may last until its next child ends.
	ExitCode int
	Signal   int       // that ended a dead pane's program; 0 where none did or tmux has not yet reaped it
	Activity time.Time // when the window last printed something, in whole seconds
}

// notReaped is the exit code of a program whose end tmux does not know.
const notReaped = -1

const identityFormat = "#{socket_path}\t#{session_id}\t#{window_id}\t#{pane_id}\t#{pane_pid}"

// Text that people and programs choose stands last. tmux keeps tabs and line ends out of all three.
const paneFormat = identityFormat + "\t#{pane_dead}\t#{pane_dead_status}\t#{pane_dead_signal}\t#{window_activity}" +
	"\t#{session_name}\t#{window_name}\t#{pane_title}"

// ListPanes is every pane of the server, in tmux's order, with one question. Where no server runs there are no panes,
// and that is no error; an error means that tmux did not answer, so that nothing is known.
//
// The list says where a program is shown, never that one is gone: a program outlives its pane where it called setsid,
// and its server is out of reach once somebody has removed the socket from /tmp. That is asked of processes.
func (s *Server) ListPanes(ctx context.Context) ([]Pane, error) {
	out, err := s.run(ctx, call{args: []string{"list-panes", "-a", "-F", paneFormat}})
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list panes: %w", err)
	}
	var panes []Pane
	for line := range strings.Lines(out) {
		p, err := parsePane(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, fmt.Errorf("list panes: %w", err)
		}
		panes = append(panes, p)
	}
	return panes, nil
}

func parsePane(line string) (Pane, error) {
	f := strings.SplitN(line, "\t", 12)
	if len(f) != 12 {
		return Pane{}, fmt.Errorf("read %q: %d fields, want 12", line, len(f))
	}
	id, err := parseIdentity(f[:5])
	if err != nil {
		return Pane{}, err
	}
	code, errCode := optionalInt(f[6], notReaped)
	signal, errSignal := optionalInt(f[7], 0)
	activity, errActivity := optionalInt(f[8], 0)
	if err := errors.Join(errCode, errSignal, errActivity); err != nil {
		return Pane{}, fmt.Errorf("read %q: %w", line, err)
	}
	return Pane{
		Identity: id, Dead: f[5] == "1", ExitCode: code, Signal: signal, Activity: time.Unix(int64(activity), 0),
		SessionName: f[9], WindowName: f[10], Title: f[11],
	}, nil
}

func parseIdentity(f []string) (Identity, error) {
	if len(f) != 5 {
		return Identity{}, fmt.Errorf("read %q: want a pane's identity", f)
	}
	pid, err := strconv.Atoi(f[4])
	if err != nil {
		return Identity{}, fmt.Errorf("read the pane's process id: %w", err)
	}
	return Identity{Socket: f[0], Session: f[1], Window: f[2], Pane: f[3], PID: pid}, nil
}

// optionalInt reads a number that tmux leaves empty where it does not apply.
func optionalInt(text string, absent int) (int, error) {
	if text == "" {
		return absent, nil
	}
	return strconv.Atoi(text)
}
