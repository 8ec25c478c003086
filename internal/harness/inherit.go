package harness

import (
	"slices"
	"strings"
)

// inheritedNames are the variables that every child gets from the environment of the program itself (SUP-7).
func inheritedNames() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TZ", "TMPDIR", "SSH_AUTH_SOCK",
		"HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
		"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
	}
}

// inheritedPrefixes begin the names of further ones.
func inheritedPrefixes() []string { return []string{"LC_", "XDG_", "SSL_CERT_"} }

// defaultPath is what PATH is where there is none. Chosen: where every system has its tools.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// Inherited is the part of an environment that a CLI may have: what every child gets, and what its facts name. What tells an
// agent that it is nested, or points git elsewhere, never passes (SUP-7, WSP-9). userHome stands in for a missing HOME.
func (f Facts) Inherited(environ []string, userHome string) map[string]string {
	env := map[string]string{}
	never := NestingVariables()
	for _, pair := range environ {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || slices.Contains(never, name) || strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "BOARD_") {
			continue
		}
		prefixed := slices.ContainsFunc(inheritedPrefixes(), func(p string) bool { return strings.HasPrefix(name, p) })
		if prefixed || slices.Contains(inheritedNames(), name) || slices.Contains(f.Inherit, name) {
			env[name] = value
		}
	}
	if env["PATH"] == "" {
		env["PATH"] = defaultPath
	}
	if env["HOME"] == "" && userHome != "" {
		env["HOME"] = userHome
	}
	return env
}
