package board

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/seed-2ddc2152/board/workflows"
)

// EditRequest is a person's change of a card's own fields.
type EditRequest struct {
	Card     string
	Edit     CardEdit
	Actor    string
	Revision int64 // refuse when the card has another; 0 = any
}

// Edited is what an edit did.
type Edited struct {
	Card    Card     // afterwards
	Changed []string // fields; none: nothing was written
	Freed   *Block   // the question of used-up retries that a reassignment answered
}

// Edit changes fields of a card in one transaction with its event. Where nothing differs, nothing is written.
func (s *Store) Edit(ctx context.Context, now Time, rules Rules, q EditRequest) (Edited, error) {
	var out Edited
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		had, err := readForChange(ctx, tx, q.Card, q.Revision)
		if err != nil {
			return err
		}
		out.Card, out.Changed = q.Edit.Apply(had, now)
		if len(out.Changed) == 0 {
			return nil
		}
		if err := checkEdit(ctx, tx, rules, had, out.Card); err != nil {
			return err
		}
		if had.Assignee != out.Card.Assignee {
			if out.Freed, err = freeReassigned(ctx, tx, now, rules, out.Card, q.Actor); err != nil {
				return err
			}
		}
		if err := saveCard(ctx, tx, now, out.Card); err != nil {
			return err
		}
		if out.Card, err = readCard(ctx, tx, q.Card); err != nil {
			return err
		}
		return record(ctx, tx, now, change{
			board: had.Board, card: had.ID, kind: "card.edited", actor: q.Actor,
			payload: editPayload(out.Changed, had, out.Card),
		})
	})
	return out, err
}

// readForChange reads a card that a person is about to change: refused when he saw another revision, or it is archived.
func readForChange(ctx context.Context, tx *sqlx.Tx, id string, revision int64) (Card, error) {
	c, err := readCard(ctx, tx, id)
	if err != nil {
		return c, err
	}
	return c, checkChangeable(c, revision)
}

func checkChangeable(c Card, revision int64) error {
	if revision != 0 && revision != c.Revision {
		return NewProblem(ErrRefused, "look again: board show "+c.ID, "%s has revision %d, not %d", c.ID, c.Revision, revision)
	}
	if !c.ArchivedAt.IsZero() {
		return NewProblem(ErrRefused, "board archive --undo "+c.ID, "%s is archived", c.ID)
	}
	return nil
}

// checkEdit says what is wrong with a card as edited.
func checkEdit(ctx context.Context, tx *sqlx.Tx, rules Rules, had, c Card) error {
	if err := c.Check(); err != nil {
		return err
	}
	if had.Assignee != c.Assignee {
		w, err := boardWorkflow(ctx, tx, rules, c.Board)
		if err != nil {
			return err
		}
		if err := CheckAssignee(w, c.Assignee); err != nil {
			return err
		}
	}
	if had.Parent != c.Parent {
		return checkParent(ctx, tx, c)
	}
	return nil
}

// boardWorkflow is the workflow of a board, or ErrInvalid.
func boardWorkflow(ctx context.Context, tx *sqlx.Tx, rules Rules, slug string) (*workflows.Workflow, error) {
	b, err := readBoard(ctx, tx, slug)
	if err != nil {
		return nil, err
	}
	return rules.workflowOf(b)
}

// workflowOf is the workflow of a board, or ErrInvalid.
func (r Rules) workflowOf(b Board) (*workflows.Workflow, error) {
	if w := r.Workflow(b.Workflow); w != nil {
		return w, nil
	}
	return nil, NewProblem(ErrInvalid, "board workflow check "+b.Workflow, "the workflow %s of board %s cannot be read", b.Workflow, b.Slug)
}

// checkParent refuses a story that is not there, or that is below the card itself.
func checkParent(ctx context.Context, tx *sqlx.Tx, c Card) error {
	for id := c.Parent; id != ""; {
		if id == c.ID {
			return NewProblem(ErrRefused, "", "%s is below %s already: that would be a cycle", c.Parent, c.ID)
		}
		above, err := readCard(ctx, tx, id)
		if err != nil {
			return err
		}
		id = above.Parent
	}
	return nil
}

// freeReassigned answers the question of a used-up row of failures, which a reassignment resets (RET-1). A card whose lifetime
// is used up goes on being held: only a retry or an answer begins another round.
func freeReassigned(ctx context.Context, tx *sqlx.Tx, now Time, rules Rules, c Card, actor string) (*Block, error) {
	w, err := boardWorkflow(ctx, tx, rules, c.Board)
	if err != nil {
		return nil, err
	}
	lifetime := w.Dispatch.Retry.LifetimeRuns
	if c.MaxRuns > 0 {
		lifetime = c.MaxRuns
	}
	if lifetime > 0 && c.RoundRuns >= lifetime {
		return nil, nil
	}
	b, err := openBlock(ctx, tx, c.ID)
	if err != nil || b == nil || b.Kind != BlockRetries {
		return nil, err
	}
	b.Answer = "reassigned to " + c.Assignee
	return b, saveAnswer(ctx, tx, now, b, actor)
}

// editPayload tells what an edit changed: short values as they were and are, long texts by name only.
func editPayload(changed []string, had, c Card) map[string]any {
	values := func(c Card) map[string]any {
		return map[string]any{
			"title": c.Title, "priority": c.Priority, "assignee": c.Assignee, "host": c.Host, "model": c.Model, "effort": c.Effort,
			"parent": c.Parent, "workspace": c.Workspace, "not_before": c.NotBefore, "every": c.Every, "max_runs": c.MaxRuns,
		}
	}
	from, to := values(had), values(c)
	payload := map[string]any{"changed": changed}
	for _, name := range changed {
		if value, short := to[name]; short {
			payload[name] = map[string]any{"from": from[name], "to": value}
		}
	}
	return payload
}

// nearestCard is the fix for a card id that is not there.
func nearestCard(ctx context.Context, tx sqlx.QueryerContext, id string) (string, error) {
	if at := strings.LastIndexByte(id, '-'); at > 0 && at < len(id)-1 && strings.Trim(id[at+1:], "0123456789") == "" {
		var last int64
		if err := sqlx.GetContext(ctx, tx, &last, `SELECT coalesce(max(number), 0) FROM cards WHERE board = ?`, id[:at]); err != nil {
			return "", fmt.Errorf("look for the cards of %s: %w", id[:at], err)
		}
		if last > 0 { // a number that is nearly right says nothing
			return fmt.Sprintf("the cards of board %s go up to %s-%d; board list shows them", id[:at], id[:at], last), nil
		}
	}
	// Bounded: of a very large home the newest cards are the likely ones.
	const looked = 20_000
	var ids []string
	if err := sqlx.SelectContext(ctx, tx, &ids, `SELECT id FROM cards ORDER BY created_at_ms DESC, id LIMIT ?`, looked); err != nil {
		return "", fmt.Errorf("look for a card like %s: %w", id, err)
	}
	return didYouMean(id, ids, "board list shows the cards"), nil
}
