// Command bench measures the program and writes docs/benchmarks.md. Run it through `make bench`, from the root of the
// repository; it builds everything that it starts, except bin/board, which make has built.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seed-2ddc2152/board/internal/bench"
)

// options are the flags.
type options struct {
	starts  int    // of each command
	history int    // ended runs of each board
	out     string // the report
	dir     string // where homes are made; "" is a temporary folder that is removed
	program string // the program to measure
	inside  bool   // run the Go benchmarks too
	only    string // a substring of the commands to start
}

func main() {
	var o options
	flag.IntVar(&o.starts, "starts", 60, "starts of each command")
	flag.IntVar(&o.history, "history", 1_000_000, "ended runs of each board")
	flag.StringVar(&o.out, "o", "docs/benchmarks.md", "the report")
	flag.StringVar(&o.dir, "dir", "", "make the homes here and keep them; homes that are there are used again")
	flag.StringVar(&o.program, "program", "bin/board", "the program to measure")
	flag.BoolVar(&o.inside, "inside", true, "run the Go benchmarks too")
	flag.StringVar(&o.only, "only", "", "start only commands whose names contain this, and those that they are compared with")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	place, err := newPlace(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, place.leave(ctx)) }()
	say("building")
	if err := place.build(ctx); err != nil {
		return err
	}
	commands, err := place.prepare(ctx, o)
	if err != nil {
		return err
	}
	result := bench.Result{
		Machine: machine(), At: time.Now().Format(time.DateOnly), Starts: o.starts, History: o.history,
	}
	say("starting %d commands %d times each", len(commands), o.starts)
	if result.Samples, err = place.start(ctx, commands, o.starts); err != nil {
		return err
	}
	if o.inside {
		say("running the Go benchmarks")
		if result.Benchmarks, err = goBenchmarks(ctx); err != nil {
			return err
		}
	}
	version, err := output(ctx, place.board, "version")
	if err != nil {
		return err
	}
	result.Version, _, _ = strings.Cut(strings.TrimPrefix(version, "board "), "\n")
	info, err := os.Stat(place.board)
	if err != nil {
		return fmt.Errorf("size of the program: %w", err)
	}
	result.ProgramBytes = info.Size()
	report := bench.Report(result)
	fmt.Print(report)
	return os.WriteFile(o.out, []byte(report), 0o600)
}

// start hands the commands to the small program that takes turns.
func (p *place) start(ctx context.Context, commands []bench.Command, starts int) (map[string][]bench.Sample, error) {
	for _, c := range commands {
		if err := p.tryOut(ctx, c); err != nil {
			return nil, err
		}
	}
	list, err := json.Marshal(commands)
	if err != nil {
		return nil, fmt.Errorf("list the commands: %w", err)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(p.bin, "starts"), strconv.Itoa(starts))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(list), os.Stderr
	cmd.Env = p.env
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("start the commands: %w", err)
	}
	var samples map[string][]bench.Sample
	if err := json.Unmarshal(text, &samples); err != nil {
		return nil, fmt.Errorf("read the samples: %w", err)
	}
	return samples, nil
}

// tryOut runs a command once where its messages can be seen.
func (p *place) tryOut(ctx context.Context, c bench.Command) error {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Env = append(p.env, c.Env...)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	err := cmd.Run()
	if ended := new(exec.ExitError); c.Killed && errors.As(err, &ended) && !ended.Exited() {
		return nil
	}
	if err == nil && c.Killed {
		err = errors.New("it did not stop at its failpoint")
	}
	if err != nil {
		return fmt.Errorf("try %s (%s): %w: %s", c.Name, strings.Join(c.Args, " "), err, messages.String())
	}
	return nil
}

// goBenchmarks runs the benchmarks that the report wants and passes on what they print.
func goBenchmarks(ctx context.Context) (map[string]bench.Metrics, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-tags", "urfave_cli_no_docs", "-run", "^$", "-bench", bench.GoBenchPattern(), "-p", "1", "./...")
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&text, os.Stderr), os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run the Go benchmarks: %w", err)
	}
	found, err := bench.ParseGoBench(&text)
	if err != nil {
		return nil, fmt.Errorf("read the Go benchmarks: %w", err)
	}
	return found, nil
}

// output runs a program and returns what it prints; its error carries what it said.
func output(ctx context.Context, name string, args ...string) (string, error) {
	return outputOf(exec.CommandContext(ctx, name, args...))
}

func outputOf(cmd *exec.Cmd) (string, error) {
	var messages bytes.Buffer
	cmd.Stderr = &messages
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, messages.String())
	}
	return string(text), nil
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }
