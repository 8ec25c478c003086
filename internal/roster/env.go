package roster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-2ddc2152/board/internal/strict"
)

// readEnv reads an entry's environment: each ${NAME} is replaced, and the names that have no value are returned. No
// problem quotes a value, which may be a secret.
func (s Sources) readEnv(value strict.Value) (values map[string]string, unset []string) {
	for _, field := range value.Fields() {
		name, text := field.Name, field.ScalarText("a text")
		if !validVariable(name) {
			field.Problem(fmt.Sprintf("%q is no name of a variable", name), "")
			continue
		}
		if !strings.Contains(text, "${") && looksSecret(name, text) {
			field.Problem(fmt.Sprintf("looks like a secret written out; put it into the environment or env_file and write ${%s}", name), "")
			continue
		}
		expanded, missing, err := expand(text, s.Lookup)
		if err != nil {
			field.Problem(err.Error(), "")
			continue
		}
		for _, variable := range missing {
			if s.Mode == Check {
				field.Problem(fmt.Sprintf("${%s} is not set", variable), "")
			}
		}
		unset = append(unset, missing...)
		if values == nil {
			values = map[string]string{}
		}
		values[name] = expanded
	}
	slices.Sort(unset)
	return values, slices.Compact(unset)
}

// errReference does not quote what was found, which may be a secret.
var errReference = errors.New("expected ${NAME}: letters, digits and '_' in braces")

// expand replaces each ${NAME} in text, by nothing where it is missing. Any other `$` stays.
func expand(text string, lookup func(string) (string, bool)) (value string, missing []string, err error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String(), missing, nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !validVariable(name) {
			return "", nil, errReference
		}
		set := false
		if lookup != nil {
			value, set = lookup(name)
		}
		if set {
			b.WriteString(value)
		} else {
			missing = append(missing, name)
		}
		text = after
	}
}

func validVariable(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// looksSecret reports whether a literal value is one that must not stand in a file: it begins as keys of well-known
// services do, carries a password in a URL, or is the value of a variable that is named for a secret.
func looksSecret(name, value string) bool {
	for _, prefix := range []string{
		"sk-", "sk_live_", "rk_live_", "ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xapp-",
		"AKIA", "ASIA", "AIza", "ya29.", "hf_", "gsk_", "pplx-", "xai-", "r8_", "npm_", "eyJ", "-----BEGIN",
	} {
		if strings.HasPrefix(value, prefix) && len(value) >= len(prefix)+8 {
			return true
		}
	}
	if _, rest, ok := strings.Cut(value, "://"); ok {
		authority, _, _ := strings.Cut(rest, "/")
		user, _, hasUser := strings.Cut(authority, "@")
		return hasUser && strings.Contains(user, ":")
	}
	words := strings.Split(strings.ToUpper(name), "_")
	last := words[len(words)-1]
	named := slices.Contains([]string{"KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS"}, last)
	return named && !placeholder(value)
}

// placeholder reports whether a value of a variable that is named for a secret keeps none: a word that local servers
// take for any key, a path or a short number.
func placeholder(value string) bool {
	words := []string{"", "none", "null", "no", "dummy", "local", "test", "unused", "empty", "ollama", "lm-studio", "true", "false", "x", "xxx"}
	if slices.Contains(words, strings.ToLower(value)) {
		return true
	}
	return strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~") || strings.HasPrefix(value, "./") ||
		len(value) <= 8 && strings.Trim(value, "0123456789") == ""
}
