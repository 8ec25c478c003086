package board

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/workflows"
)

func readCard(ctx context.Context, tx sqlx.QueryerContext, id string) (Card, error) {
	var c Card
	err := sqlx.GetContext(ctx, tx, &c, `SELECT `+cardColumns+` FROM cards c WHERE c.id = ?`, id)
	if errors.Is(err, sql.ErrNoRows) {
		fix, err := nearestCard(ctx, tx, id)
		if err != nil {
			return Card{}, err
		}
		return Card{}, NewProblem(ErrNotFound, fix, "there is no card %q", id)
	}
	if err != nil {
		return Card{}, fmt.Errorf("read card %s: %w", id, err)
	}
	return c, nil
}

// Card gives a card by id.
func (s *Store) Card(ctx context.Context, id string) (Card, error) {
	c, err := readCard(ctx, s.db, id)
	return c, s.explain(err)
}

func readBoard(ctx context.Context, tx sqlx.QueryerContext, slug string) (Board, error) {
	var b Board
	err := sqlx.GetContext(ctx, tx, &b, `SELECT `+boardColumns+` FROM boards b WHERE b.slug = ?`, slug)
	if errors.Is(err, sql.ErrNoRows) {
		return Board{}, NewProblem(ErrNotFound, "board init makes a board", "there is no board %q", slug)
	}
	if err != nil {
		return Board{}, fmt.Errorf("read board %s: %w", slug, err)
	}
	return b, nil
}

// Boards gives all boards by slug.
func (s *Store) Boards(ctx context.Context) ([]Board, error) {
	var boards []Board
	if err := s.db.SelectContext(ctx, &boards, `SELECT `+boardColumns+` FROM boards b ORDER BY b.slug`); err != nil {
		return nil, s.explain(fmt.Errorf("read boards: %w", err))
	}
	return boards, nil
}

// readCardWhole reads a card with its board and what else expressions read of it.
func readCardWhole(ctx context.Context, tx sqlx.QueryerContext, id string) (Card, Board, CardFacts, error) {
	c, err := readCard(ctx, tx, id)
	if err != nil {
		return Card{}, Board{}, CardFacts{}, err
	}
	b, err := readBoard(ctx, tx, c.Board)
	if err != nil {
		return Card{}, Board{}, CardFacts{}, err
	}
	facts, err := readFacts(ctx, tx, id)
	return c, b, facts, err
}

// CardWhole gives a card with its board and what else expressions read of it.
func (s *Store) CardWhole(ctx context.Context, id string) (c Card, b Board, facts CardFacts, err error) {
	err = s.read(ctx, func(tx *sqlx.Tx) error {
		c, b, facts, err = readCardWhole(ctx, tx, id)
		return err
	})
	return c, b, facts, err
}

func readFacts(ctx context.Context, tx sqlx.QueryerContext, id string) (CardFacts, error) {
	var f CardFacts
	if err := sqlx.SelectContext(ctx, tx, &f.BlockedBy, `
		SELECT k.blocker FROM card_links k JOIN cards b ON b.id = k.blocker
		WHERE k.blocked = ? AND k.waived = 0 AND (b.ended_at_ms IS NULL OR b.status = '`+Cancelled+`')
		ORDER BY b.board, b.number`, id); err != nil {
		return f, fmt.Errorf("read what %s waits for: %w", id, err)
	}
	var subtasks []struct {
		ID     string `db:"id"`
		Title  string `db:"title"`
		Status string `db:"status"`
		Done   bool   `db:"done"`
	}
	if err := sqlx.SelectContext(ctx, tx, &subtasks, `
		SELECT id, title, status, ended_at_ms IS NOT NULL AND status <> '`+Cancelled+`' AS done
		FROM cards WHERE parent = ? ORDER BY number`, id); err != nil {
		return f, fmt.Errorf("read the subtasks of %s: %w", id, err)
	}
	for _, t := range subtasks {
		f.Subtasks = append(f.Subtasks, expr.Subtask{ID: t.ID, Title: t.Title, Status: t.Status, Done: t.Done})
	}
	if err := sqlx.SelectContext(ctx, tx, &f.LastEvents, `
		SELECT kind FROM events WHERE card = ? ORDER BY id DESC LIMIT 20`, id); err != nil {
		return f, fmt.Errorf("read the events of %s: %w", id, err)
	}
	if err := sqlx.SelectContext(ctx, tx, &f.Evidence, `
		SELECT DISTINCT name FROM evidence WHERE card = ? ORDER BY name`, id); err != nil {
		return f, fmt.Errorf("read the evidence of %s: %w", id, err)
	}
	return f, nil
}

// saveCard writes every column of a card that changes after it was added, counts its revision, and drops the hold of a card
// that has ended.
func saveCard(ctx context.Context, tx *sqlx.Tx, now Time, c Card) error {
	c.UpdatedAt = now
	res, err := tx.NamedExecContext(ctx, `
		UPDATE cards SET
			title = :title, body = :body, status = :status, priority = :priority, assignee = :assignee, host = :host, model = :model,
			effort = :effort, parent = nullif(:parent, ''), owns = :owns, satisfies = :satisfies, labels = :labels, workspace = :workspace,
			not_before_at_ms = :not_before_at_ms, ready_since_at_ms = :ready_since_at_ms, start_requested_at_ms = :start_requested_at_ms,
			every = :every, max_runs = nullif(:max_runs, 0), failures = :failures, handovers = :handovers, moves = :moves,
			unanswered = :unanswered, round_runs = :round_runs, attempts = :attempts, counters = :counters, clean_start = :clean_start,
			aside_declined = :aside_declined, aside_conflict = :aside_conflict,
			revision = revision + 1, updated_at_ms = :updated_at_ms, ended_at_ms = :ended_at_ms, archived_at_ms = :archived_at_ms
		WHERE id = :id AND revision = :revision`, c)
	if err != nil {
		return fmt.Errorf("save card %s: %w", c.ID, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("save card %s: %w", c.ID, err)
	}
	if n == 0 {
		return NewProblem(ErrRefused, "look again: board show "+c.ID, "%s was changed by somebody else meanwhile (revision %d is stale)", c.ID, c.Revision)
	}
	if c.EndedAt != 0 || c.ArchivedAt != 0 {
		if _, err := tx.ExecContext(ctx, `DELETE FROM holds WHERE card = ?`, c.ID); err != nil {
			return fmt.Errorf("drop the hold of %s: %w", c.ID, err)
		}
	}
	return nil
}

// NewCard is a card to be added. Its Board, Title and Status must be set; ID, Number, times and counters are given.
type NewCard struct {
	Card      Card
	DependsOn []string
	Pause     bool // it is added paused
	Actor     string
}

// AddCard adds a card and gives it as stored. With a key that the board has already, it gives that card and adds nothing:
// existed is true.
func (s *Store) AddCard(ctx context.Context, now Time, n NewCard) (card Card, existed bool, err error) {
	err = s.write(ctx, func(tx *sqlx.Tx) error {
		card, existed, err = addCard(ctx, tx, now, n)
		return err
	})
	return card, existed, err
}

func addCard(ctx context.Context, tx *sqlx.Tx, now Time, n NewCard) (Card, bool, error) {
	c := n.Card
	if err := c.Check(); err != nil {
		return Card{}, false, err
	}
	if c.Key != "" {
		var had string
		err := tx.GetContext(ctx, &had, `SELECT id FROM cards WHERE board = ? AND idempotency_key = ?`, c.Board, c.Key)
		if err == nil {
			card, err := readCard(ctx, tx, had)
			return card, true, err
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return Card{}, false, fmt.Errorf("look for the key %q: %w", c.Key, err)
		}
	}
	if c.Parent != "" {
		if _, err := readCard(ctx, tx, c.Parent); err != nil {
			return Card{}, false, err
		}
	}
	if err := tx.GetContext(ctx, &c.Number, `
		UPDATE boards SET next_number = next_number + 1 WHERE slug = ? RETURNING next_number - 1`, c.Board); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return Card{}, false, NewProblem(ErrNotFound, "board init makes a board", "there is no board %q", c.Board)
		}
		return Card{}, false, fmt.Errorf("number a card of %s: %w", c.Board, err)
	}
	c.ID = fmt.Sprintf("%s-%d", c.Board, c.Number)
	c.CreatedBy, c.CreatedAt, c.UpdatedAt, c.Revision = n.Actor, now, now, 1
	c.ReadySince = max(now, c.NotBefore)
	if err := insertCard(ctx, tx, c); err != nil {
		return Card{}, false, err
	}
	for _, blocker := range n.DependsOn {
		if err := link(ctx, tx, now, blocker, c.ID); err != nil {
			return Card{}, false, err
		}
	}
	if n.Pause {
		p := Pause{Kind: PauseCard, Target: c.ID, Reason: "added paused", Actor: n.Actor, CreatedAt: now}
		if err := pause(ctx, tx, p); err != nil {
			return Card{}, false, err
		}
	}
	return c, false, record(ctx, tx, now, change{
		board: c.Board, card: c.ID, kind: "card.added", actor: n.Actor,
		payload: map[string]any{"title": c.Title, "status": c.Status},
	})
}

func insertCard(ctx context.Context, tx *sqlx.Tx, c Card) error {
	_, err := tx.NamedExecContext(ctx, `
		INSERT INTO cards (
			id, board, number, title, body, status, priority, assignee, host, model, effort, parent, owns, satisfies, labels, workspace,
			not_before_at_ms, ready_since_at_ms, every, max_runs, created_by, idempotency_key, created_at_ms, updated_at_ms, ended_at_ms)
		VALUES (
			:id, :board, :number, :title, :body, :status, :priority, :assignee, :host, :model, :effort, nullif(:parent, ''), :owns, :satisfies, :labels, :workspace,
			:not_before_at_ms, :ready_since_at_ms, :every, nullif(:max_runs, 0), :created_by, nullif(:idempotency_key, ''), :created_at_ms, :updated_at_ms, :ended_at_ms)`, c)
	if err != nil {
		return fmt.Errorf("add card %s: %w", c.ID, err)
	}
	return nil
}

// link makes blocked wait for blocker, refusing a cycle.
func link(ctx context.Context, tx *sqlx.Tx, now Time, blocker, blocked string) error {
	for _, id := range []string{blocker, blocked} {
		if _, err := readCard(ctx, tx, id); err != nil {
			return err
		}
	}
	if blocker == blocked {
		return NewProblem(ErrRefused, "", "%s cannot wait for itself", blocked)
	}
	var cycle int
	err := tx.GetContext(ctx, &cycle, `
		WITH RECURSIVE before (id) AS (
			SELECT ?
			UNION
			SELECT k.blocker FROM card_links k JOIN before ON k.blocked = before.id)
		SELECT count(*) FROM before WHERE id = ?`, blocker, blocked)
	if err != nil {
		return fmt.Errorf("look for a cycle through %s: %w", blocked, err)
	}
	if cycle > 0 {
		return NewProblem(ErrRefused, "board show "+blocker+" lists what it waits for", "%s waits for %s already: that would be a cycle", blocker, blocked)
	}
	if _, err := tx.ExecContext(ctx, `
		INSERT INTO card_links (blocker, blocked, created_at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, blocker, blocked, now); err != nil {
		return fmt.Errorf("link %s to %s: %w", blocked, blocker, err)
	}
	return nil
}

// pause puts a hold by hand; one that is there already is replaced.
func pause(ctx context.Context, tx *sqlx.Tx, p Pause) error {
	_, err := tx.NamedExecContext(ctx, `
		INSERT INTO pauses (kind, target, until_at_ms, reason, actor, created_at_ms)
		VALUES (:kind, :target, :until_at_ms, :reason, :actor, :created_at_ms)
		ON CONFLICT (kind, target) DO UPDATE SET
			until_at_ms = excluded.until_at_ms, reason = excluded.reason, actor = excluded.actor, created_at_ms = excluded.created_at_ms`, p)
	if err != nil {
		return fmt.Errorf("pause %s %s: %w", p.Kind, p.Target, err)
	}
	return nil
}

// SendRequest is an event that a person sends to a card.
type SendRequest struct {
	Card     string
	Event    string
	By       string // workflows.ByPerson
	Actor    string
	Reason   string
	Values   map[string]string
	Revision int64 // refuse when the card has another; 0 = any
}

// Sent is what an event did.
type Sent struct {
	Card    Card // afterwards
	Move    workflows.Move
	Stopped int64 // the open run that was asked to stop; 0 = none
}

// Send fires an event on a card: the move and its event row are one transaction (MOD-5). A run of a status that the card
// leaves is asked to stop; it ends, and gives its place back, when it is proved gone. A workflow's refusal is ErrRefused.
func (s *Store) Send(ctx context.Context, now Time, rules Rules, q SendRequest) (Sent, error) {
	var out Sent
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		c, b, facts, err := readCardWhole(ctx, tx, q.Card)
		if err != nil {
			return err
		}
		if err := checkChangeable(c, q.Revision); err != nil {
			return err
		}
		w, err := rules.workflowOf(b)
		if err != nil {
			return err
		}
		env := Env(b, c, facts, now)
		env.Event = expr.Event{Name: q.Event, Reason: q.Reason, Values: pointers(q.Values)}
		env.Sender = expr.Sender{Kind: q.By, Name: q.Actor}
		move, refusal := w.Fire(workflows.FireRequest{Event: q.Event, From: c.Status, By: q.By, Env: env})
		if refusal != nil {
			return sendRefused(c, refusal, w)
		}
		out, err = saveMove(ctx, tx, now, personMove{card: c, move: move, workflow: w, event: q.Event, actor: q.Actor, reason: q.Reason})
		return err
	})
	return out, err
}

// personMove is a move that a person made, with the event's name.
type personMove struct {
	card                 Card
	move                 workflows.Move
	workflow             *workflows.Workflow
	event, actor, reason string
}

// saveMove applies a move that a person made.
func saveMove(ctx context.Context, tx *sqlx.Tx, now Time, p personMove) (Sent, error) {
	c, m, actor := p.card, p.move, p.actor
	done := applyMove(c, m, now, p.workflow)
	out := Sent{Card: done.Card, Move: m}
	if err := saveCard(ctx, tx, now, done.Card); err != nil {
		return out, err
	}
	for _, slot := range done.Forget {
		if err := forgetSlot(ctx, tx, now, c.ID, slot); err != nil {
			return out, err
		}
	}
	for _, slot := range done.Close {
		if err := closeSlot(ctx, tx, now, c.ID, slot, actor); err != nil {
			return out, err
		}
	}
	if c.CurrentRun != 0 && (m.To != m.From || done.EndRun != "") {
		out.Stopped = c.CurrentRun
		if err := requestStop(ctx, tx, now, StopRequest{
			Run: c.CurrentRun, Outcome: cmp.Or(done.EndRun, Stopped), Actor: actor,
			Reason: fmt.Sprintf("%s was moved from %s to %s by %s", c.ID, m.From, m.To, actor),
		}); err != nil {
			return out, err
		}
	}
	if done.Card.EndedAt != 0 {
		if err := freeDependents(ctx, tx, now, done.Card); err != nil {
			return out, err
		}
	}
	if c.Status == Cancelled {
		if err := unaskDependents(ctx, tx, now, done.Card, actor); err != nil {
			return out, err
		}
	}
	events := []change{{kind: "card." + p.event, actor: actor, payload: map[string]any{"from": m.From, "to": m.To, "reason": p.reason}}}
	for _, kind := range done.Records {
		events = append(events, change{kind: kind, actor: actor})
	}
	for _, text := range done.Notices {
		events = append(events, change{kind: "notice", actor: actor, payload: map[string]any{"text": text}})
	}
	for _, e := range events {
		e.board, e.card, e.run = c.Board, c.ID, c.CurrentRun
		if err := record(ctx, tx, now, e); err != nil {
			return out, err
		}
	}
	return out, nil
}

// AddBoard registers a board. One with the same slug is ErrRefused.
func (s *Store) AddBoard(ctx context.Context, now Time, b Board, actor string) error {
	return s.write(ctx, func(tx *sqlx.Tx) error {
		b.CreatedAt, b.Weight = now, max(b.Weight, 1)
		var had []string
		if err := tx.SelectContext(ctx, &had, `SELECT slug FROM boards`); err != nil {
			return fmt.Errorf("read boards: %w", err)
		}
		if slices.Contains(had, b.Slug) {
			return NewProblem(ErrRefused, "choose another with --slug", "there is a board %q already", b.Slug)
		}
		if _, err := tx.NamedExecContext(ctx, `
			INSERT INTO boards (slug, name, repo, base_branch, workflow, weight, created_at_ms)
			VALUES (:slug, :name, :repo, :base_branch, :workflow, :weight, :created_at_ms)`, b); err != nil {
			return fmt.Errorf("add board %s: %w", b.Slug, err)
		}
		return record(ctx, tx, now, change{board: b.Slug, kind: "board.added", actor: actor, payload: map[string]any{"repo": b.Repo, "workflow": b.Workflow}})
	})
}

// RunsAlready is the ErrRefused of whoever wants to start a card that runs.
func RunsAlready(c Card) error {
	return NewProblem(ErrRefused, "board why "+c.ID, "%s runs already (run %d)", c.ID, c.CurrentRun)
}

// RequestStart remembers, or with on false forgets, that a person wants a card to start as soon as there is room (DSP-9). It is
// ErrRefused to want the start of a card that runs or has ended.
func (s *Store) RequestStart(ctx context.Context, now Time, id, actor string, on bool) error {
	return s.write(ctx, func(tx *sqlx.Tx) error {
		c, err := readCard(ctx, tx, id)
		if err != nil {
			return err
		}
		switch {
		case on && c.CurrentRun != 0:
			return RunsAlready(c)
		case on && (c.EndedAt != 0 || c.ArchivedAt != 0):
			return NewProblem(ErrRefused, "board reopen "+id, "%s has ended (%s)", id, c.Status)
		}
		if on == (c.StartRequested != 0) {
			return nil
		}
		kind := "card.start_requested"
		if c.StartRequested = now; !on {
			c.StartRequested, kind = 0, "card.start_request_cancelled"
		}
		if err := saveCard(ctx, tx, now, c); err != nil {
			return err
		}
		return record(ctx, tx, now, change{board: c.Board, card: c.ID, kind: kind, actor: actor})
	})
}
