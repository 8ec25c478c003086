package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
)

// branchFolder is where the branches of cards are.
const branchFolder = "board/"

// nameBytes bounds a card's part of a name. Chosen: file systems allow 255, and suffixes follow.
const nameBytes = 100

// BranchName returns the branch of a card, "board/<card>": safe for git, and never the same for two cards.
func BranchName(card string) string { return branchFolder + safeName(card) }

// Path returns the folder of a card's worktree or scratch below the home's worktrees folder.
func Path(worktrees, board, card string) string {
	return filepath.Join(worktrees, safeName(board), safeName(card))
}

// safeName makes text one part of a ref and of a path. Text that has to be changed gets a hash of what it was, so that
// two texts never give one name. Dots are changed too: a dot begins what this package adds to names of its own.
func safeName(text string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, text)
	safe = strings.TrimLeft(safe[:min(len(safe), nameBytes)], "-")
	if safe == text && safe != "" {
		return safe
	}
	sum := sha256.Sum256([]byte(text))
	return strings.TrimLeft(safe+"-"+hex.EncodeToString(sum[:6]), "-")
}

// CleanEnv returns env without the variables that point git at another repository, index or configuration (WSP-9). Tick,
// supervisor and worker get their environment through it.
func CleanEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return strings.HasPrefix(name, "GIT_") && !saysHow(name)
	})
}

// saysHow reports whether a variable of git says who works and how, not on which repository.
func saysHow(name string) bool {
	switch name {
	case "GIT_ASKPASS", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_NAME",
		"GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH", "GIT_SSH", "GIT_SSH_COMMAND",
		"GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_NO_VERIFY", "GIT_TERMINAL_PROMPT":
		return true
	}
	return false
}
