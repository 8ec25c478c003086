package board

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/seed-2ddc2152/board/internal/roster"
)

// AdoptRequest attaches a person's own session to a slot of a card (PAN-5).
type AdoptRequest struct {
	Card        string
	Slot        string // "" = the worker's
	Harness     string // "" = unknown
	Host        string // where it runs
	Surface     Surface
	Process     string // process.Identity as text: the session lives as long as it does
	TmuxSocket  string
	TmuxSession string
	TmuxWindow  string
	TmuxPane    string
	Actor       string
}

// Adopt attaches a session to a slot: from then on it is counted and shown, no run starts in the slot while it lives, and
// nobody signals it. A slot that is taken, a session that another slot has, and a card that has ended are ErrRefused.
func (s *Store) Adopt(ctx context.Context, now Time, q AdoptRequest) (Session, error) {
	var x Session
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		c, err := readCard(ctx, tx, q.Card)
		if err != nil {
			return err
		}
		slot := cmp.Or(q.Slot, roster.WorkerSlot)
		if err := adoptable(ctx, tx, c, slot, q.Process); err != nil {
			return err
		}
		x = Session{
			Card: c.ID, Board: c.Board, Slot: slot, Origin: Adopted, Harness: q.Harness, Host: q.Host, Surface: q.Surface, Process: q.Process,
			TmuxSocket: q.TmuxSocket, TmuxSession: q.TmuxSession, TmuxWindow: q.TmuxWindow, TmuxPane: q.TmuxPane,
			State: SessionUnknown, StartedAt: now, LastSeenAt: now,
		}
		if err := tx.GetContext(ctx, &x.ID, `SELECT min(coalesce(min(id), 0), 0) - 1 FROM sessions`); err != nil {
			return fmt.Errorf("number the session: %w", err)
		}
		if x.Role, err = roleOfSlot(ctx, tx, c.ID, slot); err != nil {
			return err
		}
		if err := insertSession(ctx, tx, x); err != nil {
			return err
		}
		return record(ctx, tx, now, change{
			board: c.Board, card: c.ID, kind: "session.adopted", actor: q.Actor,
			payload: map[string]any{"session": x.ID, "slot": slot, "pane": q.TmuxPane, "process": q.Process},
		})
	})
	return x, err
}

// adoptable says why a session cannot be attached there.
func adoptable(ctx context.Context, tx *sqlx.Tx, c Card, slot, process string) error {
	if c.EndedAt != 0 || c.ArchivedAt != 0 {
		return NewProblem(ErrRefused, "board reopen "+c.ID, "%s has ended (%s)", c.ID, c.Status)
	}
	var run int64
	err := tx.GetContext(ctx, &run, `SELECT id FROM task_runs WHERE card = ? AND slot = ? AND ended_at_ms IS NULL`, c.ID, slot)
	if err == nil {
		return NewProblem(ErrRefused, "board stop "+c.ID, "run %d has slot %s of %s", run, slot, c.ID)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("look for a run in slot %s of %s: %w", slot, c.ID, err)
	}
	var other Session
	err = tx.GetContext(ctx, &other, `
		SELECT `+sessionColumns+`
		FROM sessions s
		WHERE s.ended_at_ms IS NULL AND ((s.card = ? AND s.slot = ?) OR ? IN (s.process, s.supervisor))
		ORDER BY s.id
		LIMIT 1`, c.ID, slot, process)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("look for a session in slot %s of %s: %w", slot, c.ID, err)
	case other.Origin == Adopted:
		return NewProblem(ErrRefused, "board release "+other.Card, "the session that %s has adopted in slot %s is in the way", other.Card, other.Slot)
	}
	return NewProblem(ErrRefused, "board stop "+other.Card, "session %d has slot %s of %s", other.ID, other.Slot, other.Card)
}

// roleOfSlot is the role of the slot's last run; a slot that never ran is a coder's.
func roleOfSlot(ctx context.Context, tx *sqlx.Tx, card, slot string) (Role, error) {
	role := roster.RoleCoder
	err := tx.GetContext(ctx, &role, `SELECT role FROM task_runs WHERE card = ? AND slot = ? ORDER BY id DESC LIMIT 1`, card, slot)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("look for the role of slot %s of %s: %w", slot, card, err)
	}
	return role, nil
}

// Release lets go of the sessions that a card has adopted, in one slot or, where that is empty, in all. They live on. A card
// that has adopted none there is ErrNotFound.
func (s *Store) Release(ctx context.Context, now Time, card, slot, actor string) ([]Session, error) {
	var all []Session
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		c, err := readCard(ctx, tx, card)
		if err != nil {
			return err
		}
		if err := tx.SelectContext(ctx, &all, `
			SELECT `+sessionColumns+`
			FROM sessions s
			WHERE s.card = ? AND ? IN ('', s.slot) AND s.origin = 'adopted' AND s.ended_at_ms IS NULL
			ORDER BY s.slot`, c.ID, slot); err != nil {
			return fmt.Errorf("read the adopted sessions of %s: %w", c.ID, err)
		}
		if len(all) == 0 {
			return NewProblem(ErrNotFound, "board show "+c.ID, "%s has adopted no session", c.ID)
		}
		for _, x := range all {
			if err := endSession(ctx, tx, now, x.ID); err != nil {
				return err
			}
			if err := record(ctx, tx, now, change{
				board: c.Board, card: c.ID, kind: "session.released", actor: actor,
				payload: map[string]any{"session": x.ID, "slot": x.Slot},
			}); err != nil {
				return err
			}
		}
		return nil
	})
	return all, err
}

// SessionsOf gives a card's sessions that are not proved gone, by slot.
func (s *Store) SessionsOf(ctx context.Context, card string) ([]Session, error) {
	var all []Session
	if err := s.db.SelectContext(ctx, &all, `
		SELECT `+sessionColumns+` FROM sessions s WHERE s.card = ? AND s.ended_at_ms IS NULL ORDER BY s.slot, s.id`, card); err != nil {
		return nil, s.explain(fmt.Errorf("read the sessions of %s: %w", card, err))
	}
	return all, nil
}
