package supervise

import (
	"context"
	"io"
	"os"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/failpoint"
	"github.com/seed-2ddc2152/board/internal/harness"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/tmux"
)

// FailPrompt is a step beside those of package failpoint: prompt and card are written, nothing is started.
const FailPrompt = "supervise.prompt"

// Settings are the files that a session is run by.
type Settings struct {
	Rules  board.Rules
	Prices harness.Prices // for CLIs that report no cost
	Poke   bool           // run a tick when the run has ended (DSP-14)
}

// Options are what a supervisor is given. All but UserHome, Fail, Terminal and Tmux must be set.
type Options struct {
	Home    home.Home
	Run     int64
	Program string   // absolute path of the board program, which also serves as `board shim`
	Environ []string // this process's environment
	// UserHome is what HOME is for workers where Environ has none (cron); empty: they have none either.
	UserHome string
	Clock    clock.Clock
	Signals  <-chan os.Signal // TERM, INT and HUP of this process
	Fail     *failpoint.Set   // nil is off
	// Load reads workflows, roster and config. It is called at the start and again at the end, when a person may have changed
	// them; where it fails at the end, what the start loaded serves.
	Load   func(context.Context, *board.Store) (Settings, error)
	Stderr io.Writer // runs/<id>/supervise.log
	// Terminal is the pane's, when this process is what a tmux window runs; nil: it is detached.
	Terminal *os.File
	Tmux     *tmux.Server // the home's; used where there is a Terminal
}
