package main

import (
	"context"
	"errors"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

// verb is a line of the table of verbs.
type verb struct {
	name    string
	group   string // under which help lists it; groupHidden = it does not
	does    string // what it does, in one line
	command func() command
}

// The groups of verbs, in the order of the help.
const (
	groupStart  = "To begin"
	groupCards  = "Cards"
	groupRuns   = "Dispatching and looking"
	groupHome   = "The home"
	groupWorker = "For workers (inside a session)"
	groupHidden = ""
)

// verbs is the table of verbs, in the order of the help. A command is built only when it is the one asked for: building
// all of them would cost every start.
func verbs() []verb {
	return []verb{
		{"help", groupHidden, "explain a verb", helpCommand},
		{"demo", groupStart, "see a scratch board being worked off, in a few seconds", demoCommand},
		{"init", groupStart, "make a home, and a board for this repository", initCommand},

		{"add", groupCards, "add a card; prints its id", addCommand},
		{"import", groupCards, "add many cards from a file", importCommand},
		{"list", groupCards, "list cards", listCommand},
		{"show", groupCards, "show all that there is of a card", showCommand},
		{"edit", groupCards, "change a card's fields", editCommand},
		{"assign", groupCards, "say which profile executes a card", assignCommand},
		{"comment", groupCards, "leave a remark for people and the next worker", commentCommand},
		{"link", groupCards, "make a card wait for others", linkCommand},
		{"unlink", groupCards, "take such links away", unlinkCommand},
		{"answer", groupCards, "answer what a card asks", answerCommand},
		{"retry", groupCards, "try a card that failed again", retryCommand},
		{"pause", groupCards, "put a card, a board, a cap or all on hold", pauseCommand},
		{"resume", groupCards, "take such a hold away", resumeCommand},
		{"move", groupCards, "put a card into a status", moveCommand},
		{"send", groupCards, "send a workflow event to a card", sendCommand},
		{"cancel", groupCards, "give a card up; stops its run", cancelCommand},
		{"reopen", groupCards, "begin an ended card again", reopenCommand},
		{"archive", groupCards, "put a card away", archiveCommand},
		{"diff", groupCards, "show what a card's branch has changed", diffCommand},

		{"dispatch", groupRuns, "start what the caps allow: one tick", dispatchCommand},
		{"start", groupRuns, "start one card now, or as soon as there is room", startCommand},

		{"why", groupRuns, "why a card does not start, or who runs it", whyCommand},
		{"status", groupRuns, "what runs, what waits, what needs you", statusCommand},
		{"runs", groupRuns, "the attempts at a card, or at all", runsCommand},
		{"run", groupRuns, "all about one run", runCommand},
		{"logs", groupRuns, "what a run has printed", logsCommand},
		{"attach", groupRuns, "show a session in its tmux window", attachCommand},
		{"peek", groupRuns, "what a session shows at this moment", peekCommand},
		{"stop", groupRuns, "end a run and all that it started", stopCommand},
		{"adopt", groupRuns, "count a session of your own on a card", adoptCommand},
		{"release", groupRuns, "let go of such a session", releaseCommand},
		{"reclaim", groupRuns, "say that a run is gone that cannot be seen", reclaimCommand},

		{"roster", groupHome, "who serves runs", rosterCommand},
		{"workflow", groupHome, "list, show, check and begin workflows", workflowCommand},
		{"sql", groupHome, "ask the database, read-only", sqlCommand},
		{"trust", groupHome, "accept what a repository's .board/ would run", trustCommand},
		{"backup", groupHome, "copy the database while it is in use", backupCommand},
		{"cron", groupHome, "a tick each minute, by cron", cronCommand},
		{"version", groupHome, "say which version this is", versionCommand},
		{"completion", groupHome, "a completion script for your shell", completionCommand},
		{"schema", groupHome, "the JSON Schema of what a verb prints", schemaCommand},

		{"done", groupWorker, "say that the work is done", doneCommand},
		{"approve", groupWorker, "say, as a reviewer, that it is good", approveCommand},
		{"changes", groupWorker, "say, as a reviewer, what must change", changesCommand},
		{"blocked", groupWorker, "ask a person", blockedCommand},
		{"beat", groupWorker, "say that the session works", beatCommand},
		{"evidence", groupWorker, "store what shows that it is done", evidenceCommand},
		{"card", groupWorker, "show the session's card", cardCommand},

		{"__complete", groupHidden, "answer a completion script", completeCommand},
		{"supervise", groupHidden, "keep one run (started by a tick)", superviseCommand},
	}
}

// command is a verb's flags, arguments, help and action.
type command struct {
	args     string     // its arguments as help shows them: "ID --to STATUS"
	min, max int        // how many arguments it takes; max < 0 = any number
	about    string     // a paragraph or two for help; may be empty
	examples []string   // whole command lines, at least one
	flags    []cli.Flag // beside the global ones
	document any        // a value of the type that --json prints, for `board schema`; nil = none
	subs     []verb     // words that may follow; any other first word is wrong usage unless the verb takes arguments
	run      func(ctx context.Context, c *call) error
}

// globalFlags are understood before and after every verb.
func globalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "home", Usage: "the home's folder; default $BOARD_HOME, else ~/.local/share/board", TakesFile: true},
		&cli.StringFlag{Name: "board", Usage: "the board; default that of the working directory's repository, else the only one"},
		&cli.BoolFlag{Name: "json", Usage: "print one JSON document (streams: JSON Lines)"},
		&cli.BoolFlag{Name: "quiet", Usage: "print only what was asked for, no remarks"},
		&cli.BoolFlag{Name: "no-color", Usage: "no colours, also on a terminal"},
	}
}

// invoke runs the verb that the words named.
func (p *program) invoke(ctx context.Context, inv invocation, out *printer) error {
	if inv.help {
		return out.help(inv)
	}
	c := &call{program: p, out: out}
	defer c.close()
	app := &cli.App{
		Name:            "board",
		Flags:           append(globalFlags(), inv.command.flags...),
		HideHelp:        true,
		HideHelpCommand: true,
		HideVersion:     true,

		DisableSliceFlagSeparator: true,       // a comma is a part of a value
		Writer:                    io.Discard, // it speaks of flags in its own way; exit.go says what was wrong
		ErrWriter:                 io.Discard,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return board.NewProblem(board.ErrUsage, "board help "+inv.name(), "%s: %v", inv.name(), err)
		},
		Action: func(flags *cli.Context) error {
			c.flags, c.args = flags, flags.Args().Slice()
			return inv.command.run(ctx, c)
		},
	}
	err := app.RunContext(ctx, inv.words())
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return errInterrupted
	}
	return err
}
