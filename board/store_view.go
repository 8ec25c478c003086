package board

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
)

// rateLimitMemory is how far back rate limits are read; the window of ROS-8 is ten minutes.
const rateLimitMemory = time.Hour

// View reads everything that spec asks for in one transaction.
func (s *Store) View(ctx context.Context, spec ViewSpec) (*View, error) {
	var view *View
	err := s.read(ctx, func(tx *sqlx.Tx) error {
		var err error
		view, err = readView(ctx, tx, spec)
		return err
	})
	return view, err
}

func readView(ctx context.Context, tx *sqlx.Tx, spec ViewSpec) (*View, error) {
	v := &View{
		Now: spec.Now, Busy: map[string]Card{}, LastLeased: map[string]int64{}, RateLimits: map[string][]Time{}, Blocks: map[string]Block{},
		Blockers: map[string][]Blocker{}, Holds: map[string]Hold{}, Workers: map[string][]Worker{}, Resumable: map[SlotKey]Session{},
		Returning: map[SlotKey][]Session{},
	}
	var has presence
	if err := tx.GetContext(ctx, &has, presenceQuery, spec.Now.Add(-rateLimitMemory)); err != nil {
		return nil, fmt.Errorf("look what there is: %w", err)
	}
	for _, step := range []struct {
		needed bool
		read   func(context.Context, *sqlx.Tx, ViewSpec) error
	}{
		{true, v.readBoards},
		{has.Runs, v.readRuns},
		{has.Sessions, v.readSessions},
		{true, v.readCards},
		{has.Runs || has.Sessions, v.readBusy},
		{has.Leases, v.readLeases},
		{has.Turns, v.readTurns},
		{has.Exclusions, v.readExclusions},
		{has.Pauses, v.readPauses},
		{has.RateLimits, v.readRateLimits},
		{has.Blocks, v.readBlocks},
		{has.Links, v.readBlockers},
		{has.Holds, v.readHolds},
		{spec.Since != 0, v.readPast},
		{has.Tried, v.readWorkers},
		{has.Tried, v.readResumable},
		{true, v.readLastTick},
	} {
		if !step.needed {
			continue
		}
		if err := step.read(ctx, tx, spec); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// presence says which tables have rows that a view wants. Preparing a query costs more than running it on an empty table,
// and on most boards most of these are empty.
type presence struct {
	Runs       bool `db:"runs"`
	Sessions   bool `db:"sessions"`
	Leases     bool `db:"leases"`
	Turns      bool `db:"turns"`
	Exclusions bool `db:"exclusions"`
	Pauses     bool `db:"pauses"`
	RateLimits bool `db:"rate_limits"`
	Blocks     bool `db:"blocks"`
	Links      bool `db:"links"`
	Holds      bool `db:"holds"`
	Tried      bool `db:"tried"`
}

const presenceQuery = `
	SELECT
		EXISTS (SELECT 1 FROM task_runs INDEXED BY task_runs_open WHERE ended_at_ms IS NULL) AS runs,
		EXISTS (SELECT 1 FROM sessions INDEXED BY sessions_open WHERE ended_at_ms IS NULL) AS sessions,
		EXISTS (SELECT 1 FROM leases INDEXED BY leases_unreleased WHERE released_at_ms IS NULL) AS leases,
		EXISTS (SELECT 1 FROM executor_turns) AS turns,
		EXISTS (SELECT 1 FROM exclusions) AS exclusions,
		EXISTS (SELECT 1 FROM pauses) AS pauses,
		EXISTS (SELECT 1 FROM rate_limits WHERE at_ms > ?) AS rate_limits,
		EXISTS (SELECT 1 FROM blocks INDEXED BY blocks_open WHERE answered_at_ms IS NULL) AS blocks,
		EXISTS (SELECT 1 FROM card_links) AS links,
		EXISTS (SELECT 1 FROM holds) AS holds,
		EXISTS (SELECT 1 FROM cards INDEXED BY cards_tried WHERE attempts > 0 AND ended_at_ms IS NULL AND archived_at_ms IS NULL) AS tried`

func (v *View) readBoards(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	if err := tx.SelectContext(ctx, &v.Boards, `SELECT `+boardColumns+` FROM boards b ORDER BY b.slug`); err != nil {
		return fmt.Errorf("read boards: %w", err)
	}
	return nil
}

func (v *View) readRuns(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	if err := tx.SelectContext(ctx, &v.Runs, `
		SELECT `+runColumns+`
		FROM task_runs r INDEXED BY task_runs_open
		WHERE r.ended_at_ms IS NULL
		ORDER BY r.id`); err != nil {
		return fmt.Errorf("read open runs: %w", err)
	}
	return nil
}

func (v *View) readSessions(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	if err := tx.SelectContext(ctx, &v.Sessions, `
		SELECT `+sessionColumns+`
		FROM sessions s INDEXED BY sessions_open
		WHERE s.ended_at_ms IS NULL
		ORDER BY s.id`); err != nil {
		return fmt.Errorf("read sessions: %w", err)
	}
	return nil
}

// readCards reads the cards asked for. The rows are scanned by hand: a plan reads up to 100,000 of them.
func (v *View) readCards(ctx context.Context, tx *sqlx.Tx, spec ViewSpec) (err error) {
	if spec.Card != "" {
		err := tx.SelectContext(ctx, &v.Cards, `SELECT `+cardColumns+` FROM cards c WHERE c.id = ?`, spec.Card)
		if err != nil {
			return fmt.Errorf("read card %s: %w", spec.Card, err)
		}
	} else if v.Cards, err = planCards(ctx, tx, v.Boards, spec); err != nil {
		return err
	}
	if spec.Resting {
		if v.Resting, err = planCards(ctx, tx, v.Boards, ViewSpec{}); err != nil {
			return err
		}
	}
	return nil
}

func planCards(ctx context.Context, tx *sqlx.Tx, boards []Board, spec ViewSpec) ([]Card, error) {
	var cards []Card
	for _, b := range boards {
		statuses, some := spec.Statuses[b.Slug]
		if !some {
			read, err := scanCards(ctx, tx, cards, spec.Full, `c.board = ?`, b.Slug)
			if err != nil {
				return nil, err
			}
			cards = read
			continue
		}
		for _, status := range statuses {
			read, err := scanCards(ctx, tx, cards, spec.Full, `c.board = ? AND c.status = ?`, b.Slug, status)
			if err != nil {
				return nil, err
			}
			cards = read
		}
	}
	return cards, nil
}

func scanCards(ctx context.Context, tx *sqlx.Tx, into []Card, full bool, where string, args ...any) (_ []Card, err error) {
	where += ` AND c.ended_at_ms IS NULL AND c.archived_at_ms IS NULL`
	if full {
		var cards []Card
		err := tx.SelectContext(ctx, &cards, `SELECT `+cardColumns+` FROM cards c WHERE `+where, args...)
		if err != nil {
			return nil, fmt.Errorf("read cards: %w", err)
		}
		return append(into, cards...), nil
	}
	rows, err := tx.QueryContext(ctx, `SELECT `+planColumns+` FROM cards c INDEXED BY cards_plan WHERE `+where+
		` ORDER BY c.board, c.status, c.priority DESC, c.created_at_ms, c.id`, args...)
	if err != nil {
		return nil, fmt.Errorf("read cards: %w", err)
	}
	defer func() {
		if closing := rows.Close(); err == nil && closing != nil {
			err = fmt.Errorf("read cards: %w", closing)
		}
	}()
	words := words{}
	for rows.Next() {
		into = append(into, Card{})
		c := &into[len(into)-1]
		if err := rows.Scan(&c.ID, words.in(&c.Board), &c.Number, words.in(&c.Status), &c.Priority, words.in(&c.Assignee),
			words.in(&c.Host), words.in(&c.Model), words.in(&c.Effort), words.in(&c.Parent), &c.Owns, &c.Labels, words.in(&c.Workspace),
			&c.NotBefore, &c.ReadySince, &c.StartRequested, &c.MaxRuns,
			&c.Failures, &c.Handovers, &c.Moves, &c.Unanswered, &c.RoundRuns, &c.Attempts, &c.Counters,
			&c.CleanStart, &c.CurrentRun, &c.Revision, &c.CreatedAt); err != nil {
			return nil, fmt.Errorf("read cards: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read cards: %w", err)
	}
	return into, nil
}

// words keeps one copy of each text that many rows share, such as a status.
type words map[string]string

// word scans into one text by way of the shared copies.
type word struct {
	all  words
	into *string
}

func (w words) in(into *string) word { return word{all: w, into: into} }

// Scan takes a text.
func (w word) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a text column holds %T", src)
	}
	if text == "" {
		*w.into = ""
		return nil
	}
	shared, ok := w.all[text]
	if !ok {
		shared = text
		w.all[text] = shared
	}
	*w.into = shared
	return nil
}

func (v *View) readBusy(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	var cards []Card
	err := tx.SelectContext(ctx, &cards, `
		SELECT `+cardColumns+`
		FROM cards c
		WHERE c.id IN (
			SELECT card FROM task_runs INDEXED BY task_runs_open WHERE ended_at_ms IS NULL
			UNION
			SELECT card FROM sessions INDEXED BY sessions_open WHERE ended_at_ms IS NULL)`)
	if err != nil {
		return fmt.Errorf("read the cards of open runs: %w", err)
	}
	for _, c := range cards {
		v.Busy[c.ID] = c
	}
	return nil
}

func (v *View) readLeases(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	if err := tx.SelectContext(ctx, &v.Leases, `
		SELECT `+leaseColumns+` FROM leases l INDEXED BY leases_unreleased WHERE l.released_at_ms IS NULL ORDER BY l.id`); err != nil {
		return fmt.Errorf("read leases: %w", err)
	}
	return nil
}

func (v *View) readTurns(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	var turns []struct {
		Executor  string `db:"executor"`
		LastLease int64  `db:"last_lease"`
	}
	if err := tx.SelectContext(ctx, &turns, `SELECT executor, last_lease FROM executor_turns`); err != nil {
		return fmt.Errorf("read executors' turns: %w", err)
	}
	for _, t := range turns {
		v.LastLeased[t.Executor] = t.LastLease
	}
	return nil
}

func (v *View) readExclusions(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	if err := tx.SelectContext(ctx, &v.Exclusions, `SELECT `+exclusionColumns+` FROM exclusions x ORDER BY x.id`); err != nil {
		return fmt.Errorf("read exclusions: %w", err)
	}
	return nil
}

func (v *View) readPauses(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	if err := tx.SelectContext(ctx, &v.Pauses, `SELECT `+pauseColumns+` FROM pauses p ORDER BY p.id`); err != nil {
		return fmt.Errorf("read pauses: %w", err)
	}
	return nil
}

func (v *View) readRateLimits(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	var limits []struct {
		Executor string `db:"executor"`
		At       Time   `db:"at_ms"`
	}
	if err := tx.SelectContext(ctx, &limits, `
		SELECT executor, at_ms FROM rate_limits WHERE at_ms > ? ORDER BY executor, at_ms`, v.Now.Add(-rateLimitMemory)); err != nil {
		return fmt.Errorf("read rate limits: %w", err)
	}
	for _, l := range limits {
		v.RateLimits[l.Executor] = append(v.RateLimits[l.Executor], l.At)
	}
	return nil
}

func (v *View) readBlocks(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	var blocks []Block
	if err := tx.SelectContext(ctx, &blocks, `
		SELECT `+blockColumns+` FROM blocks b INDEXED BY blocks_open WHERE b.answered_at_ms IS NULL ORDER BY b.id DESC`); err != nil {
		return fmt.Errorf("read open questions: %w", err)
	}
	for _, b := range blocks {
		v.Blocks[b.Card] = b
	}
	return nil
}

// readBlockers reads who waits for whom: links to cards that are not done. A cancelled blocker frees nobody (WSP-8).
func (v *View) readBlockers(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	var blockers []Blocker
	if err := tx.SelectContext(ctx, &blockers, `
		SELECT k.blocker, k.blocked, b.status, b.status = '`+Cancelled+`' AS cancelled
		FROM card_links k
		JOIN cards b ON b.id = k.blocker
		JOIN cards c ON c.id = k.blocked
		WHERE k.waived = 0
			AND (b.ended_at_ms IS NULL OR b.status = '`+Cancelled+`')
			AND c.ended_at_ms IS NULL
		ORDER BY k.blocked, b.board, b.number`); err != nil {
		return fmt.Errorf("read links: %w", err)
	}
	for _, b := range blockers {
		v.Blockers[b.Blocked] = append(v.Blockers[b.Blocked], b)
	}
	return nil
}

func (v *View) readHolds(ctx context.Context, tx *sqlx.Tx, spec ViewSpec) error {
	var holds []Hold
	if err := tx.SelectContext(ctx, &holds, `
		SELECT card, code, cap, grp, key, text, since_at_ms FROM holds WHERE ? IN ('', card)`, spec.Card); err != nil {
		return fmt.Errorf("read holds: %w", err)
	}
	v.Holds = make(map[string]Hold, len(holds))
	for _, h := range holds {
		v.Holds[h.Card] = h
	}
	return nil
}

func (v *View) readPast(ctx context.Context, tx *sqlx.Tx, spec ViewSpec) error {
	if err := tx.SelectContext(ctx, &v.Past, `
		SELECT r.id, r.card, r.board, r.status, r.role, r.slot, r.profile, r.executor, r.harness, r.model, r.surface, r.host,
			coalesce(c.parent, '') AS parent, c.labels, r.claimed_at_ms, r.ended_at_ms, r.cost_micros
		FROM task_runs r
		JOIN cards c ON c.id = r.card
		WHERE r.claimed_at_ms >= ? OR r.ended_at_ms >= ? OR r.ended_at_ms IS NULL
		ORDER BY r.id`, spec.Since, spec.Since); err != nil {
		return fmt.Errorf("read the runs of the window: %w", err)
	}
	return nil
}

// tried are the cards that a plan may start again, or after their present run, and that have run before: only they have
// conversations to go on with and work to look at. Cards that rest in other statuses are not asked about, however many.
func (v *View) tried() Strings {
	var ids Strings
	for i := range v.Cards {
		if v.Cards[i].Attempts > 0 {
			ids = append(ids, v.Cards[i].ID)
		}
	}
	for id := range v.Busy {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// readWorkers reads who made the work that a reasoning run would look at: the worker sessions of each card since its last
// approved state (ROS-13). Only cards that have run can have any.
func (v *View) readWorkers(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	var workers []Worker
	if err := tx.SelectContext(ctx, &workers, `
		SELECT m.card, m.executor
		FROM json_each(?) c
		JOIN makers m ON m.card = c.value
		ORDER BY m.card, m.executor`, v.tried()); err != nil {
		return fmt.Errorf("read who made the work: %w", err)
	}
	for _, w := range workers {
		v.Workers[w.Card] = append(v.Workers[w.Card], w)
	}
	return nil
}

// readResumable reads each slot's last conversation, where there is one to go on with (RET-7), and the last ones of executors that
// held the slot before (ROS-16).
func (v *View) readResumable(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	var sessions []Session
	if err := tx.SelectContext(ctx, &sessions, `
		SELECT `+sessionColumns+`
		FROM json_each(?) c
		JOIN conversations k ON k.card = c.value
		JOIN sessions s ON s.id = k.session
		ORDER BY s.id DESC`, v.tried()); err != nil {
		return fmt.Errorf("read conversations to go on with: %w", err)
	}
	newest := map[SlotKey]bool{}
	for _, s := range sessions {
		key := SlotKey{Card: s.Card, Slot: s.Slot}
		first := !newest[key]
		newest[key] = true
		switch {
		case s.HarnessSession == "" || s.ForgottenAt != 0:
		case first:
			v.Resumable[key] = s
		default:
			v.Returning[key] = append(v.Returning[key], s)
		}
	}
	return nil
}

func (v *View) readLastTick(ctx context.Context, tx *sqlx.Tx, _ ViewSpec) error {
	var ticks []Tick
	if err := tx.SelectContext(ctx, &ticks, `
		SELECT id, started_at_ms, took_ms, idle, ended, started, stopping, held, fault FROM ticks ORDER BY id DESC LIMIT 1`); err != nil {
		return fmt.Errorf("read the last tick: %w", err)
	}
	if len(ticks) > 0 {
		v.LastTick = ticks[0]
	}
	return nil
}

// Executors are the executors that made work of a card since it was last approved, by name.
func (v *View) Executors(card string) []string {
	var names []string
	for _, w := range v.Workers[card] {
		if !slices.Contains(names, w.Executor) {
			names = append(names, w.Executor)
		}
	}
	return names
}
