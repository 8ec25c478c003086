package worker

import (
	"path/filepath"
	"slices"
	"strconv"
)

// The variables that every session has in its environment (05, "For workers").
const (
	EnvCard      = "BOARD_CARD"
	EnvRun       = "BOARD_RUN" // the run that started the session
	EnvSlot      = "BOARD_SLOT"
	EnvToken     = "BOARD_TOKEN" // the secret
	EnvOutbox    = "BOARD_OUTBOX"
	EnvPrompt    = "BOARD_PROMPT"
	EnvResult    = "BOARD_RESULT"
	EnvExecutor  = "BOARD_EXECUTOR"
	EnvClone     = "BOARD_CLONE" // empty for a borrowed lease
	EnvWorkspace = "BOARD_WORKSPACE"
	EnvHost      = "BOARD_HOST"
	EnvSession   = "BOARD_SESSION"    // the conversation to go on with; empty: a fresh one
	EnvLaunchKey = "BOARD_LAUNCH_KEY" // by which everything that a session started is found (SUP-5)
	EnvHome      = "BOARD_HOME"       // only on the home host (J6)
)

// Session is what a worker's environment says of its session.
type Session struct {
	Card      string
	Run       int64
	Slot      string
	Token     string // the secret; never printed
	Outbox    string // absolute folder
	Prompt    string // absolute file
	Result    string // absolute file
	Executor  string
	Clone     int // 0 = the lease is borrowed
	Workspace string
	Host      string
}

// FromEnv reads a session from an environment. It is false when any part of it is missing or malformed: an agent or a cron
// job that inherited half of the variables is treated as a person's (WRK-3).
func FromEnv(env func(name string) string) (Session, bool) {
	s := Session{
		Card: env(EnvCard), Slot: env(EnvSlot), Token: env(EnvToken), Outbox: env(EnvOutbox), Prompt: env(EnvPrompt),
		Result: env(EnvResult), Executor: env(EnvExecutor), Workspace: env(EnvWorkspace), Host: env(EnvHost),
	}
	run, err := strconv.ParseInt(env(EnvRun), 10, 64)
	if err != nil || run <= 0 {
		return Session{}, false
	}
	s.Run = run
	if clone := env(EnvClone); clone != "" {
		if s.Clone, err = strconv.Atoi(clone); err != nil {
			return Session{}, false
		}
	}
	if slices.Contains([]string{s.Card, s.Slot, s.Token, s.Prompt, s.Result, s.Executor, s.Workspace, s.Host}, "") || !filepath.IsAbs(s.Outbox) {
		return Session{}, false
	}
	return s, true
}

// CardFile is the file that says what the run that started the session shows its worker (`board card`).
func (s Session) CardFile() string { return filepath.Join(filepath.Dir(s.Prompt), "card.json") }
