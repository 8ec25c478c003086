package board

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// PauseRequest puts something on hold by hand. Names of caps and executors are the caller's to check: they stand in files.
type PauseRequest struct {
	Pause Pause // Kind, Target, Until, Reason, Actor
	Stop  bool  // also ask what runs there to end; a cap only drains (CAP-16), and stops nothing
}

// Paused is what a pause did. What runs finishes, unless it was asked to stop (LIV-5).
type Paused struct {
	Pause   Pause
	Already bool    // it was paused; until, reason and actor are replaced
	Running []int64 // runs that are open under it
	Stopped []int64 // those that were asked to end: they end when they are proved gone
}

// Pause puts a card, board, executor, cap or the home on hold, in one transaction with its event.
func (s *Store) Pause(ctx context.Context, now Time, q PauseRequest) (Paused, error) {
	p := q.Pause
	p.CreatedAt = now
	out := Paused{Pause: p}
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		slug, err := checkPause(ctx, tx, p)
		if err != nil {
			return err
		}
		had, err := pausesOf(ctx, tx, p.Kind, p.Target)
		if err != nil {
			return err
		}
		out.Already = len(had) > 0 && had[0].Active(now)
		if err := pause(ctx, tx, p); err != nil {
			return err
		}
		if out.Running, err = runsUnder(ctx, tx, p.Kind, p.Target); err != nil {
			return err
		}
		if q.Stop {
			if out.Stopped, err = stopUnder(ctx, tx, now, p, out.Running); err != nil {
				return err
			}
		}
		return record(ctx, tx, now, change{
			board: slug, card: cardTarget(p.Kind, p.Target), kind: string(p.Kind) + ".paused", actor: p.Actor,
			payload: map[string]any{"target": p.Target, "until": p.Until, "reason": p.Reason, "stop": q.Stop},
		})
	})
	return out, err
}

// checkPause says whether a target can be paused, and gives the board that its event belongs to.
func checkPause(ctx context.Context, tx *sqlx.Tx, p Pause) (slug string, err error) {
	if err := checkLine("the reason", p.Reason, MaxTitle); err != nil {
		return "", err
	}
	if !p.Until.IsZero() && p.Until <= p.CreatedAt {
		return "", NewProblem(ErrUsage, "", "the pause would be over already (%s)", p.Until)
	}
	switch p.Kind {
	case PauseCard:
		c, err := readForChange(ctx, tx, p.Target, 0)
		if err != nil {
			return "", err
		}
		if !c.EndedAt.IsZero() && c.CurrentRun == 0 {
			return "", NewProblem(ErrRefused, "", "%s is %s: there is nothing to pause", c.ID, c.Status)
		}
		return c.Board, nil
	case PauseBoard:
		b, err := readBoard(ctx, tx, p.Target)
		return b.Slug, err
	case PauseExecutor, PauseCap:
		return "", checkLine("the name", p.Target, maxPath)
	case PauseHome:
	}
	return "", nil
}

func cardTarget(kind PauseKind, target string) string {
	if kind == PauseCard {
		return target
	}
	return ""
}

func pausesOf(ctx context.Context, tx *sqlx.Tx, kind PauseKind, target string) ([]Pause, error) {
	var had []Pause
	err := tx.SelectContext(ctx, &had, `SELECT `+pauseColumns+` FROM pauses p WHERE p.kind = ? AND p.target = ?`, kind, target)
	if err != nil {
		return nil, fmt.Errorf("read the pause of %s %s: %w", kind, target, err)
	}
	return had, nil
}

// runsUnder are the open runs that a pause speaks of; those under a cap are the dispatcher's to know.
func runsUnder(ctx context.Context, tx *sqlx.Tx, kind PauseKind, target string) ([]int64, error) {
	var runs []int64
	err := tx.SelectContext(ctx, &runs, `
		SELECT id FROM task_runs
		WHERE ended_at_ms IS NULL AND CASE ?
			WHEN 'home' THEN 1
			WHEN 'board' THEN board = ?
			WHEN 'card' THEN card = ?
			WHEN 'executor' THEN executor = ?
			ELSE 0 END
		ORDER BY id`, kind, target, target, target)
	if err != nil {
		return nil, fmt.Errorf("read the runs of %s %s: %w", kind, target, err)
	}
	return runs, nil
}

func stopUnder(ctx context.Context, tx *sqlx.Tx, now Time, p Pause, runs []int64) ([]int64, error) {
	if p.Kind == PauseCap {
		return nil, NewProblem(ErrUsage, "", "a paused cap drains: it stops nothing")
	}
	for _, run := range runs {
		reason := "paused by " + p.Actor
		if p.Reason != "" {
			reason += ": " + p.Reason
		}
		if err := requestStop(ctx, tx, now, StopRequest{Run: run, Outcome: Stopped, Reason: reason, Actor: p.Actor}); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// ResumeRequest takes a hold by hand away.
type ResumeRequest struct {
	Kind    PauseKind
	Target  string
	Account string // of an executor, as its entry names it: what keeps the account out is lifted too
	Actor   string
}

// Resumed is what a resume did.
type Resumed struct {
	Paused   bool // it was on hold by hand
	Excluded int  // automatic exclusions of the executor and its account that were lifted with it (ROS-10)
}

// Resume takes a hold by hand away, in one transaction with its event; of an executor also what keeps it out automatically
// (ROS-10). Where there is none, nothing is written.
func (s *Store) Resume(ctx context.Context, now Time, q ResumeRequest) (Resumed, error) {
	var out Resumed
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		slug, err := checkResume(ctx, tx, q)
		if err != nil {
			return err
		}
		had, err := pausesOf(ctx, tx, q.Kind, q.Target)
		if err != nil {
			return err
		}
		out.Paused = len(had) > 0
		if _, err := tx.ExecContext(ctx, `DELETE FROM pauses WHERE kind = ? AND target = ?`, q.Kind, q.Target); err != nil {
			return fmt.Errorf("resume %s %s: %w", q.Kind, q.Target, err)
		}
		if q.Kind == PauseExecutor {
			if out.Excluded, err = liftExclusions(ctx, tx, q); err != nil {
				return err
			}
		}
		if !out.Paused && out.Excluded == 0 {
			return nil
		}
		if q.Kind == PauseCard {
			if err := readyFromNow(ctx, tx, now, q.Target); err != nil {
				return err
			}
		}
		return record(ctx, tx, now, change{
			board: slug, card: cardTarget(q.Kind, q.Target), kind: string(q.Kind) + ".resumed", actor: q.Actor,
			payload: map[string]any{"target": q.Target, "exclusions": out.Excluded},
		})
	})
	return out, err
}

func checkResume(ctx context.Context, tx *sqlx.Tx, q ResumeRequest) (slug string, err error) {
	switch q.Kind {
	case PauseCard:
		c, err := readCard(ctx, tx, q.Target)
		return c.Board, err
	case PauseBoard:
		b, err := readBoard(ctx, tx, q.Target)
		return b.Slug, err
	case PauseExecutor, PauseCap, PauseHome:
	}
	return "", nil
}

// liftExclusions lets an executor back, whatever kept it out.
func liftExclusions(ctx context.Context, tx *sqlx.Tx, q ResumeRequest) (int, error) {
	res, err := tx.ExecContext(ctx, `
		DELETE FROM exclusions
		WHERE executor = ? OR (account = ? AND account <> '')`, q.Target, q.Account)
	if err != nil {
		return 0, fmt.Errorf("let executor %s back: %w", q.Target, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, fmt.Errorf("let executor %s back: %w", q.Target, err)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM rate_limits WHERE executor = ?`, q.Target); err != nil {
		return 0, fmt.Errorf("forget the rate limits of %s: %w", q.Target, err)
	}
	return int(n), nil
}

// readyFromNow says when a resumed card last became startable.
func readyFromNow(ctx context.Context, tx *sqlx.Tx, now Time, card string) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE cards SET ready_since_at_ms = max(?, coalesce(not_before_at_ms, 0))
		WHERE id = ? AND ended_at_ms IS NULL`, now, card)
	if err != nil {
		return fmt.Errorf("resume %s: %w", card, err)
	}
	return nil
}

// Pauses are the holds by hand that have not passed, by kind and target.
func (s *Store) Pauses(ctx context.Context, now Time) ([]Pause, error) {
	var all []Pause
	err := s.db.SelectContext(ctx, &all, `
		SELECT `+pauseColumns+` FROM pauses p
		WHERE (p.until_at_ms IS NULL OR p.until_at_ms > ?)
			AND NOT EXISTS (SELECT 1 FROM cards c WHERE p.kind = 'card' AND c.id = p.target AND c.ended_at_ms IS NOT NULL)
		ORDER BY p.kind, p.target`, now)
	if err != nil {
		return nil, s.explain(fmt.Errorf("read pauses: %w", err))
	}
	return all, nil
}
