package harness_test

import (
	"slices"
	"testing"

	"github.com/seed-2ddc2152/board/internal/harness"
)

// 04, Exclusions: config ends when the sign-in changes.
func TestCredentialFiles_FollowTheCLIsOwnVariables(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"claude", nil, "/h/.claude/.credentials.json"},
		{"claude", map[string]string{"CLAUDE_CONFIG_DIR": "/c"}, "/c/.credentials.json"},
		{"codex", nil, "/h/.codex/auth.json"},
		{"codex", map[string]string{"CODEX_HOME": "/c"}, "/c/auth.json"},
		{"opencode", map[string]string{"XDG_DATA_HOME": "/d"}, "/d/opencode/auth.json"},
		{"gemini", map[string]string{"GEMINI_CLI_HOME": "/g"}, "/g/.gemini/oauth_creds.json"},
		{"pi", nil, "/h/.pi/agent/auth.json"},
		{"amp", nil, "/h/.local/share/amp/secrets.json"},
	} {
		got := harness.CredentialFiles(c.name, harness.Job{Home: "/h", Env: c.env})
		if len(got) == 0 || got[0] != c.want {
			t.Errorf("%s with %v: %q, want %q first", c.name, c.env, got, c.want)
		}
	}
	if got := harness.CredentialFiles("exec", harness.Job{Home: "/h"}); got != nil {
		t.Errorf("exec has %q", got)
	}
	if got := harness.CredentialFiles("claude", harness.Job{}); got != nil {
		t.Errorf("without a home: %q", got)
	}
}

// SUP-7, WSP-9.
func TestInherited_PassesTheWhitelistOnly(t *testing.T) {
	t.Parallel()
	codex, _ := harness.Lookup("codex")
	environ := []string{
		"PATH=/bin", "LC_ALL=C", "XDG_DATA_HOME=/d", "CODEX_HOME=/c", "HTTPS_PROXY=p",
		"CODEX_SANDBOX=1", "OPENAI_API_KEY=k", "GIT_DIR=/g", "BOARD_TOKEN=t", "CLAUDE_CONFIG_DIR=/x", "broken",
	}
	got := codex.Facts().Inherited(environ, "/home/ada")
	var names []string
	for name := range got {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"CODEX_HOME", "HOME", "HTTPS_PROXY", "LC_ALL", "PATH", "XDG_DATA_HOME"}; !slices.Equal(names, want) {
		t.Errorf("inherited %q, want %q", names, want)
	}
	if got["HOME"] != "/home/ada" {
		t.Errorf("HOME %q, want the user database's", got["HOME"])
	}
}
