package worker

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/clock"
)

// AnswerWait is how long a verb waits for its answer before it says that the request is stored (WRK-1).
const AnswerWait = 10 * time.Second

// answerPoll is how often a waiting verb looks. Chosen: shorter than a person notices.
const answerPoll = 25 * time.Millisecond

// Client is the worker's side of its session.
type Client struct {
	Session  Session
	Clock    clock.Clock
	Database string // the home's, where the worker can see it; empty or unreadable: only the supervisor says whose the secret is
}

// Send puts a request into the outbox and waits for its answer, at most AnswerWait; then the answer is Pending. What was
// refused, by a fence or a guard, is board.ErrRefused with the reason (exit 7). The session's secret is filled in.
func (c Client) Send(ctx context.Context, r Request) (Answer, error) {
	r.Token = c.Session.Token
	if err := r.Validate(); err != nil {
		return Answer{}, err
	}
	if err := c.open(ctx); err != nil {
		return Answer{}, err
	}
	name, err := c.post(r)
	if err != nil {
		return Answer{}, fmt.Errorf("store the request in %s: %w", c.Session.Outbox, err)
	}
	return c.await(ctx, name)
}

// open says at once what a closed session or a database that can be read knows: that the run has ended or was replaced.
func (c Client) open(ctx context.Context) error {
	if err := c.closed(); err != nil {
		return err
	}
	if c.Database == "" {
		return nil
	}
	store, err := board.OpenReadOnly(ctx, c.Database)
	if err != nil {
		return nil // a sandboxed worker cannot see the database; the supervisor decides
	}
	defer store.Close()
	if _, err := store.RunOfSecret(ctx, c.Session.Token); errors.Is(err, board.ErrRefused) {
		return err
	}
	return nil
}

// closed is the refusal of a session that has ended.
func (c Client) closed() error {
	why, err := os.ReadFile(filepath.Join(c.Session.Outbox, closedFile))
	if err != nil {
		return nil //nolint:nilerr // open, or not to be seen
	}
	return board.NewProblem(board.ErrRefused, "", "%s", why)
}

// post writes the request under a name that sorts by time, and gives the name.
func (c Client) post(r Request) (string, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("%020d-%s", c.Clock.Now().UnixNano(), rand.Text()[:12])
	return name, writeWhole(c.Session.Outbox, name+requestSuffix, data)
}

func (c Client) await(ctx context.Context, name string) (Answer, error) {
	path := filepath.Join(c.Session.Outbox, name+answerSuffix)
	watch := clock.StartStopwatch(c.Clock)
	for {
		data, err := os.ReadFile(path)
		if err == nil {
			_ = os.Remove(path)
			return answered(data)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return Answer{}, fmt.Errorf("read the answer: %w", err)
		}
		if watch.Elapsed() >= AnswerWait {
			return Answer{Pending: true, Text: "stored; the board applies it as soon as it can"}, nil
		}
		if err := c.withdrawn(name); err != nil {
			return Answer{}, err
		}
		if err := c.Clock.Sleep(ctx, answerPoll); err != nil {
			return Answer{}, err
		}
	}
}

// withdrawn takes a request back that nobody will apply, because the session has ended since.
func (c Client) withdrawn(name string) error {
	refusal := c.closed()
	if refusal == nil {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(c.Session.Outbox, name+answerSuffix)); err == nil {
		return nil // answered in the same moment
	}
	_ = os.Remove(filepath.Join(c.Session.Outbox, name+requestSuffix))
	return refusal
}

func answered(data []byte) (Answer, error) {
	var a Answer
	if err := json.Unmarshal(data, &a); err != nil {
		return Answer{}, fmt.Errorf("read the answer: %w", err)
	}
	if a.Refused != "" {
		return a, board.NewProblem(board.ErrRefused, a.Fix, "%s", a.Refused)
	}
	return a, nil
}
