package capacity

import "time"

// amount is what an entry adds to a cap without places, and whether it is the cap's assumption about a run that ended
// without telling its cost. A time that lies ahead, after a clock was set back, is within the window.
func (c *Cap) amount(e *Entry, now time.Time) (amount int64, assumed bool) {
	since := now.Add(-c.Window)
	switch c.Counts {
	case Starts:
		if c.Window > 0 && (e.StartedAt.IsZero() || e.StartedAt.After(since)) {
			return 1, false
		}
	case Spend:
		switch {
		case e.EndedAt.IsZero():
			return max(e.CostMicros, c.assume()), false
		case !e.EndedAt.After(since):
			return 0, false
		case e.CostKnown:
			return e.CostMicros, false
		}
		return c.assume(), true
	case Runs, Cards, Sessions, Turns:
	}
	return 0, false
}

func (c *Cap) assume() int64 {
	if c.AssumeMicros > 0 {
		return c.AssumeMicros
	}
	return DefaultAssumeMicros
}
