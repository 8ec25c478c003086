package probe_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/clock"
	"github.com/seed-2ddc2152/board/internal/probe"
	"github.com/seed-2ddc2152/board/internal/process"
	"github.com/seed-2ddc2152/board/internal/roster"
)

// machine is a PATH of its own with programs that are shell scripts, and a home.
type machine struct {
	t    *testing.T
	bin  string
	home string
	env  []string // beside PATH and HOME
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, bin: t.TempDir(), home: t.TempDir()}
	return m
}

// program puts a script on the PATH.
func (m *machine) program(name, script string) {
	m.t.Helper()
	m.file(filepath.Join(m.bin, name), "#!/bin/sh\n"+script, 0o755)
}

func (m *machine) file(path, text string, mode os.FileMode) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) prober() probe.Prober {
	m.t.Helper()
	table, err := process.Open()
	if err != nil {
		m.t.Fatal(err)
	}
	return probe.Prober{
		Environ: append([]string{"PATH=" + m.bin + ":/usr/bin:/bin", "HOME=" + m.home}, m.env...), Clock: clock.Real{},
		Table: table, Limit: time.Minute, Health: func(context.Context, string) roster.Probe { return roster.Probe{Text: "503 Service Unavailable"} },
	}
}

// check looks at one executor.
func (m *machine) check(p probe.Prober, e roster.Executor) probe.Report {
	m.t.Helper()
	reports, err := p.Check(m.t.Context(), []roster.Executor{e})
	if err != nil {
		m.t.Fatal(err)
	}
	if len(reports) != 1 {
		m.t.Fatalf("%d reports of one executor", len(reports))
	}
	return reports[0]
}

// claude answers as the real one does, signed in or not; with log it says in $HOME/log what it was asked.
func claude(signedIn bool) string {
	status := `{"loggedIn": false, "authMethod": "none"}'; exit 1`
	if signedIn {
		status = `{"loggedIn": true, "authMethod": "claude.ai"}'; exit 0`
	}
	return `echo "$@" >> "$HOME/log"
case "$*" in
--version) echo "2.1.332 (Claude Code)";;
"auth status") echo '` + status + `;;
--help) ` + claudeHelp + `;;
-p*) cat > "$HOME/prompt"; echo '{"type":"system","subtype":"init","session_id":"s","model":"opus"}'
  echo '{"type":"result","subtype":"success","is_error":false,"result":"ready","session_id":"s","total_cost_usd":0.01}';;
esac
`
}

const claudeHelp = `echo "--output-format --verbose --session-id --resume --permission-mode --allowedTools --tools --model --effort --add-dir --strict-mcp-config"`

func codes(r probe.Report) []probe.Code {
	list := []probe.Code{}
	for _, p := range r.Problems {
		list = append(list, p.Code)
	}
	return list
}
