package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-2ddc2152/board/board"
)

// roundLimit is how many requests one round applies, so that a flood of them cannot keep a supervisor from its other work.
const roundLimit = 100

// Server applies the requests of one session's outbox.
type Server struct {
	Outbox string
	Store  *board.Store
	Rules  func() board.Rules // asked for each round: a person may have changed the files
	// Beat is told of each beat that was taken; nil where nobody counts silence.
	Beat func(Request)
	// Card makes the document of VerbCard for the run; nil: there is none.
	Card func(ctx context.Context, run board.Run) ([]byte, error)
	// Redact takes secrets out of the worker's words. Its own secret never stays in them.
	Redact Redactor
}

// Served is what one round over an outbox did.
type Served struct {
	Verdict *Request // the last verdict that was taken, without its secret; nil: none
	Applied int
	Refused int
	More    bool // the round was full: there may be more
}

// Close says in an outbox that its session has ended and why, so that a late worker is refused loudly (MOD-4).
func Close(outbox, why string) error { return writeWhole(outbox, closedFile, []byte(why)) }

// Waiting says whether an outbox holds requests.
func Waiting(outbox string) (bool, error) {
	names, err := requests(outbox)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return len(names) > 0, err
}

// Drain applies what a session has left in its outbox, oldest first, and answers each. It is called by the session's
// supervisor while it works, and once more, by whoever settles, before the run is settled (END-2).
//
// An error is that of the database or the disk: the requests it met stay, and are applied by a later round.
func (s Server) Drain(ctx context.Context, now board.Time) (Served, error) {
	var served Served
	names, err := requests(s.Outbox)
	if errors.Is(err, fs.ErrNotExist) {
		return served, nil
	}
	if err != nil {
		return served, fmt.Errorf("read the outbox %s: %w", s.Outbox, err)
	}
	if len(names) == 0 {
		return served, nil
	}
	rules := s.Rules()
	var troubles []error
	for i, name := range names {
		if i == roundLimit {
			served.More = true
			break
		}
		troubles = append(troubles, s.serve(ctx, now, rules, name, &served))
	}
	return served, errors.Join(troubles...)
}

// serve applies one request and answers it, then removes it with its secret.
func (s Server) serve(ctx context.Context, now board.Time, rules board.Rules, name string, served *Served) error {
	path := filepath.Join(s.Outbox, name+requestSuffix)
	data, err := readRequest(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its worker took it back
	}
	var answer Answer
	var r Request
	if err == nil {
		r, err = decode(data)
		r = s.Redact.request(r)
	}
	if err != nil {
		answer = refusal(err)
	} else if answer, err = s.apply(ctx, now, rules, name, r); err != nil {
		return err
	}
	if answer.Refused != "" {
		served.Refused++
	} else {
		served.Applied++
		if r.Verb == VerbVerdict {
			r.Token = ""
			served.Verdict = &r
		}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("answer request %s: %w", name, err)
	}
	if err := writeWhole(s.Outbox, name+answerSuffix, text); err != nil {
		return fmt.Errorf("answer request %s: %w", name, err)
	}
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("remove request %s: %w", name, err)
	}
	return nil
}

// apply does what a request asks. What the board refuses is an answer; only what may pass by itself is an error.
func (s Server) apply(ctx context.Context, now board.Time, rules board.Rules, name string, r Request) (Answer, error) {
	answer, err := s.do(ctx, now, rules, name, r)
	for _, lasting := range []error{board.ErrRefused, board.ErrUsage, board.ErrNotFound} {
		if errors.Is(err, lasting) {
			return refusal(err), nil
		}
	}
	return answer, err
}

func (s Server) do(ctx context.Context, now board.Time, rules board.Rules, name string, r Request) (Answer, error) {
	write := board.WorkerWrite{Secret: r.Token, Request: name}
	switch r.Verb {
	case VerbVerdict:
		run, err := s.Store.SetVerdict(ctx, now, rules, board.VerdictRequest{
			Secret: r.Token, Verdict: r.Verdict, Reason: r.Reason, Kind: r.Kind, Summary: r.Summary,
		})
		return Answer{Text: fmt.Sprintf("%s: %s; it counts when this run ends", run.Card, r.Verdict)}, err
	case VerbBeat:
		run, err := s.Store.RunOfSecret(ctx, r.Token)
		if err == nil && s.Beat != nil {
			s.Beat(r)
		}
		return Answer{Text: heard(run.Card, r.Text)}, err
	case VerbComment:
		return Answer{Text: "written"}, s.Store.CommentByWorker(ctx, now, write, r.Card, r.Text)
	case VerbEvidence:
		return Answer{Text: r.Name + ": recorded"}, s.Store.EvidenceByWorker(ctx, now, write, board.Evidence{Name: r.Name, Path: r.Path, Text: r.Text})
	case VerbAdd:
		id, err := s.Store.AddSubtask(ctx, now, rules, write, board.NewCard{
			Card:      board.Card{Title: r.Subtask.Title, Body: r.Subtask.Body, Owns: r.Subtask.Owns, Key: r.Subtask.Key},
			DependsOn: r.Subtask.DependsOn,
		})
		return Answer{Text: id, Card: id}, err
	case VerbCard:
		return s.card(ctx, r)
	}
	return Answer{}, board.NewProblem(board.ErrUsage, "", "no worker's verb %q", r.Verb)
}

func (s Server) card(ctx context.Context, r Request) (Answer, error) {
	run, err := s.Store.RunOfSecret(ctx, r.Token)
	if err != nil || s.Card == nil {
		return Answer{Text: run.Card}, err
	}
	data, err := s.Card(ctx, run)
	return Answer{Text: run.Card, Data: data}, err
}

func refusal(err error) Answer {
	a := Answer{Refused: err.Error()}
	if p, ok := errors.AsType[*board.Problem](err); ok {
		a.Fix = p.Fix
	}
	return a
}

// heard answers a beat with its note, so that an output that is looked at shows what the worker is at.
func heard(card, note string) string {
	const shown = 200 // bytes; chosen: more is no note of one line
	if note = strings.TrimSpace(note); note == "" || len(note) > shown || strings.ContainsAny(note, "\r\n") {
		return card + ": heard"
	}
	return card + ": heard: " + note
}
