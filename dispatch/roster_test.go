package dispatch_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// newShift is a home whose roster has these entries, and whose runs come and go without processes.
func newShift(tb testing.TB, executors ...string) *place {
	tb.Helper()
	p := newPlace(tb)
	p.staff(executors...)
	return p
}

// staff writes the roster anew. An entry needs no more than its id and what matters to the test.
func (p *place) staff(executors ...string) {
	p.tb.Helper()
	text := "executors:\n"
	for _, e := range executors {
		if !strings.Contains(e, "roles:") {
			e += ", roles: [coder, reviewer]"
		}
		text += "  - {harness: exec, command: [\"true\"], " + e + "}\n"
	}
	p.write("roster.yaml", text)
}

// starts ticks, and gives the run that the tick started, which begins.
func (p *place) starts() board.Run {
	p.tb.Helper()
	r := p.tick()
	if len(r.Started) != 1 {
		p.tb.Fatalf("%d runs started, want one; the report is %+v", len(r.Started), r)
	}
	p.begins(r.Started[0].Run)
	return p.run(r.Started[0].Run)
}

// failed is the exit of a run that its harness explains with a class.
func failed(class board.Outcome, change ...func(*board.Result)) board.Exit {
	code := 1
	exit := board.Exit{Code: &code, Output: true, Result: board.Result{Class: string(class), Message: "so it said"}}
	for _, f := range change {
		f(&exit.Result)
	}
	return exit
}

func resets(at time.Time) func(*board.Result) {
	return func(r *board.Result) { r.ResetAt = board.At(at) }
}

func said(session string) func(*board.Result) {
	return func(r *board.Result) { r.Session = session }
}

// ended gives a run its exit and settles it in a tick that starts nothing.
func (p *place) ended(run board.Run, exit board.Exit) board.Run {
	p.tb.Helper()
	p.exits(run.ID, exit)
	p.tick(func(o *dispatch.TickOptions) { o.Only = "nobody" })
	return p.run(run.ID)
}

// text is what a query of one text gives.
func (p *place) text(query string) string {
	p.tb.Helper()
	db, err := sql.Open("sqlite", p.home.DB())
	if err != nil {
		p.tb.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var text string
	if err := db.QueryRowContext(p.tb.Context(), query).Scan(&text); err != nil {
		p.tb.Fatal(err)
	}
	return text
}

func (p *place) theCard(id string) board.Card {
	p.tb.Helper()
	c, err := p.store.Card(p.tb.Context(), id)
	if err != nil {
		p.tb.Fatal(err)
	}
	return c
}

// standing is how `board roster` shows an executor.
func (p *place) standing(id string) roster.Standing {
	p.tb.Helper()
	s, _, err := dispatch.Look(p.tb.Context(), p.deps(p.store), dispatch.Options{})
	if err != nil {
		p.tb.Fatal(err)
	}
	for _, x := range dispatch.Standings(s, "api") {
		if x.ID == id {
			return x
		}
	}
	p.tb.Fatalf("no executor %s", id)
	return roster.Standing{}
}

// kinds counts the events of the home by kind.
func (p *place) kinds() map[string]int {
	p.tb.Helper()
	events, err := p.store.Events(p.tb.Context(), "", 10_000)
	if err != nil {
		p.tb.Fatal(err)
	}
	n := map[string]int{}
	for _, e := range events {
		n[e.Kind]++
	}
	return n
}

// The table of 03, "Endings and retries": what each outcome does to the card and to its executor (RET-1, RET-2, ROS-7).
func TestEndings_TheTableOf03(t *testing.T) {
	t.Parallel()
	exit := func(code int) board.Exit { return board.Exit{Code: &code, Output: true} }
	stopped := func(o board.Outcome) board.Exit { x := exit(1); x.Stop, x.StopReason = o, "so"; return x }
	for _, c := range []struct {
		name    string
		exit    board.Exit
		outcome board.Outcome
		status  string
		failure bool               // it counts, and the next start waits
		out     roster.RefusalCode // of the executor
		ask     string             // kind of the question to a person
		next    string             // executor of the next start, in the same tick as the ending; "" = none
	}{
		{"exit 0", exit(0), board.Completed, "review", false, "", "", "b"},
		{"exit 1", exit(1), board.Failed, "doing", true, "", "", ""},
		{"gone", board.Exit{Crashed: true, Output: true}, board.Crashed, "doing", true, "", "", ""},
		{"runtime", stopped(board.TimedOut), board.TimedOut, "doing", true, "", "", ""},
		{"quiet", stopped(board.Quiet), board.Quiet, "doing", true, "", "", ""},
		{"setup failed", board.Exit{SpawnError: "setup: exit 2"}, board.SpawnFailed, "doing", true, "", "", ""},
		{"workspace asks", board.Exit{Ask: "the branch is checked out elsewhere"}, board.SpawnFailed, "doing", false, "", board.BlockConflict, ""},
		{"rate limit", failed(board.RateLimited), board.RateLimited, "doing", false, "", "", ""},
		{"usage limit", failed(board.UsageLimited), board.UsageLimited, "doing", false, roster.RefusedUntil, "", "b"},
		{"signed out", failed(board.Unauthenticated), board.Unauthenticated, "doing", false, roster.RefusedConfig, "", "b"},
		{"no credits", failed(board.Quota), board.Quota, "doing", false, roster.RefusedConfig, "", "b"},
		{"no such model", failed(board.ModelUnavailable), board.ModelUnavailable, "doing", false, roster.RefusedConfig, "", "b"},
		{"no program", board.Exit{Missing: true, SpawnError: "claude: not found"}, board.HarnessMissing, "doing", false, roster.RefusedConfig, "", "b"},
		{"overloaded", failed(board.Overloaded), board.Overloaded, "doing", false, roster.RefusedUntil, "", "b"},
		{"outage", failed(board.Outage), board.Outage, "doing", false, roster.RefusedUntil, "", "b"},
		{"context", failed(board.ContextOverflow), board.ContextOverflow, "doing", true, "", "", ""},
		{"blocked", board.Exit{Code: new(int), Result: board.Result{Verdict: board.VerdictBlocked, Reason: "which one?"}}, board.Blocked, "doing", false, "", "question", ""},
		{"interrupted", stopped(board.Interrupted), board.Interrupted, "doing", false, "", "", "a"},
		{"rebooted", board.Exit{Rebooted: true}, board.Interrupted, "doing", false, "", "", "a"},
		{"reclaimed", stopped(board.Reclaimed), board.Reclaimed, "doing", false, "", "", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newShift(t, `id: a, priority: 1`, `id: b, priority: 2`)
			id := p.card("todo")
			run := p.starts()
			p.exits(run.ID, c.exit)
			dry := p.dry(nil)
			r := p.tick()
			card, ended := p.theCard(id), p.run(run.ID)
			if ended.Outcome != c.outcome || card.Status != c.status {
				t.Fatalf("%s (%s), card in %s; want %s, %s", ended.Outcome, ended.Reason, card.Status, c.outcome, c.status)
			}
			if failure := card.Failures == 1 && card.NotBefore > p.now(); failure != c.failure {
				t.Errorf("failures %d, not before %v; want a failure with backoff: %v", card.Failures, card.NotBefore, c.failure)
			}
			var out roster.RefusalCode
			if x := p.standing("a").Out; x != nil {
				out = x.Code
			}
			if out != c.out {
				t.Errorf("a is out with %q, want %q", out, c.out)
			}
			if b := p.view().Blocks[id]; b.Kind != c.ask {
				t.Errorf("asked %q (%s), want %q", b.Kind, b.Text, c.ask)
			}
			next := ""
			if len(r.Started) > 0 {
				next = r.Started[0].Executor
			}
			if next != c.next {
				t.Errorf("next on %q, want %q; held %+v", next, c.next, r.Held)
			}
			if !slices.Equal(startedIn(dry), startedIn(r)) || len(dry.Held) != len(r.Held) { // DSP-2
				t.Errorf("the dry run before it said %+v and %+v", dry.Started, dry.Held)
			}
			if live := p.view().Leases; len(live) != len(r.Started) { // ROS-5
				t.Errorf("leases %+v after it, want those of %d runs", live, len(r.Started))
			}
		})
	}
}

// RET-4: a review without a verdict is asked once, then it is a failure.
func TestEndings_RET4_AskedOnceThenAFailure(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: better, priority: 1`, `id: a, priority: 2`)
	id := p.card("review")
	p.paused("better") // and back before the question, which is not for it
	silent := board.Exit{Code: new(int), Output: true, Result: board.Result{Session: "s1"}}
	first := p.ended(p.starts(), silent)
	if c := p.theCard(id); first.Outcome != board.NoVerdict || c.Failures != 0 || c.NotBefore != 0 || c.Unanswered != 1 {
		t.Fatalf("%s: %+v, want to be asked at once", first.Outcome, c)
	}
	if _, err := p.store.Resume(t.Context(), p.now(), board.ResumeRequest{Kind: board.PauseExecutor, Target: "better", Actor: "ada"}); err != nil {
		t.Fatal(err)
	}
	second := p.starts()
	if second.Mode != board.ModeResume || second.Resumes != first.Session {
		t.Fatalf("the question went to %+v, want the same conversation", second)
	}
	if second = p.ended(second, silent); second.Outcome != board.NoVerdict {
		t.Fatalf("%s, want no_verdict", second.Outcome)
	}
	if c := p.theCard(id); c.Failures != 1 || c.NotBefore <= p.now() {
		t.Fatalf("failures %d, not before %v: want a failure with backoff", c.Failures, c.NotBefore)
	}
}

// RET-1, RET-2, RET-3 and faults 47, 51: backoff grows and is stored, the row of failures holds the card for a person.
func TestEndings_RET2_BackoffGrowsUntilAPersonIsAsked(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a`)
	id := p.card("todo")
	var waits []time.Duration
	for {
		run := p.starts()
		code := 1
		p.exits(run.ID, board.Exit{Code: &code, Output: true, Result: board.Result{Message: "tests fail"}})
		if r := p.tick(); len(r.Started) != 0 {
			t.Fatalf("a second attempt in the tick that settled the first: %+v", r.Started)
		}
		c := p.theCard(id)
		if c.NotBefore == 0 || len(waits) == 2 {
			break
		}
		waits = append(waits, c.NotBefore.Sub(p.now()))
		if h := heldIn(t, p.tick(), id); h.Code != board.HoldNotBefore || h.Until != c.NotBefore {
			t.Fatalf("held %+v, want until %v", h, c.NotBefore)
		}
		p.clock.Advance(waits[len(waits)-1])
	}
	if len(waits) != 2 || waits[1] < waits[0]*3/2 {
		t.Errorf("waits %v, want two that grow", waits)
	}
	h := heldIn(t, p.tick(), id)
	if h.Code != board.HoldNeedsPerson || !strings.Contains(h.Text, "3 failures in a row") || !strings.Contains(h.Text, "tests fail") {
		t.Errorf("held %+v, want a person with the last error", h)
	}
}

// Fault 47: a card whose status keeps changing while it goes round is stopped by its lifetime.
func TestEndings_TheLifetimeHoldsACardThatGoesRound(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a`, `id: b`)
	p.write("workflows/test.yaml", withCaps()+"  retry: {lifetime_runs: 7}\n")
	id := p.card("todo")
	for n := 1; n <= 7; n++ {
		exit := board.Exit{Code: new(int), Output: true}
		if n%2 == 0 {
			exit.Result.Verdict, exit.Result.Reason = board.VerdictChanges, "again"
		}
		p.ended(p.starts(), exit)
	}
	if h := heldIn(t, p.tick(), id); h.Code != board.HoldNeedsPerson || !strings.Contains(h.Text, "7 runs in all") {
		t.Fatalf("held %+v, want a person after 7 runs", h)
	}
}

// A second question of the same kind in a row also notifies.
func TestEndings_ASecondBlockOfItsKindNotifies(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a`)
	id := p.card("todo")
	blocked := board.Exit{Code: new(int), Result: board.Result{Verdict: board.VerdictBlocked, Reason: "which one?"}}
	for n := range 2 {
		p.ended(p.starts(), blocked)
		if notices := p.kinds()["notice"]; notices != n {
			t.Fatalf("%d notices after %d questions, want %d", notices, n+1, n)
		}
		if _, err := p.store.Answer(t.Context(), p.now(), board.AnswerRequest{Card: id, Text: "this one", Actor: "ada"}); err != nil {
			t.Fatal(err)
		}
	}
}

// Scenarios 17, 22 and issue 4's bad input: when an executor is back. Zero: not at any time.
func TestExclusions_LastAsLongAsTheyShould(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		entry string
		exit  board.Exit
		until time.Duration
		note  string
	}{
		{"reset ahead", ``, failed(board.UsageLimited, resets(noon.Add(3*time.Hour))), 3 * time.Hour, ""},
		{"reset past", ``, failed(board.UsageLimited, resets(noon.Add(-time.Hour))), 30 * time.Minute, "lies in the past"},
		{"reset unread", ``, failed(board.UsageLimited), 30 * time.Minute, ""},
		{"reset in a year", ``, failed(board.UsageLimited, resets(noon.AddDate(1, 0, 0))), 8 * 24 * time.Hour, "more than 8 days ahead"},
		{"own cooldown", `, cooldown: {usage_limit: 2h}`, failed(board.UsageLimited), 2 * time.Hour, ""},
		{"outage", ``, failed(board.Outage), 5 * time.Minute, ""},
		{"overload", `, cooldown: {outage: 7m}`, failed(board.Overloaded), 7 * time.Minute, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newShift(t, `id: a`+c.entry)
			id := p.card("todo")
			run := p.starts()
			run = p.ended(run, c.exit)
			back := run.EndedAt.Time().Add(c.until)
			if c.note == "" && c.name == "reset ahead" {
				back = noon.Add(c.until)
			}
			if x := p.standing("a").Out; x == nil || x.Until.Sub(back).Abs() > time.Second {
				t.Fatalf("out %+v, want until %v", x, back)
			}
			if !strings.Contains(run.Reason, c.note) {
				t.Errorf("reason %q, want %q said", run.Reason, c.note)
			}
			h := heldIn(t, p.tick(), id)
			if h.Code != board.HoldRoster || h.Until.Time().Sub(back).Abs() > time.Second || strings.Contains(h.Text, "exhausted") { // ROS-6
				t.Errorf("held %+v, want the roster until %v", h, back)
			}
			p.clock.Advance(c.until + 2*time.Second)
			if r := p.tick(); len(r.Started) != 1 {
				t.Errorf("after the reset %+v, want a start by itself", r)
			}
			if n := p.kinds()["executor.back"]; n != 1 { // ROS-9
				t.Errorf("%d events of its return, want one", n)
			}
		})
	}
}

// ROS-8, scenarios 18 and 19.
func TestExclusions_ROS8_TheThirdRateLimitInTenMinutes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gaps []time.Duration
		out  bool
	}{
		"two":                     {[]time.Duration{0, 2 * time.Minute}, false},
		"three":                   {[]time.Duration{0, 2 * time.Minute, 2 * time.Minute}, true},
		"a success between":       {[]time.Duration{0, 2 * time.Minute, -1, 2 * time.Minute}, true},
		"the third in 11 minutes": {[]time.Duration{0, 2 * time.Minute, 11 * time.Minute}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newShift(t, `id: a, slots: 3`)
			var last board.Run
			for i, gap := range c.gaps {
				id := p.card("todo", func(c *board.Card) { c.Priority = i })
				if gap > 0 {
					p.clock.Advance(gap)
				}
				r := p.tick(func(o *dispatch.TickOptions) { o.Only = id })
				if len(r.Started) != 1 {
					t.Fatalf("%+v, want a start of %s", r, id)
				}
				p.begins(r.Started[0].Run)
				exit := failed(board.RateLimited)
				if gap < 0 {
					exit = board.Exit{Code: new(int)}
				}
				last = p.ended(p.run(r.Started[0].Run), exit)
				if card := p.theCard(id); gap >= 0 && card.Failures != 0 {
					t.Fatalf("%+v: a rate limit is no failure", card)
				}
			}
			if out := p.standing("a").Out; (out != nil) != c.out {
				t.Fatalf("out %+v, want %v", out, c.out)
			}
			if card := p.theCard(last.Card); !c.out && card.NotBefore.Sub(last.EndedAt) != time.Minute {
				t.Errorf("not before %v, want a minute after %v", card.NotBefore, last.EndedAt)
			}
			if limits := p.view().RateLimits["a"]; c.out && len(limits) != 0 {
				t.Errorf("the count %v is not cleared", limits)
			}
		})
	}
}

// A rate limit waits as long as it says, and at least a minute; the conversation goes on.
func TestExclusions_ARateLimitResumesAfterItsWait(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a`)
	id := p.card("todo")
	first := p.ended(p.starts(), failed(board.RateLimited, said("s1"), func(r *board.Result) { r.RetryAfter = 90 * time.Second }))
	if wait := p.theCard(id).NotBefore.Sub(first.EndedAt); wait != 90*time.Second {
		t.Fatalf("waits %v, want 90s", wait)
	}
	p.clock.Advance(90 * time.Second)
	if again := p.starts(); again.Mode != board.ModeResume || again.Resumes != first.Session {
		t.Fatalf("%+v, want the session of run %d resumed", again, first.ID)
	}
}

// ROS-11: executors of an account share its usage limits, and nothing else.
func TestExclusions_ROS11_AnAccountSharesItsUsageLimits(t *testing.T) {
	t.Parallel()
	for _, class := range []board.Outcome{board.UsageLimited, board.Outage, board.Quota} {
		both := class == board.UsageLimited
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			p := newShift(t, `id: a, account: max`, `id: b, account: max`, `id: c, account: other`)
			p.card("todo")
			p.ended(p.starts(), failed(class))
			if out := p.standing("b").Out; (out != nil) != both {
				t.Errorf("b is out %+v, want %v", out, both)
			}
			if out := p.standing("c").Out; out != nil {
				t.Errorf("c is out %+v", out)
			}
			p.clock.Advance(31 * time.Minute)
			p.tick()
			if n, want := p.kinds()["executor.back"], map[bool]int{true: 2, false: 1}[both]; class != board.Quota && n != want {
				t.Errorf("%d are back, want %d", n, want)
			}
		})
	}
}

// ROS-10 and scenario 67: a pause by hand stands whatever else ends or begins.
func TestExclusions_ROS10_APauseByHandStands(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a`)
	id := p.card("todo")
	run := p.starts()
	until := p.now().Add(2 * time.Hour)
	if _, err := p.store.Pause(t.Context(), p.now(), board.PauseRequest{Pause: board.Pause{Kind: board.PauseExecutor, Target: "a", Actor: "ada", Until: until, Reason: "mine"}}); err != nil {
		t.Fatal(err)
	}
	p.ended(run, failed(board.UsageLimited, resets(p.clock.Now().Add(time.Hour))))
	p.clock.Advance(61 * time.Minute)
	h := heldIn(t, p.tick(), id)
	if !strings.Contains(h.Text, "paused by hand until") || !strings.Contains(h.Text, "mine") || h.Until != until {
		t.Fatalf("held %+v, want the pause", h)
	}
	if n := p.kinds()["executor.back"]; n != 0 {
		t.Fatalf("%d events of a return from a pause that stands", n)
	}
	p.clock.Advance(time.Hour)
	if r := p.tick(); len(r.Started) != 1 || p.kinds()["executor.back"] != 1 {
		t.Fatalf("%+v after the pause's time, want a start and one event: %v", r, p.kinds())
	}
}

// A config exclusion ends when the entry changes, and not before.
func TestExclusions_ConfigEndsWhenTheEntryChanges(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a, model: one`)
	id := p.card("todo")
	p.ended(p.starts(), failed(board.ModelUnavailable))
	p.clock.Advance(30 * 24 * time.Hour)
	if h := heldIn(t, p.tick(), id); !strings.Contains(h.Text, "roster exhausted: nobody can ever serve as coder: a out until its entry") || strings.Count(h.Text, "exhausted") != 1 {
		t.Fatalf("held %+v, want the roster exhausted", h)
	}
	p.staff(`id: a, model: two`)
	if r := p.tick(); len(r.Started) != 1 || r.Started[0].Model != "two" || p.kinds()["executor.back"] != 1 {
		t.Fatalf("%+v, want a start with the entry changed, and one event", r)
	}
}

// 03's table: a model that the card itself asked for blames nobody.
func TestExclusions_TheCardsOwnModelAsksAPerson(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a, model: good, slots: 2`)
	id := p.card("todo", func(c *board.Card) { c.Model = "bad" })
	p.ended(p.starts(), failed(board.ModelUnavailable))
	other := p.card("todo")
	r := p.tick()
	if h := heldIn(t, r, id); h.Code != board.HoldNeedsPerson || !strings.Contains(h.Text, `"bad"`) {
		t.Errorf("held %+v, want a person asked about the model", h)
	}
	if got := startedIn(r); !slices.Equal(got, []string{other}) || r.Started[0].Executor != "a" {
		t.Errorf("started %v, want %s on a", got, other)
	}
}

// ROS-21.
func TestExclusions_ROS21_ThreeSilentFailuresOfDifferentCards(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a, slots: 3`)
	code := 1
	var last board.Run
	for range 3 {
		p.card("todo")
		last = p.ended(p.starts(), board.Exit{Code: &code})
	}
	if out := p.standing("a").Out; last.Outcome != board.Outage || out == nil || out.Code != roster.RefusedUntil {
		t.Fatalf("%s, out %+v: want an outage", last.Outcome, out)
	}
	if c := p.theCard(last.Card); c.Failures != 0 || c.Handovers != 1 {
		t.Fatalf("%+v: the third card is not to blame", c)
	}
}

// ROS-16, ROS-17, ROS-19: two handovers, then a failure with backoff; a way back goes on with the conversation that was left.
func TestHandover_ROS17_TwiceThenAFailure(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: pi, priority: 1`, `id: codex, priority: 2`, `id: claude, priority: 3`)
	id := p.card("todo")
	for n, want := range []string{"pi", "codex", "claude"} {
		run := p.starts()
		if run.Executor != want || run.Mode != board.ModeFresh {
			t.Fatalf("attempt %d is %+v, want it fresh on %s", n+1, run, want)
		}
		p.ended(run, failed(board.UsageLimited, said(want+"-1"), resets(p.clock.Now().Add(time.Duration(n+1)*time.Hour))))
	}
	c := p.theCard(id)
	if c.Handovers != 2 || c.Failures != 1 || c.NotBefore <= p.now() {
		t.Fatalf("%+v: want two handovers, then a failure with backoff", c)
	}
	p.clock.Advance(61 * time.Minute)
	if run := p.starts(); run.Executor != "pi" || run.Mode != board.ModeResume || run.Resumes != 1 {
		t.Fatalf("%+v, want pi's own session resumed", run)
	}
	if got := p.text(`SELECT executor_history FROM card_board WHERE card = 'api-1'`); got != "pi -> codex -> claude -> pi" {
		t.Errorf("history %q", got)
	}
}

// ROS-18: a reviewer moves once.
func TestHandover_ROS18_AReviewMovesOnce(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a, priority: 1`, `id: b, priority: 2`, `id: c, priority: 3`)
	id := p.card("review")
	p.ended(p.starts(), failed(board.Quota))
	if c := p.theCard(id); c.Moves != 1 || c.Failures != 0 {
		t.Fatalf("%+v, want one move", c)
	}
	run := p.starts()
	if run.Executor != "b" {
		t.Fatalf("moved to %s, want b", run.Executor)
	}
	p.ended(run, failed(board.Quota))
	if c := p.theCard(id); c.Moves != 1 || c.Failures != 1 || c.NotBefore <= p.now() {
		t.Fatalf("%+v, want a failure with backoff", c)
	}
}

// Issue 4: 300 ticks while an executor is out add no row to events or holds beyond the changes; fault 45: one run, no failure.
func TestHandover_ManyTicksWhileAnExecutorIsOutWriteNothing(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a`)
	p.write("roster.yaml", `executors: [{id: a, harness: exec, command: ["true"], roles: [coder]}, {id: h, harness: exec, command: ["true"], roles: [reviewer], health: "http://h"}]`)
	id, waits := p.card("todo"), p.card("review")
	p.health = func(context.Context, string) roster.Probe { return roster.Probe{Text: "500"} }
	p.ended(p.starts(), failed(board.UsageLimited, resets(noon.Add(10*time.Hour))))
	p.tick()
	p.tick() // of idle ticks the latest is kept
	const rows = `
		SELECT (SELECT count(*) FROM events) || ' ' || (SELECT group_concat(card || code || since_at_ms || text) FROM holds)
			|| ' ' || (SELECT count(*) FROM exclusions) || ' ' || (SELECT count(*) FROM ticks)`
	before := p.text(rows)
	for range 300 {
		p.clock.Advance(time.Minute)
		p.tick()
	}
	if after := p.text(rows); after != before {
		t.Errorf("300 ticks changed rows:\n%s\n%s", before, after)
	}
	if c := p.theCard(id); c.Attempts != 1 || c.Failures != 0 {
		t.Errorf("%+v, want one run and no failure", c)
	}
	if h := heldIn(t, p.tick(), waits); !strings.Contains(h.Text, "health URL") {
		t.Errorf("held %+v, want the health URL named", h)
	}
	p.clock.Advance(6 * time.Hour)
	p.health = func(context.Context, string) roster.Probe { return roster.Probe{OK: true} }
	r := p.tick()
	if got := startedIn(r); len(got) != 2 || p.kinds()["executor.back"] != 2 {
		t.Errorf("started %v with %v, want both and two returns", got, p.kinds())
	}
}

// 04, Exclusions: a health URL that hangs, redirects, answers 200 slowly, and one that is well.
func TestAskHealth_OnlyAnAnswerIn2xxInTimeIsWell(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hangs":
			<-hang
		case "/redirects":
			http.Redirect(w, r, "/well", http.StatusFound)
		case "/broken":
			w.WriteHeader(http.StatusInternalServerError)
		case "/drips": // well at once, and its body never ends
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-hang
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(hang) })
	for path, want := range map[string]bool{"/well": true, "/drips": true, "/redirects": false, "/broken": false, "/hangs": false} {
		ctx := t.Context()
		if path == "/hangs" { // the limit is what ends it, whosever it is
			short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
			defer cancel()
			ctx = short
		}
		if got := dispatch.AskHealth(ctx, server.URL+path); got.OK != want || !want && got.Text == "" {
			t.Errorf("%s: %+v, want %v", path, got, want)
		}
	}
	if got := dispatch.AskHealth(t.Context(), "http://127.0.0.1:1/"); got.OK || got.Text == "" {
		t.Errorf("nobody listens: %+v", got)
	}
}

// Scenario 42 and ROS-9: down before the first lease of a tick, then up: one exclusion, one return.
func TestExclusions_AHealthURLTakesOutAndPutsBack(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a, health: "http://a"`, `id: b, health: "http://b"`, `id: c, health: "http://c"`)
	down := map[string]bool{"http://a": true}
	p.health = func(_ context.Context, url string) roster.Probe { return roster.Probe{OK: !down[url], Text: "503"} }
	p.card("todo")
	run := p.starts()
	if run.Executor != "b" {
		t.Fatalf("started on %s, want b: a does not answer", run.Executor)
	}
	p.ended(run, failed(board.Outage))
	if out := p.standing("b").Out; out == nil || out.Code != roster.RefusedUnhealthy {
		t.Fatalf("b is out %+v, want until its URL answers", out)
	}
	down["http://b"] = true
	if r := p.tick(); r.Pause(time.Minute) != roster.ProbeEvery || r.Pause(time.Second) != time.Second {
		t.Errorf("while URLs are asked a loop waits %v of a minute, want 15s", r.Pause(time.Minute))
	}
	clear(down)
	if r := p.tick(); r.Pause(time.Minute) != time.Minute {
		t.Errorf("when all answer a loop waits %v, want its minute", r.Pause(time.Minute))
	}
	if a, b := p.standing("a").Out, p.standing("b").Out; a != nil || b != nil {
		t.Errorf("out %+v and %+v, want both back", a, b)
	}
	if n := p.kinds(); n["executor.back"] != 2 || n["executor.excluded"] != 2 {
		t.Errorf("events %v, want two of each", n)
	}
}

// ROS-13..15, scenarios 59, 62: who reviews where nobody else can, will, or is there.
func TestIndependence_ROS14_WhyAReviewIsNotIndependent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		staff   []string
		before  func(p *place)
		reviews string
		because string
	}{
		"another":     {[]string{`id: a, priority: 1`, `id: b, priority: 2`}, nil, "b", ""},
		"nobody":      {[]string{`id: a`}, nil, "a", "nobody"},
		"no role":     {[]string{`id: a`, `id: b, roles: [coder], priority: 9`}, nil, "a", "nobody"},
		"out":         {[]string{`id: a, priority: 1`, `id: b, priority: 2`}, func(p *place) { p.paused("b") }, "a", "out"},
		"held":        {[]string{`id: a, priority: 1`, `id: b, priority: 2`}, func(p *place) { p.coders("b") }, "a", "held"},
		"merely busy": {[]string{`id: a, priority: 1`, `id: b, priority: 2, roles: [reviewer]`}, func(p *place) { p.reviews("b") }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newShift(t, c.staff...)
			id := p.card("todo", func(c *board.Card) { c.Priority = 5 })
			p.exits(p.starts().ID, board.Exit{Code: new(int), Output: true})
			if c.before != nil {
				c.before(p)
			}
			r := p.tick(func(o *dispatch.TickOptions) { o.Only = id })
			if c.reviews == "" {
				if h := heldIn(t, r, id); h.Code != board.HoldRoster || !strings.Contains(h.Text, "b busy") {
					t.Fatalf("held %+v, want to wait for b", h)
				}
				return
			}
			if len(r.Started) != 1 {
				t.Fatalf("%+v, want the review to start", r)
			}
			run := p.run(r.Started[0].Run)
			if run.Executor != c.reviews || run.DependentBecause != c.because || run.Independent == nil || *run.Independent != (c.because == "") {
				t.Errorf("on %s because %q, independent %v; want %s, %q", run.Executor, run.DependentBecause, run.Independent, c.reviews, c.because)
			}
			if l := p.view().Leases; l[len(l)-1].Because != c.because || l[len(l)-1].Clone != 1 {
				t.Errorf("leases %+v", l)
			}
		})
	}
}

func (p *place) paused(executor string) {
	p.tb.Helper()
	if _, err := p.store.Pause(p.tb.Context(), p.now(), board.PauseRequest{Pause: board.Pause{Kind: board.PauseExecutor, Target: executor, Actor: "ada"}}); err != nil {
		p.tb.Fatal(err)
	}
}

// coders gives each of the executors a coder, reviews a reviewer of some other card.
func (p *place) coders(executors ...string) { p.occupy("todo", executors) }

func (p *place) reviews(executors ...string) { p.occupy("review", executors) }

func (p *place) occupy(status string, executors []string) {
	p.tb.Helper()
	for _, e := range executors {
		p.paused("a")
		id := p.card(status)
		r := p.tick(func(o *dispatch.TickOptions) { o.Only = id })
		if len(r.Started) != 1 || r.Started[0].Executor != e {
			p.tb.Fatalf("%+v, want a run on %s", r, e)
		}
		if _, err := p.store.Resume(p.tb.Context(), p.now(), board.ResumeRequest{Kind: board.PauseExecutor, Target: "a", Actor: "ada"}); err != nil {
			p.tb.Fatal(err)
		}
	}
}

// Issue 4, bad input: a roster edited while its executor holds leases ends nothing; its new meaning holds for the next one.
func TestRoster_EditedWhileItsExecutorHoldsLeases(t *testing.T) {
	t.Parallel()
	for name, after := range map[string][]string{
		"removed":       {`id: b`},
		"slots lowered": {`id: a, slots: 1`, `id: b, priority: 9`},
		"renamed":       {`id: z, slots: 2, priority: 9`, `id: b`},
		"role taken":    {`id: a, slots: 2, roles: [reviewer]`, `id: b`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newShift(t, `id: a, slots: 2`, `id: b, priority: 9`)
			var runs []board.Run
			for range 2 {
				p.card("todo")
				runs = append(runs, p.starts())
			}
			if runs[0].Executor != "a" || runs[1].Executor != "a" || runs[1].Clone != 2 {
				t.Fatalf("%+v, want both on a", runs)
			}
			p.staff(after...)
			p.card("todo")
			r := p.tick()
			if len(r.Ended)+len(r.Stopping) != 0 || len(r.Started) != 1 || r.Started[0].Executor != "b" {
				t.Fatalf("%+v, want nothing ended and the third card on b", r)
			}
			p.exits(runs[0].ID, board.Exit{Code: new(int), Output: true})
			p.tick(func(o *dispatch.TickOptions) { o.Only = "nobody" })
			v := p.view()
			held := slices.Sorted(maps.Keys(leasesBy(v)))
			if p.run(runs[0].ID).Outcome != board.Completed || !slices.Equal(held, []string{"a#2", "b#1"}) {
				t.Fatalf("%s; leases %v, want a's second and b's", p.run(runs[0].ID).Outcome, held)
			}
		})
	}
}

func leasesBy(v *board.View) map[string]bool {
	all := map[string]bool{}
	for _, l := range v.Leases {
		all[fmt.Sprintf("%s#%d", l.Executor, l.Clone)] = true
	}
	return all
}

// limits.usd_per_day is a spend cap: it holds what would go beyond, lets the next executor serve, and opens a day later.
func TestRoster_CAP19_USDPerDayIsASpendCap(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a, priority: 1, limits: {usd_per_day: 2}`, `id: b, priority: 2`)
	p.paused("b")
	id := p.card("todo")
	cost := int64(2_500_000)
	p.ended(p.starts(), failed(board.RateLimited, func(r *board.Result) { r.CostMicros = &cost }))
	p.clock.Advance(2 * time.Minute)
	h := heldIn(t, p.tick(), id)
	if h.Code != board.HoldCapacity || h.Count != cost || h.Max != 2_000_000 || !strings.Contains(h.Text, "$2.5") || !strings.Contains(h.Key, "usd_per_day") {
		t.Fatalf("held %+v, want $2.50 of $2 with the key", h)
	}
	if _, err := p.store.Resume(t.Context(), p.now(), board.ResumeRequest{Kind: board.PauseExecutor, Target: "b", Actor: "ada"}); err != nil {
		t.Fatal(err)
	}
	if run := p.starts(); run.Executor != "b" {
		t.Fatalf("on %s, want b: a's dollars are spent", run.Executor)
	}
	p.clock.Advance(25 * time.Hour)
	p.card("todo")
	if r := p.tick(); len(r.Started) != 1 || r.Started[0].Executor != "a" {
		t.Fatalf("%+v, want a again after a day", r)
	}
}

// Scenarios 59, 60 and 63: a review beside its own card's idle worker borrows, takes no slot and has no clone.
func TestIndependence_ROS14_AReviewBorrowsBesideAnIdleWorker(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		staff   []string
		cards   int
		paused  string
		because string
	}{
		"nobody else":                  {[]string{`id: a`}, 1, "", "nobody"},
		"two that wait for each other": {[]string{`id: a`, `id: b`}, 2, "", "held"},
		"the other is out":             {[]string{`id: a, priority: 1`, `id: b, priority: 2`}, 1, "b", "out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newShift(t, c.staff...)
			worker := map[string]string{}
			for range c.cards {
				id := p.card("todo")
				r := p.tick(func(o *dispatch.TickOptions) { o.Only = id })
				run := r.Started[0].Run
				p.begins(run, func(x *board.Session) { x.Interactive = true })
				p.exits(run, board.Exit{Code: new(int), Output: true, Kept: true})
				worker[id] = r.Started[0].Executor
			}
			if c.paused != "" {
				p.paused(c.paused)
			}
			r := p.tick()
			if len(r.Started) != c.cards {
				t.Fatalf("%d reviews started, want %d: nobody may wait; held %+v", len(r.Started), c.cards, r.Held)
			}
			for _, s := range r.Started {
				if run := p.run(s.Run); s.Executor != worker[s.Card] || s.Clone != 0 || run.DependentBecause != c.because {
					t.Errorf("%s is reviewed by %s#%d because %q, want it borrowed of %s because %q", s.Card, s.Executor, s.Clone, run.DependentBecause, worker[s.Card], c.because)
				}
			}
			if x := p.standing("a"); x.Use.Used != 1 || len(x.Leases) != 2 {
				t.Errorf("a has %d of %d slots used and the leases %+v, want one slot and two leases", x.Use.Used, x.Use.Slots, x.Leases)
			}
		})
	}
}

// ROS-2, ROS-16: an idle pane of an executor that is out gets no further run; it is closed for whoever takes over, and kept where
// nobody could.
func TestHandover_ROS16_AnIdlePaneOfAnExecutorThatIsOut(t *testing.T) {
	t.Parallel()
	until := func(executor string) board.Exclusion {
		return board.Exclusion{Executor: executor, Kind: board.ExclusionKind(roster.KindUntil), Until: board.At(noon.Add(time.Hour)), Reason: "usage limited"}
	}
	w := newWorld(t)
	w.edited("surface: pane}", "surface: pane, interactive: true}")
	id := w.card("doing", func(c *board.Card) { c.Host, c.Assignee, c.Handovers = "base", "paner", 1 })
	session := w.idle(id, "a", time.Minute)
	w.snap.View.Exclusions = []board.Exclusion{until("a")}
	p := w.plan()
	if len(p.Start) != 0 || len(p.Close) != 1 || p.Close[0].Session != session {
		t.Fatalf("started %+v, closed %+v; want session %d closed for b", p.Start, p.Close, session)
	}
	w.snap.View.Exclusions = append(w.snap.View.Exclusions, until("b"))
	p = w.plan()
	if h := heldAs(t, p, id); len(p.Close) != 0 || h.Code != board.HoldRoster || h.Until != board.At(noon.Add(time.Hour)) {
		t.Fatalf("closed %+v, held %+v; want it to wait with its session", p.Close, h.Reason)
	}
	w.snap.View.Exclusions = nil
	if p = w.plan(); len(p.Start) != 1 || p.Start[0].Kept != session {
		t.Fatalf("started %+v, want the run in its session", p.Start)
	}
}

// Scenario 65: a reviewer that meets its limit moves to the coder's own executor, on a free slot of it.
func TestHandover_ROS18_TheReviewMovesBesideACoder(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: claude, priority: 1, roles: [reviewer]`, `id: codex, priority: 2, slots: 2`)
	id := p.card("todo")
	p.ended(p.starts(), board.Exit{Code: new(int), Output: true})
	review := p.starts()
	p.card("todo")
	coder := p.tick(func(o *dispatch.TickOptions) { o.Only = "api-2" }).Started
	if review.Executor != "claude" || len(coder) != 1 || coder[0].Executor != "codex" {
		t.Fatalf("review %+v, coder %+v", review, coder)
	}
	p.ended(review, failed(board.UsageLimited, resets(noon.Add(5*time.Hour))))
	again := p.starts()
	if again.Card != id || again.Executor != "codex" || again.Clone != 2 || again.DependentBecause != string(roster.BecauseOut) {
		t.Fatalf("%+v, want the review on codex#2, because the other is out", again)
	}
	if c := p.theCard(id); c.Moves != 1 || c.Failures != 0 || c.Attempts != 3 {
		t.Errorf("%+v, want one move and one attempt each", c)
	}
}

// Scenarios 31 and 44: a second coder waits for a coder slot, a reviewer gets in.
func TestRoster_ROS2_CoderSlotsHoldCodersOnly(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a, slots: 2, coder_slots: 1`)
	p.card("todo")
	second, review := p.card("todo"), p.card("review")
	r := p.tick()
	if got := startedIn(r); !slices.Equal(got, []string{review, "api-1"}) {
		t.Fatalf("started %v, want the review and one coder", got)
	}
	if h := heldIn(t, r, second); h.Code != board.HoldRoster || !strings.Contains(h.Text, "a busy") {
		t.Errorf("held %+v, want a busy", h)
	}
}

// ROS-5: a lease dates from its claim and not from the tick's first look, or the history would show it beside the one whose
// slot it was given.
func TestRoster_ROS5_ALeaseDatesFromItsClaim(t *testing.T) {
	t.Parallel()
	p := newShift(t, `id: a`)
	p.card("todo")
	p.meanwhile(func() { p.clock.Advance(5 * time.Second) }) // a health URL that hangs
	run := p.run(p.tick().Started[0].Run)
	if taken := p.view().Leases[0].TakenAt; run.ClaimedAt != p.now() || taken != p.now() {
		t.Errorf("claimed at %v, leased at %v; want %v", run.ClaimedAt, taken, p.now())
	}
}
