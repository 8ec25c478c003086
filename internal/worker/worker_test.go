package worker_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/worker"
	"github.com/seed-2ddc2152/board/workflows"
)

const secret = "THESECRETOFTHESESSION"

// fixture is a home with one running run whose worker has the secret.
type fixture struct {
	t      *testing.T
	dir    string
	store  *board.Store
	run    board.Run
	outbox string
	server worker.Server
}

func now() board.Time { return board.At(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)) }

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: t.TempDir()}
	f.outbox = filepath.Join(f.dir, "outbox")
	must(t, os.Mkdir(f.outbox, 0o700))
	text, ok := workflows.Builtin("default")
	if !ok {
		t.Fatal("no built-in workflow")
	}
	w, err := workflows.Load("default", "workflows/default.yaml", text, workflows.Options{})
	must(t, err)
	f.store, err = board.Create(t.Context(), f.database(), f.database()+".lock")
	must(t, err)
	t.Cleanup(func() { _ = f.store.Close() })
	must(t, f.store.AddBoard(t.Context(), now(), board.Board{Slug: "api", Name: "api", Workflow: "default"}, "me"))
	f.server = worker.Server{Outbox: f.outbox, Store: f.store, Rules: func() board.Rules {
		return board.Rules{
			Workflow:    func(string) *workflows.Workflow { return w },
			Executor:    func(string) (roster.Executor, bool) { return roster.Executor{}, false },
			Fingerprint: func(roster.Executor) string { return "" },
		}
	}}
	f.begin()
	return f
}

func (f *fixture) database() string { return filepath.Join(f.dir, "board.db") }

// begin adds a card and makes a run of it that is running.
func (f *fixture) begin() {
	f.t.Helper()
	ctx := f.t.Context()
	c, _, err := f.store.AddCard(ctx, now(), board.NewCard{Card: board.Card{Board: "api", Title: "a thing", Status: "todo"}, Actor: "me"})
	must(f.t, err)
	run, err := f.store.Claim(ctx, board.ViewSpec{Now: now(), Card: c.ID, Full: true}, func(v *board.View) (board.Claim, error) {
		card := v.Cards[0]
		card.Status = "doing"
		return board.Claim{Card: card, From: "todo", Actor: "board", Run: board.Run{
			Card: card.ID, Board: "api", Status: "doing",
			Role: roster.RoleCoder, Slot: "worker", Profile: "coder", Executor: "a", Clone: 1, Harness: "exec",
			Surface: workflows.SurfaceHeadless, Host: "base", Mode: board.ModeFresh,
		}}, nil
	})
	must(f.t, err)
	f.run, err = f.store.Begin(ctx, now(), run.ID, board.Session{
		ID: run.ID, Card: c.ID, Board: "api", Slot: "worker", Role: roster.RoleCoder,
		Origin: board.Dispatched, SecretHash: board.SecretHash(secret), State: board.SessionBusy, FirstRun: run.ID, LastRun: run.ID,
		StartedAt: now(), LastSeenAt: now(),
	})
	must(f.t, err)
}

// client is the worker of the running run.
func (f *fixture) client(c clock.Clock) worker.Client {
	return worker.Client{Clock: c, Session: worker.Session{Card: f.run.Card, Run: f.run.ID, Slot: "worker", Token: secret, Outbox: f.outbox}}
}

func (f *fixture) drain() worker.Served {
	f.t.Helper()
	served, err := f.server.Drain(f.t.Context(), now())
	must(f.t, err)
	return served
}

// send puts a request into the outbox and serves it.
func (f *fixture) send(r worker.Request) error {
	f.t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := f.client(clock.Real{}).Send(context.Background(), r)
		done <- err
	}()
	for {
		select {
		case err := <-done:
			return err
		case <-time.After(5 * time.Millisecond):
			f.drain()
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// WRK-1: a request is answered, and neither it nor its answer stays behind.
func TestSend_IsAppliedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if err := f.send(worker.Request{Verb: worker.VerbVerdict, Verdict: board.VerdictDone, Summary: "all"}); err != nil {
		t.Fatal(err)
	}
	run, err := f.store.Run(t.Context(), f.run.ID)
	must(t, err)
	if run.Verdict != board.VerdictDone || run.Summary != "all" || run.State != board.RunRunning {
		t.Errorf("run: verdict %q, summary %q, %s; want the verdict stored and nothing else changed (END-1)", run.Verdict, run.Summary, run.State)
	}
	if left, err := os.ReadDir(f.outbox); err != nil || len(left) > 0 {
		t.Errorf("left in the outbox: %v %v", left, err)
	}
}

// WRK-1: without anybody to serve it a request is stored, readable by its user alone, and applied later.
func TestSend_SaysThatItIsStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	time := clock.NewFake(now().Time())
	done := make(chan worker.Answer, 1)
	go func() {
		a, err := f.client(time).Send(context.Background(), worker.Request{Verb: worker.VerbComment, Text: "hello"})
		if err != nil {
			t.Error(err)
		}
		done <- a
	}()
	var answer worker.Answer
	for answered := false; !answered; {
		select {
		case answer = <-done:
			answered = true
		default:
			time.Advance(worker.AnswerWait)
		}
	}
	if !answer.Pending || answer.Text == "" {
		t.Errorf("answer: %+v, want pending", answer)
	}
	files, err := filepath.Glob(filepath.Join(f.outbox, "*.request"))
	must(t, err)
	info, err := os.Stat(files[0])
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if got := f.drain(); got.Applied != 1 {
		t.Errorf("served %+v, want one applied", got)
	}
}

// A request that was applied before its server was killed is not applied again (WRK-1).
func TestDrain_AppliesOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	text := `{"verb":"comment","text":"once","token":"` + secret + `"}`
	sub := `{"verb":"add","subtask":{"title":"smaller"},"token":"` + secret + `"}`
	for range 2 {
		must(t, os.WriteFile(filepath.Join(f.outbox, "1-a.request"), []byte(text), 0o600))
		must(t, os.WriteFile(filepath.Join(f.outbox, "2-a.request"), []byte(sub), 0o600))
		f.drain()
	}
	brief, err := f.store.Brief(t.Context(), f.run.ID)
	must(t, err)
	if len(brief.Comments) != 1 || len(brief.Facts.Subtasks) != 1 {
		t.Errorf("%d comments and %d subtasks, want 1 of each", len(brief.Comments), len(brief.Facts.Subtasks))
	}
}

// WRK-2, WRK-3, MOD-4: what is refused says why, and changes nothing.
func TestSend_IsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		request worker.Request
		end     bool
		kind    error
		text    string
	}{
		{"verdict of another slot", worker.Request{Verb: worker.VerbVerdict, Verdict: board.VerdictApprove}, false, board.ErrRefused, "approve"},
		{"verdict without a reason", worker.Request{Verb: worker.VerbVerdict, Verdict: board.VerdictBlocked}, false, board.ErrUsage, "reason"},
		{"comment on no card", worker.Request{Verb: worker.VerbComment, Text: "x", Card: "api-99"}, false, board.ErrRefused, "api-99"},
		{"run has ended", worker.Request{Verb: worker.VerbComment, Text: "x"}, true, board.ErrRefused, "has ended"},
		{"beat after the end", worker.Request{Verb: worker.VerbBeat}, true, board.ErrRefused, "has ended"},
		{"empty title", worker.Request{Verb: worker.VerbAdd, Subtask: &worker.Subtask{}}, false, board.ErrRefused, "title"},
		{"no verb", worker.Request{Verb: "rule"}, false, board.ErrUsage, "rule"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			if c.end {
				_, err := f.store.Settle(t.Context(), now(), f.server.Rules(), board.Exit{Run: f.run.ID, Crashed: true})
				must(t, err)
			}
			err := f.send(c.request)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want %v with %q", err, c.kind, c.text)
			}
		})
	}
}

// MOD-4, fault 7: a worker of a session that has ended is told at once, by the outbox or by a database that it can read.
func TestSend_KnowsThatTheSessionHasEnded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, err := f.store.Settle(t.Context(), now(), f.server.Rules(), board.Exit{Run: f.run.ID, Crashed: true})
	must(t, err)
	client := f.client(clock.NewFake(now().Time()))
	client.Database = f.database()
	if _, err := client.Send(t.Context(), worker.Request{Verb: worker.VerbBeat}); !errors.Is(err, board.ErrRefused) {
		t.Errorf("by the database: %v", err)
	}
	client.Database = ""
	must(t, worker.Close(f.outbox, "run 1 has ended"))
	if _, err := client.Send(t.Context(), worker.Request{Verb: worker.VerbBeat}); !errors.Is(err, board.ErrRefused) || err.Error() != "run 1 has ended" {
		t.Errorf("by the outbox: %v", err)
	}
}

// What a hostile worker leaves in its outbox is refused, and holds up nothing.
func TestDrain_SurvivesWhatIsNoRequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	outside := filepath.Join(f.dir, "outside")
	must(t, os.WriteFile(outside, []byte("{}"), 0o600))
	must(t, os.Symlink(outside, filepath.Join(f.outbox, "1.request")))
	must(t, os.Mkdir(filepath.Join(f.outbox, "2.request"), 0o700))
	must(t, os.WriteFile(filepath.Join(f.outbox, "3.request"), []byte("{"), 0o600))
	must(t, os.WriteFile(filepath.Join(f.outbox, "4.request"), make([]byte, worker.MaxRequest+1), 0o600))
	must(t, os.WriteFile(filepath.Join(f.outbox, "5.request"), []byte(`{"verb":"comment","text":"hello","token":"`+secret+`"}`), 0o600))
	if got := f.drain(); got.Refused != 4 || got.Applied != 1 {
		t.Errorf("served %+v, want 4 refused and 1 applied", got)
	}
	if waiting, err := worker.Waiting(f.outbox); err != nil || waiting {
		t.Errorf("requests are left: %v %v", waiting, err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Errorf("what a link led to: %v", err)
	}
}

// WRK-3: with half of the variables it is a person's environment.
func TestFromEnv_WantsAllOfIt(t *testing.T) {
	t.Parallel()
	whole := map[string]string{
		worker.EnvCard: "api-1", worker.EnvRun: "7", worker.EnvSlot: "worker", worker.EnvToken: "s", worker.EnvOutbox: "/o",
		worker.EnvPrompt: "/r/7/prompt.md", worker.EnvResult: "/r/7/result.json", worker.EnvExecutor: "a", worker.EnvClone: "2",
		worker.EnvWorkspace: "/w", worker.EnvHost: "base",
	}
	s, ok := worker.FromEnv(func(name string) string { return whole[name] })
	if !ok || s.Run != 7 || s.Clone != 2 || s.CardFile() != "/r/7/card.json" {
		t.Errorf("session %+v %v", s, ok)
	}
	for _, missing := range []string{
		worker.EnvCard, worker.EnvRun, worker.EnvSlot, worker.EnvToken, worker.EnvOutbox, worker.EnvPrompt, worker.EnvResult,
		worker.EnvExecutor, worker.EnvWorkspace, worker.EnvHost,
	} {
		if _, ok := worker.FromEnv(func(name string) string {
			if name == missing {
				return ""
			}
			return whole[name]
		}); ok {
			t.Errorf("a session without %s", missing)
		}
	}
}
