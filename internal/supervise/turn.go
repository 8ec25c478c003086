package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
	"github.com/seed-2ddc2152/board/internal/worker"
	"github.com/seed-2ddc2152/board/workflows"
)

// turn is one run in a session.
type turn struct {
	*session
	run   board.Run
	brief board.Brief
	dir   string // runs/<id>

	profile workflows.Profile
	limits  workflows.Limits
	place   place
	verbs   []string
	log     *logFile
	out     *output // nil until the harness was started
	job     harness.Job
	redact  worker.Redactor // of the worker's secret, and of those in the executor's environment

	life     life
	ended    chan process.Exit  // of the harness; nil until it was started
	talk     *talk              // with an interactive agent; nil: it is headless
	told     board.SessionState // what was last stored of the session
	question string
	summary  string    // that a verdict gave: it goes before the final text
	result   time.Time // of $BOARD_RESULT when it was last read
	exit     board.Exit
}

func (x *session) newTurn(run board.Run) *turn {
	now := x.Clock.Now()
	t := &turn{
		session: x, run: run, dir: x.Home.Run(run.ID), life: life{started: now}, redact: worker.NewRedactor(x.secret),
		exit: board.Exit{Run: run.ID, StartedAt: board.At(now)},
	}
	if x.interactive {
		t.talk, t.told, t.life.attended = &talk{state: harness.StateUnknown}, board.SessionBusy, true
	}
	return t
}

// work brings the run from its workspace to the moment when the harness has ended or must. What goes wrong is in the exit.
func (t *turn) work(ctx context.Context) {
	err := t.launch(ctx)
	if err == nil {
		t.watch(ctx)
		return
	}
	stop, stopped := errors.AsType[*stopError](err)
	switch {
	case stopped:
		t.stop(ctx, stop.due)
	case errors.Is(err, process.ErrNotFound):
		t.exit.Missing, t.exit.SpawnError = true, err.Error()
	case asksPerson(err):
		t.exit.Ask = err.Error()
	default:
		t.exit.SpawnError = err.Error()
	}
	t.say("launch: %v", err)
}

// launch makes everything ready and starts the harness. A stop or the runtime limit ends it at once, whatever it waits for.
func (t *turn) launch(ctx context.Context) error {
	if err := errors.Join(home.MkdirAll(t.dir), t.makeFolders()); err != nil {
		return err
	}
	set, err := t.settings(ctx)
	if err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	if t.brief, err = t.store.Brief(ctx, t.run.ID); err != nil {
		return err
	}
	if t.log, err = openLog(filepath.Join(t.dir, "output.log")); err != nil {
		return err
	}
	executor, driver, err := t.lane(set)
	if err != nil {
		return err
	}
	t.redact = worker.NewRedactor(append(executor.Secrets(), t.secret)...)
	w := set.Rules.Workflow(t.brief.Board.Workflow)
	over := takeoverOf(t.brief, label(set.Rules))
	if err := t.interruptible(ctx, func(ctx context.Context) (err error) {
		t.place, err = t.prepare(ctx, w, driver.Facts().ReadOnly, over)
		return err
	}); err != nil {
		return err
	}
	t.Fail.Hit(failpoint.SuperviseWorkspace)
	if err := t.recordPlace(ctx); err != nil {
		return err
	}
	command, err := t.command(ctx, w, executor, driver, over)
	if err != nil {
		return err
	}
	t.Fail.Hit(FailPrompt)
	switch {
	case t.agent != nil:
		return t.goOn(ctx)
	case t.interactive:
		return t.startAgent(ctx, command)
	}
	return t.start(ctx, command, driver)
}

// lane finds out who runs the turn and how. An executor that has left the roster since it was planned is nobody's failure: the
// next tick asks the roster as it is by then.
func (t *turn) lane(set Settings) (roster.Executor, harness.Harness, error) {
	t.profile = workflows.Profile{Name: t.run.Profile}
	if w := set.Rules.Workflow(t.brief.Board.Workflow); w != nil {
		if p := w.Profile(t.run.Profile); p != nil {
			t.profile = *p
		}
		if s := w.Status(t.run.Status); s != nil && s.Run != nil {
			t.limits = s.Run.Limits
		}
	}
	executor, ok := set.Rules.Executor(t.run.Executor)
	if !ok {
		gone := fmt.Sprintf("the roster has no executor %q any more", t.run.Executor)
		return executor, nil, &stopError{due: due{Outcome: board.Interrupted, Reason: gone}}
	}
	driver, ok := harness.Lookup(t.run.Harness)
	if !ok {
		return executor, nil, fmt.Errorf("no harness is called %q", t.run.Harness)
	}
	return executor, driver, nil
}

// recordPlace stores where the run works, for people and for the next run.
func (t *turn) recordPlace(ctx context.Context) error {
	now := board.At(t.Clock.Now())
	t.exit.Workspace, t.exit.Branch, t.exit.BaseCommit, t.exit.HeadCommit = t.place.Path, t.place.Branch, t.place.Base, t.place.Head
	t.exit.Notes = append(t.exit.Notes, t.place.Notes...)
	err := errors.Join(
		t.store.UpdateRun(ctx, t.run.ID, board.Progress{At: now, Workspace: t.place.Path, Branch: t.place.Branch, BaseCommit: t.place.Base}),
		t.store.UpdateSession(ctx, now, t.id, board.SessionUpdate{Workspace: t.place.Path}))
	if err == nil && t.brief.Card.CleanStart && t.run.Role == roster.RoleCoder {
		err = t.store.CleanStarted(ctx, t.run.ID)
	}
	return err
}

// command writes the prompt and the card, and works out how the harness is started.
func (t *turn) command(ctx context.Context, w *workflows.Workflow, e roster.Executor, driver harness.Harness, over takeover) (process.Command, error) {
	facts := driver.Facts()
	env := variables(facts.Inherited(t.Environ, t.UserHome)).over(e.Env)
	t.job = t.newJob(e, facts, env)
	t.verbs = verbsOf(w, t.brief, board.At(t.Clock.Now()))
	if err := t.writePrompt(ctx, w, facts, over); err != nil {
		return process.Command{}, err
	}
	line, err := driver.Command(t.job)
	if err != nil {
		return process.Command{}, err
	}
	if err := t.seed(ctx, line.Seeds); err != nil {
		return process.Command{}, err
	}
	all := env.over(line.Env).over(t.protocol())
	all["PATH"] = t.bin() + string(os.PathListSeparator) + all["PATH"]
	return process.Command{Shim: []string{t.Program, "shim"}, Args: line.Argv, Env: all.list(), Dir: line.Dir}, nil
}

func (t *turn) newJob(e roster.Executor, facts harness.Facts, env variables) harness.Job {
	job := harness.Job{
		Bin: e.Bin, Argv: e.Command, Model: t.run.Model, Effort: t.run.Effort, Flags: e.Flags, Permissions: t.permissions(),
		PromptPath: filepath.Join(t.dir, "prompt.md"), Workspace: t.place.Path, RunDir: t.dir, OutboxDir: t.outbox,
		ResultPath: filepath.Join(t.dir, "result.json"), Resume: t.brief.Resumed.HarnessSession, Runtime: t.limits.Runtime,
		Root: os.Geteuid() == 0, Home: env["HOME"], Env: env, Interactive: t.interactive,
	}
	if t.agent != nil {
		job.ResultPath = t.agent.job.ResultPath // as the agent's environment has it
	}
	if job.Resume != "" {
		r := t.brief.Resumed
		job.Previous = harness.Usage{In: r.TokensIn, Out: r.TokensOut, Cached: r.TokensCached, CostMicros: r.CostMicros}
	} else if facts.Sessions == harness.SessionChosen {
		job.NewSession = uuid()
	}
	return job
}

// permissions are the profile's; every role but coder may only look (HAR-5).
func (t *turn) permissions() harness.Permissions {
	if t.run.Role != roster.RoleCoder {
		return harness.PermissionRead
	}
	return harness.Permissions(cmp.Or(t.profile.Permissions, workflows.PermissionsEdit))
}

// protocol is what every worker finds in its environment (05).
func (t *turn) protocol() variables {
	clone := ""
	if t.run.Clone > 0 {
		clone = strconv.Itoa(t.run.Clone)
	}
	return variables{
		worker.EnvCard: t.run.Card, worker.EnvRun: strconv.FormatInt(t.run.ID, 10), worker.EnvSlot: t.run.Slot, worker.EnvToken: t.secret,
		worker.EnvOutbox: t.outbox, worker.EnvPrompt: t.job.PromptPath, worker.EnvResult: t.job.ResultPath,
		worker.EnvExecutor: t.run.Executor, worker.EnvClone: clone, worker.EnvWorkspace: t.place.Path, worker.EnvHost: t.run.Host,
		worker.EnvSession: t.job.Resume, worker.EnvLaunchKey: t.key, worker.EnvHome: t.Home.Dir,
	}
}

// maxDiff is how much of a change a prompt carries. Chosen: what every model can read beside the rest.
const maxDiff = 200 << 10

func (t *turn) writePrompt(ctx context.Context, w *workflows.Workflow, facts harness.Facts, over takeover) error {
	f := promptFacts{
		Now: board.At(t.Clock.Now()), Brief: t.brief, Place: t.place, Takeover: over, Verbs: t.verbs, Resumed: t.job.Resume != "",
		Reports: facts.CanReport(t.job.Permissions),
		Lane: expr.Lane{
			Profile: t.run.Profile, Role: string(t.run.Role), Surface: string(t.run.Surface), Capacity: t.profile.Capacity,
			Harness: t.run.Harness, Model: t.run.Model, Executor: t.run.Executor,
		},
	}
	var err error
	if w != nil {
		if f.Template, err = w.Prompt(t.run.Status); err != nil {
			return err
		}
	}
	if !facts.CanRun(t.job.Permissions) && t.run.Role != roster.RoleCoder && t.place.Branch != "" && t.place.Base != "" {
		if f.Diff, err = t.git.Diff(ctx, t.brief.Board.Repo, t.place.Base, t.place.Branch); err != nil {
			return err
		}
		if len(f.Diff) > maxDiff {
			f.Diff = strings.ToValidUTF8(f.Diff[:maxDiff], "") + "\n(cut: the change is longer than this prompt may be)"
		}
	}
	text, err := promptText(f)
	if err != nil {
		return err
	}
	card, err := cardText(t.brief, t.place, t.verbs)
	if err != nil {
		return err
	}
	return errors.Join(home.WriteFile(t.job.PromptPath, []byte(text)), home.WriteFile(filepath.Join(t.dir, "card.json"), card))
}

// outcomeWord says for a commit's message how the run seems to end; Settle decides.
func (t *turn) outcomeWord(ctx context.Context) string {
	run, err := t.store.Run(ctx, t.run.ID)
	if err != nil {
		run = t.run
	}
	word := string(cmp.Or(run.StopOutcome, t.exit.Stop, board.Outcome(run.Verdict), board.Outcome(t.exit.Result.Verdict), board.Outcome(t.exit.Result.Class)))
	switch {
	case word != "":
	case t.exit.Code != nil && *t.exit.Code == 0:
		word = string(board.Completed)
	default:
		word = string(board.Failed)
	}
	if t.exit.Result.Text != "" {
		word += "\n\n" + t.exit.Result.Text
	}
	return word
}
