package harness

import (
	"errors"
	"time"
)

// What a CLI cannot do as asked; the wrapping error says which setting and why.
var (
	ErrPermissions = errors.New("permissions refused here")
	ErrInteractive = errors.New("not interactive")
	ErrFlag        = errors.New("flag not allowed")
)

// Permissions say what the agent may do.
type Permissions string

// The permissions. Every role but coder has PermissionRead.
const (
	PermissionRead Permissions = "read" // look, change nothing
	PermissionEdit Permissions = "edit" // change its worktree, its outbox and temporary files, run the repository's tools
	PermissionFull Permissions = "full" // the CLI's bypass
	PermissionAsk  Permissions = "ask"  // a person is asked; interactive panes only
)

// Job is one run to be started.
type Job struct {
	Bin         string            // program; "" looks Facts.Binary up on PATH
	Argv        []string          // the command of an exec executor, no shell added; unused by others
	Model       string            // "" lets the CLI choose
	Effort      string            // "" lets the CLI choose
	Flags       map[string]string // long name without dashes -> value; "" or "true" is a bare flag
	Permissions Permissions
	Interactive bool // in a pane, the prompt pasted (PAN-2), instead of headless

	PromptPath string // absolute file that holds the prompt
	Workspace  string // absolute folder the agent works in
	RunDir     string // absolute folder of this run, for files the CLI writes about itself
	OutboxDir  string // absolute folder that the agent must be able to write, in every sandbox
	ResultPath string // $BOARD_RESULT; "" where the run has none

	Resume     string // conversation to go on with; "" starts one
	NewSession string // UUID for a started conversation, used where Facts.Sessions is SessionChosen
	Previous   Usage  // Result.Total of the last run of the resumed conversation; zero for a started one (HAR-4)

	Runtime time.Duration     // wall-clock limit of the run, for CLIs that take one; 0 for none
	Root    bool              // the CLI will run as the superuser
	Home    string            // the HOME that the CLI will see
	Env     map[string]string // the environment the CLI will see, before Command.Env: to find its config folder and keys
}

// Command is how a run is started.
type Command struct {
	Argv      []string          // program and arguments, never the prompt (HAR-1)
	StdinPath string            // file for standard input, closed at its end; "" is /dev/null, or the terminal if Terminal
	Terminal  bool              // standard input and output are the pane's
	Paste     string            // the one line to paste once the pane is idle; "" for headless runs
	Dir       string            // working folder
	Env       map[string]string // set over the inherited and the executor's environment
	Seeds     []Seed            // files to merge before the start
}

// Exit is how the process ended.
type Exit struct {
	Code   int               // exit status; 128+n where a signal ended it
	Signal string            // "TERM", "KILL", ...; "" for a plain exit
	Stop   bool              // board itself ended it: Result.Failure is then only what the CLI was retrying or stuck on
	Files  map[string][]byte // content by the pattern that Parser.Wants named; absent files are left out
	Now    time.Time         // in the local zone, in which a reset time without a zone is read
}
