package main

import (
	"bufio"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
)

// printed is what a printer on a terminal of so many columns writes; 0 = piped.
func printed(width int, write func(p *printer)) string {
	var b strings.Builder
	p := &printer{w: bufio.NewWriter(&b), width: width, heads: width > 0, now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)}
	write(p)
	if err := p.w.Flush(); err != nil {
		panic(err) // a builder takes everything
	}
	return b.String()
}

func sampleTable() table {
	t := table{head: []string{"card", "title", "", ">run"}, stretch: 1}
	t.add("api-1", "Fix the login redirect", "", "7")
	t.add("api-12", strings.Repeat("long ", 40), "", "12")
	return t
}

// 10: nothing wraps at 100 columns; a column in which nothing stands is not printed.
func TestTable_FitsTheTerminalByCuttingItsStretchColumn(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 100, 300} {
		out := printed(width, func(p *printer) { p.table(sampleTable()) })
		for line := range strings.Lines(out) {
			if n := columns(strings.TrimRight(line, "\n")); n > min(width, maxWidth) {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
		}
		if !strings.Contains(out, "api-12") || !strings.Contains(out, "…") || !strings.Contains(out, "run") {
			t.Errorf("width %d: an id, a cut or the head is missing:\n%s", width, out)
		}
	}
}

func TestTable_IsPlainAndWholeWherePiped(t *testing.T) {
	t.Parallel()
	out := printed(0, func(p *printer) { p.table(sampleTable()) })
	if strings.Contains(out, "…") || strings.Contains(out, "\x1b") || strings.Contains(out, "title") {
		t.Errorf("a cut, a colour or a head in piped output:\n%s", out)
	}
	if !strings.HasPrefix(out, "api-1   Fix the login redirect") {
		t.Errorf("not aligned:\n%s", out)
	}
}

// A card's text must not be able to write to a terminal.
func TestClean_TakesOutWhatATerminalObeys(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain é 漢\tb\n":   "plain é 漢\tb\n",
		"a\x1b[2Jb":        "a�[2Jb",
		"a\rb\x00c\u009bd": "a�b�c�d",
		"right\u202eleft":  "right�left",
		"bad \xff utf8":    "bad � utf8",
	} {
		if got := clean(text); got != want {
			t.Errorf("clean(%q): got %q, want %q", text, got, want)
		}
	}
}

func TestCut_CountsColumnsNotBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"exactly-10", 10, "exactly-10"},
		{"one too long", 8, "one too…"},
		{"漢字漢字", 8, "漢字漢字"},
		{"漢字漢字", 7, "漢字漢…"},
		{"e\u0301e\u0301", 2, "e\u0301e\u0301"},
	} {
		if got := cut(tt.text, tt.width); got != tt.want || columns(got) > tt.width {
			t.Errorf("cut(%q, %d): got %q (%d columns), want %q", tt.text, tt.width, got, columns(got), tt.want)
		}
	}
}

// 10: times are relative for the last day and dates before.
func TestAgo_IsRelativeForADay(t *testing.T) {
	t.Parallel()
	p := &printer{now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.Local)}
	for _, tt := range []struct {
		ago  time.Duration
		want string
	}{
		{34 * time.Second, "34s ago"},
		{41 * time.Minute, "41m ago"},
		{3*time.Hour + 5*time.Minute, "3h05m ago"},
		{-20 * time.Minute, "in 20m"},
		{48 * time.Hour, "2026-11-29 12:00"},
	} {
		if got := p.ago(board.At(p.now.Add(-tt.ago))); got != tt.want {
			t.Errorf("%v ago: got %q, want %q", tt.ago, got, tt.want)
		}
	}
	if got := p.ago(0); got != "" {
		t.Errorf("no time: got %q", got)
	}
}

// Each sentinel that a verb can give has its exit code (05).
func TestExitOf_HasEachSentinel(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]int{
		nil:                     0,
		errors.New("anything"):  1,
		board.ErrBusy:           1,
		board.ErrUsage:          2,
		board.ErrInvalid:        3,
		board.ErrNewer:          3,
		board.ErrMigrate:        3,
		dispatch.ErrTickRunning: 4,
		errFaults:               5,
		board.ErrNotFound:       6,
		board.ErrNoHome:         6,
		board.ErrRefused:        7,
		board.NewProblem(board.ErrRefused, "", "a guard"): 7,
	} {
		if got := exitOf(err).exit; got != want {
			t.Errorf("%v: exit %d, want %d", err, got, want)
		}
	}
}

// 10: nothing wraps at 100 columns unless it must: a command line to be copied stays whole.
func TestHelp_OfEveryVerbFits(t *testing.T) {
	t.Parallel()
	var check func(table []verb, path []string)
	check = func(table []verb, path []string) {
		for _, v := range table {
			words := append(slices.Clone(path), v.name)
			inv, err := parseWords(verbs(), append(slices.Clone(words), "--help"))
			if err != nil {
				t.Fatal(err)
			}
			out := printed(maxWidth, func(p *printer) { err = p.help(inv) })
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out) {
				if n := columns(strings.TrimRight(line, "\n")); n > maxWidth && !strings.HasPrefix(line, "  board ") {
					t.Errorf("%s: %d columns: %s", inv.name(), n, line)
				}
			}
			check(v.command().subs, words)
		}
	}
	check(verbs(), nil)
	out := printed(maxWidth, func(p *printer) { p.wholeHelp() })
	for line := range strings.Lines(out) {
		if n := columns(strings.TrimRight(line, "\n")); n > maxWidth {
			t.Errorf("board help: %d columns: %s", n, line)
		}
	}
}

// Every document has a schema, and its keys are snake_case.
func TestSchema_CoversEveryDocument(t *testing.T) {
	t.Parallel()
	var check func(table []verb)
	check = func(table []verb) {
		for _, v := range table {
			cmd := v.command()
			check(cmd.subs)
			if cmd.document == nil {
				continue
			}
			for _, key := range keysOf(schemaOf(reflect.TypeOf(cmd.document))) {
				if key != strings.ToLower(key) || strings.ContainsAny(key, "- ") {
					t.Errorf("%s: the key %q is not snake_case", v.name, key)
				}
			}
		}
	}
	check(verbs())
}

func keysOf(schema map[string]any) []string {
	var keys []string
	if properties, ok := schema["properties"].(map[string]any); ok {
		for key, inner := range properties {
			keys = append(keys, key)
			keys = append(keys, keysOf(inner.(map[string]any))...)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		keys = append(keys, keysOf(items)...)
	}
	return keys
}

func TestShellWord_QuotesWhatAShellReads(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"plain/path-1.2": "plain/path-1.2",
		"two words":      "'two words'",
		"it's":           `'it'\''s'`,
		"":               "''",
		"$HOME":          "'$HOME'",
	} {
		if got := shellWord(word); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
}
