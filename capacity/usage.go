package capacity

// Usage is one group of one cap, for status.
type Usage struct {
	Cap      string
	Source   Source
	Counts   Kind
	Scope    []Dimension
	Group    string
	Used     int64
	Max      Limit // None also where it cannot be told without a candidate
	Reserved int64 // kept at present
	Paused   bool
	Holders  []Holder
	// Assumed are the ended runs of unknown cost that a spend cap counts with its assumption.
	Assumed []int64
}

// Usage lists every group that holds something, and every group of scope Home, in the order of the caps and then of
// the groups. A maximum that is a function is asked about ask's answer for one of the group's entries; a nil ask
// leaves such maxima out.
func (l *Ledger) Usage(ask func(Entry) *Candidate) []Usage { return nil }
