package capacity

import "strings"

// The surfaces. What is not a pane always runs on the home host.
const (
	headless = "headless"
	pane     = "pane"
)

// ExecutionHost is where a start really runs: a pane on the card's host, else its profile's; everything else on the
// home host, whatever the card names (CAP-2). A pane without a target counts on the home host.
func (s Site) ExecutionHost(surface, cardHost, profileHost string) string {
	if surface != pane {
		return s.Host("")
	}
	return s.Host(firstOf(cardHost, profileHost))
}

// Host normalises a name as NormalHost does; localhost and the empty name are the home host.
func (s Site) Host(name string) string {
	switch n := NormalHost(name, s.Aliases); n {
	case "", "localhost", "127.0.0.1", "::1":
		return NormalHost(s.HomeHost, s.Aliases)
	default:
		return n
	}
}

// NormalHost is the form in which host names are compared: the alias's name, else lower-case without the domain.
// An IP address keeps all of it. The aliases' keys are lower-case.
func NormalHost(name string, aliases map[string]string) string {
	full := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), ".")
	if known, ok := aliases[full]; ok {
		return strings.ToLower(known)
	}
	if isAddress(full) {
		return full
	}
	short, _, _ := strings.Cut(full, ".")
	if known, ok := aliases[short]; ok {
		return strings.ToLower(known)
	}
	return short
}

// isAddress reports whether the name is written in figures: its dots then separate no domain.
func isAddress(name string) bool {
	return strings.Contains(name, ":") || strings.Trim(name, "0123456789.") == ""
}

// recordedHost is where a recorded session runs: headless at home; a record with a host or a surface says it itself,
// with the card's host to fall back on; where nothing is recorded the run's plan decides (CAP-2).
func (s Site) recordedHost(c *CardFacts, session Lane, run *RunFacts) string {
	switch {
	case session.Surface == headless:
		return s.Host("")
	case session.Host != "" || session.Surface != "":
		return s.Host(firstOf(session.Host, c.Host))
	case run != nil:
		return s.plannedHost(c, run)
	}
	return s.Host("")
}

// plannedHost is where the claim planned the run: its own profile's surface decides, not the card's assignee's.
func (s Site) plannedHost(c *CardFacts, run *RunFacts) string {
	return s.ExecutionHost(run.Surface, run.Host, c.Host)
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
