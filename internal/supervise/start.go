package supervise

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/process"
)

// start starts the harness behind its shim, records who it is, and only then lets it run (DSP-8).
func (t *turn) start(ctx context.Context, command process.Command, driver harness.Harness) (err error) {
	var files []*os.File // those of the child
	defer func() { err = errors.Join(err, closeAll(files...)) }()
	stdin, err := os.Open(t.job.PromptPath)
	if err != nil {
		return fmt.Errorf("open the prompt: %w", err)
	}
	files = append(files, stdin)
	stdout, toStdout, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe: %w", err)
	}
	files = append(files, toStdout)
	stderr, toStderr, err := os.Pipe()
	if err != nil {
		return errors.Join(fmt.Errorf("make a pipe: %w", err), stdout.Close())
	}
	files = append(files, toStderr)
	command.Stdin, command.Stdout, command.Stderr = stdin, toStdout, toStderr
	command.Foreground, command.Terminal = t.Terminal != nil, t.Terminal
	started, err := t.table.Start(command, &t.reaper)
	if err != nil {
		return errors.Join(err, closeAll(stdout, stderr))
	}
	t.root = started.ID
	t.follow(started, driver.Parser(t.job), stdout, stderr)
	t.Fail.Hit(failpoint.SuperviseStarted)
	if err := t.recordProcess(ctx); err != nil {
		return errors.Join(fmt.Errorf("record the harness of run %d: %w", t.run.ID, err), started.Abandon())
	}
	t.Fail.Hit(failpoint.SuperviseRecorded)
	if err := started.Release(); err != nil {
		return err
	}
	t.Fail.Hit(failpoint.SuperviseReleased)
	t.life.launched = t.Clock.Now()
	return nil
}

// follow reads what the harness prints, and waits for its end.
func (t *turn) follow(started *process.Started, parser harness.Parser, stdout, stderr *os.File) {
	t.out = &output{clock: t.Clock, redact: t.redact, log: t.log, parser: parser, streams: []*os.File{stdout, stderr}}
	if t.Terminal != nil {
		t.out.log = watchedOn(t.log, t.Terminal)
	}
	t.out.copy(stdout, parser.Line)
	t.out.copy(stderr, parser.Stderr)
	t.ended = t.waitFor(started)
}

// waitFor gives how the harness ends, once it does.
func (x *session) waitFor(started *process.Started) chan process.Exit {
	ended := make(chan process.Exit, 1)
	go func() {
		exit, err := started.Wait()
		if err != nil {
			x.say("%v", err)
		}
		ended <- exit
	}()
	return ended
}

// recordTries bounds how often the identity of the harness is stored before the launch is given up: it must not run unrecorded.
const recordTries = 3

func (t *turn) recordProcess(ctx context.Context) (err error) {
	update := board.SessionUpdate{Process: t.root.String()}
	for range recordTries {
		if err = t.store.UpdateSession(ctx, board.At(t.Clock.Now()), t.id, update); err == nil || errors.Is(err, board.ErrElsewhere) {
			return err
		}
	}
	return err
}

// uuid is a random name for a conversation, as RFC 9562 writes version 4.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
