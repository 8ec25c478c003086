// Command testsum reads the events of `go test -json` and prints what a person wants of them: the output of what failed,
// one closing line per package, the names of skipped tests, and a last line of counts. It judges nothing: its exit code
// says only whether it could read, so run it under pipefail.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// event is one line of `go test -json` (go doc test2json).
type event struct {
	Action  string `json:"Action"`
	Package string `json:"Package"`
	Test    string `json:"Test"`
	Output  string `json:"Output"`
}

// name identifies a test in the whole module; a package's own lines have the empty Test.
type name struct{ pkg, test string }

// summary collects the output of what is still undecided and counts what has ended.
type summary struct {
	out                     *bufio.Writer
	err                     error // of the last flush
	pending                 map[name][]string
	broken                  map[string]bool // packages with a failed test
	skips                   []string
	passed, failed, skipped int
}

func main() {
	if err := summarize(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
}

func summarize(in io.Reader, w io.Writer) error {
	s := &summary{out: bufio.NewWriter(w), pending: map[name][]string{}, broken: map[string]bool{}}
	lines := bufio.NewReader(in) // a Scanner refuses the long lines that tests print
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			s.line(line)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("read test events: %w", err)
		}
	}
	slices.Sort(s.skips)
	for _, skip := range s.skips {
		fmt.Fprintln(s.out, "skipped:", skip)
	}
	fmt.Fprintf(s.out, "%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
	s.flush()
	if s.err != nil {
		return fmt.Errorf("print the summary: %w", s.err)
	}
	return nil
}

// flush shows what there is as it comes; a bufio.Writer keeps its first error.
func (s *summary) flush() { s.err = s.out.Flush() }

// line takes one event. What is no event (make's own lines) goes through as it is.
func (s *summary) line(line string) {
	var e event
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &e) != nil {
		fmt.Fprint(s.out, line)
		return
	}
	key := name{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(s.out, e.Output)
	case "output":
		s.pending[key] = append(s.pending[key], e.Output)
	case "pass", "fail", "skip":
		s.ended(key, e.Action)
	}
}

// ended prints what a test or a package has said, as far as it is of use, and counts a test.
func (s *summary) ended(key name, action string) {
	said := s.pending[key]
	delete(s.pending, key)
	if key.test == "" {
		s.closing(key.pkg, said, action)
		return
	}
	switch action {
	case "pass":
		s.passed++
	case "skip":
		s.skipped++
		s.skips = append(s.skips, key.pkg+" "+key.test)
	case "fail":
		s.failed++
		s.broken[key.pkg] = true
		for _, text := range said {
			fmt.Fprint(s.out, text)
		}
	}
}

// closing prints a package's last line, or all that the package itself printed where it failed. A test that was running
// when its process died has no ending of its own, and a package that did not build has no tests: both count as failed.
func (s *summary) closing(pkg string, said []string, action string) {
	defer s.flush()
	if action != "fail" {
		if len(said) > 0 {
			fmt.Fprint(s.out, said[len(said)-1])
		}
		return
	}
	for _, test := range s.unfinished(pkg) {
		s.ended(name{pkg, test}, "fail")
	}
	if !s.broken[pkg] {
		s.failed++
	}
	for _, text := range said {
		fmt.Fprint(s.out, text)
	}
}

func (s *summary) unfinished(pkg string) []string {
	var tests []string
	for key := range s.pending {
		if key.pkg == pkg && key.test != "" {
			tests = append(tests, key.test)
		}
	}
	slices.Sort(tests)
	return tests
}
