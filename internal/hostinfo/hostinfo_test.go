package hostinfo_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-2ddc2152/board/internal/hostinfo"
)

func TestDefaultMaxSessions_IsOnePer2GiBFrom1To8(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bytes int64
		want  int
	}{{0, 1}, {1 << 30, 1}, {4<<30 - 1, 1}, {4 << 30, 2}, {16 << 30, 8}, {1 << 40, 8}} {
		if got := hostinfo.DefaultMaxSessions(c.bytes); got != c.want {
			t.Errorf("DefaultMaxSessions(%d) = %d, want %d", c.bytes, got, c.want)
		}
	}
}

func TestNormalise_MakesNamesComparable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Base.lan": "base", " far\n": "far", "": "", "10": "10"} {
		if got := hostinfo.Normalise(name); got != want {
			t.Errorf("Normalise(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestRead_KnowsThisMachine(t *testing.T) {
	t.Parallel()
	got := hostinfo.Read(t.TempDir())
	if got.Name == "" || got.CPUs < 1 || got.MemoryBytes < 1<<20 || got.FreeDiskBytes == 0 || !got.PressureKnown {
		t.Errorf("got %+v", got)
	}
	if gone := (hostinfo.Sensors{}).Read("/no/such/folder"); gone.FreeDiskBytes != 0 {
		t.Errorf("free disk of no folder: got %d", gone.FreeDiskBytes)
	}
}

const gib = 1 << 30

// machine is the files of a machine of 16 GiB without swap, of which some are changed.
func machine(t *testing.T, changed map[string]string) hostinfo.Sensors {
	t.Helper()
	files := map[string]string{
		"proc/meminfo": "MemTotal:       16777216 kB\nMemFree: 1 kB\nMemAvailable:   8388608 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n",
		"proc/loadavg": "1.50 0.70 0.20 1/100 4242\n",
	}
	maps.Copy(files, changed)
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return hostinfo.Sensors{Root: root}
}

func TestRead_JudgesMemory(t *testing.T) {
	t.Parallel()
	meminfo := func(available, swapTotal, swapFree string) map[string]string {
		return map[string]string{"proc/meminfo": "MemTotal: 16777216 kB\nMemAvailable: " + available + " kB\nSwapTotal: " + swapTotal +
			" kB\nSwapFree: " + swapFree + " kB\n"}
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  hostinfo.MemoryPressure
		bytes int64
	}{
		{"half available", nil, hostinfo.Low, 16 * gib},
		{"a fifth available", meminfo("3355444", "0", "0"), hostinfo.Low, 16 * gib},
		{"under a fifth", meminfo("3355443", "0", "0"), hostinfo.Elevated, 16 * gib},
		{"under a tenth", meminfo("1677721", "0", "0"), hostinfo.Critical, 16 * gib},
		{"under a tenth, but swap is free", meminfo("1677721", "16777216", "16777216"), hostinfo.Low, 16 * gib},
		{"work waits", map[string]string{
			"proc/pressure/memory": "some avg10=12.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=3.00 avg60=0.00 avg300=0.00 total=0\n",
		}, hostinfo.Elevated, 16 * gib},
		{"all work waits", map[string]string{
			"proc/pressure/memory": "some avg10=32.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=13.00 avg60=0.00 avg300=0.00 total=0\n",
		}, hostinfo.Critical, 16 * gib},
		{"limited by a group above, version 2", map[string]string{
			"proc/self/cgroup":               "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max":   "max\n",
			"sys/fs/cgroup/a/memory.max":     "4294967296\n",
			"sys/fs/cgroup/a/memory.current": "4000000000\n",
			"sys/fs/cgroup/a/memory.stat":    "anon 1\ninactive_file 3000000000\n",
			"sys/fs/cgroup/memory.max":       "8589934592\n",
		}, hostinfo.Low, 4 * gib},
		{"full group, version 1", map[string]string{
			"proc/self/cgroup": "5:cpu:/x\n4:memory:/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "2147483648\n",
			"sys/fs/cgroup/memory/a/memory.usage_in_bytes": "2040109465\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes":   "1\n",
		}, hostinfo.Critical, 2 * gib},
	} {
		got := machine(t, c.files).Read("/")
		if got.MemoryPressure != c.want || got.MemoryBytes != c.bytes || !got.PressureKnown || got.Load != 1.5 {
			t.Errorf("%s: got %+v, want %s of %d bytes", c.name, got, c.want, c.bytes)
		}
	}
}

func TestRead_SaysLowAndUnknownWithoutSensors(t *testing.T) {
	t.Parallel()
	got := hostinfo.Sensors{Root: t.TempDir()}.Read("/")
	if got.MemoryPressure != hostinfo.Low || got.PressureKnown || got.MemoryBytes != 0 || got.Load != 0 {
		t.Errorf("got %+v", got)
	}
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		hostinfo.Read("/")
	}
}
