package dispatch_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/dispatch"
	"github.com/seed-2ddc2152/board/internal/hostinfo"
)

// A dry run predicts exactly what a tick straight after it does, on random boards (DSP-2, K3, K4).
func TestDryRun_DSP2_IsTheNextTick(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := newPlace(t, fmt.Sprintf(`{name: s, counts: sessions, scope: host, where: {dispatch: true}, max: %d}`, rapid.IntRange(0, 3).Draw(rt, "sessions")),
			fmt.Sprintf(`{name: r, counts: runs, max: %d, reserve: {for: {status: review}, slots: 1}}`, rapid.IntRange(1, 4).Draw(rt, "runs")),
			`{name: by pressure, counts: runs, scope: executor, max: 'host.memory_pressure == "low" ? 2 : 1'}`)
		p.memory = rapid.SampledFrom([]hostinfo.MemoryPressure{hostinfo.Low, hostinfo.Elevated}).Draw(rt, "memory")
		p.addBoard("web", 2)
		for range rapid.IntRange(0, 7).Draw(rt, "cards") {
			p.card(rapid.SampledFrom([]string{"todo", "doing", "review"}).Draw(rt, "status"), func(c *board.Card) {
				c.Board = rapid.SampledFrom([]string{"api", "web"}).Draw(rt, "board")
				c.Priority = rapid.IntRange(0, 2).Draw(rt, "priority")
				c.Assignee = rapid.SampledFrom([]string{"", "paner", "nobody"}).Draw(rt, "assignee")
				c.NotBefore = rapid.SampledFrom([]board.Time{0, board.At(noon.AddDate(0, 0, 1))}).Draw(rt, "not before")
			})
		}
		for range rapid.IntRange(0, 2).Draw(rt, "ticks before") {
			p.tick()
			p.clock.Advance(dispatch.SpawnGrace / 10)
		}
		foretold := p.dry(nil)
		done := p.tick()
		if got, want := starts(done), starts(foretold); !reflect.DeepEqual(got, want) {
			rt.Fatalf("the tick started %v, the dry run foretold %v", got, want)
		}
		if got, want := holds(done), holds(foretold); !reflect.DeepEqual(got, want) {
			rt.Fatalf("the tick held %v, the dry run foretold %v", got, want)
		}
		if len(done.Elsewhere) != 0 {
			rt.Fatalf("elsewhere %v: nothing changed meanwhile", done.Elsewhere)
		}
	})
}

func starts(r dispatch.Report) []string {
	var all []string
	for _, s := range r.Started {
		all = append(all, fmt.Sprint(s.Card, " ", s.Status, " ", s.Profile, " ", s.Executor, " ", s.Clone, " ", s.Host, " ", s.Slot, " ", s.Mode, " ", s.Attempt))
	}
	return all
}

func holds(r dispatch.Report) []string {
	var all []string
	for _, h := range r.Held {
		all = append(all, fmt.Sprint(h.Card, " ", h.Code, " ", h.Cap, " ", h.Count, "/", h.Max, " ", h.Group, " ", h.Text))
	}
	return all
}

// K1: a dry run writes nothing: not a byte of the home but SQLite's own -shm and an empty -wal.
func TestDryRun_DSP2_ChangesNoFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t, ds1)
	p.card("todo")
	p.card("todo", func(c *board.Card) { c.Host = "far" })
	p.tick()
	p.card("todo")
	if err := p.store.Close(); err != nil {
		t.Fatal(err)
	}
	before := p.files()
	store, err := board.OpenReadOnly(t.Context(), p.home.DB())
	if err != nil {
		t.Fatal(err)
	}
	r, err := dispatch.DryRun(t.Context(), p.deps(store), dispatch.Options{}, p.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if len(r.Held) != 2 || r.Held[0].Group != "base" { // K2: headless runs are here, whatever host the card names
		t.Fatalf("held %+v, want two cards on base", r.Held)
	}
	if after := p.files(); !reflect.DeepEqual(after, before) {
		t.Fatalf("the home's files were %v and are %v", before, after)
	}
}

// files are the home's files by content.
func (p *place) files() map[string]string {
	p.tb.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(p.home.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "-shm") {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.HasSuffix(path, "-wal") && len(text) == 0 {
			return err
		}
		all[strings.TrimPrefix(path, p.home.Dir)] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	})
	if err != nil {
		p.tb.Fatal(err)
	}
	return all
}

func TestDryRun_DSP11_AnswersWhatIf(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `{name: by pressure, counts: runs, max: 'host.memory_pressure == "low" ? 3 : 1'}`, `{name: by param, counts: starts, max: 'params.most ?? 2'}`)
	p.write("config.yaml", "capacity:\n  - {name: of the home, counts: runs, max: 'params.hosts?.base?.runs'}\n")
	for range 4 {
		p.card("todo")
	}
	later := p.card("todo", func(c *board.Card) { c.NotBefore = board.At(noon.AddDate(0, 1, 0)) })
	for _, c := range []struct {
		name string
		set  map[string]any
		want int
	}{
		{"as it is", nil, 2},
		{"memory short", map[string]any{"host.memory_pressure": "critical"}, 1},
		{"a param of the workflow's cap", map[string]any{"params.most": 9}, 3},
		{"a param of config.yaml's cap", map[string]any{"params.hosts.base.runs": 0}, 0},
	} {
		if got := len(p.dry(c.set).Started); got != c.want {
			t.Errorf("%s: %d would start, want %d", c.name, got, c.want)
		}
	}
	r, err := dispatch.DryRun(t.Context(), p.deps(p.store), dispatch.Options{Only: later}, noon.AddDate(0, 2, 0))
	if err != nil || len(r.Started) != 1 {
		t.Fatalf("at a later time %+v, %v; want %s to start", r, err, later)
	}
	if got := len(p.tick().Started); got != 2 {
		t.Fatalf("the tick started %d, want 2: what-if changed nothing", got)
	}
}

// DSP-10: a hold names every cap that blocks, with who holds its places, what its maximum read, and where it stands.
func TestDryRun_DSP10_NamesEveryCapWithHoldersValuesAndKey(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `{name: by pressure, counts: runs, scope: host, max: 'host.memory_pressure == "low" ? 1 : 3'}`,
		`{name: by param, counts: sessions, max: params.most}`, `{name: wide, counts: runs, max: 7}`)
	p.write("config.yaml", "params: {most: 1}\n")
	p.card("todo")
	run := p.tick().Started[0].Run
	waits := p.card("todo")
	h := heldIn(t, p.dry(nil), waits)
	if h.Code != board.HoldCapacity || h.Cap != "by pressure" || h.Count != 1 || h.Max != 1 || h.Group != "base" || len(h.Caps) != 2 {
		t.Fatalf("held %+v, want both caps, the first declared as the headline", h)
	}
	first, second := h.Caps[0], h.Caps[1]
	if !reflect.DeepEqual(first.Holders, []int64{run}) || !reflect.DeepEqual(first.Values, map[string]any{"host.memory_pressure": "low"}) {
		t.Errorf("holders %v values %v, want run %d and the pressure that was read", first.Holders, first.Values, run)
	}
	if want := "workflows/test.yaml:26 dispatch.capacity[0].max"; first.Key != want {
		t.Errorf("key %q, want %q", first.Key, want)
	}
	if !reflect.DeepEqual(second.Values, map[string]any{"params.most": 1}) || second.Cap != "by param" {
		t.Errorf("second cap %+v, want the param that it read", second)
	}
}

// DSP-12: what raising a cap would do is found by planning again with that value.
func TestBottlenecks_DSP12_PlanAgainWithTheHigherMaximum(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{name: few runs, counts: runs, max: 1}`, `{name: few starts, counts: starts, max: 3}`)
	w.snap.Options.Explain = true
	for range 6 {
		w.card("todo")
	}
	all := dispatch.Bottlenecks(w.snap, w.plan())
	if len(all) != 1 || all[0].Cap != "few runs" || all[0].Held != 5 {
		t.Fatalf("bottlenecks %+v, want few runs with 5 cards", all)
	}
	want := []dispatch.Raise{{Max: 2, More: 1}, {Max: 3, More: 2}} // with 5 the other cap holds: no more than with 3
	if !reflect.DeepEqual(all[0].Raise, want) {
		t.Fatalf("raises %+v, want %+v", all[0].Raise, want)
	}
	if text := `5 cards wait: raise max of "few runs" from 1 to 2: 1 more would start now; to 3: 2 more`; all[0].Text != text {
		t.Fatalf("text %q, want %q", all[0].Text, text)
	}
}

func TestBottlenecks_RaiseEveryGroupAndDollarsByTheDollar(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{name: by profile, counts: runs, scope: profile, max: 'run.slot == "reviewer" ? 2 : 1'}`)
	w.executors(executor("a", 9))
	for range 3 {
		w.card("todo")
		w.card("review")
	}
	all := dispatch.Bottlenecks(w.snap, w.plan())
	if len(all) != 1 || all[0].Raise[0].More != 2 {
		t.Fatalf("bottlenecks %+v, want one more in each group", all)
	}
	w = newWorld(t, `{name: dollars, counts: spend, window: 1d, max: 2, assume_usd: 1}`)
	w.executors(executor("a", 9))
	for range 4 {
		w.card("todo")
	}
	all = dispatch.Bottlenecks(w.snap, w.plan())
	if len(all) != 1 || !strings.Contains(all[0].Text, `raise max of "dollars" from $2.00 to $3.00: 1 more`) {
		t.Fatalf("bottlenecks %+v, want a dollar more to start one more", all)
	}
}

func TestBottlenecks_HaveNoNumberForAPausedCap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{name: few runs, counts: runs, max: 5}`)
	w.snap.View.Pauses = []board.Pause{{Kind: board.PauseCap, Target: "few runs", Actor: "ada"}}
	id := w.card("todo")
	p := w.plan()
	if h := heldAs(t, p, id); h.Code != board.HoldCapacity || h.Key != `board resume --cap "few runs"` { // CAP-16
		t.Fatalf("held %+v, want the word that resumes the cap", h.Reason)
	}
	if all := dispatch.Bottlenecks(w.snap, p); len(all) != 0 {
		t.Fatalf("bottlenecks %+v, want none: raising the number would help nobody", all)
	}
}
