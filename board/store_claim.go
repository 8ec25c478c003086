package board

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// ErrElsewhere is a claim that another process has made pointless: the card runs, has moved, or is gone. It is not a failure.
var ErrElsewhere = errors.New("elsewhere")

// Claim is a start that was decided on a fresh view: what the run is to be, as planned.
type Claim struct {
	Card    Card   // as it is to be once started: its status, counters and so on
	Run     Run    // planned fields; ID, Attempt, State and times are given by the store
	Because string // of the lease: why the run is not independent; empty = it is
	Kept    int64  // the live session that takes the run (mode kept); 0 = a new one
	From    string // the status the card is started from
	Actor   string
	OverCap bool // a person went over a cap (CAP-14)
	At      Time // when decide was called, inside the transaction: what it found free was given back before; zero = the spec's
	// Taken says whether a number has files of an earlier run, as where the database was restored from a backup or made
	// anew: their exit.json would end a run of the same number. nil: none has.
	Taken func(run int64) bool
}

// Claim opens one IMMEDIATE transaction, reads a fresh view, lets decide choose, and writes the choice: lease, run, the
// card's move and its event (DSP-7). Whatever decide returns as an error rolls everything back. The view is whole: every
// open run, session and lease of the home.
func (s *Store) Claim(ctx context.Context, spec ViewSpec, decide func(*View) (Claim, error)) (Run, error) {
	var run Run
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		view, err := readView(ctx, tx, spec)
		if err != nil {
			return err
		}
		claim, err := decide(view)
		if err != nil {
			return err
		}
		run, err = insertClaim(ctx, tx, cmp.Or(claim.At, spec.Now), claim)
		return err
	})
	return run, err
}

func insertClaim(ctx context.Context, tx *sqlx.Tx, now Time, c Claim) (Run, error) {
	r := c.Run
	r.State, r.ClaimedAt, r.LaunchAttempt, r.SpawnedAt = RunClaimed, now, 1, now
	r.Attempt = c.Card.Attempts + 1
	var err error
	if r.ID, err = nextRun(ctx, tx, c.Taken); err != nil {
		return Run{}, err
	}
	_, err = tx.NamedExecContext(ctx, `
		INSERT INTO task_runs (
			id, card, board, attempt, status, role, slot, profile, executor, clone, harness, model, effort, surface, host, mode,
			resumes, state, launch_attempt, spawned_at_ms, over_cap, claimed_at_ms, independent, dependent_because)
		VALUES (
			:id, :card, :board, :attempt, :status, :role, :slot, :profile, :executor, nullif(:clone, 0), :harness, :model, :effort, :surface, :host, :mode,
			nullif(:resumes, 0), :state, :launch_attempt, :spawned_at_ms, :over_cap, :claimed_at_ms, :independent, :dependent_because)`, r)
	if err != nil {
		return Run{}, fmt.Errorf("insert a run of %s: %w", r.Card, err)
	}
	if err := takeLease(ctx, tx, r, c, now); err != nil {
		return Run{}, err
	}
	card := c.Card
	card.CurrentRun, card.Attempts, card.RoundRuns = r.ID, r.Attempt, card.RoundRuns+1
	card.StartRequested, card.NotBefore = 0, 0
	if err := saveCard(ctx, tx, now, card); err != nil {
		return Run{}, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM holds WHERE card = ?`, r.Card); err != nil {
		return Run{}, fmt.Errorf("drop the hold of %s: %w", r.Card, err)
	}
	return r, record(ctx, tx, now, change{board: r.Board, card: r.Card, run: r.ID, kind: "run.claimed", actor: c.Actor, payload: map[string]any{
		"from": c.From, "to": r.Status, "attempt": r.Attempt, "slot": r.Slot, "profile": r.Profile, "executor": r.Executor,
		"clone": r.Clone, "host": r.Host, "surface": r.Surface, "mode": r.Mode, "because": c.Because, "over_cap": c.OverCap,
	}})
}

// nextRun is the number of the next run: never one that was given before, by this database or by another in its place.
func nextRun(ctx context.Context, tx *sqlx.Tx, taken func(int64) bool) (int64, error) {
	var next int64
	err := tx.GetContext(ctx, &next, `
		SELECT coalesce(max(seq), 0) + 1
		FROM sqlite_sequence
		WHERE name = 'task_runs'`)
	if err != nil {
		return 0, fmt.Errorf("number the next run: %w", err)
	}
	for taken != nil && taken(next) {
		next++
	}
	return next, nil
}

// takeLease leases the planned clone. A kept run goes on under its session's lease.
func takeLease(ctx context.Context, tx *sqlx.Tx, r Run, c Claim, now Time) error {
	if c.Kept != 0 {
		return nil
	}
	res, err := tx.ExecContext(ctx, `
		INSERT INTO leases (executor, role, clone, card, slot, run, because, taken_at_ms)
		VALUES (?, ?, nullif(?, 0), ?, ?, ?, nullif(?, ''), ?)`,
		r.Executor, r.Role, r.Clone, r.Card, r.Slot, r.ID, c.Because, now)
	if err != nil {
		return fmt.Errorf("lease %s for %s: %w", r.Executor, r.Card, err)
	}
	lease, err := res.LastInsertId()
	if err != nil {
		return fmt.Errorf("lease %s for %s: %w", r.Executor, r.Card, err)
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO executor_turns (executor, last_lease, last_at_ms) VALUES (?, ?, ?)
		ON CONFLICT (executor) DO UPDATE SET last_lease = excluded.last_lease, last_at_ms = excluded.last_at_ms`,
		r.Executor, lease, now)
	if err != nil {
		return fmt.Errorf("note the lease of %s: %w", r.Executor, err)
	}
	return nil
}

// Relaunch counts one more launch of a claim whose supervisor never came (DSP-8). It is false when another process did, or
// the run is no longer claimed: then nobody may spawn on its account.
func (s *Store) Relaunch(ctx context.Context, now Time, run int64, attempt int) (bool, error) {
	won := false
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		res, err := tx.ExecContext(ctx, `
			UPDATE task_runs SET launch_attempt = launch_attempt + 1, spawned_at_ms = ?
			WHERE id = ? AND state = 'claimed' AND launch_attempt = ?`, now, run, attempt)
		if err != nil {
			return fmt.Errorf("launch run %d again: %w", run, err)
		}
		n, err := res.RowsAffected()
		if err != nil || n == 0 {
			return err
		}
		won = true
		r, err := readRun(ctx, tx, run)
		if err != nil {
			return err
		}
		return record(ctx, tx, now, change{
			board: r.Board, card: r.Card, run: run, kind: "run.relaunched", actor: "board",
			payload: map[string]any{"attempt": r.LaunchAttempt},
		})
	})
	return won, err
}
