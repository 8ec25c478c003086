package harness_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/seed-2ddc2152/board/internal/harness"
)

func seedOf(t *testing.T, name string, j harness.Job) harness.Seed {
	t.Helper()
	j.Interactive = true
	command, err := lookup(t, name).Command(j)
	if err != nil || len(command.Seeds) != 1 {
		t.Fatalf("seeds %+v, error %v", command.Seeds, err)
	}
	return command.Seeds[0]
}

func apply(t *testing.T, seed harness.Seed, existing string) (string, bool) {
	t.Helper()
	content, changed, err := seed.Apply([]byte(existing))
	if err != nil {
		t.Fatal(err)
	}
	return string(content), changed
}

// Pins PAN-3.
func TestSeed_MergesClaudesAnswers(t *testing.T) {
	t.Parallel()
	j := job()
	j.Env["ANTHROPIC_API_KEY"] = "sk-ant-0123456789-abcdefghijklmnopqrst"
	seed := seedOf(t, "claude", j)
	got, changed := apply(t, seed, `{"numStartups":12345678901234567890,"customApiKeyResponses":{"approved":["old"],"rejected":["no"]},"projects":{"/other":{"x":1}}}`)
	var content map[string]any
	if err := json.Unmarshal([]byte(got), &content); err != nil || !changed || seed.Path != "/home/ann/.claude.json" {
		t.Fatalf("%s: %v, changed %v", seed.Path, err, changed)
	}
	want := map[string]any{
		"numStartups": 12345678901234567890.0, "hasCompletedOnboarding": true,
		"customApiKeyResponses": map[string]any{"approved": []any{"old", "abcdefghijklmnopqrst"}, "rejected": []any{"no"}},
		"projects": map[string]any{
			"/other": map[string]any{"x": 1.0}, "/work/tree": map[string]any{"hasTrustDialogAccepted": true},
			j.OutboxDir: map[string]any{"hasTrustDialogAccepted": true},
		},
	}
	if !reflect.DeepEqual(content, want) {
		t.Errorf("got %v, want %v", content, want)
	}
	if again, changed := apply(t, seed, got); changed || again != got {
		t.Error("a second seeding changes the file")
	}
	if _, _, err := seed.Apply([]byte(`{"broken"`)); err == nil {
		t.Error("a broken file was replaced")
	}
}

// Pins PAN-3.
func TestSeed_AppendsCodexsTrust(t *testing.T) {
	t.Parallel()
	seed := seedOf(t, "codex", job())
	const table = "[projects.\"/work/tree\"]\ntrust_level = \"trusted\"\n"
	if got, changed := apply(t, seed, "model = \"m\""); !changed || got != "model = \"m\"\n\n"+table {
		t.Errorf("%q, changed %v", got, changed)
	}
	refused := "[projects.\"/work/tree\"]\ntrust_level = \"untrusted\"\n"
	if got, changed := apply(t, seed, refused); changed || got != refused {
		t.Errorf("a person's answer was changed to %q", got)
	}
	if seed.Path != "/home/ann/.codex/config.toml" {
		t.Errorf("path %q", seed.Path)
	}
}
