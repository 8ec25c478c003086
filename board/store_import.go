package board

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// Added is what became of a draft.
type Added struct {
	Card    Card `json:"card"`
	Existed bool `json:"existed"` // its key was known: nothing was added
}

// AddCards adds all drafts in one transaction, or on any refusal none. A draft that names one of the others is linked to it,
// wherever that stands; its parent must stand before it.
func (s *Store) AddCards(ctx context.Context, now Time, drafts []Draft) ([]Added, error) {
	added := make([]Added, len(drafts))
	err := s.write(ctx, func(tx *sqlx.Tx) error {
		ids := map[string]string{}
		for i, d := range drafts {
			if err := addDraft(ctx, tx, now, d, ids, &added[i]); err != nil {
				return fmt.Errorf("card %d, line %d, %q: %w", i+1, d.Line, d.Card.Title, err)
			}
		}
		for i, d := range drafts {
			if added[i].Existed {
				continue
			}
			for _, name := range d.DependsOn {
				if err := link(ctx, tx, now, idOf(ids, name), added[i].Card.ID); err != nil {
					return fmt.Errorf("card %d, line %d, %q: %w", i+1, d.Line, d.Card.Title, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

func addDraft(ctx context.Context, tx *sqlx.Tx, now Time, d Draft, ids map[string]string, out *Added) error {
	n := d.NewCard
	n.DependsOn = nil // linked when all are there
	n.Card.Parent = idOf(ids, n.Card.Parent)
	card, existed, err := addCard(ctx, tx, now, n)
	if err != nil {
		return err
	}
	*out = Added{Card: card, Existed: existed}
	if d.Name == "" {
		return nil
	}
	if _, taken := ids[d.Name]; taken {
		return NewProblem(ErrUsage, "", "the key %q is there twice", d.Name)
	}
	ids[d.Name] = card.ID
	return nil
}

// idOf is the card that a name of an import stands for; what is no such name is an id.
func idOf(ids map[string]string, name string) string {
	if id, ok := ids[name]; ok {
		return id
	}
	return name
}
