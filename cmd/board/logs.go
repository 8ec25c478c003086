package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

const (
	logName        = "output.log"           // its older parts are output.log.2 and .1
	logFollowEvery = 250 * time.Millisecond // chosen: quick enough to look live, and cheap
	logChunk       = 64 << 10
)

func logsCommand() command {
	return command{
		args: "ID|RUN", min: 1, max: 1,
		about: "What a run has printed: the card's open run, else its last one, or a run by its number. With -f it goes on until the run has " +
			"ended. Control characters are taken out unless --raw is given.",
		examples: []string{"board logs api-9 -f", "board logs 31 --raw > out.log"},
		flags: []cli.Flag{
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on until the run has ended"},
			&cli.BoolFlag{Name: "raw", Usage: "byte for byte as it was printed"},
		},
		run: runLogs,
	}
}

func runLogs(ctx context.Context, c *call) error {
	if c.out.json {
		return board.NewProblem(board.ErrUsage, "board logs --raw", "logs: the output of a run is no document")
	}
	store, err := c.read(ctx)
	if err != nil {
		return err
	}
	r, err := c.runOf(ctx, store, c.args[0])
	if err != nil {
		return err
	}
	h, err := c.home()
	if err != nil {
		return err
	}
	l := &logReader{path: filepath.Join(h.Run(r.ID), logName), raw: c.flags.Bool("raw")}
	defer l.close()
	if err := l.older(c.out.w); err != nil {
		return err
	}
	for {
		over := !r.Open() // asked before reading: what was printed before the end is then read
		if err := l.copyTo(c.out.w); err != nil {
			return err
		}
		if err := c.out.w.Flush(); err != nil {
			return err
		}
		if over || !c.flags.Bool("follow") {
			break
		}
		if c.clock.Sleep(ctx, logFollowEvery) != nil {
			return nil
		}
		if r, err = store.Run(ctx, r.ID); err != nil {
			return err
		}
	}
	if l.file == nil && !l.any {
		return c.noLog(r, h.Run(r.ID))
	}
	return nil
}

// runOf is the run that a word names: its number, or a card, whose open run or last one it is.
func (c *call) runOf(ctx context.Context, store *board.Store, word string) (board.Run, error) {
	if isNumber(word) {
		return c.run(ctx, store, word)
	}
	card, err := c.card(ctx, store, word)
	if err != nil {
		return board.Run{}, err
	}
	runs, err := store.Runs(ctx, board.RunFilter{Card: card.ID, Limit: 1})
	if err != nil {
		return board.Run{}, err
	}
	if len(runs) == 0 {
		return board.Run{}, board.NewProblem(board.ErrNotFound, "board why "+card.ID, "%s has had no run", card.ID)
	}
	return runs[0], nil
}

// noLog tells why a run has no output: it has printed nothing yet, or its log has gone.
func (c *call) noLog(r board.Run, dir string) error {
	if r.Open() {
		c.out.remark("run %d has printed nothing yet", r.ID)
		return nil
	}
	return board.NewProblem(board.ErrNotFound, fmt.Sprintf("board run %d", r.ID), "run %d left no output in %s (%s)", r.ID, dir, r.Outcome)
}

// logReader reads a log that may still grow, and may be rotated meanwhile.
type logReader struct {
	path string
	raw  bool
	file *os.File
	any  bool   // something was there
	rest []byte // the beginning of a line whose end has not come
}

func (l *logReader) close() {
	if l.file != nil {
		_ = l.file.Close() // only read
	}
}

// older prints the rotated logs.
func (l *logReader) older(w io.Writer) error {
	for _, suffix := range []string{".2", ".1"} {
		file, err := os.Open(l.path + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = l.copyFrom(file, w)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// copyTo prints what has come since the last call.
func (l *logReader) copyTo(w io.Writer) error {
	if l.file == nil {
		file, err := os.Open(l.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		l.file = file
	}
	if err := l.copyFrom(l.file, w); err != nil {
		return err
	}
	if l.rotated() {
		l.close()
		l.file = nil
		return l.copyTo(w)
	}
	return nil
}

// rotated says whether another file stands where the open one stood.
func (l *logReader) rotated() bool {
	was, err := l.file.Stat()
	if err != nil {
		return false
	}
	is, err := os.Stat(l.path)
	return err == nil && !os.SameFile(was, is)
}

func (l *logReader) copyFrom(file *os.File, w io.Writer) error {
	buf := make([]byte, logChunk)
	for {
		n, err := file.Read(buf)
		if n > 0 {
			l.any = true
			if err := l.print(w, buf[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return l.flush(w)
		}
		if err != nil {
			return err
		}
	}
}

// print writes a chunk; a letter that is cut in two waits for its other half.
func (l *logReader) print(w io.Writer, chunk []byte) error {
	if l.raw {
		_, err := w.Write(chunk)
		return err
	}
	l.rest = append(l.rest, chunk...)
	whole := bytes.LastIndexByte(l.rest, '\n') + 1
	if whole == 0 && len(l.rest) < logChunk {
		return nil
	}
	if whole == 0 {
		whole = len(l.rest) // a line without an end
	}
	_, err := io.WriteString(w, clean(unstyled(string(l.rest[:whole]))))
	l.rest = append(l.rest[:0], l.rest[whole:]...)
	return err
}

// flush prints a last line that has no end yet, but for a letter of which only the beginning has come.
func (l *logReader) flush(w io.Writer) error {
	end := len(l.rest)
	for cut := 1; cut <= min(utf8.UTFMax-1, len(l.rest)); cut++ {
		if last := l.rest[len(l.rest)-cut:]; utf8.RuneStart(last[0]) && !utf8.FullRune(last) {
			end = len(l.rest) - cut
		}
	}
	_, err := io.WriteString(w, clean(unstyled(string(l.rest[:end]))))
	l.rest = append(l.rest[:0], l.rest[end:]...)
	return err
}
