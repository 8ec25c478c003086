package dispatch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/capacity"
	"github.com/seed-2ddc2152/board/internal/roster"
)

func sortedKeys[V any](m map[string]V) []string {
	keys := slices.Collect(maps.Keys(m))
	slices.Sort(keys)
	return keys
}

// refusedBy is the hold of a cap that refuses: the headline, and with Explain every other cap that would (DSP-10).
func (p *planner) refusedBy(r capacity.Refusal, cand *capacity.Candidate) *Reason {
	hold := &Reason{Code: codeOf(r), Cap: r.Cap, Group: r.Group, Key: capKey(r), Text: capText(r)}
	hold.Count, hold.Max, hold.Reserved = r.Count, r.Max, r.Reserved
	hold.Caps = []capacity.Refusal{r}
	hold.cand = cand
	if p.s.Options.Explain {
		if all := p.ledger.Explain(cand); len(all) > 0 {
			hold.Caps = all
		}
	}
	return hold
}

// codeOf is the code of a hold by a cap. Limits that stand elsewhere are caps too, but are told as what they are (CAP-19).
func codeOf(r capacity.Refusal) board.HoldCode {
	switch r.Origin {
	case capacity.FromSlots:
		return board.HoldRoster
	case capacity.FromWorkspace:
		return board.HoldWorkspace
	case capacity.FromFile, capacity.FromMax, capacity.FromDollars, capacity.FromStory:
	}
	return board.HoldCapacity
}

// capKey is where the number that refuses would be changed: "workflows/default.yaml:41 dispatch.capacity[0].max".
func capKey(r capacity.Refusal) string {
	if r.Paused {
		return "board resume --cap " + quoteWord(r.Cap)
	}
	if r.Source.File == "" {
		return r.Source.Key
	}
	return fmt.Sprintf("%s:%d %s", r.Source.File, r.Source.Line, r.Source.Key)
}

func quoteWord(text string) string {
	if strings.ContainsAny(text, " \t'\"$`\\") {
		return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"`
	}
	return text
}

// capText is one line for a person: cap "sessions on a host": 3 of 4 on base, 1 kept for others.
func capText(r capacity.Refusal) string {
	text := fmt.Sprintf("cap %q: ", r.Cap)
	switch {
	case r.Paused:
		return text + "paused by hand, it admits nothing new"
	case r.Fault != "":
		return text + "its maximum cannot be worked out: " + firstLine(r.Fault)
	}
	if r.Counts == capacity.Spend {
		text += fmt.Sprintf("$%s of $%s", capacity.Dollars(r.Count), capacity.Dollars(r.Max))
	} else {
		text += fmt.Sprintf("%d of %d", r.Count, r.Max)
	}
	if r.Group != "" {
		text += " on " + r.Group
	}
	if r.Reserved > 0 {
		text += fmt.Sprintf(", %d kept for others", r.Reserved)
	}
	return text
}

// closeForRoster closes an idle session where idle ones fill every slot that could serve the card (CAP-18).
func (p *planner) closeForRoster(pre *prepared, u *roster.Unserved) {
	holders := u.IdleHolders()
	var longest *board.Session
	for _, l := range holders {
		for _, x := range p.s.View.Sessions {
			if x.ID != l.Session || x.Origin != board.Dispatched {
				continue
			}
			if x.StopAt != 0 || p.closing(x.ID) {
				return // one is on its way
			}
			if r, ok := p.runOf[x.Card]; ok && r.Slot == x.Slot {
				continue // its next run has been claimed
			}
			if longest == nil || x.IdleSince < longest.IdleSince {
				longest = &x
			}
		}
	}
	if longest == nil {
		return
	}
	p.ledger.Closing(longest.ID)
	p.plan.Close = append(p.plan.Close, Closing{Session: longest.ID, Run: longest.LastRun, Card: longest.Card, For: pre.card.ID})
}

func (p *planner) closing(session int64) bool {
	return slices.ContainsFunc(p.plan.Close, func(c Closing) bool { return c.Session == session })
}

// waitsFor says whether a cap keeps places while others wait: only then are they looked for.
func waitsFor(caps []capacity.Cap) bool {
	return slices.ContainsFunc(caps, func(c capacity.Cap) bool { return c.Reserve != nil && c.Reserve.When != capacity.WhenAlways })
}

// waiting are the starts that could be made now but for caps, one for each executor that could take them (CAP-7).
func (p *planner) waiting() []capacity.Candidate {
	if p.waitingNow != nil {
		return slices.DeleteFunc(slices.Clone(p.waitingNow), func(c capacity.Candidate) bool {
			_, runs := p.runOf[c.Card]
			return runs
		})
	}
	var all []capacity.Candidate
	questions := len(p.plan.Questions)
	for i := range p.cards {
		c := &p.cards[i]
		if _, running := p.runOf[c.ID]; running || c.EndedAt != 0 || c.ArchivedAt != 0 {
			continue
		}
		pre, hold := p.prepare(c)
		if hold != nil || p.eligible(pre) != nil {
			continue
		}
		found := p.offersFor(pre)
		for _, o := range found.offers {
			if p.launcher(pre) == nil {
				all = append(all, *p.candidate(pre, o))
			}
		}
	}
	p.plan.Questions = p.plan.Questions[:questions] // each card asks at its own turn
	return all
}

// ask gives a group's maximum the environment of one of its entries, for status.
func (p *planner) ask(e capacity.Entry) *capacity.Candidate {
	c, ok := p.busy[e.Card]
	if !ok {
		c = board.Card{ID: e.Card, Board: e.Board, Status: e.Status}
	}
	env := p.env(&c)
	env.Lane.Profile, env.Lane.Role, env.Lane.Surface = e.Profile, e.Role, e.Surface
	env.Lane.Executor, env.Lane.Harness, env.Lane.Model = e.Executor, e.Harness, e.Model
	if w := p.workflowOf(c.Board); w != nil {
		if prof := w.Profile(e.Profile); prof != nil {
			env.Lane.Capacity = prof.Capacity
		}
	}
	env.Run.Surface, env.Run.Host, env.Run.Slot, env.Run.Local = e.Surface, e.Host, e.Slot, e.Host == p.s.Home.Host
	if e.Host != "" {
		env.Host = p.host(e.Host)
	}
	return &capacity.Candidate{Entry: e, Env: env}
}
