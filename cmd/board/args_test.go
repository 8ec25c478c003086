package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

// sampleVerbs are a verb with flags, and one with words that may follow.
func sampleVerbs() []verb {
	nothing := func(context.Context, *call) error { return nil }
	return []verb{
		{"move", groupCards, "move a card", func() command {
			return command{args: "ID", min: 1, max: 1, run: nothing, flags: []cli.Flag{
				&cli.StringFlag{Name: "to", Aliases: []string{"t"}},
				&cli.BoolFlag{Name: "force"},
				&cli.IntFlag{Name: "priority"},
			}}
		}},
		{"dispatch", groupRuns, "a tick", func() command {
			return command{run: nothing, flags: []cli.Flag{&cli.BoolFlag{Name: "dry-run"}}}
		}},
		{"roster", groupHome, "executors", func() command {
			return command{run: nothing, subs: []verb{{"pause", groupHome, "take one out", func() command {
				return command{args: "ID", min: 1, max: 1, run: nothing, flags: []cli.Flag{&cli.StringFlag{Name: "for"}}}
			}}}}
		}},
	}
}

// urfave/cli stops at the first argument (its issue 1177): `board move 12 --to review` would lose --to silently.
func TestParseWords_TakesFlagsBeforeAndAfterArguments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ words, want string }{
		{"move 12 --to review", "board --to=review -- 12"},
		{"move --to review 12", "board --to=review -- 12"},
		{"move --to=review 12", "board --to=review -- 12"},
		{"move 12 -t review", "board --to=review -- 12"},
		{"move 12 -to review", "board --to=review -- 12"},
		{"move 12 --to= --force", "board --to= --force -- 12"},
		{"move 12 --priority -3", "board --priority=-3 -- 12"},
		{"--home /h move --json 12 --board api", "board --home=/h --json --board=api -- 12"},
		{"move -- --to", "board -- --to"},
		{"move -", "board -- -"},
		{"move 12 --to --force", "board --to=--force -- 12"},
		{"roster", "board --"},
		{"roster pause opus --for 2h", "board --for=2h -- opus"},
		{"roster --json pause --for 2h opus", "board --json --for=2h -- opus"},
		{"dispatch --dry-run=false", "board --dry-run=false --"},
	} {
		inv, err := parseWords(sampleVerbs(), strings.Fields(tt.words))
		if err != nil {
			t.Errorf("%s: %v", tt.words, err)
			continue
		}
		if got := strings.Join(inv.words(), " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.words, got, tt.want)
		}
	}
}

// DSP-16: `board dispatch dry-run` is wrong usage and never a tick.
func TestParseWords_RefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ words, text, fix string }{
		{"dispatch dry-run", `unexpected "dry-run"`, "board help dispatch"},
		{"dispach", `unknown verb "dispach"`, `did you mean "board dispatch"?`},
		{"roster puase x", `unknown word after roster "puase"`, `did you mean "board roster pause"?`},
		{"move", "missing argument", "board help move"},
		{"move 1 2", `unexpected "2"`, "board help move"},
		{"move 1 --too x", "unknown flag --too", "did you mean --to?"},
		{"--version", "unknown flag --version", "board version"},
		{"--dry-run dispatch", "unknown flag --dry-run", "behind"},
		{"move 1 --priority high", `--priority "high": expected a whole number`, "board help move"},
		{"move 1 --force=maybe", `--force "maybe": expected true or false`, "board help move"},
		{"move 1 --to a --to b", "--to is given twice", "board help move"},
		{"--board a move 1 --board b", "--board is given twice", "board help move"},
		{"move 1 --to", "--to needs a value", "board help move"},
	} {
		_, err := parseWords(sampleVerbs(), strings.Fields(tt.words))
		problem := (*board.Problem)(nil)
		if !errors.As(err, &problem) || !errors.Is(err, board.ErrUsage) {
			t.Errorf("%s: got %v, want wrong usage", tt.words, err)
			continue
		}
		if !strings.Contains(problem.Text, tt.text) || !strings.Contains(problem.Fix, tt.fix) {
			t.Errorf("%s: got %q, fix %q; want %q, fix %q", tt.words, problem.Text, problem.Fix, tt.text, tt.fix)
		}
	}
}

func TestVerbs_EachHasAnExampleAndItsOwnName(t *testing.T) {
	t.Parallel()
	var names []string
	var check func(table []verb, before string)
	check = func(table []verb, before string) {
		for _, v := range table {
			name := strings.TrimSpace(before + " " + v.name)
			if slices.Contains(names, name) {
				t.Errorf("%s is there twice", name)
			}
			names = append(names, name)
			cmd := v.command()
			check(cmd.subs, name)
			if v.group == groupHidden {
				continue
			}
			if v.does == "" || len(cmd.examples) == 0 {
				t.Errorf("%s: its help has no line or no example", name)
			}
			for _, example := range cmd.examples {
				if line, _, _ := strings.Cut(example, "  #"); !strings.Contains(line, "board "+name) {
					t.Errorf("%s: the example %q does not use it", name, example)
				}
			}
		}
	}
	check(verbs(), "")
}
