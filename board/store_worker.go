package board

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// WorkerWrite says whose write it is: the session's secret (WRK-2), and the request's name, so that a request that was
// applied before a crash is not applied again.
type WorkerWrite struct {
	Secret  string
	Request string
}

// CommentByWorker writes a comment on the worker's card, or on another one: the one thing that a worker may do to it (WRK-3).
func (s *Store) CommentByWorker(ctx context.Context, now Time, w WorkerWrite, card, text string) error {
	return s.workerWrite(ctx, w, func(tx *sqlx.Tx, run Run) error {
		if card == "" {
			card = run.Card
		}
		c, err := readCard(ctx, tx, card)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO comments (card, run, author, text, created_at_ms) VALUES (?, ?, ?, ?, ?)`,
			c.ID, run.ID, run.Slot, text, now); err != nil {
			return fmt.Errorf("comment on %s: %w", c.ID, err)
		}
		if c.ID != run.Card {
			if err := record(ctx, tx, now, change{
				board: c.Board, card: c.ID, kind: "card.commented", actor: run.Slot,
				payload: map[string]any{"by": run.Card},
			}); err != nil {
				return err
			}
		}
		return recordWorker(ctx, tx, now, run, change{kind: "run.commented", payload: map[string]any{"card": c.ID, "request": w.Request}})
	})
}

// EvidenceByWorker stores what shows something about the worker's card: a text, or the path of a file.
func (s *Store) EvidenceByWorker(ctx context.Context, now Time, w WorkerWrite, e Evidence) error {
	return s.workerWrite(ctx, w, func(tx *sqlx.Tx, run Run) error {
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO evidence (card, run, name, path, text, created_at_ms)
			VALUES (?, ?, ?, nullif(?, ''), CASE WHEN ? = '' THEN ? END, ?)`,
			run.Card, run.ID, e.Name, e.Path, e.Path, e.Text, now); err != nil {
			return fmt.Errorf("store evidence of %s: %w", run.Card, err)
		}
		return recordWorker(ctx, tx, now, run, change{
			kind:    "run.evidence",
			payload: map[string]any{"name": e.Name, "path": e.Path, "request": w.Request},
		})
	})
}

// AddSubtask adds a card below the worker's own, on the same board and in the workflow's initial status, and gives its id.
func (s *Store) AddSubtask(ctx context.Context, now Time, rules Rules, w WorkerWrite, n NewCard) (id string, err error) {
	err = s.write(ctx, func(tx *sqlx.Tx) error {
		run, err := fencedRun(ctx, tx, w.Secret)
		if err != nil {
			return err
		}
		payload, had, err := applied(ctx, tx, run, w)
		if err != nil {
			return err
		}
		if had {
			id = payload["subtask"]
			return nil
		}
		b, err := readBoard(ctx, tx, run.Board)
		if err != nil {
			return err
		}
		flow := rules.Workflow(b.Workflow)
		if flow == nil {
			return NewProblem(ErrRefused, "board workflow check "+b.Workflow, "the workflow %s cannot be read: no card can be added", b.Workflow)
		}
		n.Card.Board, n.Card.Parent, n.Card.Status, n.Actor = run.Board, run.Card, flow.Initial, run.Slot
		card, _, err := addCard(ctx, tx, now, n)
		if err != nil {
			return err
		}
		id = card.ID
		return recordWorker(ctx, tx, now, run, change{
			kind:    "run.added_subtask",
			payload: map[string]any{"subtask": card.ID, "request": w.Request},
		})
	})
	return id, err
}

// workerWrite runs a fenced write once: a request that the history tells of already does nothing.
func (s *Store) workerWrite(ctx context.Context, w WorkerWrite, fn func(*sqlx.Tx, Run) error) error {
	return s.write(ctx, func(tx *sqlx.Tx) error {
		run, err := fencedRun(ctx, tx, w.Secret)
		if err != nil {
			return err
		}
		if _, had, err := applied(ctx, tx, run, w); err != nil || had {
			return err
		}
		return fn(tx, run)
	})
}

// applied looks for the event of a request, and gives its payload's texts.
func applied(ctx context.Context, tx *sqlx.Tx, run Run, w WorkerWrite) (map[string]string, bool, error) {
	if w.Request == "" {
		return nil, false, nil
	}
	var payload string
	err := tx.GetContext(ctx, &payload, `
		SELECT payload FROM events WHERE card = ? AND run = ? AND json_extract(payload, '$.request') = ? LIMIT 1`,
		run.Card, run.ID, w.Request)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("look for request %s: %w", w.Request, err)
	}
	var texts map[string]string
	if err := json.Unmarshal([]byte(payload), &texts); err != nil {
		return nil, false, fmt.Errorf("read the event of request %s: %w", w.Request, err)
	}
	return texts, true, nil
}

// recordWorker appends the event of a worker's write; its payload names the request, by which applied finds it.
func recordWorker(ctx context.Context, tx *sqlx.Tx, now Time, run Run, c change) error {
	c.board, c.card, c.run, c.actor = run.Board, run.Card, run.ID, run.Slot
	return record(ctx, tx, now, c)
}

// Parent is a card that another waited for, as its successor sees it.
type Parent struct {
	ID      string `db:"id" json:"id"`
	Board   string `db:"board" json:"board"`
	Title   string `db:"title" json:"title"`
	Status  string `db:"status" json:"status"`
	Summary string `db:"summary" json:"summary"` // of its last coder's run that left one
	Branch  string `db:"branch" json:"branch"`   // of its last run that had one
}

// Brief is all that a run's worker is told of its card.
type Brief struct {
	Run      Run
	Card     Card
	Board    Board
	Facts    CardFacts
	Runs     []Run // the card's other runs, oldest first
	Parents  []Parent
	Comments []Comment // the newest 100, oldest first
	Answers  []Block   // questions that a person has answered, oldest first
	Resumed  Session   // whose conversation the run goes on with; zero = none
}

// Brief reads what a run's worker is to be told, in one transaction.
func (s *Store) Brief(ctx context.Context, run int64) (Brief, error) {
	var b Brief
	err := s.read(ctx, func(tx *sqlx.Tx) (err error) {
		if b.Run, err = readRun(ctx, tx, run); err != nil {
			return err
		}
		if b.Card, b.Board, b.Facts, err = readCardWhole(ctx, tx, b.Run.Card); err != nil {
			return err
		}
		if b.Run.Resumes != 0 {
			if b.Resumed, err = readSession(ctx, tx, b.Run.Resumes); err != nil {
				return err
			}
		}
		return b.readHistory(ctx, tx)
	})
	return b, err
}

func (b *Brief) readHistory(ctx context.Context, tx *sqlx.Tx) error {
	card := b.Card.ID
	if err := tx.SelectContext(ctx, &b.Runs, `
		SELECT `+runColumns+` FROM task_runs r WHERE r.card = ? AND r.id <> ? ORDER BY r.id`, card, b.Run.ID); err != nil {
		return fmt.Errorf("read the runs of %s: %w", card, err)
	}
	if err := tx.SelectContext(ctx, &b.Parents, `
		SELECT c.id, c.board, c.title, c.status,
			coalesce((SELECT r.summary FROM task_runs r WHERE r.card = c.id AND r.summary <> ''
				ORDER BY r.role = 'coder' DESC, r.id DESC LIMIT 1), '') AS summary,
			coalesce((SELECT r.branch FROM task_runs r WHERE r.card = c.id AND r.branch <> '' ORDER BY r.id DESC LIMIT 1), '') AS branch
		FROM card_links k
		JOIN cards c ON c.id = k.blocker
		WHERE k.blocked = ? AND k.waived = 0
		ORDER BY c.board, c.number`, card); err != nil {
		return fmt.Errorf("read what %s waited for: %w", card, err)
	}
	if err := tx.SelectContext(ctx, &b.Comments, `
		SELECT id, card, run, author, text, created_at_ms
		FROM (
			SELECT id, card, coalesce(run, 0) AS run, author, text, created_at_ms
			FROM comments WHERE card = ? ORDER BY id DESC LIMIT 100)
		ORDER BY id`, card); err != nil {
		return fmt.Errorf("read the comments on %s: %w", card, err)
	}
	if err := tx.SelectContext(ctx, &b.Answers, `
		SELECT `+blockColumns+` FROM blocks b WHERE b.card = ? AND b.answered_at_ms IS NOT NULL ORDER BY b.id`, card); err != nil {
		return fmt.Errorf("read the answers on %s: %w", card, err)
	}
	return nil
}

// Totals are what a conversation has consumed in all, as its CLI reports it: the next run in it subtracts them (HAR-4).
type Totals struct {
	TokensIn     int64
	TokensOut    int64
	TokensCached int64
	CostMicros   int64
}

// SaveTotals stores what a session's conversation has consumed so far.
func (s *Store) SaveTotals(ctx context.Context, session int64, t Totals) error {
	return s.write(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE sessions SET tokens_in = ?, tokens_out = ?, tokens_cached = ?, cost_micros = ?
			WHERE id = ?`, t.TokensIn, t.TokensOut, t.TokensCached, t.CostMicros, session)
		if err != nil {
			return fmt.Errorf("store the totals of session %d: %w", session, err)
		}
		return nil
	})
}

// CleanStarted says that a run has begun on a workspace made anew, so that the next one goes on in it (WSP-3).
func (s *Store) CleanStarted(ctx context.Context, run int64) error {
	return s.write(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE cards SET clean_start = 0
			WHERE clean_start <> 0 AND id = (SELECT card FROM task_runs WHERE id = ? AND ended_at_ms IS NULL)`, run)
		if err != nil {
			return fmt.Errorf("note the clean start of run %d: %w", run, err)
		}
		return nil
	})
}

// Trusted says whether `board trust` has accepted content with this hash.
func (s *Store) Trusted(ctx context.Context, hash string) (bool, error) {
	var n int
	if err := s.db.GetContext(ctx, &n, `SELECT count(*) FROM trusted WHERE hash = ?`, hash); err != nil {
		return false, s.explain(fmt.Errorf("look whether content is trusted: %w", err))
	}
	return n > 0, nil
}
