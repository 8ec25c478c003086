package tmux

import "strings"

// AttachCommand is the program and arguments that show the pane to a person, to be run in place of the caller with the
// person's own environment and terminal. tmuxEnv is the value of the person's TMUX variable, empty outside tmux. Inside
// the pane's own server it switches the client there; everywhere else, inside another tmux as well, it attaches.
func (s *Server) AttachCommand(tmuxEnv string, id Identity) ([]string, error) {
	if s.bin == "" {
		return nil, ErrMissing
	}
	here, _, _ := strings.Cut(tmuxEnv, ",")
	if here != "" && here == id.Socket {
		return []string{s.bin, "-u", "-S", id.Socket, "switch-client", "-t", id.Pane}, nil
	}
	// tmux refuses to run inside another tmux unless TMUX is empty.
	return []string{"env", "TMUX=", s.bin, "-u", "-S", id.Socket, "attach-session", "-t", id.Pane}, nil
}
