package roster

import (
	"strings"
	"time"
)

// Out is why an executor is not in the round.
type Out struct {
	Code   RefusalCode // RefusedPaused, RefusedConfig, RefusedUnhealthy or RefusedUntil
	Until  time.Time   // zero: unknown
	Reason string
	Text   string // the whole, for a person: "out until 15:10 UTC: usage limit"
}

// OutOf returns why an executor is out: what a person said first, then what lasts longest. False: it is in the round.
func (s State) OutOf(e Executor) (Out, bool) {
	if out, ok := s.paused(e); ok {
		return out, true
	}
	if len(e.Unset) > 0 {
		reason := "not set: ${" + strings.Join(e.Unset, "}, ${") + "}"
		return Out{Code: RefusedConfig, Reason: reason, Text: "out: " + reason}, true
	}
	var worst Out
	found := false
	for _, x := range s.Exclusions {
		if !x.Covers(e) || x.Over(s.Now) {
			continue
		}
		if out := x.out(s.Now); !found || longer(out, worst) {
			worst, found = out, true
		}
	}
	return worst, found
}

func (s State) paused(e Executor) (Out, bool) {
	for _, p := range s.Pauses {
		if p.Executor != e.ID || p.Over(s.Now) {
			continue
		}
		text := "paused by hand, until it is resumed"
		if !p.Until.IsZero() {
			text = "paused by hand until " + clockText(s.Now, p.Until)
		}
		return Out{Code: RefusedPaused, Until: p.Until, Reason: p.Reason, Text: withReason(text, p.Reason)}, true
	}
	return Out{}, false
}

// Over reports whether the pause has passed by itself.
func (p Pause) Over(now time.Time) bool { return !p.Until.IsZero() && !now.Before(p.Until) }

// Over reports whether the exclusion has passed by itself.
func (x Exclusion) Over(now time.Time) bool { return x.Kind == KindUntil && !now.Before(x.Until) }

func (x Exclusion) out(now time.Time) Out {
	out := Out{Reason: x.Reason}
	text := ""
	switch x.Kind {
	case KindUntil:
		out.Code, out.Until = RefusedUntil, x.Until
		text = "out until " + clockText(now, x.Until)
	case KindHealth:
		out.Code = RefusedUnhealthy
		text = "out until its health URL answers"
	case KindConfig:
		out.Code = RefusedConfig
		text = "out until its entry, binary or sign-in changes, or it is resumed"
	}
	out.Text = withReason(text, x.Reason)
	return out
}

// longer reports whether a lasts longer than b: config, then health, then the later time.
func longer(a, b Out) bool {
	rank := func(o Out) int {
		switch o.Code {
		case RefusedConfig:
			return 2
		case RefusedUnhealthy:
			return 1
		case RefusedUntil, RefusedPaused, RefusedRole, RefusedSlots, RefusedMatch, RefusedAvoided, RefusedBusy:
		}
		return 0
	}
	if rank(a) != rank(b) {
		return rank(a) > rank(b)
	}
	return a.Until.After(b.Until)
}

func withReason(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + ": " + reason
}

// clockText writes a time for a person, in the zone of now and with its name: a text made by a cron job may be read
// where another zone is set. The date is left out on the same day.
func clockText(now, t time.Time) string {
	t = t.In(now.Location())
	if now.Format(time.DateOnly) == t.Format(time.DateOnly) {
		return t.Format("15:04 MST")
	}
	return t.Format("2006-01-02 15:04 MST")
}
