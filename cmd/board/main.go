// Package main is the program board: words in, words out. It has flags, printing and exit codes; what is decided about
// cards is decided in the packages below.
//
// A verb is one file with one function that gives its command: its flags, arguments, help and action. The table in app.go
// names them all, and only the one that is asked for is built. A verb's action gets a call, which opens the home, the
// settings and the store when it first asks for them.
package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/process"
)

// version is set by the linker: -X main.version=v1.2.3.
var version = ""

func main() {
	os.Exit(fromProcess().run(os.Args[1:]))
}

// program is what the process has from outside: its environment, streams and clock. Nothing below this package reads them.
type program struct {
	env    []string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	width  int // columns of the terminal on standard output; 0 = it is none
	clock  clock.Clock
}

func fromProcess() *program {
	p := &program{env: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, clock: clock.Real{}}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		if p.width = max(width, minWidth); width == 0 {
			p.width = maxWidth // a terminal that does not say how wide it is
		}
	}
	return p
}

// run does what the words say and gives the exit code.
func (p *program) run(words []string) int {
	if len(words) > 0 && words[0] == "shim" {
		return p.shim(words[1:])
	}
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // under nohup it is to stay ignored
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	out := &printer{w: bufio.NewWriter(p.stdout), width: p.width, heads: p.width > 0, now: p.clock.Now()}
	inv, err := parseWords(verbs(), words)
	if err == nil {
		out.json, out.quiet = inv.globals.has("json"), inv.globals.has("quiet")
		out.color = p.width > 0 && !inv.globals.has("no-color") && p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb"
		err = p.invoke(ctx, inv, out)
	} else {
		out.json = wantsJSON(words)
	}
	if flushed := out.w.Flush(); err == nil {
		err = flushed // a full disk must not look like success
	}
	return p.report(out, err)
}

// lookup gives a variable of the environment; the last of its name, as a shell has it.
func (p *program) lookup(name string) (string, bool) {
	for _, pair := range slices.Backward(p.env) {
		if key, value, ok := strings.Cut(pair, "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}

// getenv gives a variable of the environment; empty when it is not set.
func (p *program) getenv(name string) string {
	value, _ := p.lookup(name)
	return value
}

// lookPath finds a program on the PATH of the environment.
func (p *program) lookPath(name string) (string, error) { return process.LookPath(name, "", p.env) }

// userHome is what the user database says, for cron and systemd, which may leave HOME unset.
func (p *program) userHome() (string, error) {
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}

// self is the absolute path of this program, which it starts as supervisors and which cron is told.
func (p *program) self() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.Clean(path), nil
}

// programVersion is what the linker was told, else what the Go tool recorded.
func programVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
