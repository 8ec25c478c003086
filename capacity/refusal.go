package capacity

// Refusal is why one cap holds a candidate, as data (CAP-8, DSP-10).
type Refusal struct {
	Cap      string
	Source   Source
	Counts   Kind
	Scope    []Dimension
	Group    string // the group's values in the order of Scope, joined by "/"; empty for Home
	Count    int64  // places, starts, or micro-dollars for Spend
	Max      int64
	Reserved int64  // places of Max that are kept for others
	Fault    string // not empty: the maximum could not be had
	Paused   bool

	Values  map[string]any // what Max was worked out from
	Holders []Holder       // who fills the group; only Explain gives them
}

// Holder is one place that is in use.
type Holder struct {
	Card, Slot   string
	Run, Session int64
	Idle         bool
}
