package capacity_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/capacity"
)

// stepLine asks, takes what is admitted, and says what was decided: the headline, the other caps that block, and the
// idle session that would be closed.
func stepLine(l *capacity.Ledger, c *capacity.Candidate) string {
	line := fmt.Sprintf("%s %s in %s on %s: ", c.Card, c.Slot, c.Status, c.Host)
	headline, ok := l.Admit(c)
	all := l.Explain(c)
	if ok != (len(all) == 0) || (!ok && all[0].Cap != headline.Cap) {
		return fmt.Sprintf("%sAdmit says %v %q, Explain %v", line, ok, headline.Cap, all)
	}
	if ok {
		l.Take(c)
		return line + "admitted"
	}
	var texts []string
	for _, r := range all {
		texts = append(texts, refusalText(r))
	}
	line += "held by " + strings.Join(texts, ", and by ")
	if idle, ok := l.IdleToClose(c); ok {
		line += fmt.Sprintf("; close session %d", idle.Session)
	}
	return line
}

func refusalText(r capacity.Refusal) string {
	text := r.Cap
	if r.Source.File != "" {
		text += fmt.Sprintf(" (%s:%d)", r.Source.File, r.Source.Line)
	}
	if r.Group != "" {
		text += " in " + r.Group
	}
	switch {
	case r.Paused:
		return text + " paused"
	case r.Fault != "":
		return text + " fault: " + r.Fault
	}
	text += fmt.Sprintf(" %s/%s", amount(r.Counts, r.Count), amount(r.Counts, r.Max))
	if r.Reserved > 0 {
		text += fmt.Sprintf(" less %d kept", r.Reserved)
	}
	return text + holdersText(r.Holders)
}

func usageLine(u capacity.Usage) string {
	limit := amount(u.Counts, u.Max.N)
	if u.Max.None {
		limit = "none"
	}
	if u.Max.Fault != "" {
		limit = "fault"
	}
	text := fmt.Sprintf("%s: %s of %s", strings.TrimSuffix(u.Cap+" in "+u.Group, " in "), amount(u.Counts, u.Used), limit)
	if u.Reserved > 0 {
		text += fmt.Sprintf(", %d kept", u.Reserved)
	}
	if len(u.Assumed) > 0 {
		text += fmt.Sprintf(", assumed for runs %v", u.Assumed)
	}
	return text + holdersText(u.Holders)
}

func holdersText(holders []capacity.Holder) string {
	var all []string
	for _, h := range holders {
		all = append(all, strings.TrimSuffix(h.Card+" "+h.Slot, " "))
	}
	if len(all) == 0 {
		return ""
	}
	return " [" + strings.Join(all, ", ") + "]"
}

func amount(k capacity.Kind, n int64) string {
	if k == capacity.Spend {
		return "$" + capacity.Dollars(n)
	}
	return fmt.Sprint(n)
}

func entryLine(e capacity.Entry) string {
	var kinds []string
	for _, k := range kindsInOrder {
		if e.Counts.Has(k) {
			kinds = append(kinds, string(k))
		}
	}
	fields := []string{e.Card, e.Slot, "counts", strings.Join(kinds, "+"), "on", e.Host}
	for _, f := range []struct{ name, value string }{
		{"profile", e.Profile}, {"harness", e.Harness}, {"model", e.Model},
	} {
		if f.value != "" {
			fields = append(fields, f.name, f.value)
		}
	}
	flags := map[string]bool{"dispatched": e.Dispatch, "idle": e.Idle, "stopping": e.Stopping}
	for _, flag := range slices.Sorted(maps.Keys(flags)) {
		if flags[flag] {
			fields = append(fields, flag)
		}
	}
	return strings.Join(slices.DeleteFunc(fields, func(f string) bool { return f == "" }), " ")
}

var kindsInOrder = []capacity.Kind{
	capacity.Runs, capacity.Cards, capacity.Sessions, capacity.Turns, capacity.Starts, capacity.Spend,
}
