package board

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/seed-2ddc2152/board/internal/roster"
)

// TickReport is what a real tick leaves behind besides its starts and endings.
type TickReport struct {
	Tick      Tick
	Set       []Hold   // holds that began or changed
	Drop      []string // cards whose hold is over
	Refreshed roster.Refreshed
	Observed  []Observation
	Sources   map[string]string // workflow texts that loaded and differ from those kept, by name
	Questions []Block           // cards that a person must decide about: a blocker was cancelled
	Stops     []StopRequest     // idle sessions that are to be closed
}

// Observation is the last state of a host, a health URL or a configuration file.
type Observation struct {
	Kind  string `db:"kind" json:"kind"` // host, health, file
	Name  string `db:"name" json:"name"`
	State string `db:"state" json:"state"`
	Data  JSON   `db:"data" json:"data"`
	At    Time   `db:"at_ms" json:"at"`
}

// Changed says whether the report has anything to write but that a tick was idle.
func (r TickReport) Changed() bool {
	return len(r.Set)+len(r.Drop)+len(r.Observed)+len(r.Sources)+len(r.Questions)+len(r.Stops)+
		len(r.Refreshed.Dropped)+len(r.Refreshed.Resumed)+len(r.Refreshed.Added)+len(r.Refreshed.Back) > 0
}

// RecordTick writes what a tick found in one transaction. Of idle ticks only the latest is kept.
func (s *Store) RecordTick(ctx context.Context, now Time, r TickReport) error {
	return s.write(ctx, func(tx *sqlx.Tx) error {
		for _, step := range []func(context.Context, *sqlx.Tx, Time) error{r.saveHolds, r.saveRoster, r.saveObservations, r.saveQuestions, r.saveTick} {
			if err := step(ctx, tx, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// saveHolds writes the holds that began, changed or ended. Each that began or changed is an event: the history of a card's
// holds is what board why tells.
func (r TickReport) saveHolds(ctx context.Context, tx *sqlx.Tx, now Time) error {
	if err := r.setHolds(ctx, tx, now); err != nil {
		return err
	}
	for _, card := range r.Drop {
		if _, err := tx.ExecContext(ctx, `DELETE FROM holds WHERE card = ?`, card); err != nil {
			return fmt.Errorf("drop the hold of %s: %w", card, err)
		}
	}
	return nil
}

func (r TickReport) setHolds(ctx context.Context, tx *sqlx.Tx, now Time) (err error) {
	if len(r.Set) == 0 {
		return nil
	}
	hold, err := tx.PrepareNamedContext(ctx, `
			INSERT INTO holds (card, code, cap, grp, key, text, since_at_ms)
			SELECT :card, :code, :cap, :grp, :key, :text, :since_at_ms
			WHERE EXISTS (SELECT 1 FROM cards WHERE id = :card AND ended_at_ms IS NULL AND current_run IS NULL)
			ON CONFLICT (card) DO UPDATE SET
				code = excluded.code, cap = excluded.cap, grp = excluded.grp, key = excluded.key, text = excluded.text, since_at_ms = excluded.since_at_ms`)
	if err != nil {
		return fmt.Errorf("hold cards: %w", err)
	}
	defer func() { err = errors.Join(err, hold.Close()) }()
	for _, h := range r.Set { // 100,000 on the first tick of a large board
		res, err := hold.ExecContext(ctx, h)
		if err != nil {
			return fmt.Errorf("hold %s: %w", h.Card, err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return fmt.Errorf("hold %s: %w", h.Card, err)
		}
		if n == 0 {
			continue // it runs or has ended meanwhile
		}
		if err := record(ctx, tx, now, change{card: h.Card, kind: "card.held", actor: "board", payload: map[string]any{
			"code": h.Code, "cap": h.Cap, "group": h.Group, "key": h.Key, "text": h.Text,
		}}); err != nil {
			return err
		}
	}
	return nil
}

func (r TickReport) saveRoster(ctx context.Context, tx *sqlx.Tx, now Time) error {
	dropped, err := r.dropPassed(ctx, tx)
	if err != nil {
		return err
	}
	for _, x := range r.Refreshed.Added {
		if err := exclude(ctx, tx, now, x, 0); err != nil {
			return err
		}
	}
	if dropped == 0 {
		return nil // another tick has told who is back
	}
	for _, b := range r.Refreshed.Back {
		if err := record(ctx, tx, now, change{
			kind: "executor.back", actor: "board",
			payload: map[string]any{"executor": b.Executor, "text": b.Text},
		}); err != nil {
			return err
		}
	}
	return nil
}

// dropPassed deletes the exclusions and pauses that have passed, and counts them. A row that says something else by now, since a
// run has ended meanwhile or a person has paused again, is left alone.
func (r TickReport) dropPassed(ctx context.Context, tx *sqlx.Tx) (dropped int64, err error) {
	deleted := func(res sql.Result, err error, what string) error {
		if err != nil {
			return fmt.Errorf("drop the %s: %w", what, err)
		}
		n, err := res.RowsAffected()
		dropped += n
		return err
	}
	for _, x := range r.Refreshed.Dropped {
		res, err := tx.ExecContext(ctx, `DELETE FROM exclusions WHERE id = ? AND until_at_ms IS ? AND fingerprint = ?`, x.ID, At(x.Until), x.Fingerprint)
		if err := deleted(res, err, "exclusion of "+x.Executor+x.Account); err != nil {
			return dropped, err
		}
	}
	for _, p := range r.Refreshed.Resumed {
		res, err := tx.ExecContext(ctx, `DELETE FROM pauses WHERE id = ? AND until_at_ms IS ?`, p.ID, At(p.Until))
		if err := deleted(res, err, "pause of "+p.Executor); err != nil {
			return dropped, err
		}
	}
	return dropped, nil
}

func (r TickReport) saveObservations(ctx context.Context, tx *sqlx.Tx, now Time) error {
	for _, o := range r.Observed {
		_, err := tx.NamedExecContext(ctx, `
			INSERT INTO observations (kind, name, state, data, at_ms) VALUES (:kind, :name, :state, :data, :at_ms)
			ON CONFLICT (kind, name) DO UPDATE SET state = excluded.state, data = excluded.data, at_ms = excluded.at_ms`, o)
		if err != nil {
			return fmt.Errorf("store what was seen of %s %s: %w", o.Kind, o.Name, err)
		}
	}
	for name, source := range r.Sources {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO workflow_sources (name, hash, source, seen_at_ms) VALUES (?, ?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, source = excluded.source, seen_at_ms = excluded.seen_at_ms`,
			name, SecretHash(source), source, now)
		if err != nil {
			return fmt.Errorf("keep the workflow %s: %w", name, err)
		}
	}
	return nil
}

func (r TickReport) saveQuestions(ctx context.Context, tx *sqlx.Tx, now Time) error {
	for _, b := range r.Questions {
		if err := askPerson(ctx, tx, &b); err != nil {
			return err
		}
		if err := record(ctx, tx, now, change{
			card: b.Card, kind: "card.needs_person", actor: "board",
			payload: map[string]any{"kind": b.Kind, "text": b.Text},
		}); err != nil {
			return err
		}
	}
	for _, q := range r.Stops {
		if err := requestStop(ctx, tx, now, q); err != nil {
			return err
		}
	}
	return nil
}

func (r TickReport) saveTick(ctx context.Context, tx *sqlx.Tx, _ Time) error {
	if r.Tick.Idle {
		if _, err := tx.ExecContext(ctx, `DELETE FROM ticks WHERE id IN (SELECT id FROM ticks INDEXED BY ticks_idle WHERE idle = 1)`); err != nil {
			return fmt.Errorf("drop the last idle tick: %w", err)
		}
	}
	_, err := tx.NamedExecContext(ctx, `
		INSERT INTO ticks (started_at_ms, took_ms, idle, ended, started, stopping, held, fault)
		VALUES (:started_at_ms, :took_ms, :idle, :ended, :started, :stopping, :held, :fault)`, r.Tick)
	if err != nil {
		return fmt.Errorf("record the tick: %w", err)
	}
	return nil
}

// Observations are the last states of hosts, health URLs and files.
func (s *Store) Observations(ctx context.Context) ([]Observation, error) {
	var all []Observation
	if err := s.db.SelectContext(ctx, &all, `SELECT kind, name, state, data, at_ms FROM observations ORDER BY kind, name`); err != nil {
		return nil, s.explain(fmt.Errorf("read observations: %w", err))
	}
	return all, nil
}

// WorkflowSources are the last texts that loaded, by workflow name.
func (s *Store) WorkflowSources(ctx context.Context) (map[string]string, error) {
	var rows []struct {
		Name   string `db:"name"`
		Source string `db:"source"`
	}
	if err := s.db.SelectContext(ctx, &rows, `SELECT name, source FROM workflow_sources`); err != nil {
		return nil, s.explain(fmt.Errorf("read kept workflows: %w", err))
	}
	all := make(map[string]string, len(rows))
	for _, r := range rows {
		all[r.Name] = r.Source
	}
	return all, nil
}
