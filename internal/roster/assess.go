package roster

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// Bounds of what an ending may do. All are the specification's: ROS-7, ROS-8 and the endings of the tick.
const (
	MaxUsageLimit   = 8 * 24 * time.Hour // a reset further ahead is cut to this: longer than a week's window
	RateLimitWindow = 10 * time.Minute   // rate limits within it count together
	RateLimitCount  = 3                  // so many of them exclude
	MinRateLimit    = time.Minute        // the least wait after one that does not exclude
	ProbeEvery      = 15 * time.Second   // between probes of a health URL
)

// maxReason bounds the reason that is kept of a harness's message. Chosen: it stays one line of a hold.
const maxReason = 200

// Ending is how a run on an executor ended badly.
type Ending struct {
	Now         time.Time
	Executor    Executor
	Fingerprint string // of the executor, with the caller's evidence of its binary and sign-in
	Failure     harness.Failure
	CardModel   string      // the card's own model override; empty: the executor's model ran
	RateLimits  []time.Time // the executor's counted rate limits before this one
}

// Effect is what an ending means. The zero value means that it is the work's own trouble.
type Effect struct {
	Exclude         *Exclusion // nil: it stays in the round
	CountRateLimit  bool       // store one more rate limit of the executor
	ClearRateLimits bool       // forget those stored
	NotBefore       time.Time  // the card's next start, after a rate limit that excludes nobody
	AskPerson       string     // not empty: the card is held for a person with this text
	Note            string     // said beside the reason: a reset time that was cut or ignored
}

// Assess says what an ending means for its executor (ROS-7). The class was found by the harness, which looks at
// structured fields first and never at the agent's words.
func Assess(end Ending) Effect {
	switch end.Failure.Class {
	case harness.ClassModelUnavailable:
		if end.CardModel != "" {
			return Effect{AskPerson: fmt.Sprintf("the card's own model %q was refused by %s: %s",
				end.CardModel, end.Executor.ID, oneLine(end.Failure.Message))}
		}
		return end.exclude(KindConfig)
	case harness.ClassUsageLimited:
		return end.usageLimit()
	case harness.ClassRateLimited:
		return end.rateLimit()
	case harness.ClassUnauthenticated, harness.ClassQuota, harness.ClassHarnessMissing:
		return end.exclude(KindConfig)
	case harness.ClassOverloaded, harness.ClassOutage:
		if end.Executor.Health != "" {
			return end.exclude(KindHealth)
		}
		return end.excludeFor(end.Executor.Cooldown.Outage)
	case harness.ClassContextOverflow, harness.ClassFailed:
	}
	return Effect{}
}

func (end Ending) exclude(kind ExclusionKind) Effect {
	x := &Exclusion{Executor: end.Executor.ID, Kind: kind, Reason: end.reason()}
	switch kind {
	case KindConfig:
		x.Fingerprint = end.Fingerprint
	case KindHealth:
		x.NextProbe = end.Now.Add(ProbeEvery)
	case KindUntil:
	}
	return Effect{Exclude: x}
}

func (end Ending) excludeFor(d time.Duration) Effect {
	effect := end.exclude(KindUntil)
	effect.Exclude.Until = end.Now.Add(d)
	return effect
}

// usageLimit excludes until the reset where that lies ahead, at most MaxUsageLimit. Executors of one account share it,
// unless it is the limit of one model (ROS-11).
func (end Ending) usageLimit() Effect {
	effect := end.excludeFor(end.Executor.Cooldown.UsageLimit)
	if end.Executor.Account != "" && !end.Failure.OneModel {
		effect.Exclude.Executor, effect.Exclude.Account = "", end.Executor.Account
	}
	reset := end.Failure.ResetAt
	if reset.IsZero() && end.Failure.RetryAfter > 0 {
		reset = end.Now.Add(end.Failure.RetryAfter)
	}
	latest := end.Now.Add(MaxUsageLimit)
	switch {
	case reset.IsZero():
	case reset.After(latest):
		effect.Exclude.Until = latest
		effect.Note = fmt.Sprintf("its reset time %s is more than 8 days ahead; out until %s", clockText(end.Now, reset), clockText(end.Now, latest))
	case reset.After(end.Now):
		effect.Exclude.Until = reset
	default:
		effect.Note = fmt.Sprintf("its reset time %s lies in the past; out for the cooldown, until %s",
			clockText(end.Now, reset), clockText(end.Now, effect.Exclude.Until))
	}
	return effect
}

// rateLimit excludes at the third within the window, which clears the count; a success never does (ROS-8).
func (end Ending) rateLimit() Effect {
	count := 1
	for _, at := range end.RateLimits {
		if end.Now.Sub(at) <= RateLimitWindow {
			count++
		}
	}
	if count >= RateLimitCount {
		effect := end.excludeFor(end.Executor.Cooldown.RateLimit)
		effect.ClearRateLimits = true
		return effect
	}
	wait := end.Failure.RetryAfter
	if reset := end.Failure.ResetAt; wait == 0 && !reset.IsZero() {
		wait = reset.Sub(end.Now)
	}
	wait = min(max(wait, MinRateLimit), MaxUsageLimit)
	return Effect{CountRateLimit: true, NotBefore: end.Now.Add(wait)}
}

// reason says in one line what happened, with the harness's own words.
func (end Ending) reason() string {
	what := strings.ReplaceAll(string(end.Failure.Class), "_", " ")
	if end.Failure.Class == harness.ClassModelUnavailable && end.Executor.Model != "" {
		what += " (" + end.Executor.Model + ")"
	}
	return withReason(what, oneLine(end.Failure.Message))
}

// oneLine makes a harness's message fit for a line: blanks joined, control characters gone, cut at maxReason.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > maxReason {
		return string(runes[:maxReason-1]) + "…"
	}
	return string(runes)
}

// Record says how to store an exclusion beside those that there are: which rows it replaces, and whether it is added at
// all. One subject has one row of a kind, and the later end is kept; so many runs that meet one limit make one row.
func Record(have []Exclusion, x Exclusion) (replaced []Exclusion, add bool) {
	for _, old := range have {
		if old.Executor != x.Executor || old.Account != x.Account || old.Kind != x.Kind {
			continue
		}
		keep := false
		switch x.Kind {
		case KindUntil:
			keep = !x.Until.After(old.Until)
		case KindHealth:
			keep = true
		case KindConfig:
			keep = x.Fingerprint == old.Fingerprint
		}
		if keep {
			return nil, false
		}
		replaced = append(replaced, old)
	}
	return replaced, true
}
