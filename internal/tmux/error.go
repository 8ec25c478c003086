package tmux

import (
	"errors"
	"strings"
)

// ErrMissing says that there is no tmux program to run.
var ErrMissing = errors.New("tmux is not installed or not on PATH")

// ErrPaneGone says that the pane is not there, that its id belongs to another program by this time, or, for what needs
// a live program, that the pane's program has ended.
var ErrPaneGone = errors.New("the pane is gone")

// ErrUnsafePaste says that a text contains the terminal's end-of-paste mark, after which the rest of the text would
// count as typed keys.
var ErrUnsafePaste = errors.New("the text contains the end-of-paste mark")

// What tmux can only say in words. Its messages are not translated, whatever the locale.
var (
	errNoServer  = errors.New("no server")
	errNoSession = errors.New("no such session")
	errDuplicate = errors.New("session exists")
)

// classify names the condition behind tmux's words on standard error; nil when it is none that this package acts on.
func classify(stderr string) error {
	switch {
	case strings.HasPrefix(stderr, "no server running on"),
		strings.HasPrefix(stderr, "server exited"),
		strings.HasPrefix(stderr, "lost server"),
		strings.HasPrefix(stderr, "error connecting to") && saysNobodyListens(stderr):
		return errNoServer
	case strings.HasPrefix(stderr, "can't find session"),
		// A server that lost its last session and is about to end.
		strings.HasPrefix(stderr, "no current target"):
		return errNoSession
	case strings.HasPrefix(stderr, "duplicate session"):
		return errDuplicate
	}
	return nil
}

// saysNobodyListens tells an absent server from one that may be there but cannot be reached, such as a socket of
// another user.
func saysNobodyListens(stderr string) bool {
	return strings.HasSuffix(stderr, "(No such file or directory)") || strings.HasSuffix(stderr, "(Connection refused)")
}
