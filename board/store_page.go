package board

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// CardPage is all that there is to see of a card.
type CardPage struct {
	Card      Card         `json:"card"`
	Board     Board        `json:"-"`
	Facts     CardFacts    `json:"-"`
	Hold      *Hold        `json:"hold"`   // as the last tick saw it; nil = none
	Pauses    []Pause      `json:"pauses"` // that hold it: its own, its board's, the home's
	Blockers  []LinkedCard `json:"blockers"`
	Blocked   []LinkedCard `json:"blocked"` // that wait for it
	Subtasks  []Subtask    `json:"subtasks"`
	Questions []Block      `json:"questions"` // oldest first
	Comments  []Comment    `json:"comments"`  // oldest first
	Evidence  []Evidence   `json:"evidence"`
	Criteria  []Criterion  `json:"criteria"` // of a story, by number
	Runs      []Run        `json:"runs"`     // oldest first
	Events    []Event      `json:"events"`   // the newest, oldest first
}

// LinkedCard is a card at the other end of a link.
type LinkedCard struct {
	ID     string `db:"id" json:"card"`
	Title  string `db:"title" json:"title"`
	Status string `db:"status" json:"status"`
	Holds  bool   `db:"holds" json:"holds"`   // the link holds the card that waits
	Waived bool   `db:"waived" json:"waived"` // a person said "go on without it"
}

// Subtask is a card below another.
type Subtask struct {
	ID        string  `db:"id" json:"card"`
	Title     string  `db:"title" json:"title"`
	Status    string  `db:"status" json:"status"`
	Done      bool    `db:"done" json:"done"`
	Satisfies Strings `db:"satisfies" json:"satisfies"`
}

// Criterion is an acceptance criterion of a story, and what meets it (TSK-2).
type Criterion struct {
	Number   int      `json:"number"`
	Cards    []string `json:"cards"`    // subtasks that are to satisfy it
	Met      bool     `json:"met"`      // one of them is done
	Evidence []string `json:"evidence"` // names of what the done ones show
}

// CardPage reads a card's page in one transaction, with at most so many of its newest events.
func (s *Store) CardPage(ctx context.Context, now Time, id string, events int) (CardPage, error) {
	var p CardPage
	err := s.read(ctx, func(tx *sqlx.Tx) (err error) {
		if p.Card, p.Board, p.Facts, err = readCardWhole(ctx, tx, id); err != nil {
			return err
		}
		for _, read := range []func(context.Context, *sqlx.Tx) error{
			p.readHold, p.readPauses(now), p.readLinks, p.readSubtasks, p.readWords, p.readRuns, p.readEvents(events),
		} {
			if err := read(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	return p, err
}

func (p *CardPage) readHold(ctx context.Context, tx *sqlx.Tx) error {
	var holds []Hold
	err := tx.SelectContext(ctx, &holds, `SELECT card, code, cap, grp, key, text, since_at_ms FROM holds WHERE card = ?`, p.Card.ID)
	if err != nil {
		return fmt.Errorf("read the hold of %s: %w", p.Card.ID, err)
	}
	if len(holds) > 0 {
		p.Hold = &holds[0]
	}
	return nil
}

func (p *CardPage) readPauses(now Time) func(context.Context, *sqlx.Tx) error {
	return func(ctx context.Context, tx *sqlx.Tx) error {
		err := tx.SelectContext(ctx, &p.Pauses, `
			SELECT `+pauseColumns+`
			FROM pauses p
			WHERE (p.until_at_ms IS NULL OR p.until_at_ms > ?)
				AND (p.kind = 'card' AND p.target = ? OR p.kind = 'board' AND p.target = ? OR p.kind = 'home')
			ORDER BY p.id`, now, p.Card.ID, p.Card.Board)
		if err != nil {
			return fmt.Errorf("read the pauses of %s: %w", p.Card.ID, err)
		}
		return nil
	}
}

func (p *CardPage) readLinks(ctx context.Context, tx *sqlx.Tx) error {
	for _, side := range []struct {
		into       *[]LinkedCard
		here, them string
	}{{&p.Blockers, "blocked", "blocker"}, {&p.Blocked, "blocker", "blocked"}} {
		err := tx.SelectContext(ctx, side.into, `
			SELECT c.id, c.title, c.status, k.waived,
				k.waived = 0 AND (b.ended_at_ms IS NULL OR b.status = '`+Cancelled+`') AS holds
			FROM card_links k
			JOIN cards c ON c.id = k.`+side.them+`
			JOIN cards b ON b.id = k.blocker
			WHERE k.`+side.here+` = ?
			ORDER BY c.board, c.number`, p.Card.ID)
		if err != nil {
			return fmt.Errorf("read the links of %s: %w", p.Card.ID, err)
		}
	}
	return nil
}

func (p *CardPage) readSubtasks(ctx context.Context, tx *sqlx.Tx) error {
	err := tx.SelectContext(ctx, &p.Subtasks, `
		SELECT id, title, status, satisfies, ended_at_ms IS NOT NULL AND status <> '`+Cancelled+`' AS done
		FROM cards
		WHERE parent = ?
		ORDER BY board, number`, p.Card.ID)
	if err != nil {
		return fmt.Errorf("read the subtasks of %s: %w", p.Card.ID, err)
	}
	var shown []struct {
		Card string `db:"card"`
		Name string `db:"name"`
	}
	err = tx.SelectContext(ctx, &shown, `
		SELECT DISTINCT e.card, e.name
		FROM evidence e
		JOIN cards c ON c.id = e.card
		WHERE c.parent = ?
		ORDER BY e.card, e.name`, p.Card.ID)
	if err != nil {
		return fmt.Errorf("read the evidence of the subtasks of %s: %w", p.Card.ID, err)
	}
	evidence := map[string][]string{}
	for _, e := range shown {
		evidence[e.Card] = append(evidence[e.Card], e.Name)
	}
	p.Criteria = criteria(p.Subtasks, evidence)
	return nil
}

// readWords reads what people and workers said.
func (p *CardPage) readWords(ctx context.Context, tx *sqlx.Tx) error {
	id := p.Card.ID
	if err := tx.SelectContext(ctx, &p.Questions, `SELECT `+blockColumns+` FROM blocks b WHERE b.card = ? ORDER BY b.id`, id); err != nil {
		return fmt.Errorf("read the questions of %s: %w", id, err)
	}
	if err := tx.SelectContext(ctx, &p.Comments, `
		SELECT id, card, coalesce(run, 0) AS run, author, text, created_at_ms
		FROM comments
		WHERE card = ?
		ORDER BY id`, id); err != nil {
		return fmt.Errorf("read the comments on %s: %w", id, err)
	}
	if err := tx.SelectContext(ctx, &p.Evidence, `
		SELECT id, card, coalesce(run, 0) AS run, name, coalesce(path, '') AS path, coalesce(text, '') AS text, created_at_ms
		FROM evidence
		WHERE card = ?
		ORDER BY id`, id); err != nil {
		return fmt.Errorf("read the evidence of %s: %w", id, err)
	}
	return nil
}

func (p *CardPage) readRuns(ctx context.Context, tx *sqlx.Tx) error {
	err := tx.SelectContext(ctx, &p.Runs, `SELECT `+runColumns+` FROM task_runs r WHERE r.card = ? ORDER BY r.id`, p.Card.ID)
	if err != nil {
		return fmt.Errorf("read the runs of %s: %w", p.Card.ID, err)
	}
	return nil
}

func (p *CardPage) readEvents(limit int) func(context.Context, *sqlx.Tx) error {
	return func(ctx context.Context, tx *sqlx.Tx) error {
		err := tx.SelectContext(ctx, &p.Events, `
			SELECT id, at_ms, board, card, run, kind, actor, payload FROM (
				SELECT id, at_ms, board, card, coalesce(run, 0) AS run, kind, actor, payload
				FROM events
				WHERE card = ?
				ORDER BY id DESC
				LIMIT ?)
			ORDER BY id`, p.Card.ID, limit)
		if err != nil {
			return fmt.Errorf("read the history of %s: %w", p.Card.ID, err)
		}
		return nil
	}
}
