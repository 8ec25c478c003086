package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed-2ddc2152/board/board"
)

const (
	minWidth = 40  // columns that output is fitted to at least, however narrow the terminal is
	maxWidth = 100 // columns that nothing wraps at (10)
)

// printer writes what a verb answers: aligned tables with a head and colours on a terminal, plain lines where the output is
// piped, and with --json one document. It buffers; the end of the program writes it out and tells when that failed.
type printer struct {
	w     *bufio.Writer
	width int // of the terminal; 0 = none
	json  bool
	quiet bool
	color bool
	heads bool            // tables have a head: on a terminal, and where they are shown among other things
	sole  map[string]bool // executors with one slot, which are named without its number; nil = none is known
	now   time.Time
}

// jsonLine prints one line of JSON Lines at once.
func (p *printer) jsonLine(v any) error {
	e := json.NewEncoder(p.w)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	return p.w.Flush()
}

// compactJSON is a value as JSON on one line.
func compactJSON(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// line prints a line for people. Texts of cards and workers go through clean first.
func (p *printer) line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

// remark prints a line that is only for people, and not with --quiet or --json.
func (p *printer) remark(format string, args ...any) {
	if !p.quiet && !p.json {
		p.line(format, args...)
	}
}

// style is how a text stands out on a terminal: an SGR code.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

// paint colours a text on a terminal, and leaves it as it is elsewhere.
func (p *printer) paint(s style, text string) string {
	if !p.color || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// heading prints the title of a part.
func (p *printer) heading(text string) { p.line("%s", p.paint(bold, text)) }

// fit is how many columns a line may take on the terminal.
func (p *printer) fit() int { return min(p.width, maxWidth) }

// table prints rows in columns.
func (p *printer) table(t table) {
	names := make([]string, len(t.head))
	for i, name := range t.head {
		names[i] = strings.TrimPrefix(name, ">")
	}
	widths := t.widths()
	if p.heads && len(t.rows) > 0 {
		for i, name := range names {
			if widths[i] > 0 && !t.bare {
				widths[i] = max(widths[i], columns(name))
			}
		}
	}
	if p.width > 0 {
		t.shrink(widths, p.fit())
	}
	if p.heads && !t.bare && len(t.rows) > 0 {
		p.row(t, names, widths, dim)
	}
	for _, row := range t.rows {
		p.row(t, row, widths, plain)
	}
}

func (p *printer) row(t table, cells []string, widths []int, s style) {
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", t.indent))
	gap := 0
	for i, cell := range cells {
		if widths[i] == 0 {
			continue
		}
		text := cut(clean1(cell), widths[i])
		pad := widths[i] - columns(text)
		b.WriteString(strings.Repeat(" ", gap))
		gap = 2
		painted := p.paint(t.styleOf(s, i, cell), text)
		if t.right(i) {
			b.WriteString(strings.Repeat(" ", pad) + painted)
			continue
		}
		b.WriteString(painted)
		gap += pad
	}
	p.line("%s", strings.TrimRight(b.String(), " "))
}

// table is rows of texts, in columns.
type table struct {
	head    []string // names of the columns, shown on a terminal; a leading > is a column of numbers, set to the right
	rows    [][]string
	indent  int                                 // columns before each line
	stretch int                                 // the column that is cut short when a line does not fit, counted from 0
	style   func(column int, cell string) style // nil: plain
	bare    bool                                // no head, also on a terminal
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t table) right(column int) bool { return strings.HasPrefix(t.head[column], ">") }

func (t table) styleOf(s style, column int, cell string) style {
	if s != plain || t.style == nil {
		return s
	}
	return t.style(column, cell)
}

// widths are the columns' widths; a column in which nothing stands has none, and is not printed.
func (t table) widths() []int {
	widths := make([]int, len(t.head))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(clean1(cell)))
		}
	}
	return widths
}

// shrink takes what a line has too many from the stretch column, then from the last ones.
func (t table) shrink(widths []int, fit int) {
	total := t.indent - 2
	for _, w := range widths {
		if w > 0 {
			total += w + 2
		}
	}
	const least = 8 // columns that a cut text still says something in
	order := append([]int{t.stretch}, reversed(len(widths))...)
	for _, i := range order {
		if over := total - fit; over > 0 && widths[i] > least {
			by := min(over, widths[i]-least)
			widths[i] -= by
			total -= by
		}
	}
}

// reversed are the columns from the last to the second: the first holds what one would type next, and is never cut.
func reversed(n int) []int {
	order := make([]int, 0, n)
	for i := n - 1; i > 0; i-- {
		order = append(order, i)
	}
	return order
}

// clean takes control characters out of a text that a terminal would obey; lines and tabs stay.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r == utf8.RuneError, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return '\ufffd'
		}
		return r
	}, text)
}

// clean1 is clean on one line.
func clean1(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// columns is how wide a text is on a terminal; wide letters take two.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r), unicode.Is(unicode.Me, r), r == 0x200d, r >= 0xfe00 && r <= 0xfe0f:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff,
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// cut shortens a text to so many columns.
func cut(text string, width int) string {
	if columns(text) <= width {
		return text
	}
	n, end := 0, 0
	for i, r := range text {
		if n += runeColumns(r); n > width-1 {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	return strings.TrimRight(text[:end], " ") + "…"
}

// ago is how long ago a moment is: relative for the last day, a date before.
func (p *printer) ago(t board.Time) string {
	if t.IsZero() {
		return ""
	}
	d := p.now.Sub(t.Time())
	if d < 24*time.Hour && d > -24*time.Hour {
		if d < 0 {
			return "in " + span(-d)
		}
		return span(d) + " ago"
	}
	return t.Time().Local().Format("2006-01-02 15:04")
}

// clockTime is when a moment of the near future or past is: the time of day, with the date where that is another one.
func (p *printer) clockTime(t board.Time) string {
	if t.IsZero() {
		return ""
	}
	local, now := t.Time().Local(), p.now.Local()
	if local.YearDay() == now.YearDay() && local.Year() == now.Year() {
		return local.Format("15:04")
	}
	return local.Format("2006-01-02 15:04")
}

// span is a length of time in its largest unit, two for hours: 40s, 12m, 3h05m, 2d.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d/time.Hour), int(d%time.Hour/time.Minute))
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + "d"
}
