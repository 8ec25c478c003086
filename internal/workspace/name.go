package workspace

// BranchName returns the branch of a card, "board/<card>": safe for git, and never the same for two cards.
func BranchName(card string) string { panic("not written") }

// CleanEnv returns env without the variables that point git at another repository, index or configuration (WSP-9). Tick,
// supervisor and worker get their environment through it.
func CleanEnv(env []string) []string { panic("not written") }
