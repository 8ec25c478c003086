package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

const (
	// MaxBytes is how large a file may be (chosen: a workflow of 500 caps has 150 KB).
	MaxBytes = 1 << 20
	// maxNodes is how many values may be read from a file, aliases counted each time: an alias bomb ends here.
	maxNodes = 100_000
	// maxDepth is how deep values may be nested; an alias that contains itself ends here.
	maxDepth = 60
	// maxProblems is how many problems are told at once.
	maxProblems = 200
)

// File is a YAML file being read. It gathers problems.
type File struct {
	name     string
	src      []byte
	nodes    int
	problems Problems
}

// Parse reads the one document of a file. ok is false when there is nothing to read: the file is empty, or no YAML; in
// the latter case there is a problem.
func Parse(name string, src []byte) (f *File, root Value, ok bool) {
	f = &File{name: name, src: src}
	if len(src) > MaxBytes {
		f.add(1, 1, fmt.Sprintf("the file has %d bytes; at most %d are read", len(src), MaxBytes))
		return f, Value{}, false
	}
	var doc, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	err := decode(decoder, &doc)
	if errors.Is(err, io.EOF) {
		return f, Value{}, false
	}
	if err == nil && !errors.Is(decode(decoder, &second), io.EOF) {
		f.add(max(second.Line, 1), 1, "a second document (---): a file has one")
	}
	if err != nil {
		f.syntax(err)
		return f, Value{}, false
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return f, Value{}, false
	}
	return f, Value{f: f, node: doc.Content[0]}, true
}

// decode is Decode with the library's panics on malformed input turned into errors.
func decode(decoder *yaml.Decoder, node *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("unreadable: %v", r)
		}
	}()
	return decoder.Decode(node)
}

// Problems are the problems so far, in the order of their places.
func (f *File) Problems() Problems { return f.problems.Sorted() }

// Add adds a problem found elsewhere.
func (f *File) Add(p Problem) {
	if len(f.problems) < maxProblems {
		f.problems = append(f.problems, p)
	}
}

// Origin is the file as a whole.
func (f *File) Origin() Origin { return Origin{File: f.name, Line: 1, Column: 1} }

func (f *File) add(line, column int, text string) {
	f.Add(Problem{Origin: Origin{File: f.name, Line: line, Column: column}, Text: text})
}

// syntax tells of a file that is no YAML. The library gives the line in its text only.
func (f *File) syntax(err error) {
	for i, line := range strings.Split(string(f.src), "\n") {
		if indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]; strings.Contains(indent, "\t") {
			f.add(i+1, strings.Index(indent, "\t")+1, "a tab in the indentation; YAML wants blanks")
			return
		}
	}
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if m := regexp.MustCompile(`^line (\d+): (?s)(.*)`).FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = m[2]
	}
	f.add(line, 1, "not YAML: "+text)
}

// Line is a line of the file, from 1; empty when there is none.
func (f *File) Line(n int) string {
	rest := f.src
	for ; n > 1 && len(rest) > 0; n-- {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return ""
		}
		rest = rest[i+1:]
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return strings.TrimSuffix(string(line), "\r")
}

// placeIn is where a character of a scalar's text stands, its line and column counted from 1; for a scalar that is
// folded or escaped it is the scalar's beginning.
func (f *File) placeIn(node *yaml.Node, line, column int) (int, int) {
	switch {
	case line < 1 || column < 1:
	case node.Style&yaml.LiteralStyle != 0:
		text := f.Line(node.Line + line)
		return node.Line + line, len(text) - len(strings.TrimLeft(text, " ")) + column
	case node.Style&yaml.FoldedStyle != 0 || strings.Contains(node.Value, "\n"):
	default:
		shift := 0
		if node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			shift = 1
		}
		runes := []rune(f.Line(node.Line))
		from := node.Column - 1 + shift
		if from+utf8.RuneCountInString(node.Value) <= len(runes) && strings.HasPrefix(string(runes[from:]), node.Value) {
			return node.Line, from + column
		}
	}
	return node.Line, node.Column
}

func isNull(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null" }
