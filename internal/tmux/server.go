package tmux

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// answerLimit bounds one question to tmux, so that a stopped server delays a tick and never holds it. Chosen: what a
// tick allows any host.
const answerLimit = 10 * time.Second

// Config is what a Server needs to know of its surroundings.
type Config struct {
	Home string // the board's home, absolute; names the socket

	// Environ is the caller's environment as "NAME=value". Only the whitelisted names reach tmux and its panes.
	Environ []string

	// SocketDir is where tmux keeps its sockets, its TMUX_TMPDIR; empty means tmux's default, /tmp. All who serve one
	// home must use the same, or they meet different servers.
	SocketDir string

	// LookPath finds the tmux program; nil means exec.LookPath.
	LookPath func(string) (string, error)

	// Wait returns after the duration, or early with the context's error: clock.Real's Sleep. Submit needs it, and
	// OpenWindow is the surer for it while a server ends.
	Wait func(context.Context, time.Duration) error
}

// Server is the tmux server of one home. It need not run: OpenWindow starts it, and it ends with its last window. A
// Server holds no connection and may be used by several goroutines.
type Server struct {
	bin    string   // empty: no tmux here
	socket []string // -L NAME or -S PATH
	name   string
	env    []string
	wait   func(context.Context, time.Duration) error
}

// New returns the server of a home, without asking it anything. On a host without tmux each method of the result
// gives ErrMissing.
func New(cfg Config) *Server {
	look := cfg.LookPath
	if look == nil {
		look = exec.LookPath
	}
	bin, err := look("tmux")
	if err != nil {
		bin = ""
	}
	env := Environ(cfg.Environ)
	if cfg.SocketDir != "" {
		env = append(env, "TMUX_TMPDIR="+cfg.SocketDir)
	}
	name := SocketName(cfg.Home)
	return &Server{bin: bin, socket: []string{"-L", name}, name: name, env: env, wait: cfg.Wait}
}

// SocketName is the name of a home's tmux socket. A home reached through a symbolic link has the same name.
func SocketName(home string) string {
	if resolved, err := filepath.EvalSymlinks(home); err == nil {
		home = resolved
	}
	sum := sha256.Sum256([]byte(filepath.Clean(home)))
	return "board-" + hex.EncodeToString(sum[:5])
}

// At is the same tmux program asked about another server, by the path of its socket: a person's own, where a session
// was adopted.
func (s *Server) At(socketPath string) *Server {
	other := *s
	other.socket = []string{"-S", socketPath}
	other.name = filepath.Base(socketPath)
	return &other
}

// HasTmux tells whether there is a tmux program on this host.
func (s *Server) HasTmux() bool { return s.bin != "" }

// HasSocket tells, without asking tmux, whether a server of this name may run: it has left its socket.
func (s *Server) HasSocket() bool {
	dir := "/tmp"
	for _, pair := range s.env {
		if name, value, _ := strings.Cut(pair, "="); name == "TMUX_TMPDIR" {
			dir = value
		}
	}
	_, err := os.Stat(filepath.Join(dir, fmt.Sprintf("tmux-%d", os.Getuid()), s.name))
	return err == nil
}

// Name is the name of the socket, for messages and for a person's `tmux -L`.
func (s *Server) Name() string { return s.name }

// call is one run of the tmux client.
type call struct {
	dir   string // its working directory, which becomes a window's; empty: the caller's
	stdin []byte
	args  []string // words of tmux commands, ";" standing alone between two of them
}

// run asks the server and returns what it printed. An error wraps the condition that classify knows, if any.
func (s *Server) run(ctx context.Context, c call) (string, error) {
	if s.bin == "" {
		return "", ErrMissing
	}
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()

	// -u: without it, and without a UTF-8 locale, tmux prints the separator of a -F line as "_".
	args := append([]string{"-u", "-f", "/dev/null"}, s.socket...)
	cmd := exec.CommandContext(ctx, s.bin, append(args, c.args...)...)
	cmd.Dir, cmd.Env = c.dir, s.env
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(c.stdin), &stdout, &stderr

	err := cmd.Run()
	if err == nil {
		return stdout.String(), nil
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("ask tmux server %s: %w", s.name, ctx.Err())
	}
	words := strings.TrimSpace(stderr.String())
	if known := classify(words); known != nil {
		err = known
	}
	return "", fmt.Errorf("tmux server %s: %s: %w", s.name, words, err)
}

// gone tells whether an error means that no server is there.
func gone(err error) bool { return errors.Is(err, errNoServer) }
