package supervise

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/worker"
)

// Bounds on what is kept in memory of what a run prints, whatever it prints.
const (
	readBytes = 64 << 10 // of one read
	lineBytes = 4 << 20  // of one line for the parser: agents print whole files as one JSON event; what is beyond is cut off
	tailBytes = 4 << 10  // of the last lines, kept for errors
)

// output is what a run prints: it goes to the log as it is, but for secrets, and by lines to the harness's parser. One
// goroutine per stream writes; anybody may ask what was seen.
type output struct {
	clock   clock.Clock
	redact  worker.Redactor // what must not reach the log or a parser (SUP-7)
	streams []*os.File

	mu     sync.Mutex // over all below, and the parser
	log    io.Writer
	logErr error // the first write that did not go through: the run goes on, its log is cut
	parser harness.Parser
	seen   seen
	tail   []byte // the end of both streams
	done   sync.WaitGroup
}

// seen is what a run's output has told so far.
type seen struct {
	Progress time.Time // the last event that shows work; zero: none
	Session  string
	Model    string
	Usage    harness.Usage
	Final    bool   // the CLI said that it is done (RET-8)
	Retrying string // why the CLI is trying again; empty: it is not
}

// copy reads a stream to its end in the background. Several may be copied; Wait waits for all.
func (o *output) copy(stream *os.File, line func([]byte) []harness.Event) {
	o.done.Go(func() {
		s := &splitter{out: o, line: line, hold: o.redact.Longest() - 1}
		defer func() { _ = stream.Close() }()
		buffer := make([]byte, readBytes)
		for {
			n, err := stream.Read(buffer)
			s.write(buffer[:n])
			if err != nil {
				s.end()
				return
			}
		}
	})
}

// splitter cuts one stream into lines.
type splitter struct {
	out   *output
	line  func([]byte) []harness.Event
	hold  int    // bytes kept back, in which a secret might have begun
	raw   []byte // not yet looked at for secrets
	rest  []byte // a line that has not ended
	isCut bool   // the line is longer than lineBytes
}

// write takes what was read. A secret may stand across two reads, so the last bytes wait for the next one, unless a line
// ends there.
func (s *splitter) write(p []byte) {
	if len(p) > 0 && p[len(p)-1] != '\n' {
		s.out.progressed()
	}
	s.raw = append(s.raw, p...)
	s.raw = s.out.redact.Bytes(s.raw)
	ready := len(s.raw) - max(s.hold, 0)
	if end := bytes.LastIndexByte(s.raw, '\n') + 1; end > ready {
		ready = end
	}
	if ready > 0 {
		s.take(s.raw[:ready])
		s.raw = append(s.raw[:0], s.raw[ready:]...)
	}
}

// end takes what was kept back, and a last line without a newline.
func (s *splitter) end() {
	s.take(s.raw)
	s.raw = nil
	if len(s.rest) > 0 {
		s.out.mu.Lock()
		defer s.out.mu.Unlock()
		s.flush()
	}
}

// take writes to the log and gives whole lines to the parser.
func (s *splitter) take(p []byte) {
	if len(p) == 0 {
		return
	}
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	s.out.store(p)
	for len(p) > 0 {
		part, after, ended := bytes.Cut(p, []byte{'\n'})
		if room := lineBytes - len(s.rest); len(part) > room {
			part, s.isCut = part[:room], true
		}
		s.rest = append(s.rest, part...)
		if !ended {
			return
		}
		s.flush()
		p = after
	}
}

// progressed notes bytes of a line that has not ended: something is at work.
func (o *output) progressed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen.Progress = o.clock.Now()
}

// flush gives the line that has ended to the parser.
func (s *splitter) flush() {
	s.out.parse(s.rest, s.line)
	s.rest = s.rest[:0]
	if s.isCut {
		s.rest, s.isCut = nil, false // a giant line's memory is given back
	}
}

func (o *output) store(p []byte) {
	if _, err := o.log.Write(p); err != nil && o.logErr == nil {
		o.logErr = err
	}
	o.tail = append(o.tail, p[max(0, len(p)-tailBytes):]...)
	o.tail = append(o.tail[:0], o.tail[max(0, len(o.tail)-tailBytes):]...)
}

// parse gives a line to the parser. A line that means nothing to it, such as a note on standard error, shows work as well.
func (o *output) parse(line []byte, parse func([]byte) []harness.Event) {
	events := parse(line)
	if len(events) == 0 {
		o.seen.Progress = o.clock.Now()
	}
	for _, e := range events {
		o.take(e)
	}
}

func (o *output) take(e harness.Event) {
	if e.Progress() {
		o.seen.Progress = o.clock.Now()
		o.seen.Retrying = ""
	}
	switch e.Kind {
	case harness.EventSession:
		o.seen.Session = e.Session
	case harness.EventModel:
		o.seen.Model = e.Model
	case harness.EventUsage:
		o.seen.Usage = e.Usage
	case harness.EventFinal:
		o.seen.Final = true
	case harness.EventRetrying:
		o.seen.Retrying = e.Text
	case harness.EventText, harness.EventTool, harness.EventDenied, harness.EventLimit, harness.EventError, harness.EventOther:
	}
}

// Seen is what the output has told so far.
func (o *output) Seen() seen {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.seen
}

// LastLines are the last lines of both streams, at most tailBytes.
func (o *output) LastLines() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := o.tail
	if len(text) == tailBytes {
		_, text, _ = bytes.Cut(text, []byte{'\n'}) // the first line is cut
	}
	if len(text) == 0 {
		text = o.tail
	}
	return strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(string(text), "\x00", ""), "\uFFFD"))
}

// Finish asks the parser how the run ended. No stream may be read any more.
func (o *output) Finish(exit harness.Exit) harness.Result {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.parser.Finish(exit)
}

// drained is closed once every stream has ended.
func (o *output) drained() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		o.done.Wait()
		close(done)
	}()
	return done
}

// abandon stops reading.
func (o *output) abandon() {
	_ = closeAll(o.streams...)
	o.done.Wait()
}

// closeAll closes what is open.
func closeAll(files ...*os.File) error {
	var all []error
	for _, f := range files {
		if f == nil {
			continue
		}
		if err := f.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}
