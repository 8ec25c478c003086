// Command floortick is the least that a tick can do with this stack: it opens board.db read-only, reads the version, the
// open runs and the cards that wait, counts three caps, and prints. It claims nothing, launches nothing and checks nothing.
//
//	floortick plan|explain board.db
//
// plan prints what would start, explain a line for every card.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	_ "modernc.org/sqlite"
)

// The caps of the seeded workflow.
const (
	maxStarts   = 4
	maxOfBoard  = 40
	maxOnOneBox = 40
)

type tick struct {
	db     *sql.DB
	out    *bufio.Writer
	counts map[string]int // "home", "board b", "host h"
}

func main() {
	if len(os.Args) != 3 {
		check("usage", errors.New("floortick plan|explain board.db"))
	}
	ctx := context.Background()
	db, err := sql.Open("sqlite", "file:"+os.Args[2]+"?mode=ro&_pragma=busy_timeout(5000)")
	check("open", err)
	db.SetMaxOpenConns(1)
	t := tick{db: db, out: bufio.NewWriterSize(os.Stdout, 1<<16), counts: map[string]int{}}
	var version int
	check("read the version", db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version))
	check("read open runs", t.holdings(ctx))
	started, waiting, err := t.plan(ctx, os.Args[1] == "explain")
	check("read waiting cards", err)
	fmt.Fprintf(t.out, "{\"started\":%d,\"waiting\":%d}\n", started, waiting)
	check("print", t.out.Flush())
}

func (t *tick) holdings(ctx context.Context) error {
	rows, err := t.db.QueryContext(ctx, `
		SELECT board, executor, host, count(*)
		FROM task_runs
		WHERE ended_at_ms IS NULL
		GROUP BY board, executor, host`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var board, executor, host string
		var n int
		if err := rows.Scan(&board, &executor, &host, &n); err != nil {
			return err
		}
		t.counts["board "+board] += n
		t.counts["host "+host] += n
		t.counts[executor] += n
	}
	return rows.Err()
}

func (t *tick) plan(ctx context.Context, explain bool) (started, waiting int, err error) {
	rows, err := t.db.QueryContext(ctx, `
		SELECT id, board, assignee, priority, created_at_ms
		FROM cards
		WHERE board = 'bench' AND status = 'todo' AND ended_at_ms IS NULL AND archived_at_ms IS NULL
		ORDER BY priority DESC, created_at_ms, id`)
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, board, assignee string
		var priority, created int64
		if err := rows.Scan(&id, &board, &assignee, &priority, &created); err != nil {
			return 0, 0, err
		}
		reason := t.refusal(started, board)
		switch {
		case reason == "":
			started++
			t.counts["board "+board]++
			t.counts["host base"]++
			fmt.Fprintf(t.out, "{\"card\":%q,\"start\":true}\n", id)
		case explain:
			fmt.Fprintf(t.out, "{\"card\":%q,\"wait\":%q}\n", id, reason)
		}
		if reason != "" {
			waiting++
		}
	}
	return started, waiting, rows.Err()
}

// refusal names the first cap that is full, or nothing.
func (t *tick) refusal(started int, board string) string {
	switch {
	case started >= maxStarts:
		return "starts per tick 4/4"
	case t.counts["board "+board] >= maxOfBoard:
		return "sessions of a board 40/40"
	case t.counts["host base"] >= maxOnOneBox:
		return "sessions on a host 40/40"
	}
	return ""
}

func check(doing string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "floortick:", doing+":", err)
		os.Exit(1)
	}
}
