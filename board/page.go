package board

import "slices"

// Branch is the branch of a card's newest run that had one; "" = none had.
func (p CardPage) Branch() string {
	for _, r := range slices.Backward(p.Runs) {
		if r.Branch != "" {
			return r.Branch
		}
	}
	return ""
}

// NoBranch says why a card has no branch.
func (p CardPage) NoBranch() string {
	switch {
	case p.Board.Repo == "":
		return "its board has no repository"
	case len(p.Runs) == 0:
		return "it has not run yet"
	}
	return "none of its runs had one"
}

// Question is a card's oldest open question; nil = it asks nothing.
func (p CardPage) Question() *Block {
	for i := range p.Questions {
		if p.Questions[i].AnsweredAt.IsZero() {
			return &p.Questions[i]
		}
	}
	return nil
}

// Open is a card's open run; nil = it does not run.
func (p CardPage) Open() *Run {
	for i := range p.Runs {
		if p.Runs[i].Open() {
			return &p.Runs[i]
		}
	}
	return nil
}

// Filled is the page with empty lists in place of missing ones, for documents.
func (p CardPage) Filled() CardPage {
	p.Card = p.Card.Filled()
	fill(&p.Pauses)
	fill(&p.Blockers)
	fill(&p.Blocked)
	fill(&p.Subtasks)
	fill(&p.Questions)
	fill(&p.Comments)
	fill(&p.Evidence)
	fill(&p.Criteria)
	fill(&p.Runs)
	fill(&p.Events)
	for i := range p.Subtasks {
		fill((*[]string)(&p.Subtasks[i].Satisfies))
	}
	for i := range p.Criteria {
		fill(&p.Criteria[i].Evidence)
	}
	return p
}

// Filled is the card with empty lists and maps in place of missing ones, for documents.
func (c Card) Filled() Card {
	fill((*[]string)(&c.Owns))
	fill((*[]string)(&c.Satisfies))
	if c.Labels == nil {
		c.Labels = Labels{}
	}
	if c.Counters == nil {
		c.Counters = Counters{}
	}
	return c
}

func fill[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}
