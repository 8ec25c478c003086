package workflows

// closedSet is a type whose values are a closed set. The reader, the schema and the messages go by its names.
type closedSet interface{ names() []string }

func (Role) names() []string {
	return []string{string(RolePlanner), string(RoleCoder), string(RoleReviewer), string(RoleJudge), string(RoleVerifier)}
}

func (Surface) names() []string { return []string{string(SurfaceHeadless), string(SurfacePane)} }

func (Permissions) names() []string {
	return []string{string(PermissionsRead), string(PermissionsEdit), string(PermissionsFull), string(PermissionsAsk)}
}

func (Counts) names() []string {
	return []string{
		string(CountsRuns), string(CountsCards), string(CountsSessions), string(CountsTurns),
		string(CountsStarts), string(CountsSpend),
	}
}

func (Scope) names() []string {
	return []string{
		string(ScopeHome), string(ScopeBoard), string(ScopeHost), string(ScopeProfile), string(ScopeExecutor),
		string(ScopeHarness), string(ScopeModel), string(ScopeSlot), string(ScopeRole),
	}
}

func (Place) names() []string { return []string{string(PlaceSlot), string(PlaceCard)} }

func (ActionKind) names() []string {
	return []string{
		string(ActionEndRun), string(ActionCloseSession), string(ActionForgetSession), string(ActionAssign),
		string(ActionCount), string(ActionReset), string(ActionRecord), string(ActionNotify), string(ActionMerge),
	}
}

// efforts are the levels of min_effort, least first.
func efforts() []string { return []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"} }

// assignable are the columns of a card that `assign` sets.
func assignable() []string { return []string{"assignee", "host", "model", "effort", "priority"} }

// outcomes are the outcomes of runs that `outcomes:` may name besides verdicts (03, Endings).
func outcomes() []string {
	return []string{
		"completed", "failed", "crashed", "timed_out", "quiet", "refused", "spawn_failed", "rate_limited",
		"usage_limited", "unauthenticated", "quota", "model_unavailable", "harness_missing", "overloaded", "outage",
		"context_overflow", "blocked", "no_verdict", "stopped", "interrupted", "reclaimed",
	}
}

// verdicts are what a worker may say of its run and that sends an event of the same name. (The verdict blocked is an
// outcome, and makes a block of the card.)
func verdicts() []string { return []string{"done", "approve", "changes"} }

// isName says whether a text can name a status, an event, a profile or a slot: it is a word of commands and paths.
func isName(text string) bool {
	for i, c := range text {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 && (c < '0' || c > '9') || c != '-' && c != '.' && (c < '0' || c > '9')) {
			return false
		}
	}
	return text != "" && len(text) <= 64
}

// matchGlob says whether a text matches a glob of `*` and `?`.
func matchGlob(glob, text string) bool { return overlap([]rune(glob), []rune(text), false) }

// globsOverlap says whether some text matches both globs.
func globsOverlap(a, b string) bool { return overlap([]rune(a), []rune(b), true) }

// overlap says whether some text matches both patterns; b's `*` and `?` are letters unless both are globs.
func overlap(a, b []rune, both bool) bool {
	star := func(p []rune, glob bool) bool { return glob && len(p) > 0 && p[0] == '*' }
	reach := make([]bool, (len(a)+1)*(len(b)+1)) // which rests of a and b have a text in common, from the ends backwards
	at := func(i, j int) int { return i*(len(b)+1) + j }
	for i := len(a); i >= 0; i-- {
		for j := len(b); j >= 0; j-- {
			switch {
			case i == len(a) && j == len(b):
				reach[at(i, j)] = true
			case star(a[i:], true):
				reach[at(i, j)] = reach[at(i+1, j)] || j < len(b) && reach[at(i, j+1)]
			case star(b[j:], both):
				reach[at(i, j)] = reach[at(i, j+1)] || i < len(a) && reach[at(i+1, j)]
			case i < len(a) && j < len(b):
				reach[at(i, j)] = (a[i] == b[j] || a[i] == '?' || both && b[j] == '?') && reach[at(i+1, j+1)]
			}
		}
	}
	return reach[at(0, 0)]
}
