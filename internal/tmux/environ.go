package tmux

import "strings"

// Environ keeps of an environment, given as "NAME=value", what a tmux server may hand to every pane: who and where
// the user is, how to speak to them, and how to reach the network. The order stays; the result is never nil.
func Environ(parent []string) []string {
	kept := []string{}
	for _, entry := range parent {
		if name, _, ok := strings.Cut(entry, "="); ok && passes(name) {
			kept = append(kept, entry)
		}
	}
	return kept
}

// passes is the whitelist of SUP-7. TMUX is not on it, so that a board started inside a person's tmux does not take
// that server for its own.
func passes(name string) bool {
	switch name {
	case "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TZ", "TMPDIR", "SSH_AUTH_SOCK":
		return true
	}
	switch strings.ToLower(name) {
	case "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy":
		return true
	}
	for _, prefix := range []string{"LC_", "XDG_", "SSL_CERT_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
