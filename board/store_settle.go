package board

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/seed-2ddc2152/board/internal/roster"
)

// Settled is what Settle did.
type Settled struct {
	Ending  Ending
	Already bool // another process had settled the run: nothing was written
}

// Settle ends a run as its exit says, in one transaction: the run, the event, the card, the lease, the counters (END-2). It
// may be called by its supervisor and by any tick, in any order and more than once; the second finds it done. Whoever calls
// it has proved that everything the run started is gone (LIV-3), or says that its session was kept.
func (s *Store) Settle(ctx context.Context, now Time, rules Rules, exit Exit) (Settled, error) {
	var out Settled
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		run, err := readRun(ctx, tx, exit.Run)
		if err != nil {
			return err
		}
		if !run.Open() {
			out.Already = true
			return nil
		}
		facts, err := endingFacts(ctx, tx, now, rules, run, exit)
		if err != nil {
			return err
		}
		out.Ending = End(facts)
		return saveEnding(ctx, tx, now, facts, out.Ending)
	})
	return out, err
}

func endingFacts(ctx context.Context, tx *sqlx.Tx, now Time, rules Rules, run Run, exit Exit) (EndingFacts, error) {
	card, b, facts, err := readCardWhole(ctx, tx, run.Card)
	if err != nil {
		return EndingFacts{}, err
	}
	f := EndingFacts{Now: now, Board: b, Card: card, Facts: facts, Run: run, Exit: exit, Workflow: rules.Workflow(b.Workflow)}
	if e, ok := rules.Executor(run.Executor); ok {
		f.Executor, f.Fingerprint = e, rules.Fingerprint(e)
	} else {
		f.Executor = roster.Executor{ID: run.Executor, Harness: run.Harness, Cooldown: roster.DefaultCooldown(), Slots: 1}
	}
	var limits []Time
	if err := tx.SelectContext(ctx, &limits, `
		SELECT at_ms FROM rate_limits WHERE executor = ? AND at_ms > ? ORDER BY at_ms`, run.Executor, now.Add(-rateLimitMemory)); err != nil {
		return f, fmt.Errorf("read the rate limits of %s: %w", run.Executor, err)
	}
	f.RateLimits = limits
	if f.Recent, err = recentEnds(ctx, tx, run.Executor); err != nil {
		return f, err
	}
	err = tx.GetContext(ctx, &f.LastBlock, `
		SELECT kind FROM blocks WHERE card = ? AND run IS NOT NULL ORDER BY id DESC LIMIT 1`, run.Card)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return f, fmt.Errorf("read the last question of %s: %w", run.Card, err)
	}
	var kind sql.NullString
	if err := tx.GetContext(ctx, &kind, `SELECT json_extract(metadata, '$.block_kind') FROM task_runs WHERE id = ?`, run.ID); err != nil {
		return f, fmt.Errorf("read the kind of the question of run %d: %w", run.ID, err)
	}
	f.Exit.Result.Kind = cmp.Or(kind.String, f.Exit.Result.Kind)
	return f, nil
}

// recentEnds are the last ended runs of an executor, newest first: as many as ROS-21 needs beside the one that ends.
func recentEnds(ctx context.Context, tx sqlx.QueryerContext, executor string) ([]roster.EndedRun, error) {
	var rows []struct {
		Run
		Output bool `db:"output"`
	}
	err := sqlx.SelectContext(ctx, tx, &rows, `
		SELECT r.card, r.claimed_at_ms, r.launched_at_ms, r.ended_at_ms, r.outcome, json_extract(r.metadata, '$.output') IS 1 AS output
		FROM task_runs r INDEXED BY task_runs_executor
		WHERE r.executor = ? AND r.ended_at_ms IS NOT NULL
		ORDER BY r.ended_at_ms DESC, r.id DESC
		LIMIT 2`, executor) // the row is of three, with the one that ends
	if err != nil {
		return nil, fmt.Errorf("read the last runs of %s: %w", executor, err)
	}
	var out []roster.EndedRun
	for _, r := range rows {
		out = append(out, EndedRunOf(r.Run, r.Output))
	}
	return out, nil
}

// RecentEnds gives the last ended runs of an executor, newest first.
func (s *Store) RecentEnds(ctx context.Context, executor string) ([]roster.EndedRun, error) {
	out, err := recentEnds(ctx, s.db, executor)
	return out, s.explain(err)
}

func saveEnding(ctx context.Context, tx *sqlx.Tx, now Time, f EndingFacts, e Ending) error {
	if err := endRun(ctx, tx, f, e.Run); err != nil {
		return err
	}
	if err := saveCard(ctx, tx, now, e.Card); err != nil {
		return err
	}
	if err := endSessionOf(ctx, tx, now, f, e); err != nil {
		return err
	}
	if err := blameExecutor(ctx, tx, now, e); err != nil {
		return err
	}
	for _, slot := range e.Forget {
		if err := forgetSlot(ctx, tx, now, e.Card.ID, slot); err != nil {
			return err
		}
	}
	for _, slot := range e.Close {
		if err := closeSlot(ctx, tx, now, e.Card.ID, slot, "board"); err != nil {
			return err
		}
	}
	if err := askPerson(ctx, tx, e.Block); err != nil {
		return err
	}
	if e.Card.EndedAt != 0 {
		if err := freeDependents(ctx, tx, now, e.Card); err != nil {
			return err
		}
	}
	return recordEnding(ctx, tx, now, f, e)
}

func endRun(ctx context.Context, tx *sqlx.Tx, f EndingFacts, r Run) error {
	meta, err := mergeMetadata(r.Metadata, f.Exit)
	if err != nil {
		return err
	}
	r.Metadata = meta
	_, err = tx.NamedExecContext(ctx, `
		UPDATE task_runs SET
			state = :state, ended_at_ms = :ended_at_ms, outcome = :outcome, reason = :reason, error_class = :error_class,
			exit_code = :exit_code, signal = :signal, summary = :summary, workspace = :workspace, branch = :branch,
			base_commit = :base_commit, head_commit = :head_commit, model = :model,
			verdict = nullif(:verdict, ''), verdict_reason = :verdict_reason, verdict_at_ms = :verdict_at_ms,
			stop_outcome = nullif(:stop_outcome, ''), stop_reason = :stop_reason, stop_actor = :stop_actor, stop_at_ms = :stop_at_ms,
			tokens_in = :tokens_in, tokens_out = :tokens_out, tokens_cached = :tokens_cached,
			cost_micros = :cost_micros, cost_estimated = :cost_estimated, turns = :turns, metadata = :metadata
		WHERE id = :id`, r)
	if err != nil {
		return fmt.Errorf("end run %d: %w", r.ID, err)
	}
	return nil
}

// mergeMetadata adds what only people read of an exit to what the run has.
func mergeMetadata(had JSON, x Exit) (JSON, error) {
	all := map[string]any{}
	for _, text := range []JSON{had, x.Result.Metadata} {
		if len(text) == 0 {
			continue
		}
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			return "", fmt.Errorf("read the metadata of run %d: %w", x.Run, err)
		}
	}
	var notes []string // each once: what is left out of two commits is one thing to know
	for _, note := range x.Notes {
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	if len(notes) > 0 {
		all["notes"] = notes
	}
	if len(x.Killed) > 0 {
		all["killed"] = x.Killed
	}
	if x.Output {
		all["output"] = true
	}
	if x.LastLines != "" {
		all["last_lines"] = x.LastLines
	}
	out, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("write the metadata of run %d: %w", x.Run, err)
	}
	return JSON(out), nil
}

// endSessionOf ends the run's session and gives its lease back, or leaves both when the session was kept.
func endSessionOf(ctx context.Context, tx *sqlx.Tx, now Time, f EndingFacts, e Ending) error {
	x := f.Exit.Result
	if _, err := tx.ExecContext(ctx, `
		UPDATE sessions SET harness_session = coalesce(nullif(?, ''), harness_session), model = coalesce(nullif(?, ''), model)
		WHERE id = ?`, x.Session, x.Model, f.Run.Session); err != nil {
		return fmt.Errorf("update session %d: %w", f.Run.Session, err)
	}
	if e.Kept {
		_, err := tx.ExecContext(ctx, `
			UPDATE sessions SET state = 'idle', idle_since_at_ms = ?, last_seen_at_ms = ?
			WHERE id = ? AND ended_at_ms IS NULL`, now, now, f.Run.Session)
		if err != nil {
			return fmt.Errorf("keep session %d: %w", f.Run.Session, err)
		}
		return nil
	}
	if err := endSession(ctx, tx, now, f.Run.Session); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `
		UPDATE leases SET released_at_ms = ? WHERE run = ? AND released_at_ms IS NULL`, now, f.Run.ID); err != nil {
		return fmt.Errorf("give back the lease of run %d: %w", f.Run.ID, err)
	}
	return nil
}

// endSession marks a session as proved gone and gives its leases back (ROS-5).
func endSession(ctx context.Context, tx *sqlx.Tx, now Time, session int64) error {
	if session == 0 {
		return nil
	}
	if _, err := tx.ExecContext(ctx, `
		UPDATE sessions SET state = 'ended', ended_at_ms = ?, last_seen_at_ms = ? WHERE id = ? AND ended_at_ms IS NULL`,
		now, now, session); err != nil {
		return fmt.Errorf("end session %d: %w", session, err)
	}
	if _, err := tx.ExecContext(ctx, `
		UPDATE leases SET released_at_ms = ? WHERE session = ? AND released_at_ms IS NULL`, now, session); err != nil {
		return fmt.Errorf("give back the leases of session %d: %w", session, err)
	}
	return nil
}

// EndSession records that a session without a run is proved gone: a closed or lost idle pane, or an adopted one.
func (s *Store) EndSession(ctx context.Context, now Time, session int64, reason string) error {
	return s.write(ctx, func(tx *sqlx.Tx) error {
		x, err := readSession(ctx, tx, session)
		if err != nil || x.State == SessionEnded {
			return err
		}
		if err := endSession(ctx, tx, now, session); err != nil {
			return err
		}
		return record(ctx, tx, now, change{
			board: x.Board, card: x.Card, run: x.LastRun, kind: "session.ended", actor: "board",
			payload: map[string]any{"session": session, "reason": reason},
		})
	})
}

func blameExecutor(ctx context.Context, tx *sqlx.Tx, now Time, e Ending) error {
	if e.CountRateLimit {
		if _, err := tx.ExecContext(ctx, `INSERT INTO rate_limits (executor, at_ms, run) VALUES (?, ?, ?)`,
			e.Run.Executor, now, e.Run.ID); err != nil {
			return fmt.Errorf("count a rate limit of %s: %w", e.Run.Executor, err)
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM rate_limits WHERE executor = ? AND at_ms <= ?`,
			e.Run.Executor, now.Add(-rateLimitMemory)); err != nil {
			return fmt.Errorf("forget the old rate limits of %s: %w", e.Run.Executor, err)
		}
	}
	if e.ClearRateLimits {
		if _, err := tx.ExecContext(ctx, `DELETE FROM rate_limits WHERE executor = ?`, e.Run.Executor); err != nil {
			return fmt.Errorf("clear the rate limits of %s: %w", e.Run.Executor, err)
		}
	}
	if e.Exclude == nil {
		return nil
	}
	return exclude(ctx, tx, now, *e.Exclude, e.Run.ID)
}

// exclude stores an exclusion. One of the same kind is replaced only by a later one, so that nothing is shortened; what says
// no more than the one that stands is no event (roster.Record is the same rule, for a plan).
func exclude(ctx context.Context, tx *sqlx.Tx, now Time, x roster.Exclusion, run int64) error {
	res, err := tx.ExecContext(ctx, `
		INSERT INTO exclusions (executor, account, kind, reason, until_at_ms, probe_at_ms, fingerprint, created_at_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (executor, account, kind) DO UPDATE SET
			reason = excluded.reason, until_at_ms = excluded.until_at_ms, probe_at_ms = excluded.probe_at_ms, fingerprint = excluded.fingerprint
		WHERE excluded.until_at_ms > exclusions.until_at_ms OR excluded.fingerprint <> exclusions.fingerprint`,
		x.Executor, x.Account, x.Kind, x.Reason, At(x.Until), At(x.NextProbe), x.Fingerprint, now)
	if err != nil {
		return fmt.Errorf("exclude %s: %w", cmp.Or(x.Executor, x.Account), err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	return record(ctx, tx, now, change{run: run, kind: "executor.excluded", actor: "board", payload: map[string]any{
		"executor": x.Executor, "account": x.Account, "kind": x.Kind, "reason": x.Reason, "until": At(x.Until),
	}})
}

func forgetSlot(ctx context.Context, tx *sqlx.Tx, now Time, card, slot string) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE sessions SET forgotten_at_ms = ? WHERE card = ? AND slot GLOB ? AND forgotten_at_ms IS NULL`, now, card, slot)
	if err != nil {
		return fmt.Errorf("forget the sessions %s of %s: %w", slot, card, err)
	}
	return nil
}

// closeSlot asks the idle sessions of a slot to end; a tick signals them, and their places are free when they are gone. A
// busy one is asked through its run. An adopted one is never asked (PAN-5).
func closeSlot(ctx context.Context, tx *sqlx.Tx, now Time, card, slot, actor string) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE sessions SET stop_reason = 'its slot was closed', stop_actor = ?, stop_at_ms = ?
		WHERE card = ? AND slot GLOB ? AND ended_at_ms IS NULL AND stop_at_ms IS NULL AND origin = 'dispatched'
			AND NOT EXISTS (SELECT 1 FROM task_runs r WHERE r.session = sessions.id AND r.ended_at_ms IS NULL)`,
		actor, now, card, slot)
	if err != nil {
		return fmt.Errorf("close the sessions %s of %s: %w", slot, card, err)
	}
	return nil
}

func askPerson(ctx context.Context, tx *sqlx.Tx, b *Block) error {
	if b == nil {
		return nil
	}
	_, err := tx.NamedExecContext(ctx, `
		INSERT INTO blocks (card, run, kind, text, asked_by, asked_at_ms)
		VALUES (:card, nullif(:run, 0), :kind, :text, :asked_by, :asked_at_ms)`, *b)
	if err != nil {
		return fmt.Errorf("ask a person about %s: %w", b.Card, err)
	}
	return nil
}

// freeDependents marks the cards that waited for an ended one as startable from now.
func freeDependents(ctx context.Context, tx *sqlx.Tx, now Time, c Card) error {
	if c.Status == Cancelled {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE cards SET ready_since_at_ms = ?
		WHERE id IN (SELECT blocked FROM card_links WHERE blocker = ?) AND ended_at_ms IS NULL`, now, c.ID)
	if err != nil {
		return fmt.Errorf("free the cards that wait for %s: %w", c.ID, err)
	}
	return nil
}

func recordEnding(ctx context.Context, tx *sqlx.Tx, now Time, f EndingFacts, e Ending) error {
	events := []change{{kind: "run.ended", actor: cmp.Or(e.Run.StopActor, "board"), payload: map[string]any{
		"outcome": e.Run.Outcome, "reason": e.Run.Reason, "verdict": e.Run.Verdict, "step": e.Step, "failure": e.Failure,
		"exit_code": e.Run.ExitCode, "refusal": e.Refusal,
	}}}
	if OtherModel(f.Run.Model, e.Run.Model) {
		events = append(events, change{kind: "run.other_model", actor: "board", payload: map[string]any{
			"asked": f.Run.Model, "answered": e.Run.Model,
		}})
	}
	if e.Move != nil {
		events = append(events, change{kind: "card." + e.Event, actor: e.By, payload: map[string]any{
			"from": e.Move.From, "to": e.Move.To, "reason": e.Run.VerdictReason,
		}})
	}
	if e.Block != nil {
		events = append(events, change{kind: "card.needs_person", actor: e.Block.AskedBy, payload: map[string]any{
			"kind": e.Block.Kind, "text": e.Block.Text,
		}})
	}
	for _, kind := range e.Records {
		events = append(events, change{kind: kind, actor: e.By})
	}
	for _, text := range e.Notices {
		events = append(events, change{kind: "notice", actor: e.By, payload: map[string]any{"text": text}})
	}
	for _, c := range events {
		c.board, c.card, c.run = e.Run.Board, e.Run.Card, e.Run.ID
		if err := record(ctx, tx, now, c); err != nil {
			return err
		}
	}
	return nil
}
