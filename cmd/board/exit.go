package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/internal/strict"
)

var (
	// errFaults is a tick that ran while something failed; its report has said what.
	errFaults = errors.New("the tick ran, but something failed")
	// errSaid is a refusal whose reason is printed already.
	errSaid = errors.New("refused, and the answer says why")
	// errInvalidSaid is a file that is wrong in ways that are printed already.
	errInvalidSaid = errors.New("there are mistakes, and the answer lists them")
	// errInterrupted is a verb that a person or the system ended.
	errInterrupted = errors.New("interrupted")
)

// exit is a line of the table of exit codes.
type exit struct {
	is    error // what the error matches (errors.Is)
	exit  int
	code  string // in JSON
	means string // in help; "" = as the line before
}

// exits is the one table from errors to exit codes and JSON codes. The first that matches is taken.
func exits() []exit {
	return []exit{
		{errInterrupted, 1, "interrupted", "an unexpected failure"},
		{board.ErrBusy, 1, "busy", ""},
		{board.ErrUsage, 2, "usage", "wrong usage"},
		{board.ErrInvalid, 3, "invalid", "configuration, workflow or database invalid"},
		{errInvalidSaid, 3, "invalid", ""},
		{board.ErrNewer, 3, "newer", ""},
		{board.ErrMigrate, 3, "migrate", ""},
		{dispatch.ErrTickRunning, 4, "ticking", "another tick is running"},
		{errFaults, 5, "faults", "the tick ran, but something failed: see faults"},
		{board.ErrNotFound, 6, "not_found", "not found"},
		{board.ErrNoHome, 6, "no_home", ""},
		{home.ErrMissing, 6, "no_home", ""},
		{board.ErrRefused, 7, "refused", "refused (a guard, a cap, a fence, a stale revision)"},
		{errSaid, 7, "refused", ""},
	}
}

// exitOf finds an error's line; the zero code is success, and what is in no line is unexpected.
func exitOf(err error) exit {
	if err == nil {
		return exit{code: "ok"}
	}
	for _, x := range exits() {
		if errors.Is(err, x.is) {
			return x
		}
	}
	if problems := strict.Problems(nil); errors.As(err, &problems) {
		return exit{exit: 3, code: "invalid"}
	}
	return exit{exit: 1, code: "failed"}
}

// failure is the document of an error.
type failure struct {
	Error struct {
		Code    string  `json:"code"`
		Message string  `json:"message"`
		Fix     *string `json:"fix"`
		At      *string `json:"at"` // file:line of what a person has to change
	} `json:"error"`
}

// report tells an error on standard error and gives the exit code.
func (p *program) report(out *printer, err error) int {
	x := exitOf(err)
	if err == nil || errors.Is(err, errFaults) || errors.Is(err, errSaid) || errors.Is(err, errInvalidSaid) || (out.quiet && errors.Is(err, dispatch.ErrTickRunning)) {
		return x.exit
	}
	var fix string
	if problem := (*board.Problem)(nil); errors.As(err, &problem) {
		fix = problem.Fix
	}
	message := boundedLines(clean(err.Error()))
	if !out.json {
		fmt.Fprintf(p.stderr, "board: %s\n", message)
		if fix != "" {
			fmt.Fprintf(p.stderr, "fix: %s\n", clean(fix))
		}
		return x.exit
	}
	var f failure
	f.Error.Code, f.Error.Message, f.Error.Fix, f.Error.At = x.code, message, orNull(fix), orNull(placeOf(err))
	text, jsonErr := json.MarshalIndent(f, "", "  ")
	if jsonErr != nil {
		panic(jsonErr) // texts only: it cannot fail
	}
	fmt.Fprintf(p.stderr, "%s\n", text)
	return x.exit
}

// lineLimit is how much of one line of an error is told (chosen): some quote what a person or an agent has typed.
const lineLimit = 500

func boundedLines(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		lines[i] = cut(lines[i], lineLimit)
	}
	return strings.Join(lines, "\n")
}

// placeOf is the first place in a file that an error speaks of; empty = none.
func placeOf(err error) string {
	if problems := strict.Problems(nil); errors.As(err, &problems) && len(problems) > 0 {
		return fmt.Sprintf("%s:%d:%d", problems[0].File, problems[0].Line, problems[0].Column)
	}
	return ""
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// exitHelp is the table for people.
func exitHelp() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  0  done, nothing to do, or remembered\n")
	for _, x := range exits() {
		if x.means != "" {
			fmt.Fprintf(&b, "  %d  %s\n", x.exit, x.means)
		}
	}
	return b.String()
}
