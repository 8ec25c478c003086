package supervise

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/tmux"
	"github.com/seed-2ddc2152/board/internal/worker"
	"github.com/seed-2ddc2152/board/internal/workspace"
)

// session is what lives as long as an agent's process: its secret, its launch key, its outbox and its tree.
type session struct {
	*supervisor
	id     int64
	key    string // launch key: everything that the session starts has it in its environment
	secret string // of the worker; only its hash is stored
	folder string
	outbox string
	git    *workspace.Git

	pane        tmux.Identity // the window that it is shown in; zero: it is detached
	interactive bool          // it shows the harness's own screen
	agent       *agent        // the interactive harness; nil until it was started

	root       process.Identity            // the harness; zero until it was started
	remembered map[string]process.Identity // descendants that were seen, by identity: they are ours wherever they went
}

func (s *supervisor) newSession(id int64, key, secret string) *session {
	folder := s.Home.Session(id)
	x := &session{
		supervisor: s, id: id, key: key, secret: secret, folder: folder, outbox: filepath.Join(folder, "outbox"),
		remembered: map[string]process.Identity{},
	}
	env := variables(harness.Facts{}.Inherited(s.Environ, s.UserHome)).over(map[string]string{worker.EnvLaunchKey: key})
	x.git = &workspace.Git{Env: env.list(), Run: s.reaper.Run}
	return x
}

// serve works off the session's runs and settles them: one, or where the session is kept each that comes into its inbox. Its
// end is recorded whatever is asked of the supervisor meanwhile.
func (x *session) serve(ctx context.Context, run board.Run) error {
	ctx = context.WithoutCancel(ctx)
	for {
		t := x.newTurn(run)
		err := t.serve(ctx)
		if !t.exit.Kept {
			return err
		}
		if err != nil {
			x.say("%v", err) // the agent lives on, and a tick settles
		}
		next, why := t.next(ctx)
		if why != "" {
			t.end(ctx, why)
			return nil
		}
		run = next
	}
}

// serve works off one run.
func (t *turn) serve(ctx context.Context) error {
	t.work(ctx)
	t.finish(ctx)
	if err := t.writeExit(); err != nil {
		return err
	}
	t.Fail.Hit(failpoint.SuperviseExit)
	settled := t.settle(ctx)
	t.Fail.Hit(failpoint.SuperviseSettled)
	t.poke()
	return settled
}

// makeFolders makes the session's folders, and a folder with this very program in it, to stand first on PATH.
func (x *session) makeFolders() error {
	for _, dir := range []string{x.folder, x.outbox, x.bin()} {
		if err := home.MkdirAll(dir); err != nil {
			return err
		}
	}
	link := filepath.Join(x.bin(), "board")
	if err := os.Symlink(x.Program, link); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return x.beat(x.Clock.Now())
}

func (x *session) bin() string { return filepath.Join(x.folder, "bin") }

// beat touches the session's heartbeat, a file time and no row (DB-2).
func (x *session) beat(now time.Time) error {
	path := filepath.Join(x.folder, "beat")
	if err := os.Chtimes(path, now, now); err == nil {
		return nil
	}
	return home.WriteFile(path, nil)
}

// pokedEnv is the variable that a tick has which a supervisor pokes, and with it all that the tick starts: none of it is the
// session's, though it stands below it.
const pokedEnv = "BOARD_POKED"

// poke runs one tick, so that work goes on without waiting for the minute (DSP-14). The tick outlives this process.
func (x *session) poke() {
	if !x.loaded.Poke {
		return
	}
	_, err := process.Spawn(process.Detached{
		Args: []string{x.Program, "--home", x.Home.Dir, "dispatch", "--quiet"}, Env: append(slices.Clone(x.Environ), pokedEnv+"=1"), Dir: x.Home.Dir,
	})
	if err != nil {
		x.say("run a tick: %v", err)
	}
}
