package board

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/seed-2ddc2152/board/internal/expr"
	"github.com/seed-2ddc2152/board/workflows"
)

// SecretHash is what is stored of a worker's secret.
func SecretHash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func readRun(ctx context.Context, tx sqlx.QueryerContext, id int64) (Run, error) {
	var r Run
	err := sqlx.GetContext(ctx, tx, &r, `SELECT `+runColumns+` FROM task_runs r WHERE r.id = ?`, id)
	if errors.Is(err, sql.ErrNoRows) {
		return Run{}, NewProblem(ErrNotFound, "board runs", "there is no run %d", id)
	}
	if err != nil {
		return Run{}, fmt.Errorf("read run %d: %w", id, err)
	}
	return r, nil
}

// Run gives a run by id.
func (s *Store) Run(ctx context.Context, id int64) (Run, error) {
	r, err := readRun(ctx, s.db, id)
	return r, s.explain(err)
}

// RunsOf gives a card's runs, oldest first.
func (s *Store) RunsOf(ctx context.Context, card string) ([]Run, error) {
	var runs []Run
	if err := s.db.SelectContext(ctx, &runs, `SELECT `+runColumns+` FROM task_runs r WHERE r.card = ? ORDER BY r.id`, card); err != nil {
		return nil, s.explain(fmt.Errorf("read the runs of %s: %w", card, err))
	}
	return runs, nil
}

func readSession(ctx context.Context, tx sqlx.QueryerContext, id int64) (Session, error) {
	var x Session
	err := sqlx.GetContext(ctx, tx, &x, `SELECT `+sessionColumns+` FROM sessions s WHERE s.id = ?`, id)
	if errors.Is(err, sql.ErrNoRows) {
		return Session{}, NewProblem(ErrNotFound, "", "there is no session %d", id)
	}
	if err != nil {
		return Session{}, fmt.Errorf("read session %d: %w", id, err)
	}
	return x, nil
}

// Session gives a session by id.
func (s *Store) Session(ctx context.Context, id int64) (Session, error) {
	x, err := readSession(ctx, s.db, id)
	return x, s.explain(err)
}

// Begin is a supervisor's compare-and-set of its run from claimed to running, with the row of its session (DSP-8). Nothing
// may be started before it. It is ErrElsewhere when the run is no longer claimed, or was asked to stop.
func (s *Store) Begin(ctx context.Context, now Time, run int64, session Session) (Run, error) {
	var r Run
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		res, err := tx.ExecContext(ctx, `
			UPDATE task_runs SET state = 'running', session = ?, launched_at_ms = ?, progress_at_ms = ?
			WHERE id = ? AND state = 'claimed' AND stop_outcome IS NULL`, session.ID, now, now, run)
		if err := oneRow(res, err, "begin run %d", run); err != nil {
			return err
		}
		if session.ID == run {
			if err := insertSession(ctx, tx, session); err != nil {
				return err
			}
		} else if err := reuseSession(ctx, tx, now, session.ID, run); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE leases SET session = ? WHERE run = ? AND released_at_ms IS NULL`, session.ID, run); err != nil {
			return fmt.Errorf("begin run %d: %w", run, err)
		}
		if r, err = readRun(ctx, tx, run); err != nil {
			return err
		}
		return record(ctx, tx, now, change{
			board: r.Board, card: r.Card, run: run, kind: "run.started", actor: "supervisor",
			payload: map[string]any{"session": session.ID, "mode": r.Mode},
		})
	})
	return r, err
}

// oneRow turns a compare-and-set that changed nothing into ErrElsewhere.
func oneRow(res sql.Result, err error, what string, args ...any) error {
	what = fmt.Sprintf(what, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if n == 0 {
		return fmt.Errorf("%s: %w", what, ErrElsewhere)
	}
	return nil
}

func insertSession(ctx context.Context, tx *sqlx.Tx, x Session) error {
	_, err := tx.NamedExecContext(ctx, `
		INSERT INTO sessions (
			id, card, board, slot, role, profile, origin, launch_key, secret_hash, harness, harness_session, executor, model, host,
			surface, interactive, workspace, supervisor, process, tmux_socket, tmux_session, tmux_window, tmux_pane,
			state, waiting_for, first_run, last_run, started_at_ms, last_seen_at_ms, transcript)
		VALUES (
			:id, :card, :board, :slot, :role, :profile, :origin, :launch_key, :secret_hash, :harness, nullif(:harness_session, ''), :executor, :model, :host,
			:surface, :interactive, :workspace, :supervisor, :process, :tmux_socket, :tmux_session, :tmux_window, :tmux_pane,
			:state, :waiting_for, nullif(:first_run, 0), nullif(:last_run, 0), :started_at_ms, :last_seen_at_ms, :transcript)`, x)
	if err != nil {
		return fmt.Errorf("insert session %d: %w", x.ID, err)
	}
	return nil
}

func reuseSession(ctx context.Context, tx *sqlx.Tx, now Time, session, run int64) error {
	res, err := tx.ExecContext(ctx, `
		UPDATE sessions SET state = 'busy', idle_since_at_ms = NULL, last_run = ?, last_seen_at_ms = ?
		WHERE id = ? AND ended_at_ms IS NULL AND stop_at_ms IS NULL`, run, now, session)
	return oneRow(res, err, "give run %d to session %d", run, session)
}

// SessionUpdate is what a supervisor has learnt of its session; zero fields leave what is stored.
type SessionUpdate struct {
	Process        string
	HarnessSession string
	Model          string
	Workspace      string
	Transcript     string
	State          SessionState
	WaitingFor     string
	TmuxSocket     string
	TmuxSession    string
	TmuxWindow     string
	TmuxPane       string
}

// UpdateSession stores what is known of a session that has not ended (MOD-4).
func (s *Store) UpdateSession(ctx context.Context, now Time, session int64, u SessionUpdate) error {
	return s.write(ctx, func(tx *sqlx.Tx) error {
		res, err := tx.ExecContext(ctx, `
			UPDATE sessions SET
				process = coalesce(nullif(?, ''), process),
				harness_session = coalesce(nullif(?, ''), harness_session),
				model = coalesce(nullif(?, ''), model),
				workspace = coalesce(nullif(?, ''), workspace),
				transcript = coalesce(nullif(?, ''), transcript),
				state = coalesce(nullif(?, ''), state),
				waiting_for = CASE WHEN ? = '' THEN waiting_for ELSE ? END,
				idle_since_at_ms = CASE ? WHEN '' THEN idle_since_at_ms WHEN 'idle' THEN coalesce(idle_since_at_ms, ?) END,
				tmux_socket = coalesce(nullif(?, ''), tmux_socket),
				tmux_session = coalesce(nullif(?, ''), tmux_session),
				tmux_window = coalesce(nullif(?, ''), tmux_window),
				tmux_pane = coalesce(nullif(?, ''), tmux_pane),
				last_seen_at_ms = ?
			WHERE id = ? AND ended_at_ms IS NULL`,
			u.Process, u.HarnessSession, u.Model, u.Workspace, u.Transcript, u.State, u.State, u.WaitingFor, u.State, now,
			u.TmuxSocket, u.TmuxSession, u.TmuxWindow, u.TmuxPane, now, session)
		return oneRow(res, err, "update session %d", session)
	})
}

// Progress is what a supervisor reports of its running run; zero fields leave what is stored.
type Progress struct {
	At         Time // of the last output event or beat
	Workspace  string
	Branch     string
	BaseCommit string
	CostMicros int64
}

// UpdateRun stores progress of a run that is running (MOD-4).
func (s *Store) UpdateRun(ctx context.Context, run int64, p Progress) error {
	return s.write(ctx, func(tx *sqlx.Tx) error {
		res, err := tx.ExecContext(ctx, `
			UPDATE task_runs SET
				progress_at_ms = coalesce(?, progress_at_ms),
				workspace = coalesce(nullif(?, ''), workspace),
				branch = coalesce(nullif(?, ''), branch),
				base_commit = coalesce(nullif(?, ''), base_commit),
				cost_micros = coalesce(nullif(?, 0), cost_micros)
			WHERE id = ? AND state IN ('running', 'waiting_host')`,
			p.At, p.Workspace, p.Branch, p.BaseCommit, p.CostMicros, run)
		return oneRow(res, err, "update run %d", run)
	})
}

// StopRequest asks a run, or a session that has none, to end.
type StopRequest struct {
	Run     int64
	Session int64   // used when Run is 0
	Outcome Outcome // stopped, timed_out, quiet, interrupted or reclaimed
	Reason  string
	Actor   string
}

// RequestStop stores that a run or session is to end, before anything is signalled (END-0). The first request stays, but a
// person's `stopped` or `reclaimed` replaces one of the program's. It gives the run as it is then.
func (s *Store) RequestStop(ctx context.Context, now Time, q StopRequest) error {
	return s.write(ctx, func(tx *sqlx.Tx) error { return requestStop(ctx, tx, now, q) })
}

func requestStop(ctx context.Context, tx *sqlx.Tx, now Time, q StopRequest) error {
	if q.Run == 0 {
		_, err := tx.ExecContext(ctx, `
			UPDATE sessions SET stop_reason = ?, stop_actor = ?, stop_at_ms = ?
			WHERE id = ? AND ended_at_ms IS NULL AND stop_at_ms IS NULL AND origin = 'dispatched'`,
			q.Reason, q.Actor, now, q.Session)
		if err != nil {
			return fmt.Errorf("ask session %d to stop: %w", q.Session, err)
		}
		return nil
	}
	res, err := tx.ExecContext(ctx, `
		UPDATE task_runs SET stop_outcome = ?, stop_reason = ?, stop_actor = ?, stop_at_ms = ?
		WHERE id = ? AND ended_at_ms IS NULL
			AND (stop_outcome IS NULL OR (stop_outcome NOT IN ('stopped', 'reclaimed') AND ? IN ('stopped', 'reclaimed')))`,
		q.Outcome, q.Reason, q.Actor, now, q.Run, q.Outcome)
	if err != nil {
		return fmt.Errorf("ask run %d to stop: %w", q.Run, err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	r, err := readRun(ctx, tx, q.Run)
	if err != nil {
		return err
	}
	return record(ctx, tx, now, change{
		board: r.Board, card: r.Card, run: r.ID, kind: "run.stop_requested", actor: q.Actor,
		payload: map[string]any{"outcome": q.Outcome, "reason": q.Reason},
	})
}

// VerdictRequest is a worker's word about its work, with the secret that names its session (WRK-2).
type VerdictRequest struct {
	Secret  string
	Verdict Verdict
	Reason  string
	Kind    string // of a block
	Summary string
}

// SetVerdict stores a verdict on the open run of the secret's session, after its guard has been checked (END-1). It changes
// nothing else. A fence or a guard that refuses is ErrRefused.
func (s *Store) SetVerdict(ctx context.Context, now Time, rules Rules, q VerdictRequest) (Run, error) {
	var run Run
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		var err error
		if run, err = fencedRun(ctx, tx, q.Secret); err != nil {
			return err
		}
		if err := checkVerdict(ctx, tx, now, rules, run, q); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE task_runs SET verdict = ?, verdict_reason = ?, verdict_at_ms = ?, summary = coalesce(nullif(?, ''), summary),
				metadata = CASE WHEN ? = '' THEN metadata ELSE json_set(metadata, '$.block_kind', ?) END
			WHERE id = ?`, q.Verdict, q.Reason, now, q.Summary, q.Kind, q.Kind, run.ID)
		if err != nil {
			return fmt.Errorf("store the verdict of run %d: %w", run.ID, err)
		}
		return record(ctx, tx, now, change{
			board: run.Board, card: run.Card, run: run.ID, kind: "run.verdict", actor: run.Slot,
			payload: map[string]any{"verdict": q.Verdict, "reason": q.Reason},
		})
	})
	return run, err
}

// RunOfSecret gives the open run that a worker's secret names, or ErrRefused saying why there is none.
func (s *Store) RunOfSecret(ctx context.Context, secret string) (Run, error) {
	r, err := fencedRun(ctx, s.db, secret)
	return r, s.explain(err)
}

// fencedRun resolves a secret to its session's open run, or says why it cannot (MOD-4).
func fencedRun(ctx context.Context, tx sqlx.QueryerContext, secret string) (Run, error) {
	var x Session
	err := sqlx.GetContext(ctx, tx, &x, `SELECT `+sessionColumns+` FROM sessions s WHERE s.secret_hash = ?`, SecretHash(secret))
	if secret == "" || errors.Is(err, sql.ErrNoRows) {
		return Run{}, NewProblem(ErrRefused, "call it from inside a run that board started", "no session has this secret")
	}
	if err != nil {
		return Run{}, fmt.Errorf("read the session of a secret: %w", err)
	}
	var r Run
	err = sqlx.GetContext(ctx, tx, &r, `
		SELECT `+runColumns+` FROM task_runs r WHERE r.session = ? AND r.ended_at_ms IS NULL`, x.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return Run{}, NewProblem(ErrRefused, "", "run %d of %s has ended or was replaced: nothing was changed", x.LastRun, x.Card)
	}
	if err != nil {
		return Run{}, fmt.Errorf("read the run of session %d: %w", x.ID, err)
	}
	return r, nil
}

// checkVerdict asks the workflow whether the run's slot may send this verdict here and whether it would be taken (WRK-3).
func checkVerdict(ctx context.Context, tx *sqlx.Tx, now Time, rules Rules, run Run, q VerdictRequest) error {
	if run.StopOutcome == Stopped || run.StopOutcome == Reclaimed {
		return NewProblem(ErrRefused, "", "run %d is being stopped: %s", run.ID, run.StopReason)
	}
	card, b, facts, err := readCardWhole(ctx, tx, run.Card)
	if err != nil {
		return err
	}
	w := rules.Workflow(b.Workflow)
	if w == nil {
		return nil // the verdict is stored; the end decides
	}
	event := w.OutcomeEvent(run.Status, string(q.Verdict))
	if q.Verdict == VerdictBlocked && w.Event(event) == nil {
		return nil // a question needs no transition
	}
	if card.Status != run.Status {
		return NewProblem(ErrRefused, "", "%s is in %s and no longer in %s, which run %d is about", card.ID, card.Status, run.Status, run.ID)
	}
	env := Env(b, card, facts, now)
	env.Event = expr.Event{Name: event, Reason: q.Reason, Summary: q.Summary}
	env.Sender = expr.Sender{Kind: "session", Name: run.Executor, Slot: run.Slot}
	_, refusal := w.Fire(workflows.FireRequest{Event: event, From: card.Status, By: run.Slot, Env: env})
	if refusal != nil {
		return NewProblem(ErrRefused, "", "%s", refusal.Text)
	}
	return nil
}
