package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-2ddc2152/board/board"
)

func sqlCommand() command {
	return command{
		args: "[QUERY]", max: 1,
		about: "Runs one query, read-only. Without a query: the views that stay as they are, and queries to begin with. Rows are a table on a " +
			"terminal, lines with tabs when piped, and objects with --json. Interrupt a long one with ^C.",
		examples: []string{
			"board sql",
			`board sql "SELECT card, executor, outcome FROM run_history ORDER BY run DESC LIMIT 10"`,
		},
		run: runSQL,
	}
}

func runSQL(ctx context.Context, c *call) error {
	store, err := c.read(ctx)
	if err != nil {
		return err
	}
	if len(c.args) == 0 {
		return c.sqlHelp(ctx, store)
	}
	if c.out.json {
		return c.sqlJSON(ctx, store, c.args[0])
	}
	if c.out.width == 0 {
		return c.sqlLines(ctx, store, c.args[0])
	}
	var t table
	err = store.Query(ctx, c.args[0], func(columns []string, values []any) error {
		if t.head == nil {
			t.head = columns
		}
		t.add(sqlTexts(values)...)
		return nil
	})
	if err != nil {
		return err
	}
	t.stretch = max(len(t.head)-1, 0)
	c.out.table(t)
	c.out.remark("%s", c.out.paint(dim, fmt.Sprintf("%d rows", len(t.rows))))
	return nil
}

// sqlLines prints each row as it comes: values between tabs, nothing else.
func (c *call) sqlLines(ctx context.Context, store *board.Store, query string) error {
	escape := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`)
	return store.Query(ctx, query, func(_ []string, values []any) error {
		texts := sqlTexts(values)
		for i := range texts {
			texts[i] = escape.Replace(texts[i])
		}
		c.out.line("%s", strings.Join(texts, "\t"))
		return nil
	})
}

func sqlTexts(values []any) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = sqlText(v)
	}
	return texts
}

// sqlText is a value for people; NULL is nothing.
func sqlText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []byte:
		return clean(string(v))
	case string:
		return clean(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// sqlJSON prints a list of objects, a row as it comes; the columns keep their order, which a map would lose.
func (c *call) sqlJSON(ctx context.Context, store *board.Store, query string) error {
	rows := 0
	err := store.Query(ctx, query, func(columns []string, values []any) error {
		open := ",\n  {"
		if rows++; rows == 1 {
			open = "[\n  {"
		}
		if _, err := c.out.w.WriteString(open); err != nil {
			return err
		}
		for i, name := range columns {
			key, err := compactJSON(name)
			if err != nil {
				return err
			}
			if bytes, ok := values[i].([]byte); ok {
				values[i] = string(bytes)
			}
			value, err := compactJSON(values[i])
			if err != nil {
				return err
			}
			comma := ", "
			if i == 0 {
				comma = ""
			}
			if _, err := c.out.w.WriteString(comma + key + ": " + value); err != nil {
				return err
			}
		}
		return c.out.w.WriteByte('}')
	})
	if err != nil {
		return err
	}
	if rows == 0 {
		c.out.line("[]")
		return nil
	}
	c.out.line("\n]")
	return nil
}

// sqlView is a view that people query.
type sqlView struct {
	View    string   `json:"view"`
	About   string   `json:"about"`
	Columns []string `json:"columns"`
}

// sqlDocument is what `board sql --json` prints without a query.
type sqlDocument struct {
	Views    []sqlView `json:"views"`
	Examples []string  `json:"examples"`
}

// sqlViews are the views whose columns stay as they are.
func sqlViews() []sqlView {
	return []sqlView{
		{View: "run_history", About: "every run: who, where, how it ended and why, how long, tokens, cost"},
		{View: "live_runs", About: "runs that have not ended"},
		{View: "card_board", About: "every card, with its hold and the executors that have worked on it"},
		{View: "waiting", About: "cards that are held: the reason, the key that would change it, since when"},
		{View: "executor_use", About: "executors: leases, busy share, runs and cost of the last 24 hours"},
		{View: "daily_cost", About: "runs, tokens and cost by day, board, executor and model"},
	}
}

func sqlExamples() []string {
	return []string{
		"SELECT executor, outcome, count(*) AS runs, round(sum(cost_usd), 2) AS usd FROM run_history GROUP BY executor, outcome",
		"SELECT code, cap, count(*) AS cards FROM waiting GROUP BY code, cap ORDER BY cards DESC",
		"SELECT card, executor_history FROM card_board WHERE executor_history LIKE '% -> %'",
		"SELECT day, round(sum(cost_usd), 2) AS usd FROM daily_cost GROUP BY day ORDER BY day DESC LIMIT 14",
		"SELECT run, card, executor, reason FROM run_history WHERE outcome = 'failed' ORDER BY run DESC LIMIT 20",
	}
}

func (c *call) sqlHelp(ctx context.Context, store *board.Store) error {
	d := sqlDocument{Views: sqlViews(), Examples: sqlExamples()}
	for i := range d.Views {
		query := "SELECT name FROM pragma_table_info('" + d.Views[i].View + "') ORDER BY cid"
		err := store.Query(ctx, query, func(_ []string, values []any) error {
			d.Views[i].Columns = append(d.Views[i].Columns, sqlText(values[0]))
			return nil
		})
		if err != nil {
			return err
		}
	}
	if c.out.json {
		return c.out.document(d)
	}
	c.out.heading("Views")
	for _, v := range d.Views {
		c.out.line("  %-13s %s", v.View, v.About)
		for line := range strings.SplitSeq(wrap(strings.Join(v.Columns, ", "), maxWidth-6), "\n") {
			c.out.line("      %s", c.out.paint(dim, line))
		}
	}
	c.out.heading("Queries to begin with")
	for _, example := range d.Examples {
		c.out.line("  board sql %s", shellWord(example))
	}
	return nil
}
