package supervise

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// passed are the variables that every child gets from the supervisor's own environment (SUP-7).
func passed() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TZ", "TMPDIR", "SSH_AUTH_SOCK",
		"HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
		"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
	}
}

// passedPrefixes begin the names of further ones.
func passedPrefixes() []string { return []string{"LC_", "XDG_", "SSL_CERT_"} }

// defaultPath is what PATH is where the supervisor has none. Chosen: where every system has its tools.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// variables is an environment by name.
type variables map[string]string

// inherited is the part of an environment that children may have: the whitelist, and what the harness's file names. What
// tells an agent that it is nested, or points git elsewhere, never passes (SUP-7, WSP-9).
func inherited(environ []string, also []string, userHome string) variables {
	env := variables{}
	never := harness.NestingVariables()
	for _, pair := range environ {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || slices.Contains(never, name) || strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "BOARD_") {
			continue
		}
		prefixed := slices.ContainsFunc(passedPrefixes(), func(p string) bool { return strings.HasPrefix(name, p) })
		if prefixed || slices.Contains(passed(), name) || slices.Contains(also, name) {
			env[name] = value
		}
	}
	env["PATH"] = cmp.Or(env["PATH"], defaultPath)
	if env["HOME"] == "" && userHome != "" {
		env["HOME"] = userHome
	}
	return env
}

// over is env with other's variables in place of its own.
func (v variables) over(other map[string]string) variables {
	all := maps.Clone(v)
	maps.Copy(all, other)
	return all
}

// list is the environment as a process takes it, by name.
func (v variables) list() []string {
	pairs := make([]string, 0, len(v))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		pairs = append(pairs, name+"="+v[name])
	}
	return pairs
}
