package capacity

// Site is what one home knows of machines and models: what Entries needs beside the card.
type Site struct {
	HomeHost string            // normalised
	Aliases  map[string]string // another name of a host, lower-case -> its name
	Models   map[string]string // executor id -> the model that the roster gives it
	Defaults map[string]string // harness -> the model that its sessions without a configured one are seen to run
}

// Entries turns a card into what it holds: at most one entry with Runs, one per slot with Sessions and Turns, one with
// Cards (CAP-1, CAP-2, CAP-3). Holdings, planning, the claim and every launch use it and no other. The order is: the
// run, then the sessions by slot.
func (s Site) Entries(c CardFacts) []Entry { return nil }

// EndedRun is the entry of a run that has ended, for State.Past.
func (s Site) EndedRun(c CardFacts, r RunFacts) Entry { return Entry{} }

// Candidate is what a start of the card would be once started: in the target status, of the dispatcher's making, on
// its execution host, with a place in every kind. A start that is kept in a live session is given that session's lane.
func (s Site) Candidate(c CardFacts, l Lane, target string) Entry { return Entry{} }

// ExecutionHost is where a start really runs: a pane on the card's host, else its profile's; everything else on the
// home host, whatever the card names (CAP-2). A pane without a target counts on the home host.
func (s Site) ExecutionHost(surface, cardHost, profileHost string) string { return "" }

// Host normalises a name as NormalHost does; localhost and the empty name are the home host.
func (s Site) Host(name string) string { return "" }

// NormalHost is the form in which host names are compared: the alias's name, else lower-case without the domain.
// An IP address keeps all of it. The aliases' keys are lower-case.
func NormalHost(name string, aliases map[string]string) string { return "" }

// DefaultModels is Site.Defaults worked out from sessions: per harness the model that most of those without a
// configured one are seen to run, the first by name among equals.
func DefaultModels(cards []CardFacts) map[string]string { return nil }
