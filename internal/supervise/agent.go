package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/tmux"
)

// agent is the interactive harness of a session, for as long as its process lives. It may serve several runs (PAN-1).
type agent struct {
	name    string      // of the harness
	job     harness.Job // as it was started: its environment names these files in later runs too
	ended   chan process.Exit
	session string        // its conversation; empty until it is known
	model   string        // empty until it is known
	spent   harness.Usage // of the conversation when the present run began
	look    harness.Look  // as last seen
	screen  string        // as last seen
}

// startAgent starts an interactive harness on the pane's terminal, in its foreground group, and gives it its prompt.
func (t *turn) startAgent(ctx context.Context, command process.Command) error {
	command.Stdin, command.Stdout, command.Stderr = t.Terminal, t.Terminal, t.Terminal
	command.Foreground, command.Terminal = true, t.Terminal
	started, err := t.table.Start(command, &t.reaper)
	if err != nil {
		return err
	}
	t.root = started.ID
	t.ended = t.waitFor(started)
	t.agent = &agent{
		name: t.run.Harness, job: t.job, ended: t.ended, session: cmp.Or(t.job.Resume, t.job.NewSession), spent: t.job.Previous,
		look: harness.Look{State: harness.StateUnknown},
	}
	t.Fail.Hit(failpoint.SuperviseStarted)
	if err := t.recordProcess(ctx); err != nil {
		return errors.Join(fmt.Errorf("record the harness of run %d: %w", t.run.ID, err), started.Abandon())
	}
	t.Fail.Hit(failpoint.SuperviseRecorded)
	if err := t.pipeLog(ctx); err != nil {
		t.note("log the pane", err)
	}
	if err := started.Release(); err != nil {
		return err
	}
	t.Fail.Hit(failpoint.SuperviseReleased)
	return t.interruptible(ctx, t.give)
}

// goOn gives a kept agent its next prompt.
func (t *turn) goOn(ctx context.Context) error {
	t.ended = t.agent.ended
	if err := freshResult(t.job.ResultPath); err != nil {
		return fmt.Errorf("remove the last result: %w", err)
	}
	t.note("log the pane", t.pipeLog(ctx))
	return t.interruptible(ctx, t.give)
}

// give submits the prompt: one pasted line that names its file (PAN-2), once the agent takes it.
func (t *turn) give(ctx context.Context) error {
	if err := t.awaitReady(ctx); err != nil || t.talk.over {
		return err
	}
	if err := t.submit(ctx); err != nil {
		return fmt.Errorf("give run %d its prompt: %w", t.run.ID, err)
	}
	now := t.Clock.Now()
	t.listen(now) // what it printed before is no progress of this run
	t.talk.given, t.talk.spoke, t.life.launched = now, time.Time{}, now
	return nil
}

// submit pastes the line that names the prompt's file, and presses Enter.
func (t *turn) submit(ctx context.Context) error {
	return t.Tmux.Submit(ctx, t.pane, []byte(harness.PasteLine(t.job.PromptPath)))
}

// awaitReady waits until the agent takes a prompt: it says that it idles, or its screen stands still where it does not tell.
// A screen that only a person may answer ends the run (PAN-3).
func (t *turn) awaitReady(ctx context.Context) error {
	began := t.Clock.Now()
	still := began
	last := t.agent.screen
	for {
		if err := t.Clock.Sleep(ctx, readyStill/4); err != nil {
			return err
		}
		if len(t.ended) > 0 {
			return nil // watch sees how
		}
		now := t.Clock.Now()
		if err := t.observe(ctx); err != nil {
			return fmt.Errorf("look at pane %s: %w", paneName(t.pane), err)
		}
		if t.agent.screen != last {
			last, still = t.agent.screen, now
		}
		look := t.agent.look
		switch {
		case t.asks(look):
			return nil
		case look.Needs != "":
		case look.Dismiss != "":
			t.note("dismiss a dialog", t.Tmux.SendKeys(ctx, t.pane, look.Dismiss))
		case look.State == harness.StateIdle && now.Sub(still) >= readyStill:
			return nil
		case look.State == harness.StateUnknown && now.Sub(still) >= t.patience() && (last != "" || t.agent.name == "exec"):
			return nil
		case now.Sub(began) >= readyMost:
			return fmt.Errorf("%s did not become ready for a prompt within %s; its screen: %s", t.agent.name, readyMost, lastBytes(last, tailBytes))
		}
	}
}

// patience is how long a screen must stand where the agent does not tell its state: a CLI that could tell is still starting.
func (t *turn) patience() time.Duration {
	const starting = 12 // times readyStill
	if harness.StateFile(t.agent.name, t.agent.job, t.root.PID) == "" && t.agent.name == "exec" {
		return readyStill
	}
	return starting * readyStill
}

// asks notes a screen that only a person may answer, once two looks have seen it: the run ends, and the card waits for an
// answer with the screen's text (PAN-3).
func (t *turn) asks(look harness.Look) bool {
	if look.Needs == "" {
		t.talk.needs = 0
		return false
	}
	if t.talk.needs++; t.talk.needs < 2 {
		return false
	}
	t.exit.Ask = fmt.Sprintf("%s shows a screen that a person must answer:\n%s", t.agent.name, look.Needs)
	t.exit.AskKind = board.BlockScreen
	t.talk.over = true
	return true
}

// tmuxLimit bounds one question to tmux, so that a server that stands still does not hold up the limits of a run.
const tmuxLimit = 3 * time.Second

// observe looks at the agent's screen and at what it publishes of itself.
func (x *session) observe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tmuxLimit)
	defer cancel()
	a := x.agent
	screen, err := x.Tmux.Capture(ctx, x.pane, 0)
	if err != nil {
		return err
	}
	pane := harness.Pane{Text: screen}
	if a.name == "codex" { // its title tells its state; that of others tells nothing
		pane.Title = x.title(ctx)
	}
	if path := harness.StateFile(a.name, a.job, x.root.PID); path != "" {
		if data, err := readBounded(path, readBytes); err == nil {
			pane.StateFile = data
		}
	}
	a.screen, a.look = screen, harness.Watch(a.name, pane)
	a.session = cmp.Or(a.look.Session, a.session)
	return nil
}

func (x *session) title(ctx context.Context) string {
	all, err := x.Tmux.ListPanes(ctx)
	if err != nil {
		return ""
	}
	for _, p := range all {
		if p.Pane == x.pane.Pane && p.PID == x.pane.PID {
			return p.Title
		}
	}
	return ""
}

// lookAtAgent is what an interactive run has told so far.
func (t *turn) lookAtAgent(ctx context.Context, now time.Time) seen {
	k := t.talk
	t.listen(now)
	if now.Sub(k.looked) >= screenEvery {
		k.looked = now
		err := t.observe(ctx)
		if err != nil && !errors.Is(err, tmux.ErrPaneGone) {
			t.note("look at the pane", err)
		}
		if err == nil {
			t.judgeAgent(ctx, now)
		}
	}
	return seen{Progress: k.spoke, Session: t.agent.session, Model: t.agent.model}
}

// judgeAgent takes in what a look has shown.
func (t *turn) judgeAgent(ctx context.Context, now time.Time) {
	k, look := t.talk, t.agent.look
	k.saw(look.State, now)
	if look.State == harness.StateWaiting {
		k.spoke = now // it waits for a person, which is no silence of its own
	}
	t.tellState(ctx, sessionState(look.State), look.Question)
	if t.agent.model == "" && k.begun {
		t.agent.model = t.transcript(now).Model // caps count the model that it is seen to run (CAP-3)
	}
	switch {
	case t.asks(look):
	case look.Limit != "" && t.limited(look.Limit, now):
	case !k.nudged && k.waitsFor(nudgeAfter, now):
		k.nudged = true
		t.note("press Enter", t.Tmux.SendKeys(ctx, t.pane, "Enter"))
	case !k.again && k.waitsFor(againAfter, now):
		k.again = true
		t.note("submit the prompt again", t.submit(ctx))
	case k.waitsFor(lostAfter, now):
		t.exit.SpawnError = fmt.Sprintf("%s does not take its prompt; its screen: %s", t.agent.name, lastBytes(t.agent.screen, tailBytes))
		k.over = true
	case k.ended(now, t.life.finished):
		k.over = true
	}
}

// limited ends the run of an agent that would wait out the limit of its plan by itself: another executor may go on at once.
func (t *turn) limited(line string, now time.Time) bool {
	found := harness.Classify(line, now)
	if found.Class != harness.ClassUsageLimited && found.Class != harness.ClassQuota {
		return false
	}
	t.talk.limit = &harness.Failure{Class: found.Class, Message: line, ResetAt: found.ResetAt, RetryAfter: found.RetryAfter, OneModel: found.OneModel}
	t.talk.over = true
	return true
}

// listen notes whether the agent has written anything since the last look: into its pane, or into its own record, which tells
// work from an animation.
func (t *turn) listen(now time.Time) {
	k := t.talk
	if path := latest(harness.TranscriptPath(t.agent.name, t.agent.job, t.agent.session)); path != "" {
		if at := modified(path); at.UnixNano() != k.size {
			k.size, k.spoke = at.UnixNano(), now
			k.begun = k.begun || !k.given.IsZero()
		}
		return
	}
	info, err := os.Stat(t.logPath())
	if err == nil && info.Size() != k.size {
		k.size, k.spoke = info.Size(), now
	}
}

// sessionState is the agent's state in the board's words.
func sessionState(s harness.State) board.SessionState {
	switch s {
	case harness.StateBusy:
		return board.SessionBusy
	case harness.StateWaiting:
		return board.SessionWaiting
	case harness.StateIdle:
		return board.SessionIdle
	case harness.StateUnknown:
	}
	return board.SessionUnknown
}

// tellState stores what the session does, when that has changed. A session in a run is never stored as idle: that is the
// word for one that takes the next run.
func (t *turn) tellState(ctx context.Context, state board.SessionState, question string) {
	if state == board.SessionIdle {
		state = board.SessionBusy
	}
	if state == t.told && question == t.question {
		return
	}
	t.told, t.question = state, question
	t.tryWrite(ctx, "store the session's state", func() error {
		return t.store.UpdateSession(ctx, board.At(t.Clock.Now()), t.id, board.SessionUpdate{State: state, WaitingFor: question})
	})
}

func (t *turn) logPath() string { return filepath.Join(t.dir, "output.log") }

// pipeLog makes tmux append all that the pane prints to the run's log.
func (t *turn) pipeLog(ctx context.Context) error {
	return t.Tmux.PipePane(ctx, t.pane, t.logPath())
}

// turnLog bounds the log of a pane, which tmux writes.
func (t *turn) turnLog(ctx context.Context) {
	info, err := os.Stat(t.logPath())
	if err != nil || info.Size() <= logBytes {
		return
	}
	l, err := openLog(t.logPath())
	if err == nil {
		err = errors.Join(l.rotate(), l.Close())
	}
	t.note("turn the log over", errors.Join(err, t.pipeLog(ctx)))
}

// hideSecrets takes secrets out of a log that tmux has written (SUP-7).
func (t *turn) hideSecrets(ctx context.Context) {
	data, err := os.ReadFile(t.logPath())
	if err != nil {
		return
	}
	if clean := t.redact.Bytes(data); len(clean) != len(data) {
		t.note("hide secrets", errors.Join(home.WriteFile(t.logPath(), clean), t.pipeLog(ctx)))
	}
}
