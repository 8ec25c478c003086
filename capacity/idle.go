package capacity

// IdleToClose names the idle session that should be closed to make room for a refused candidate (CAP-18): the longest
// idle of those the dispatcher started, where idle sessions are all that stands in the way. There is none while a
// session whose end helps is already on its way, and never an adopted one.
func (l *Ledger) IdleToClose(c *Candidate) (Entry, bool) { return Entry{}, false }

// Closing marks the session as told to end: its place still counts, and is on its way.
func (l *Ledger) Closing(session int64) {}
