package board

import "slices"

// criteria are the acceptance criteria that the subtasks of a story name, by number; evidence is what each subtask shows.
func criteria(subtasks []Subtask, evidence map[string][]string) []Criterion {
	byNumber := map[int]*Criterion{}
	for _, t := range subtasks {
		for _, n := range (Card{Satisfies: t.Satisfies}).Criteria() {
			c := byNumber[n]
			if c == nil {
				c = &Criterion{Number: n}
				byNumber[n] = c
			}
			c.Cards = append(c.Cards, t.ID)
			if t.Done {
				c.Met = true
				c.Evidence = append(c.Evidence, evidence[t.ID]...)
			}
		}
	}
	var all []Criterion
	for _, c := range byNumber {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b Criterion) int { return a.Number - b.Number })
	return all
}
