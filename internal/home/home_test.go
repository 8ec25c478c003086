package home_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-2ddc2152/board/internal/home"
	"github.com/seed-2ddc2152/board/workflows"
)

func lookup(env map[string]string) home.Lookup {
	return home.Lookup{
		Env:      func(name string) string { return env[name] },
		UserHome: func() (string, error) { return "/home/passwd", nil },
	}
}

func TestResolve_FindsTheHome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flag string
		env  map[string]string
		want string
	}{
		{"/a/b", map[string]string{"BOARD_HOME": "/c"}, "/a/b"},
		{"", map[string]string{"BOARD_HOME": "/c/", "XDG_DATA_HOME": "/d"}, "/c"},
		{"", map[string]string{"XDG_DATA_HOME": "/d", "HOME": "/h"}, "/d/board"},
		{"", map[string]string{"HOME": "/h"}, "/h/.local/share/board"},
		{"", map[string]string{"XDG_DATA_HOME": "relative", "HOME": "/h"}, "/h/.local/share/board"},
		{"", nil, "/home/passwd/.local/share/board"}, // cron, systemd: the user database says it
	} {
		got, err := home.Resolve(c.flag, lookup(c.env))
		if err != nil || got.Dir != c.want {
			t.Errorf("flag %q, %v: got %q, %v; want %q", c.flag, c.env, got.Dir, err, c.want)
		}
	}
	if got, err := home.Resolve("x", lookup(nil)); err != nil || !filepath.IsAbs(got.Dir) {
		t.Errorf("a relative flag: got %q, %v; want it absolute", got.Dir, err)
	}
	nobody := home.Lookup{Env: func(string) string { return "" }, UserHome: func() (string, error) { return "", errors.New("no such user") }}
	if _, err := home.Resolve("", nobody); err == nil || !strings.Contains(err.Error(), "HOME being unset: no such user") {
		t.Errorf("nobody: got %v", err)
	}
}

func TestOpen_NamesInitForAMissingHome(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{filepath.Join(dir, "none"), file, dir} {
		err := home.Open(home.Home{Dir: d})
		if !errors.Is(err, home.ErrMissing) || !strings.Contains(err.Error(), "board init") || !strings.Contains(err.Error(), d) {
			t.Errorf("%s: got %v; want ErrMissing naming board init", d, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "board.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := home.Open(home.Home{Dir: dir}); err != nil {
		t.Errorf("a home: got %v", err)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	h := home.Home{Dir: "/h"}
	for got, want := range map[string]string{
		h.DB(): "/h/board.db", h.WriteLock(): "/h/board.db.lock", h.TickLock(): "/h/board.db.tick", h.ConfigFile(): "/h/config.yaml",
		h.Run(12): "/h/runs/12", h.Session(3): "/h/sessions/3", h.Workflow("solo"): "/h/workflows/solo.yaml",
		h.Worktrees(): "/h/worktrees", h.Runs(): "/h/runs", h.Sessions(): "/h/sessions", h.Workflows(): "/h/workflows",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func config(t *testing.T, src string) (*home.Config, error) {
	t.Helper()
	return home.ParseConfig(home.Home{Dir: "/h"}, []byte(src), "Base.Lan", lookup(map[string]string{"HOME": "/u"}))
}

func TestConfig_OfNoFileIsTheDefault(t *testing.T) {
	t.Parallel()
	c, err := home.LoadConfig(home.Home{Dir: t.TempDir()}, "Base.lan.", lookup(nil))
	if err != nil || c.Exists || c.Host != "base" || !c.Poke || c.Retention.Runs.Hours() != 365*24 || c.Retention.Logs.Hours() != 30*24 {
		t.Errorf("got %+v, %v", c, err)
	}
	for _, src := range []string{"", "# nothing\n", "{}\n"} {
		if c, err := config(t, src); err != nil || !c.Exists || c.Host != "base" || !c.Poke {
			t.Errorf("%q: got %+v, %v", src, c, err)
		}
	}
}

func TestConfig_ReadsEveryKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	src := `host: Base.lan
hosts:
  far: {ssh: user@far.lan, aliases: [Far.LAN, mars], max_sessions: 4, capacity: 4, repos: {api: /srv/api}}
capacity:
  - {name: all, counts: runs, max: params.all}
params: {all: 7, review: false}
retention: {runs: 10d, logs: 1 h}
env_file: ~/.config/board/env
prices: prices.yaml
notify:
  - {command: [notify-send, board], events: [needs_person]}
  - {webhook: https://example.com/x, template: '{{ card.id }} {{ event.reason }}'}
  - {file: notices.log}
poke: false
window_command: [xterm, -e]
database: postgres://board@db/board
`
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := home.LoadConfig(home.Home{Dir: dir}, "other", lookup(map[string]string{"HOME": "/u"}))
	if err != nil {
		t.Fatal(err)
	}
	far := c.HostNamed("MARS")
	if far == nil || far.SSH != "user@far.lan" || far.MaxSessions != 4 || *far.Capacity != 4 || far.Repos["api"] != "/srv/api" {
		t.Errorf("far: got %+v", far)
	}
	if n, _ := c.Capacity[0].Max.Constant(); n != 7 || c.Capacity[0].MaxAt.String() != "config.yaml:5 capacity[0].max" {
		t.Errorf("capacity: got %d at %s", n, c.Capacity[0].MaxAt)
	}
	if c.EnvFile != "/u/.config/board/env" || c.Prices != filepath.Join(dir, "prices.yaml") || c.Poke || c.Retention.Logs.Minutes() != 60 || c.Retention.Events.Hours() != 365*24 {
		t.Errorf("got %+v", c)
	}
	if len(c.Notify) != 3 || c.Notify[0].Command[0] != "notify-send" || c.Notify[2].File != filepath.Join(dir, "notices.log") || c.WindowCommand[0] != "xterm" {
		t.Errorf("got %+v", c.Notify)
	}
}

func TestConfig_TellsEveryProblemAtOnce(t *testing.T) {
	t.Parallel()
	_, err := config(t, `hots: {}
host: localhost
hosts:
  far: {ssh: -oProxyCommand=x, max_sessions: many}
  near: {aliases: [far]}
capacity: [{name: a, counts: run, max: host.load}]
params: [1]
retention: {runs: soon}
notify: [{command: [x], webhook: y}, {}]
poke: maybe
database: mysql://x
prices: 3
`)
	if _, ok := errors.AsType[workflows.Problems](err); !ok {
		t.Fatalf("got %v; want problems", err)
	}
	for _, want := range []string{
		`config.yaml:1:1: unknown key "hots"`, "(did you mean host?)", "config.yaml:2:7: host: expected this machine's name", "config.yaml:4:14: hosts.far.ssh: expected user@host",
		`config.yaml:4:46: hosts.far.max_sessions: found "many"`, "config.yaml:5:9: hosts.near: far is also a name of far", `found "run"; expected one of runs`,
		"config.yaml:6:45: capacity[0].max: this can be a fraction", "config.yaml:7:9: params: expected a map", `config.yaml:8:19: retention.runs: found "soon"`,
		"config.yaml:9:10: notify[0]: a sink has exactly one of", "notify[0].webhook: expected http://", "notify[1]: a sink has exactly one of", "config.yaml:10:7: poke: found \"maybe\"; expected true or false",
		"config.yaml:11:11: database: expected postgres://", "config.yaml:12:9: prices: found 3; expected a text",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("not told: %s", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}

// CAP-2, B5: two spellings of one machine are one.
func TestNormaliseHost_MakesSpellingsOne(t *testing.T) {
	t.Parallel()
	c, err := config(t, "hosts: {far: {aliases: [mars, 10.0.0.7]}, web.a.lan: {}, base.other.lan: {aliases: [old]}}\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"base": "base", "BASE": "base", "base.lan": "base", "Base.Lan.": "base", "localhost": "base", "": "base", "127.0.0.1": "base",
		"far": "far", "FAR.lan": "far", "mars": "far", "mars.lan": "far", "10.0.0.7": "far", "web": "web.a.lan", "web.a.lan": "web.a.lan",
		"base.other.lan": "base.other.lan", "old": "base.other.lan", "stranger.x.y": "stranger", "10.0.0.8": "10.0.0.8",
	} {
		if got := c.NormaliseHost(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	if c.HostNamed("stranger") != nil {
		t.Error("a stranger is configured")
	}
}

func TestReadEnvFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "env")
	write := func(text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	write("# keys\nA=1\n\nexport B_2 = \"two words\"\r\nC='=x'\nD=\n", 0o600)
	got, err := home.ReadEnvFile(path)
	if err != nil || len(got) != 4 || got["A"] != "1" || got["B_2"] != "two words" || got["C"] != "=x" || got["D"] != "" {
		t.Errorf("got %v, %v", got, err)
	}
	write("A=1\n", 0o640)
	if _, err := home.ReadEnvFile(path); err == nil || !strings.Contains(err.Error(), "must be 0600") {
		t.Errorf("mode 0640: got %v", err)
	}
	write("A=1\nsecret-token\n", 0o600)
	if _, err := home.ReadEnvFile(path); err == nil || !strings.Contains(err.Error(), ":2: expected KEY=VALUE") || strings.Contains(err.Error(), "secret") {
		t.Errorf("a line without a key: got %v; want its place, and not its text", err)
	}
	if _, err := home.ReadEnvFile(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: got %v", err)
	}
}

// Not parallel: the umask is the process's.
func TestFiles_ArePrivateWhateverTheUmask(t *testing.T) { //nolint:paralleltest // see above
	for _, mask := range []int{0, 0o277} {
		old := syscall.Umask(mask)
		dir := filepath.Join(t.TempDir(), "a", "b")
		err := errors.Join(home.MkdirAll(dir), home.WriteFile(filepath.Join(dir, "f"), []byte("one")), home.WriteFile(filepath.Join(dir, "f"), []byte("two")))
		syscall.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]os.FileMode{filepath.Dir(dir): 0o700, dir: 0o700, filepath.Join(dir, "f"): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("umask %#o, %s: got %v, %v; want %#o", mask, path, info.Mode(), err, want)
			}
		}
		data, err := os.ReadFile(filepath.Join(dir, "f"))
		entries, dirErr := os.ReadDir(dir)
		if string(data) != "two" || len(entries) != 1 || errors.Join(err, dirErr) != nil {
			t.Errorf("got %q and %v; want two in one file", data, entries)
		}
	}
}

func TestWriteFile_LeavesNothingWhenItFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "f"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := home.WriteFile(filepath.Join(dir, "f"), []byte("x"))
	entries, _ := os.ReadDir(dir)
	if err == nil || len(entries) != 1 {
		t.Errorf("got %v, left %v", err, entries)
	}
	if err := home.MkdirAll(filepath.Join(dir, "f", "g")); err != nil {
		t.Errorf("a folder in a folder: %v", err)
	}
	if err := home.WriteFile(filepath.Join(dir, "none", "f"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: got %v", err)
	}
}
