package process_test

import (
	"encoding/json"
	"testing"

	"github.com/seed-2ddc2152/board/internal/process"
)

func TestIdentity_TextFormReadsBack(t *testing.T) {
	t.Parallel()
	for _, id := range []process.Identity{
		{},
		{BootID: "b-1", PIDNamespace: 4026531836, PID: 7, StartTime: 99, PGID: 5},
		{BootID: "b-1", PID: 1, StartTime: 1 << 63},
	} {
		got, err := process.ParseIdentity(id.String())
		if err != nil || got != id {
			t.Errorf("ParseIdentity(%q) = %+v, %v, want %+v", id.String(), got, err, id)
		}
		text, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		var back process.Identity
		if err := json.Unmarshal(text, &back); err != nil || back != id {
			t.Errorf("JSON %s = %+v, %v, want %+v", text, back, err, id)
		}
	}
}

func TestParseIdentity_RefusesWhatIsNoIdentity(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"7", "b/1/2/3", "b/1/2/3/4/5", "/1/2/3/4", "b/x/2/3/4", "b/1/x/3/4", "b/1/-2/3/4", "b/1/2/-3/4", "b/1/2/3/-4"} {
		if got, err := process.ParseIdentity(text); err == nil {
			t.Errorf("ParseIdentity(%q) = %+v, want an error", text, got)
		}
	}
}

// Holds LIV-1.
func TestJudge_ProvesByBootNamespacePidAndStart(t *testing.T) {
	t.Parallel()
	here := process.Here{BootID: "b", PIDNamespace: 1}
	id := process.Identity{BootID: "b", PIDNamespace: 1, PID: 7, StartTime: 99, PGID: 7}
	other := func(change func(*process.Identity)) process.Identity {
		changed := id
		change(&changed)
		return changed
	}
	for _, c := range []struct {
		name  string
		id    process.Identity
		found *process.Entry
		want  process.Liveness
	}{
		{"all match", id, &process.Entry{ID: id}, process.Alive},
		{"moved to another group", id, &process.Entry{ID: other(func(i *process.Identity) { i.PGID = 3 })}, process.Alive},
		{"zombie", id, &process.Entry{ID: id, Zombie: true}, process.Dead},
		{"no such pid", id, nil, process.Dead},
		{"pid used again", id, &process.Entry{ID: other(func(i *process.Identity) { i.StartTime++ })}, process.Dead},
		{"another boot", other(func(i *process.Identity) { i.BootID = "a" }), &process.Entry{ID: id}, process.Dead},
		{"another pid namespace", other(func(i *process.Identity) { i.PIDNamespace = 2 }), nil, process.Unknown},
		{"never recorded", process.Identity{}, nil, process.Unknown},
	} {
		if got := here.Judge(c.id, c.found); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	if here.Rebooted(id) || here.Rebooted(process.Identity{}) || !here.Rebooted(process.Identity{BootID: "a", PID: 7}) {
		t.Error("Rebooted must be true of another boot only")
	}
}
